#include "play.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sim/server/merge_patch.h"

namespace drover::proof {

using namespace std::chrono_literals;
using operate::testing::parsed;

namespace {

std::vector<std::string_view> definitions_of(const PlayOptions& options) {
  std::vector<std::string_view> all(options.vendor.definitions.begin(), options.vendor.definitions.end());
  for (const Vendor* other : options.also) all.insert(all.end(), other->definitions.begin(), other->definitions.end());
  return all;
}

}  // namespace

Play::Play(const PlayOptions& options)
    : Stage({.seed = options.seed,
             .nodes = options.nodes,
             .kubelets = {.events = false, .vendors = all_machines()},
             .definitions = definitions_of(options),
             .ns = options.without_namespace ? std::string_view("elsewhere") : options.vendor.ns,
             .knows_owners = options.knows_owners}),
      vendor(options.vendor),
      options_(options),
      patchy_(luck, world.loop),
      in_turn_(&options_.vendor) {
  check_all();
  for (const Vendor* other : options_.also)
    as("person", kube::create(kube::kNamespaces, "", {{"metadata", {{"name", other->ns}}}}));
  // The checkers were not there when the stage was built.
  for (const std::string& name : Stage::names())
    as("person", kube::patch(kube::kNodes, "", name, kube::PatchKind::Merge,
                             {{"metadata", {{"annotations", {{"stage", "set"}}}}}}));
}

Play::~Play() {
  for (std::size_t i = 0; i < replicas_.size(); ++i) kill(i);
}

void Play::start(std::size_t replica) {
  if (replicas_.size() <= replica) replicas_.resize(replica + 1);
  if (is_running(replica)) return;
  Replica& one = replicas_[replica];
  clocks_.push_back(std::make_unique<operate::testing::WrongClock>(loop(), clock_is_off_));
  one.door = std::make_unique<Door>(patchy_, world.loop, std::string(kOperator));
  one.door->makes(options_.mistakes);
  if (options_.death.write > 0 && !has_died_) {
    one.door->dies(options_.death, [this, replica] {
      has_died_ = true;
      checker->note("fate", "the operator dies");
      world.loop.post([this, replica] { kill(replica); });
      revival_ = world.loop.after(2s, [this, replica] { start(replica); });
    });
  }
  for (const auto& each : checkers_) each->an_operator_starts();
  operate::Settings settings;
  for (const Vendor* one_of_them : vendors()) settings.vendors.push_back(one_of_them->served());
  settings.max_unavailable = options_.told_instead ? options_.told_instead : options_.max_unavailable;
  settings.instance = fmt::format("drover-{}", starts);
  if (options_.with_leases) {
    settings.lease = kube::LeaseTerms{
        .ns = std::string(options_.vendor.ns), .name = "drover", .identity = fmt::format("drover-{}", starts)};
  }
  one.drover = std::make_unique<operate::Operator>(
      *one.door, *clocks_.back(), world.cluster.random(fmt::format("operator-{}", ++starts)), std::move(settings),
      [this, replica] { world.loop.post([this, replica] { kill(replica); }); });
  one.passes_told = 0;
  one.drover->start();
  tell_who_hears();
}

void Play::kill(std::size_t replica) {
  if (!is_running(replica)) return;
  Replica& one = replicas_[replica];
  if (writes_.empty()) writes_ = one.door->writes();
  one.door->shut();
  one.drover.reset();
  old_doors_.push_back(std::move(one.door));
  tell_who_hears();
}

void Play::tell_who_hears() {
  const bool runs =
      std::any_of(replicas_.begin(), replicas_.end(), [](const Replica& one) { return one.drover != nullptr; });
  for (const auto& one : checkers_) one->operators_hear(runs && !patchy_.is_away);
}

bool Play::is_running(std::size_t replica) const { return replica < replicas_.size() && replicas_[replica].drover; }

void Play::as(std::string_view asker, kube::Request request) {
  std::optional<kube::Result<kube::Object>> outcome;
  request.field_manager = asker;
  auto call = person.call(std::move(request), [&](kube::Result<kube::Object> answer) { outcome = std::move(answer); });
  world.run_until([&] { return outcome.has_value(); }, 1min);
}

void Play::set_node(std::string_view asker, const std::string& node, json::Value merge) {
  as(asker, kube::patch(kube::kNodes, "", node, kube::PatchKind::Merge, std::move(merge)));
}

// `label` is "key=value", or nothing.
json::Value Play::pod_of(const std::string& name, std::string_view image, int devices, const std::string& node,
                         std::string_view label, bool local_data) const {
  json::Value pod = {{"metadata", {{"labels", {{"app", name}}}}},
                     {"spec", {{"containers", json::Array{{{"name", "train"}, {"image", image}}}}}}};
  json::Value& spec = *json::find(pod, {"spec"});
  if (devices > 0) vendor.use_device(spec, devices);
  if (local_data) {
    json::Value& volumes = json::ensure(spec, {"volumes"});
    if (!volumes.is_array()) volumes = json::Array();
    volumes.get_array().push_back({{"name", "scratch"}, {"emptyDir", json::Members()}});
  }
  if (!node.empty()) json::ensure(spec, {"nodeSelector", "kubernetes.io/hostname"}) = node;
  if (const auto equals = label.find('='); equals != std::string_view::npos)
    json::ensure(pod, {"metadata", "labels", label.substr(0, equals)}) = label.substr(equals + 1);
  return pod;
}

void Play::add_workload(const std::string& name, int replicas, int devices, const std::string& node,
                        std::string_view label, bool local_data, bool is_pinned) {
  json::Value spec = {{"replicas", replicas}, {"selector", {{"matchLabels", {{"app", name}}}}}};
  json::Value pod = pod_of(name, "train:1", devices, is_pinned ? "" : node, label, local_data);
  if (is_pinned) json::ensure(pod, {"spec", "nodeName"}) = node;  // past the scheduler, and past every cordon
  spec.get_object()["template"] = std::move(pod);
  as("person", kube::create(kube::kDeployments, "ml", {{"metadata", {{"name", name}}}, {"spec", std::move(spec)}}));
}

void Play::add_pod(const std::string& name, int devices, const std::string& node, std::string_view image,
                   std::string_view label, bool local_data) {
  json::Value pod = pod_of(name, image, devices, node, label, local_data);
  json::ensure(pod, {"metadata", "name"}) = name;
  json::ensure(pod, {"spec", "restartPolicy"}) = "Never";
  as("person", kube::create(kube::kPods, "ml", std::move(pod)));
}

void Play::bind_pod(const std::string& name, const std::string& resource, const std::string& node,
                    std::string_view image) {
  json::Value pod = pod_of(name, image, 0, "", "", false);
  json::ensure(pod, {"metadata", "name"}) = name;
  json::Value& spec = *json::find(pod, {"spec"});
  spec.get_object()["restartPolicy"] = "Never";
  spec.get_object()["nodeName"] = node;
  json::ensure(spec.at("containers").get_array().front(), {"resources", "limits", resource}) = "1";
  as("person", kube::create(kube::kPods, "ml", std::move(pod)));
}

void Play::delete_driver_pod(const std::string& node) {
  for (const sim::Stored& pod : world.store().pods_on(node)) {
    if (our_role(vendor, *pod) != vendor.driver_role) continue;
    as("person",
       kube::remove(kube::kPods, std::string(kube::namespace_of(*pod)), std::string(kube::name_of(*pod)), ""));
    return;
  }
}

void Play::competing_operator(bool runs) {
  const auto& [key, value] = vendor.own_operator_label;
  if (key.empty()) return;  // it has none
  if (!runs) return as("person", kube::remove(kube::kDeployments, std::string(vendor.ns), std::string(value), ""));
  as("person", kube::create(kube::kDeployments, std::string(vendor.ns),
                            parsed(fmt::format(R"({{"metadata": {{"name": "{1}", "labels": {{"{0}": "{1}"}}}},
      "spec": {{"replicas": 1, "selector": {{"matchLabels": {{"{0}": "{1}"}}}},
                "template": {{"metadata": {{"labels": {{"{0}": "{1}"}}}},
                              "spec": {{"containers": [{{"name": "operator", "image": "{1}:1"}}]}}}}}}}})",
                                               key, value))));
}

void Play::create_policy(std::string_view version, std::string_view upgrade) {
  json::Value object = parsed(replaced(vendor.policy_text, "$VERSION", version));
  if (!upgrade.empty()) sim::merge_patch(object, vendor.merge_of("upgrade-policy", upgrade));
  as("person", kube::create(vendor.policy, "", std::move(object)));
}

bool Play::fails(std::string why) {
  trouble_ = std::move(why);
  return false;
}

bool Play::someone_is_claimed() {
  const std::vector<std::string> all = Stage::names();
  return std::any_of(all.begin(), all.end(),
                     [this](const auto& name) { return marks_of(vendor, *node(name)).claim.has_value(); });
}

std::size_t Play::requests() const {
  std::size_t count = 0;
  const auto add = [&](const Door& door) {
    count += static_cast<std::size_t>(std::count(door.writes().begin(), door.writes().end(), 'w'));
  };
  for (const Replica& replica : replicas_) {
    if (replica.door) add(*replica.door);
  }
  for (const auto& door : old_doors_) add(*door);
  return count;
}

bool Play::comes_to_rest() {
  // Whoever asks this often will not come to rest.
  constexpr std::size_t kMostRequests = 2000;
  const std::size_t at_first = requests();
  const auto is_broken = [&] {
    if (requests() - at_first > kMostRequests)
      checker->blame("L2 fixpoint", "the operator asks without end: " + checker->last_operator_write());
    return !is_clean();
  };
  if (world.run_until(is_broken, 10min)) return false;
  // A node that a user uncordoned is left alone for ten minutes, and failing takes its time: a node that is in
  // hand may wait for its driver for half an hour without a word.
  for (int tries = 0; tries < 12; ++tries) {
    const std::size_t before = requests();
    if (world.run_until(is_broken, 10min)) return false;
    if (requests() != before) continue;
    if (!someone_is_claimed()) return true;
    if (world.run_until(is_broken, 31min)) return false;
    if (requests() == before) return true;
  }
  checker->blame("L2 fixpoint", "the operator still writes: " + checker->last_operator_write());
  return false;
}

bool Play::is_anothers(const kube::Object& pod) const {
  return std::any_of(options_.also.begin(), options_.also.end(),
                     [&](const Vendor* one) { return !our_role(*one, pod).empty(); }) ||
         !our_role(options_.vendor, pod).empty();
}

// What is left when times, ids and reasons are taken away.
void Play::add_final_state(std::string& text) const {
  for (const std::string& name : names()) {
    const NodeMarks marks = marks_of(vendor, *node(name));
    text += fmt::format("{} state={} cordoned={} tainted={} gates={} claim={} result={} next={} order={} driver={}",
                        name, marks.state, marks.is_cordoned, marks.is_tainted,
                        marks.has_paused_gates ? "paused" : "open", marks.claim ? marks.claim->phase : "", marks.result,
                        marks.next, marks.has_order, checker->loaded_on(name));
    std::vector<std::string> pods;
    for (const sim::Stored& pod : world.store().pods_on(name)) {
      if (our_role(vendor, *pod).empty() && (is_finished(*pod) || is_anothers(*pod))) continue;
      pods.push_back(fmt::format(" {}{}{}", family_of(vendor, *pod), is_ready(*pod) ? "" : "(unready)",
                                 std::string(kube::label_of(*pod, kDigest)).substr(0, 8)));
    }
    std::sort(pods.begin(), pods.end());
    text += fmt::format(" pods:{}", fmt::join(pods, "")) + "\n";
  }
  if (const auto policy = this->policy()) {
    text += "asks " + json::text_of(json::members_at(*policy, {"spec"})) + "\n";
    text += "status " + json::text_of(json::members_at(*policy, {"status", "summary"})) + "\n";
    for (const json::Value& condition : json::array_at(*policy, {"status", "conditions"})) {
      text += fmt::format("  {}={} {}\n", json::text_at(condition, {"type"}), json::text_at(condition, {"status"}),
                          json::text_at(condition, {"reason"}));
    }
  }
}

}  // namespace drover::proof
