#include "play.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "vendors/nvidia/module.h"
#include "vendors/profile.h"

namespace drover::proof {

using namespace std::chrono_literals;
using operate::testing::kClusterPolicies;
using operate::testing::parsed;

Play::Play(const PlayOptions& options) : Stage({.seed = options.seed, .nodes = options.nodes}), options_(options) {
  checker =
      std::make_unique<Checker>(world, [this](const std::string& node) { return driver_on(node); }, options.checker);
  // The checker was not there when the stage was built.
  for (const std::string& name : names())
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
  one.door = std::make_unique<Door>(luck, std::string(kOperator));
  one.door->alter(options_.alter, options_.see);
  if (options_.death.write > 0 && !has_died_) {
    one.door->dies(options_.death, [this, replica] {
      has_died_ = true;
      checker->note("fate", "the operator dies");
      world.loop.post([this, replica] { kill(replica); });
      revival_ = world.loop.after(2s, [this, replica] { start(replica); });
    });
  }
  operate::Settings settings;
  settings.vendors.push_back({.profile = &vendors::nvidia(), .operands = {}});
  settings.instance = fmt::format("drover-{}", starts);
  if (options_.with_leases) {
    settings.lease =
        kube::LeaseTerms{.ns = "gpu-operator", .name = "drover", .identity = fmt::format("drover-{}", starts)};
  }
  one.drover = std::make_unique<operate::Operator>(
      *one.door, world.loop, world.cluster.random(fmt::format("operator-{}", ++starts)), std::move(settings),
      [this, replica] { world.loop.post([this, replica] { kill(replica); }); });
  one.drover->start();
}

void Play::kill(std::size_t replica) {
  if (!is_running(replica)) return;
  Replica& one = replicas_[replica];
  if (writes_.empty()) writes_ = one.door->writes();
  one.door->shut();
  one.drover.reset();
  old_doors_.push_back(std::move(one.door));
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

void Play::add_workload(const std::string& name, int replicas, int gpus, const std::string& node,
                        std::string_view labels, bool local_data) {
  json::Value deployment = parsed(fmt::format(R"({{"metadata": {{"name": "{0}"}}, "spec": {{"replicas": {1},
      "selector": {{"matchLabels": {{"app": "{0}"}}}},
      "template": {{"metadata": {{"labels": {{"app": "{0}"}}}},
                    "spec": {{"containers": [{{"name": "train", "image": "train:1"}}]}}}}}}}})",
                                              name, replicas));
  json::Value& spec = *json::find(deployment, {"spec", "template", "spec"});
  json::Value& container = spec.at("containers").get_array().front();
  if (gpus > 0) container.get_object()["resources"] = {{"limits", {{"nvidia.com/gpu", std::to_string(gpus)}}}};
  if (!node.empty()) spec.get_object()["nodeSelector"] = {{"kubernetes.io/hostname", node}};
  if (local_data) spec.get_object()["volumes"] = json::Array{{{"name", "scratch"}, {"emptyDir", json::Members()}}};
  if (const auto equals = labels.find('='); equals != std::string_view::npos) {
    json::ensure(deployment, {"spec", "template", "metadata", "labels", labels.substr(0, equals)}) =
        labels.substr(equals + 1);
  }
  as("person", kube::create(kube::kDeployments, "ml", std::move(deployment)));
}

void Play::add_pod(const std::string& name, int gpus, const std::string& node, std::string_view image,
                   std::string_view labels, bool local_data) {
  json::Value pod = parsed(fmt::format(
      R"({{"metadata": {{"name": "{0}", "labels": {{"app": "{0}"}}}}, "spec": {{"restartPolicy": "Never",
          "nodeSelector": {{"kubernetes.io/hostname": "{1}"}}, "containers": [{{"name": "job", "image": "{2}"}}]}}}})",
      name, node, image));
  if (gpus > 0) {
    json::find(pod, {"spec"})->at("containers").get_array().front().get_object()["resources"] = {
        {"limits", {{"nvidia.com/gpu", std::to_string(gpus)}}}};
  }
  if (local_data) {
    json::ensure(pod, {"spec", "volumes"}) = json::Array{{{"name", "scratch"}, {"emptyDir", json::Members()}}};
  }
  if (const auto equals = labels.find('='); equals != std::string_view::npos) {
    json::ensure(pod, {"metadata", "labels", labels.substr(0, equals)}) = labels.substr(equals + 1);
  }
  as("person", kube::create(kube::kPods, "ml", std::move(pod)));
}

void Play::bind_pod(const std::string& name, const std::string& resource, const std::string& node,
                    std::string_view image) {
  as("person", kube::create(kube::kPods, "ml",
                            parsed(fmt::format(R"({{"metadata": {{"name": "{0}"}},
      "spec": {{"restartPolicy": "Never", "nodeName": "{1}", "containers": [{{"name": "job", "image": "{2}",
                "resources": {{"limits": {{"{3}": "1"}}}}}}]}}}})",
                                               name, node, image, resource))));
}

void Play::delete_driver_pod(const std::string& node) {
  for (const sim::Stored& pod : world.store().pods_on(node)) {
    if (our_role(*pod) != kDriverApp) continue;
    as("person",
       kube::remove(kube::kPods, std::string(kube::namespace_of(*pod)), std::string(kube::name_of(*pod)), ""));
    return;
  }
}

void Play::foreign_operator(bool runs) {
  if (runs) {
    as("person", kube::create(kube::kDeployments, "gpu-operator", parsed(R"({"metadata": {"name": "gpu-operator",
        "labels": {"app": "gpu-operator"}}, "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "gpu-operator"}},
        "template": {"metadata": {"labels": {"app": "gpu-operator"}},
                     "spec": {"containers": [{"name": "operator", "image": "gpu-operator:1"}]}}}})")));
  } else {
    as("person", kube::remove(kube::kDeployments, "gpu-operator", "gpu-operator", ""));
  }
}

bool Play::fails(std::string why) {
  trouble_ = std::move(why);
  return false;
}

bool Play::someone_is_claimed() {
  const std::vector<std::string> all = names();
  return std::any_of(all.begin(), all.end(),
                     [this](const auto& name) { return marks_of(*node(name)).claim.has_value(); });
}

bool Play::comes_to_rest() {
  const auto is_broken = [this] { return !checker->is_clean(); };
  if (world.run_until(is_broken, 10min)) return false;
  // Whoever was given back by a person is left alone for ten minutes, and failing takes its time: a node that is in
  // hand may wait for its driver for half an hour without a word.
  for (int tries = 0; tries < 12; ++tries) {
    const std::uint64_t before = checker->operator_writes();
    if (world.run_until(is_broken, 10min)) return false;
    if (checker->operator_writes() != before) continue;
    if (!someone_is_claimed()) return true;
    if (world.run_until(is_broken, 31min)) return false;
    if (checker->operator_writes() == before) return true;
  }
  checker->blame("L2 fixpoint", "the operator still writes: " + checker->last_operator_write());
  return false;
}

// What is left when times, ids and reasons are taken away.
std::string Play::final_state() {
  std::string text;
  for (const std::string& name : names()) {
    const NodeMarks marks = marks_of(*node(name));
    text += fmt::format("{} state={} cordoned={} tainted={} gates={} claim={} result={} next={} driver={}", name,
                        marks.state, marks.is_cordoned, marks.is_tainted, marks.has_paused_gates ? "paused" : "open",
                        marks.claim ? marks.claim->phase : "", marks.result, marks.next, driver_on(name));
    std::vector<std::string> pods;
    for (const sim::Stored& pod : world.store().pods_on(name)) {
      if (is_finished(*pod) && our_role(*pod).empty()) continue;
      pods.push_back(fmt::format(" {}{}{}", family_of(*pod), is_ready(*pod) ? "" : "(unready)",
                                 std::string(kube::label_of(*pod, kDigest)).substr(0, 8)));
    }
    std::sort(pods.begin(), pods.end());
    text += fmt::format(" pods:{}", fmt::join(pods, "")) + "\n";
  }
  if (const auto policy = this->policy()) {
    text += "asks " + json::text_of(json::members_at(*policy, {"spec", "driver", "upgradePolicy"})) + "\n";
    text += "status " + json::text_of(json::members_at(*policy, {"status", "summary"})) + "\n";
    for (const json::Value& condition : json::array_at(*policy, {"status", "conditions"})) {
      text += fmt::format("  {}={} {}\n", json::text_at(condition, {"type"}), json::text_at(condition, {"status"}),
                          json::text_at(condition, {"reason"}));
    }
  }
  return text;
}

}  // namespace drover::proof
