#include "cli/snapshot_reader.h"

#include <fmt/format.h>

#include <algorithm>
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
// A container whose image is there.
constexpr Span kWarmStart = std::chrono::seconds(1);

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
          "spec.resourceClaims",
          "status.phase",
          "status.reason",
          "status.message",
          "status.conditions",
          "status.initContainerStatuses.state",
          "status.containerStatuses.state",
          "status.resourceClaimStatuses"};
}

std::string name_of(const VendorSnapshot& vendor, const observe::PolicyRef& policy) {
  return fmt::format("{} {}", vendor.profile().policy_kind(policy.kind).kind, policy.key);
}

// Of a pod's spec, where it may run.
json::Members placement_in(const json::Value& object, std::initializer_list<std::string_view> spec,
                           std::initializer_list<const char*> keys) {
  const json::Members& members = json::members_at(object, spec);
  json::Members placement;
  for (const char* key : keys) {
    if (const json::Value* value = members.if_contains(key)) placement[key] = *value;
  }
  return placement;
}

bool is_image_trouble(std::string_view trouble) {
  return trouble.starts_with("ImagePullBackOff") || trouble.starts_with("ErrImage") ||
         trouble.starts_with("InvalidImageName");
}

}  // namespace

SnapshotReader::SnapshotReader(kube::Api& api, base::Loop& loop, vendors::WorkProfiles profiles,
                               std::vector<ProposedPolicy> policies, std::optional<core::Share> max_unavailable)
    : api_(api, loop, std::move(policies)), lists_(api_), snapshot_(api_, loop, profiles, max_unavailable) {
  input_.max_unavailable = max_unavailable;
}

void SnapshotReader::begin(std::function<void(base::Result<void>)> done) {
  lists_.begin(std::move(done));
  snapshot_.begin([this](base::Result<void> read) {
    if (!read || !has_policy() || !troubles().empty()) return lists_.finish(std::move(read));
    list_surroundings();
  });
}

// ---- the policies

bool SnapshotReader::is_asked_about(const PolicySnapshot& policy) const {
  const observe::PolicyRef& ref = *policy.fleet().policy_ref();
  return api_.is_empty() || api_.has(policy.profile(), ref.kind, ref.key);
}

std::vector<const kube::Object*> SnapshotReader::policies() const {
  std::vector<const kube::Object*> objects;
  for (const PolicySnapshot* policy : snapshot_.policies()) objects.push_back(policy->policy());
  return objects;
}

std::vector<std::string> SnapshotReader::troubles() const {
  std::vector<std::string> lines;
  for (const auto& vendor : snapshot_.vendors()) {
    for (const observe::PolicySet::Ignored& one : vendor->policy_set().ignored()) {
      if (!is_proposed(*vendor, one.policy)) continue;
      lines.push_back(fmt::format("{} would be ignored: {}", name_of(*vendor, one.policy), one.because));
    }
    for (const auto& policy : vendor->policies()) {
      if (policy->fleet().wants() == nullptr || !is_asked_about(*policy)) continue;
      for (const vendors::FieldTrouble& trouble : policy->fleet().wants()->troubles())
        lines.push_back(
            fmt::format("{}: {} {}", name_of(*vendor, *policy->fleet().policy_ref()), trouble.field, trouble.message));
    }
  }
  return lines;
}

std::vector<std::string> SnapshotReader::notes() const {
  std::vector<std::string> lines;
  for (const auto& vendor : snapshot_.vendors()) {
    for (const observe::PolicySet::Ignored& one : vendor->policy_set().ignored())
      lines.push_back(fmt::format("{} is ignored: {}", name_of(*vendor, one.policy), one.because));
    for (const auto& policy : vendor->policies()) {
      const vendors::Desired* wants = policy->fleet().wants();
      if (wants == nullptr) continue;
      const std::string name = name_of(*vendor, *policy->fleet().policy_ref());
      if (is_asked_about(*policy)) {
        for (const std::string& field : wants->ignored_fields())
          lines.push_back(fmt::format("{}: {} is not read by drover", name, field));
        continue;
      }
      for (const vendors::FieldTrouble& trouble : wants->troubles())
        lines.push_back(fmt::format("{}, which is there already, cannot be read, so its nodes stay as they are: {} {}",
                                    name, trouble.field, trouble.message));
    }
  }
  return lines;
}

void SnapshotReader::make_policy_fleets() {
  static const vendors::PolicyReading kNoPolicy;
  for (const auto& vendor : snapshot_.vendors()) {
    const vendors::WorkProfile& profile = vendor->profile();
    for (const auto& policy : vendor->policies()) {
      const observe::Fleet& fleet = policy->fleet();
      if (policy->view().nodes.empty()) continue;
      forecast::PolicyFleet made{.vendor = std::string(profile.vendor.name),
                                 .kind = std::string(profile.kind),
                                 .flow = &profile.flow,
                                 .is_of_policy = fleet.wants() != nullptr,
                                 .fleet = policy->view(),
                                 .gate_closed = std::string(profile.gate_paused),
                                 .competing_operator = vendor->competing_operator()};
      for (std::size_t i = 0; i < made.fleet.nodes.size(); ++i) {
        const vendors::DesiredNode& desired = fleet.desired(i);
        const observe::PodFacts* pod = fleet.driver_pod(i);
        const bool keeps_image = desired.image.empty() && pod != nullptr;  // its policy names none
        forecast::NodeDetails& detail =
            made.details.emplace_back(forecast::NodeDetails{.loaded = loaded_driver(fleet, i, profile),
                                                            .wanted = desired.version,
                                                            .image = keeps_image ? pod->image.str() : desired.image,
                                                            .forces = desired.forces});
        if (made.fleet.nodes[i].cannot_unload) {
          const protocol::Report* report = fleet.facts(i)->report(profile.channel.report);
          detail.cannot_unload = report->message.empty() ? "its agent says so" : base::one_line(report->message, 200);
        }
        if (made.is_of_policy) managed_.insert(made.fleet.nodes[i].name);
      }
      input_.policies.push_back(std::move(made));
      sources_.push_back({*vendor, *policy, fleet.wants() == nullptr ? kNoPolicy : fleet.wants()->reading()});
    }
  }
  find_disputes();
}

void SnapshotReader::find_disputes() {
  std::map<std::string, std::vector<std::string>> policies;  // by node
  for (const auto& vendor : snapshot_.vendors()) {
    for (const auto& policy : vendor->policies()) {
      if (policy->fleet().wants() == nullptr) continue;
      for (const std::string& node : policy->fleet().disputed())
        policies[node].push_back(name_of(*vendor, *policy->fleet().policy_ref()));
    }
  }
  for (const auto& [node, names] : policies) {
    input_.disputes.push_back({.node = node,
                               .policies = fmt::format("{}", fmt::join(names, " and ")),
                               .has_no_owner = !managed_.contains(node)});
  }
}

// ---- what is around them

void SnapshotReader::list_surroundings() {
  make_policy_fleets();
  lists_.list(observe::all_nodes(),
              {"metadata.labels", "metadata.creationTimestamp", "spec.taints", "spec.unschedulable",
               "status.allocatable", "status.conditions"},
              [this](const kube::Object& node) { take_node(node); });
  lists_.list({.resource = kube::kDisruptionBudgets, .ns = {}, .labels = {}, .fields = {}}, {"spec.selector", "status"},
              [this](const kube::Object& object) { input_.budgets.push_back(observe::budget_of(object)); });
  lists_.list(
      observe::daemon_sets_in({}),
      {"metadata.creationTimestamp", "spec.template.spec.nodeSelector", "spec.template.spec.affinity.nodeAffinity"},
      [this](const kube::Object& set) {
        daemon_sets_["DaemonSet " + kube::key_of(set)] = {
            .made_at = time_at(set, {"metadata", "creationTimestamp"}),
            .placement = placement_in(set, {"spec", "template", "spec"}, {"nodeSelector", "affinity"})};
      });
  lists_.then([this] { list_pods(); });
}

void SnapshotReader::list_pods() {
  for (const auto& vendor : snapshot_.vendors()) pasts_.emplace(&vendor->profile(), vendor->profile());
  lists_.list({.resource = kube::kPods, .ns = {}, .labels = {}, .fields = {}}, pods_of_a_plan(),
              [this](const kube::Object& pod) { take_pod(pod); });
  lists_.then([this] {
    // Pods that wait for room are placed in the order in which they were made.
    std::sort(input_.pods.begin(), input_.pods.end(), [](const forecast::PlacedPod& a, const forecast::PlacedPod& b) {
      return std::tuple(a.made_at, a.view.full_name()) < std::tuple(b.made_at, b.view.full_name());
    });
    find_missing_images();
    find_durations();
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
  nodes_made_at_[name] = time_at(node, {"metadata", "creationTimestamp"});
}

// As each vendor and each of its policies sees it.
void SnapshotReader::take_views(const kube::Object& object, forecast::PlacedPod& pod) {
  static const vendors::PolicyReading kNoPolicy;
  for (const auto& vendor : snapshot_.vendors()) {
    const observe::PodFacts facts = observe::pod_facts(object, vendor->profile());
    const auto view = [&](const vendors::PolicyReading& reading) {
      return observe::pod_view(facts, reading.jobs, reading.drained, vendor->profile(), vendor->ns(),
                               &vendor->claims());
    };
    pod.view = view(kNoPolicy);
    for (const Source& source : sources_) {
      if (&source.vendor != vendor.get()) continue;
      const core::PodView seen = view(source.reading);
      pod.by_policy.push_back({.uses_device = seen.uses_device,
                               .is_ours = seen.is_ours,
                               .is_waited_for = seen.is_waited_for,
                               .is_drained = seen.is_drained});
    }
    if (facts.ns == vendor->ns() && !facts.node.empty()) learn(*vendor, object, facts);
  }
}

void SnapshotReader::take_pod(const kube::Object& object) {
  const observe::PodFacts facts = observe::pod_facts(object, snapshot_.vendors().front()->profile());
  if (facts.is_finished) return;
  forecast::PlacedPod pod;
  take_views(object, pod);
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
  const Span warm = between(facts.running_since, ready_at, kLongestStart).value_or(pod.starts_in) + kWarmStart;
  pod.fetches_in = std::max(Span::zero(), pod.starts_in - warm);
  pod.requests = kube::requests_of(object);
  json::Members placement = placement_in(object, {"spec"}, {"nodeSelector", "affinity", "tolerations"});
  // The pod itself only names its node.
  if (const auto set = daemon_sets_.find(facts.owner.str()); set != daemon_sets_.end() && !facts.node.empty()) {
    placement.erase("nodeSelector");
    placement.erase("affinity");
    for (const auto& part : set->second.placement.get_object()) placement[part.key()] = part.value();
  }
  pod.placement = std::move(placement);
  for (std::size_t i = 0; i < input_.budgets.size(); ++i) {
    const observe::Budget& budget = input_.budgets[i];
    if (budget.ns == facts.ns && budget.pods && budget.pods->matches(facts.lookup())) pod.budgets.push_back(i);
  }
  input_.pods.push_back(std::move(pod));
}

void SnapshotReader::learn(const VendorSnapshot& vendor, const kube::Object& pod, const observe::PodFacts& facts) {
  PastDurations::NodePast past;
  past.joined_at = nodes_made_at_[facts.node];
  if (const auto set = daemon_sets_.find(facts.owner.str()); set != daemon_sets_.end())
    past.joined_at = std::max(past.joined_at, set->second.made_at);
  const observe::NodeFacts* node = vendor.cluster().nodes.find(facts.node);
  if (node != nullptr && node->record) {
    const auto last = node->record->last.find(vendor.profile().kind);
    const bool is_done = last != node->record->last.end() && last->second.outcome && !last->second.outcome->failed;
    if (is_done) past.done_at = last->second.at;
  }
  pasts_.at(&vendor.profile()).learn(pod, facts, past);
}

// An image that is known to be missing on one node is missing for all that want the same.
void SnapshotReader::find_missing_images() {
  std::map<std::string, std::string> missing;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const forecast::PolicyFleet& policy = input_.policies[i];
    const bool has_preflight_pods = policy.flow->has(core::Trait::Container);
    for (std::size_t n = 0; n < policy.details.size(); ++n) {
      const core::NodeView& node = policy.fleet.nodes[n];
      if (has_preflight_pods && node.preflight.state == core::PreflightView::State::Missing)
        missing.emplace(policy.details[n].image, node.preflight.trouble);
      const observe::PodFacts* pod = sources_[i].policy.fleet().driver_pod(n);
      if (pod != nullptr && is_image_trouble(pod->trouble)) missing.emplace(pod->image, pod->trouble);
    }
  }
  for (forecast::PolicyFleet& policy : input_.policies) {
    for (forecast::NodeDetails& detail : policy.details) {
      const auto at = missing.find(detail.image);
      if (at != missing.end()) detail.missing = at->second;
    }
  }
}

void SnapshotReader::find_durations() {
  std::set<std::string> vendors;
  std::set<std::string> jobs;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    forecast::PolicyFleet& policy = input_.policies[i];
    policy.durations = pasts_.at(&sources_[i].vendor.profile()).stats();
    vendors.insert(policy.vendor);
    if (!policy.fleet.policy.jobs.is_wanted) continue;
    jobs.insert(policy.fleet.policy.jobs.at_most ? "jobs that are waited for take all the time they have"
                                                 : "jobs that are waited for without a limit take no time");
  }
  for (const auto& vendor : snapshot_.vendors()) {
    if (!vendors.contains(std::string(vendor->profile().vendor.name))) continue;
    for (const std::string& line : pasts_.at(&vendor->profile()).sources())
      input_.sources.push_back(vendors.size() > 1 ? fmt::format("{}: {}", vendor->profile().vendor.name, line) : line);
  }
  input_.sources.emplace_back("pods that are evicted take their whole grace period");
  input_.sources.insert(input_.sources.end(), jobs.begin(), jobs.end());
}

}  // namespace drover::cli
