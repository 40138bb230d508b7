#include "tenstorrent_play.h"

#include <fmt/format.h>

#include <algorithm>

#include "facts.h"
#include "vendors/tenstorrent/module.h"

namespace drover::proof {

using namespace std::chrono_literals;
using operate::testing::kDriverPolicies;
using operate::testing::kGate;
using operate::testing::kTenstorrentNamespace;

namespace {

constexpr std::string_view kOperatorName = "operator";
constexpr std::size_t kMostRemovalsAMinute = 6;

bool uses_device(const kube::Object& pod) {
  for (const json::Value& volume : json::array_at(pod, {"spec", "volumes"})) {
    if (json::text_at(volume, {"hostPath", "path"}).starts_with("/dev/tenstorrent")) return true;
  }
  return false;
}

}  // namespace

TenstorrentPlay::TenstorrentPlay(int nodes, std::uint64_t seed, Death death)
    : TenstorrentStage(nodes, seed), death_(death) {
  subscription_ = world.server().store().subscribe([this](const sim::Commit& commit) { heard(commit); });
  watch_machines();
}

TenstorrentPlay::~TenstorrentPlay() {
  fall();
  world.server().store().unsubscribe(subscription_);
}

// ---- the operator

void TenstorrentPlay::rise() {
  if (is_up()) return;
  watch_machines();
  replica_ = std::make_unique<Replica>();
  replica_->door = std::make_unique<Door>(luck, std::string(kOperatorName));
  if (death_.write > 0 && !has_died_) {
    replica_->door->dies(death_, [this] {
      has_died_ = true;
      tell("the operator dies");
      world.loop.post([this] { fall(); });
      revival_ = world.loop.after(2s, [this] { rise(); });
    });
  }
  operate::Settings settings;
  settings.vendors.push_back({.profile = &vendors::tenstorrent(), .operands = operands()});
  replica_->drover = std::make_unique<operate::Operator>(
      *replica_->door, world.loop, world.cluster.random(fmt::format("operator-{}", ++starts)), std::move(settings));
  replica_->drover->start();
}

void TenstorrentPlay::fall() {
  if (!is_up()) return;
  if (writes_.empty()) writes_ = replica_->door->writes();
  replica_->door->shut();
  replica_->drover.reset();
  old_.push_back(std::move(replica_));
}

// ---- people

void TenstorrentPlay::as_person(kube::Request request) {
  std::optional<kube::Result<kube::Object>> outcome;
  request.field_manager = "person";
  auto call = person.call(std::move(request), [&](kube::Result<kube::Object> answer) { outcome = std::move(answer); });
  world.run_until([&] { return outcome.has_value(); }, 1min);
}

void TenstorrentPlay::patch_as_person(const std::string& node, json::Value merge) {
  as_person(kube::patch(kube::kNodes, "", node, kube::PatchKind::Merge, std::move(merge)));
}

// ---- eyes

void TenstorrentPlay::blame(std::string what) {
  tell("BROKEN: " + what);
  breaches_.push_back(std::move(what));
}

void TenstorrentPlay::tell(std::string what) {
  chronicle_.push_back(fmt::format("{} {}", base::rfc3339(world.loop.wall()), what));
}

std::string TenstorrentPlay::chronicle() const {
  std::string text;
  const std::size_t from = chronicle_.size() > 60 ? chronicle_.size() - 60 : 0;
  for (std::size_t i = from; i < chronicle_.size(); ++i) text += chronicle_[i] + "\n";
  return text;
}

TenstorrentPlay::Marks TenstorrentPlay::marks_of(const kube::Object& node) {
  Marks marks;
  marks.is_cordoned = json::flag_at(node, {"spec", "unschedulable"});
  const json::Value* gate = json::find(node, {"metadata", "labels", kGate});
  marks.gate = gate == nullptr ? "absent" : std::string(gate->get_string());
  const auto record = json::parse(kube::annotation_of(node, kRecord));
  if (!record || !record->is_object()) return marks;
  if (json::text_at(*record, {"claim", "node"}) == kube::uid_of(node)) {
    marks.claim = json::text_at(*record, {"claim", "id"});
    marks.phase = json::text_at(*record, {"claim", "phase"});
    marks.cordon = json::text_at(*record, {"claim", "cordon"});
  }
  const std::string_view result = json::text_at(*record, {"outcomes", "tenstorrent/driver", "result"});
  marks.has_outcome = !result.empty();
  marks.is_done = result == "done";
  return marks;
}

bool TenstorrentPlay::is_in_flight(const Marks& marks) {
  return marks.phase == "cordon" || marks.phase == "drain" || marks.phase == "restart" || marks.phase == "uncordon";
}

void TenstorrentPlay::heard(const sim::Commit& commit) {
  const std::string asker(world.server().asker());
  const bool ours = asker == kOperatorName;
  if (commit.resource == "nodes") heard_node(commit, ours);
  if (commit.resource == "pods") heard_pod(commit, ours);
  if (commit.resource == "tenstorrentdriverpolicies.driver.tenstorrent.com" && !ours) heard_policy(commit);
}

void TenstorrentPlay::heard_policy(const sim::Commit& commit) {
  policy_changed_at_ = world.loop.now();
  if (commit.kind == sim::Commit::Kind::Removed) return tell("the policy is gone");
  const kube::Object& policy = *commit.after;
  const bool was_paused = is_paused_;
  is_paused_ = json::flag_at(policy, {"spec", "paused"});
  if (is_paused_ && !was_paused) paused_at_ = world.loop.now();
  const json::Value* enable = json::find(policy, {"spec", "upgradePolicy", "drain", "enable"});
  is_drained_ = enable == nullptr || !enable->is_bool() || enable->get_bool();
  at_once_ = json::int_at(policy, {"spec", "upgradePolicy", "maxParallel"}, 1);
  tell(fmt::format("the policy wants {}{}", json::text_at(policy, {"spec", "version"}), is_paused_ ? ", paused" : ""));
}

void TenstorrentPlay::heard_node(const sim::Commit& commit, bool ours) {
  const std::string name(kube::name_of(*commit.after));
  if (commit.kind == sim::Commit::Kind::Removed) return;
  const Marks was = commit.before ? marks_of(*commit.before) : Marks{};
  const Marks now = marks_of(*commit.after);
  const std::string asker(world.server().asker());
  if (was.is_cordoned != now.is_cordoned)
    tell(fmt::format("{} {} {}", asker, now.is_cordoned ? "cordons" : "uncordons", name));
  if (was.phase != now.phase) tell(fmt::format("{} {}: {} -> {}", asker, name, was.phase, now.phase));
  if (!ours && is_in_flight(was) && now.claim.empty()) {
    forgotten_.insert(name);
    unwritten_.insert(name);
  }
  if (ours) {
    ++operator_writes_;
    judge_cordon(name, was, now);
    // Who lost his record in flight is written down again, as he is found.
    const bool is_new = is_in_flight(now) && now.claim != was.claim && !unwritten_.contains(name);
    if (!now.claim.empty() || now.has_outcome) unwritten_.erase(name);
    if (is_new && is_paused_ && !is_recent(paused_at_)) blame("I16 pause: " + name + " is taken");
    if (is_new && !is_recent(policy_changed_at_)) {
      std::int64_t in_flight = 0;
      for (const std::string& other : names())
        in_flight += other == name || is_in_flight(marks_of(*node(other))) ? 1 : 0;
      if (in_flight > at_once_) blame(fmt::format("I2 parallelism: {} in flight, {} may be", in_flight, at_once_));
    }
  }
  // Who uncordons a node that is ours and cordons it again before anybody has looked may not be seen.
  const bool is_unsure = !ours && now.cordon == "ours";
  if (now.is_cordoned && !was.is_cordoned) cordoned_by_[name] = is_unsure ? kSomebody : asker;
  if (!now.is_cordoned) cordoned_by_.erase(name);
}

void TenstorrentPlay::judge_cordon(const std::string& name, const Marks& was, const Marks& now) {
  if (now.is_cordoned && !was.is_cordoned) {
    ++cordons_[name];
    if (now.claim.empty() || now.cordon != "ours")
      blame("I5 ownership: " + name + " is cordoned, and no claim says so");
    if (now.gate != "false") blame(name + " is cordoned, and its gate is " + now.gate);
  }
  if (was.is_cordoned && !now.is_cordoned) {
    if (cordoned_by_[name] == "person") blame("I3 foreign cordon: " + name + " is uncordoned");
    if (is_in_flight(now)) blame("I4: " + name + " is uncordoned in flight");
  }
  if (is_in_flight(was) && !is_in_flight(now) && now.claim.empty() && was.cordon == "ours" && now.is_cordoned &&
      is_the_machines(name))
    blame("I4 lost cordon: " + name);
}

void TenstorrentPlay::heard_pod(const sim::Commit& commit, bool ours) {
  const kube::Object& pod = *commit.after;
  if (ours && commit.kind == sim::Commit::Kind::Changed) ++operator_writes_;
  const bool goes_now = kube::is_being_deleted(pod) && commit.before && !kube::is_being_deleted(*commit.before);
  if (!ours || !goes_now) return;
  const std::string node(json::text_at(pod, {"spec", "nodeName"}));
  tell(fmt::format("operator removes {} on {}", kube::key_of(pod), node));
  if (kube::namespace_of(pod) == kTenstorrentNamespace) {
    std::deque<base::Instant>& lately = removals_[node];
    lately.push_back(world.loop.now());
    while (world.loop.now() - lately.front() > 1min) lately.pop_front();
    if (lately.size() > kMostRemovalsAMinute) blame(fmt::format("a storm: {} builders in a minute", lately.size()));
    return;
  }
  ++evictions_[node];
  if (!was_evicted(pod)) blame("I11 eviction only: " + kube::key_of(pod) + " was deleted");
  const sim::Stored object = this->node(node);
  if (object && marks_of(*object).phase != "drain")
    blame(fmt::format("{} was evicted while {} is in \"{}\"", kube::key_of(pod), node, marks_of(*object).phase));
}

// ---- machines

void TenstorrentPlay::watch_machines() {
  for (const std::string& name : names()) {
    sim::SimHost* machine = kubelets.host(name);
    if (machine == nullptr || !watched_.insert(name).second) continue;
    machine->on_module = [this, name, before = machine->on_module](const std::string& module,
                                                                   const std::string& version, bool is_loaded) {
      if (before) before(module, version, is_loaded);
      module_changed(name, version, is_loaded);
    };
  }
}

// I6 and I7: a driver goes only from a node that is shut and empty, with our permission.
void TenstorrentPlay::module_changed(const std::string& name, const std::string& version, bool is_loaded) {
  tell(fmt::format("{}: tt-kmd {} is {}", name, version, is_loaded ? "loaded" : "unloaded"));
  if (is_loaded || !unloads_are_judged) return;
  const sim::Stored object = node(name);
  if (!object) return;
  const Marks marks = marks_of(*object);
  if (marks.phase != "restart" && !is_recent(policy_changed_at_))
    blame(fmt::format("I6: {} loses its driver in \"{}\"", name, marks.phase));
  if (!is_drained_ || is_recent(policy_changed_at_)) return;
  for (const sim::Stored& pod : world.store().pods_on(name)) {
    const bool is_there = uses_device(*pod) && !is_finished(*pod) && !kube::is_being_deleted(*pod);
    const bool ran_before = json::text_at(*pod, {"status", "phase"}) == "Running";
    if (is_there && ran_before) blame(fmt::format("I6: {} loses its driver under {}", name, kube::key_of(*pod)));
  }
}

// ---- the end

bool TenstorrentPlay::comes_to_rest() {
  world.run_for(15min);
  for (int tries = 0; tries < 14; ++tries) {
    const std::uint64_t before = operator_writes_;
    world.run_for(10min);
    if (operator_writes_ == before) return true;
  }
  blame("L2 fixpoint: the operator still writes");
  return false;
}

void TenstorrentPlay::check_at_rest() {
  const sim::Stored policy = world.store().find("tenstorrentdriverpolicies.driver.tenstorrent.com", "default");
  const std::string wanted = policy ? std::string(json::text_at(*policy, {"spec", "version"})) : "";
  for (const std::string& name : names()) {
    const kube::Object& object = *node(name);
    const Marks marks = marks_of(object);
    const bool has_failed = marks.phase == "failed" || (marks.has_outcome && !marks.is_done);
    if (is_in_flight(marks) && !is_paused_) blame(fmt::format("L1: {} is in {} at rest", name, marks.phase));
    if (marks.claim.empty() && marks.is_cordoned && is_the_machines(name))
      blame("I4 lost cordon: " + name + " at rest");
    if (marks.claim.empty() && marks.gate == "false" && gates_of_people_[name] != "false" && !forgotten_.contains(name))
      blame("a gate is left closed on " + name);
    if (marks.claim.empty() && !json::array_at(object, {"spec", "taints"}).empty()) {
      for (const json::Value& taint : json::array_at(object, {"spec", "taints"})) {
        if (json::text_at(taint, {"key"}) == kTaint) blame("a taint is left on " + name);
      }
    }
    if (marks.claim.empty() && !is_paused_ && !order_on(name).empty())
      blame(fmt::format("an order is left on {}: {}", name, order_on(name)));
    const bool is_wanted = policy && !is_paused_ && kube::label_of(object, "driver.tenstorrent.com/skip").empty();
    if (is_wanted && !has_failed && loaded_on(name) != wanted)
      blame(fmt::format("L1: {} has \"{}\" at rest, {} is wanted", name, loaded_on(name), wanted));
    if (loaded_on(name).empty()) blame(name + " has no driver at rest");
  }
}

std::string TenstorrentPlay::ending() {
  std::string text;
  for (const std::string& name : names()) {
    const Marks marks = marks_of(*node(name));
    text += fmt::format("{} {} cordoned={} gate={} claim={} done={} order={} pods={} evictions={}\n", name,
                        loaded_on(name), marks.is_cordoned, marks.gate, marks.phase, marks.is_done, order_on(name),
                        builder_pods_made[name], evictions_[name]);
  }
  text += json::text_of(json::Value(json::members_at(status(), {"summary"})));
  return text;
}

}  // namespace drover::proof
