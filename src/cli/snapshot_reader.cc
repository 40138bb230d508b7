#include "cli/snapshot_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "cli/fleet_text.h"
#include "kube/placement.h"
#include "observe/ranges.h"
#include "protocol/keys.h"
#include "protocol/report.h"

namespace drover::cli {
namespace {

using base::Span;
using base::WallTime;

constexpr Span kUsualGrace = std::chrono::seconds(30);
constexpr Span kUsualStart = std::chrono::seconds(10);
// A pod that took longer to become ready was kept waiting by something else.
constexpr Span kLongestStart = std::chrono::minutes(10);
constexpr Span kLongestDriver = std::chrono::hours(1);
// A container whose image is there.
constexpr Span kPodStart = std::chrono::seconds(1);

kube::Projection pods_of_a_plan() {
  return {"metadata.labels",
          "metadata.ownerReferences",
          "metadata.creationTimestamp",
          "metadata.annotations[kubernetes.io/config.mirror]",
          "spec.nodeName",
          "spec.nodeSelector",
          "spec.affinity.nodeAffinity",
          "spec.tolerations",
          "spec.terminationGracePeriodSeconds",
          "spec.volumes.emptyDir",
          "spec.volumes.hostPath",
          "spec.initContainers.resources",
          "spec.initContainers.restartPolicy",
          "spec.containers.image",
          "spec.containers.resources",
          "spec.ephemeralContainers.resources",
          "spec.overhead",
          "status.phase",
          "status.reason",
          "status.message",
          "status.conditions",
          "status.initContainerStatuses.state",
          "status.containerStatuses.state"};
}

kube::Projection nodes_of_a_plan(const vendors::WorkProfile& profile) {
  const std::string report = fmt::format("metadata.annotations[{}]", profile.channel.report);
  return {
      "metadata.labels",       report, "spec.taints", "spec.unschedulable", "status.allocatable", "status.conditions",
      "status.nodeInfo.bootID"};
}

std::optional<WallTime> time_at(const json::Value& value, json::Path path) {
  const auto parsed = base::parse_rfc3339(json::text_at(value, path));
  return parsed ? std::optional(*parsed) : std::nullopt;
}

// Since when a condition is true; nothing while it is not.
std::optional<WallTime> true_since(const kube::Object& object, std::string_view type) {
  for (const json::Value& one : json::array_at(object, {"status", "conditions"})) {
    if (json::text_at(one, {"type"}) != type || json::text_at(one, {"status"}) != "True") continue;
    return time_at(one, {"lastTransitionTime"});
  }
  return {};
}

std::optional<Span> between(const std::optional<WallTime>& from, const std::optional<WallTime>& to, Span most) {
  if (!from || !to || *to < *from || *to - *from > most) return {};
  return Span(*to - *from);
}

// The mean of the middle half: a node that was out of reach for a while does not count, and chance counts less.
std::optional<Span> usual(std::vector<Span> spans) {
  if (spans.empty()) return {};
  std::sort(spans.begin(), spans.end());
  const auto cut = static_cast<std::ptrdiff_t>(spans.size() / 4);
  const Span sum = std::accumulate(spans.begin() + cut, spans.end() - cut, Span::zero());
  return sum / (static_cast<std::ptrdiff_t>(spans.size()) - 2 * cut);
}

bool is_image_trouble(std::string_view trouble) {
  return trouble.starts_with("ImagePullBackOff") || trouble.starts_with("ErrImage") ||
         trouble.starts_with("InvalidImageName");
}

}  // namespace

SnapshotReader::SnapshotReader(kube::Api& api, base::Loop& loop, const vendors::WorkProfile& profile,
                               std::vector<ProposedPolicy> policies, std::optional<core::Share> max_unavailable)
    : api_(api, loop, profile, std::move(policies)), profile_(profile), lists_(api_), snapshot_(api_, loop, profile) {
  input_.max_unavailable = max_unavailable;
}

void SnapshotReader::begin(std::function<void(base::Result<void>)> done) {
  lists_.begin(std::move(done));
  snapshot_.begin([this](base::Result<void> looked) {
    if (!looked || !has_policy() || !troubles().empty()) return lists_.finish(std::move(looked));
    list_surroundings();
  });
}

// ---- the policies

std::string SnapshotReader::name_of(const observe::PolicyRef& policy) const {
  return fmt::format("{} {}", profile_.policy_kind(policy.kind).kind, policy.key);
}

bool SnapshotReader::is_asked_about(const observe::PolicyRef& policy) const {
  return api_.is_empty() || api_.holds(policy.kind, policy.key);
}

void SnapshotReader::each_policy(const std::function<void(const observe::PolicyRef&, const vendors::Desired&)>& visit) {
  for (std::size_t i = 0; i < snapshot_.policies(); ++i) {
    snapshot_.turn_to(i);
    const observe::Fleet& fleet = snapshot_.fleet();
    if (fleet.policy_ref() && fleet.wants() != nullptr) visit(*fleet.policy_ref(), *fleet.wants());
  }
}

std::vector<std::string> SnapshotReader::troubles() {
  std::vector<std::string> lines;
  for (const observe::PolicySet::Ignored& one : snapshot_.policy_set().ignored()) {
    if (!api_.holds(one.policy.kind, one.policy.key)) continue;
    lines.push_back(fmt::format("{} would be ignored: {}", name_of(one.policy), one.because));
  }
  each_policy([&](const observe::PolicyRef& policy, const vendors::Desired& wants) {
    if (!is_asked_about(policy)) return;
    for (const vendors::FieldTrouble& trouble : wants.troubles()) {
      lines.push_back(fmt::format("{}: {} {}", name_of(policy), trouble.field, trouble.message));
    }
  });
  return lines;
}

std::vector<std::string> SnapshotReader::notes() {
  std::vector<std::string> lines;
  for (const observe::PolicySet::Ignored& one : snapshot_.policy_set().ignored()) {
    lines.push_back(fmt::format("{} is ignored: {}", name_of(one.policy), one.because));
  }
  each_policy([&](const observe::PolicyRef& policy, const vendors::Desired& wants) {
    if (!is_asked_about(policy)) {
      for (const vendors::FieldTrouble& trouble : wants.troubles()) {
        lines.push_back(fmt::format("{}, which is there already, cannot be read, so its nodes stay as they are: {} {}",
                                    name_of(policy), trouble.field, trouble.message));
      }
      return;
    }
    for (const std::string& field : wants.ignored_fields()) {
      lines.push_back(fmt::format("{}: {} is not read by drover", name_of(policy), field));
    }
  });
  return lines;
}

void SnapshotReader::stake_out() {
  each_policy([&](const observe::PolicyRef&, const vendors::Desired&) {
    const observe::Fleet& fleet = snapshot_.fleet();
    if (snapshot_.view().nodes.empty()) return;
    forecast::PolicyFleet policy_fleet{.fleet = snapshot_.view()};
    for (std::size_t i = 0; i < policy_fleet.fleet.nodes.size(); ++i) {
      const vendors::DesiredNode& wish = fleet.wish(i);
      policy_fleet.details.push_back(
          {.loaded = loaded_driver(fleet, i, profile_), .wanted = wish.version, .image = wish.image});
      managed_.insert(policy_fleet.fleet.nodes[i].name);
    }
    input_.policies.push_back(std::move(policy_fleet));
    readings_.push_back(&fleet.wants()->reading());
  });
  know_disputes();
}

void SnapshotReader::know_disputes() {
  std::map<std::string, std::vector<std::string>> rivals;  // by node
  each_policy([&](const observe::PolicyRef& policy, const vendors::Desired&) {
    for (const std::string& node : snapshot_.fleet().disputed()) rivals[node].push_back(name_of(policy));
  });
  for (const auto& [node, names] : rivals) {
    input_.disputes.push_back({.node = node,
                               .rivals = fmt::format("{}", fmt::join(names, " and ")),
                               .has_no_owner = !managed_.contains(node)});
  }
}

// ---- what is around them

void SnapshotReader::list_surroundings() {
  stake_out();
  lists_.list(observe::all_nodes(), nodes_of_a_plan(profile_), [this](const kube::Object& node) { take_node(node); });
  lists_.list({.resource = kube::kDisruptionBudgets, .ns = {}, .labels = {}, .fields = {}}, {"spec.selector", "status"},
              [this](const kube::Object& object) { input_.budgets.push_back(observe::budget_of(object)); });
  if (!profile_.vendor.own_operator.empty()) {
    lists_.list(observe::competing_operators_of(profile_, snapshot_.ns()), observe::competing_operator_projection(),
                [this](const kube::Object& one) {
                  if (auto name = observe::competing_operator_in(one); !name.empty())
                    input_.competing_operator = std::move(name);
                });
  }
  lists_.then([this] { list_pods(); });
}

void SnapshotReader::list_pods() {
  lists_.list({.resource = kube::kPods, .ns = {}, .labels = {}, .fields = {}}, pods_of_a_plan(),
              [this](const kube::Object& pod) { take_pod(pod); });
  lists_.then([this] {
    // Whoever waits for room waits in the order of coming.
    std::sort(input_.pods.begin(), input_.pods.end(), [](const forecast::PlacedPod& a, const forecast::PlacedPod& b) {
      return std::tuple(a.made_at, a.view.full_name()) < std::tuple(b.made_at, b.view.full_name());
    });
    know_missing_images();
    for (forecast::PolicyFleet& policy_fleet : input_.policies) {
      for (std::size_t i = 0; i < policy_fleet.details.size(); ++i) {
        const auto report = reports_.find(policy_fleet.fleet.nodes[i].name);
        if (report != reports_.end()) policy_fleet.details[i].cannot_unload = report->second;
      }
    }
    find_pace();
    lists_.finish({});
  });
}

void SnapshotReader::take_node(const kube::Object& node) {
  const std::string name(kube::name_of(node));
  forecast::NodeCapacity& capacity = input_.capacities[name];
  capacity.allocatable = kube::amounts_in(json::members_at(node, {"status", "allocatable"}));
  json::Array taints;
  for (const json::Value& taint : kube::taints_of(node)) {
    const std::string_view key = json::text_at(taint, {"key"});
    if (key != protocol::kSwapTaint && key != kube::kTaintUnschedulable) taints.push_back(taint);
  }
  capacity.node = json::Members{{"metadata", json::Members{{"name", name}, {"labels", kube::labels_of(node)}}},
                                {"spec", json::Members{{"taints", std::move(taints)}}}};
  const bool is_managed = managed_.contains(name);
  capacity.is_open = is_managed || (!json::flag_at(node, {"spec", "unschedulable"}) && true_since(node, "Ready"));
  // What its agent says of the kernel counts for the boot that it speaks of; garbage says nothing.
  const auto report = protocol::parse_report(kube::annotation_of(node, profile_.channel.report));
  if (!report || report->can_unload || report->boot != json::text_at(node, {"status", "nodeInfo", "bootID"})) return;
  reports_[name] = report->message.empty() ? "its agent says so" : base::one_line(report->message, 200);
}

void SnapshotReader::take_pod(const kube::Object& object) {
  const observe::PodFacts facts = observe::pod_facts(object, profile_);
  if (facts.is_finished) return;
  const vendors::PolicyReading nobodys;
  forecast::PlacedPod pod{
      .view = observe::pod_view(facts, nobodys.jobs, nobodys.drained, profile_, snapshot_.ns(), &snapshot_.claims())};
  for (const vendors::PolicyReading* reading : readings_) {
    const core::PodView view =
        observe::pod_view(facts, reading->jobs, reading->drained, profile_, snapshot_.ns(), &snapshot_.claims());
    pod.parts.push_back({.is_waited_for = view.is_waited_for, .is_drained = view.is_drained});
  }
  pod.node = facts.node;
  pod.is_ready = facts.is_ready;
  pod.grace = std::chrono::seconds(std::clamp<std::int64_t>(
      json::int_at(object, {"spec", "terminationGracePeriodSeconds"}, kUsualGrace / std::chrono::seconds(1)), 0,
      86400));
  const auto ready_at = true_since(object, "Ready");
  const auto placed_at = true_since(object, "PodScheduled");
  pod.image = facts.image;
  pod.made_at = time_at(object, {"metadata", "creationTimestamp"}).value_or(WallTime{});
  pod.starts_in = between(placed_at, ready_at, kLongestStart).value_or(kUsualStart);
  const Span warm = between(facts.running_since, ready_at, kLongestStart).value_or(pod.starts_in) + kPodStart;
  pod.fetches_in = std::max(Span::zero(), pod.starts_in - warm);
  pod.requests = kube::requests_of(object);
  json::Members wishes;
  for (const char* key : {"nodeSelector", "affinity", "tolerations"}) {
    if (const json::Value* value = json::find(object, {"spec", key})) wishes[key] = *value;
  }
  pod.wishes = std::move(wishes);
  for (std::size_t i = 0; i < input_.budgets.size(); ++i) {
    const observe::Budget& budget = input_.budgets[i];
    if (budget.ns == facts.ns && budget.pods && budget.pods->matches(facts.lookup())) pod.budgets.push_back(i);
  }
  input_.pods.push_back(std::move(pod));
  if (facts.ns == snapshot_.ns() && !facts.node.empty()) learn_past(object, facts);
}

void SnapshotReader::learn_past(const kube::Object& pod, const observe::PodFacts& facts) {
  const auto ready_at = true_since(pod, "Ready");
  Past& past = pasts_[facts.node];
  const std::string_view role = facts.label(profile_.role_label);
  if (role == profile_.validator_role) {
    past.validator_made_at = time_at(pod, {"metadata", "creationTimestamp"});
    past.validator_ready_at = ready_at;
  }
  if (role != profile_.driver_role || facts.is_going) return;
  past.driver_ready_at = ready_at;
  // Fetching the image is no part of it: that is done while the node still serves.
  Span before{};
  std::optional<WallTime> begun = true_since(pod, "PodScheduled");
  for (const json::Value& status : json::array_at(pod, {"status", "initContainerStatuses"})) {
    const auto ended = time_at(status, {"state", "terminated", "finishedAt"});
    before += kPodStart +
              between(time_at(status, {"state", "terminated", "startedAt"}), ended, kLongestDriver).value_or(Span{});
    if (ended) begun = ended;
  }
  const auto itself = between(facts.running_since, ready_at, kLongestDriver);
  if (itself) past.driver = before + kPodStart + *itself;
  past.pull = between(begun, facts.running_since, kLongestDriver);
}

// A driver that waits for its image on one node says so for all that want the same.
void SnapshotReader::know_missing_images() {
  std::map<std::string, std::string> missing;
  for (const forecast::PolicyFleet& policy_fleet : input_.policies) {
    for (std::size_t i = 0; i < policy_fleet.details.size(); ++i) {
      const core::NodeView& node = policy_fleet.fleet.nodes[i];
      if (node.preflight.state == core::PreflightView::State::Missing)
        missing.emplace(policy_fleet.details[i].image, node.preflight.trouble);
      const observe::PodFacts* pod = snapshot_.fleet().operand_pods().driver_on(node.name);
      if (pod != nullptr && is_image_trouble(pod->trouble)) missing.emplace(pod->image, pod->trouble);
    }
  }
  for (forecast::PolicyFleet& policy_fleet : input_.policies) {
    for (forecast::NodeDetails& detail : policy_fleet.details) {
      const auto at = missing.find(detail.image);
      if (at != missing.end()) detail.missing = at->second;
    }
  }
}

void SnapshotReader::find_pace() {
  forecast::DurationStats& pace = input_.pace;
  for (const auto& [node, past] : pasts_) {
    if (past.driver) pace.drivers.push_back(*past.driver);
    if (past.pull) pace.pulls.push_back(*past.pull);
    if (!past.validator_made_at || !past.driver_ready_at) continue;
    const WallTime begun = std::max(*past.validator_made_at, *past.driver_ready_at);
    if (const auto took = between(begun, past.validator_ready_at, kLongestDriver)) pace.validations.push_back(*took);
  }
  const auto take = [&](Span& span, std::string_view what, const std::vector<Span>& seen, std::string_view whose) {
    if (const auto known = usual(seen)) {
      span = *known;
      pace.sources.push_back(fmt::format("{} {}, as {} {} say", what,
                                         base::human(std::chrono::round<std::chrono::seconds>(span)), seen.size(),
                                         whose));
    } else {
      pace.sources.push_back(fmt::format("{} {}, assumed: no pod here tells", what, base::human(span)));
    }
  };
  take(pace.pull, "fetching the driver's image", pace.pulls, "driver pods");
  take(pace.driver, "a driver's start", pace.drivers, "driver pods");
  take(pace.validation, "its validation", pace.validations, "validator pods");
  pace.sources.push_back(fmt::format("a driver's end {}, assumed", base::human(pace.stop)));
  pace.sources.emplace_back("pods that are evicted take their whole grace period");
  std::set<std::string> jobs;
  for (const forecast::PolicyFleet& policy_fleet : input_.policies) {
    if (!policy_fleet.fleet.policy.jobs.is_wanted) continue;
    jobs.insert(policy_fleet.fleet.policy.jobs.at_most ? "jobs that are waited for take all the time they have"
                                                       : "jobs that are waited for without a limit take no time");
  }
  pace.sources.insert(pace.sources.end(), jobs.begin(), jobs.end());
}

}  // namespace drover::cli
