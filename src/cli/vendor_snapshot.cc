#include "cli/vendor_snapshot.h"

#include <algorithm>
#include <utility>

#include "act/policy_status.h"
#include "core/explain.h"
#include "observe/ranges.h"

namespace drover::cli {

using core::Phase;

VendorSnapshot::VendorSnapshot(const vendors::WorkProfile& profile, const ClusterSnapshot& cluster)
    : profile_(profile),
      cluster_(cluster),
      operands_([&profile](const kube::Object& object) { return observe::operand_facts(object, profile); }),
      daemon_sets_([&profile](const kube::Object& object) { return observe::daemon_set_facts(object, profile); }),
      claims_(observe::claims_of(profile)),
      policy_caches_(observe::policy_caches(profile)),
      operand_index_(operands_, daemon_sets_, profile),
      policy_set_(policy_caches_, profile) {}

VendorSnapshot::~VendorSnapshot() = default;

void VendorSnapshot::list_policies(ListBatch& lists) {
  for (std::size_t kind = 0; kind < policy_caches_.size(); ++kind) {
    lists.list(
        observe::policies_of(profile_, kind), {},
        [this, kind](const kube::Object& policy) { policy_caches_[kind].put(policy); },
        [this, kind] { is_known_ = is_known_ && kind > 0; });
  }
}

void VendorSnapshot::read_policies() {
  policy_set_.read();
  // Where the operands run is the operator's to say; it wrote it down.
  ns_ = profile_.vendor.ns;
  for (const vendors::PolicyObject& policy : policy_set_.objects()) {
    const std::string_view said = json::text_at(*policy.object, {"status", "namespace"});
    if (!said.empty()) ns_ = said;
  }
}

void VendorSnapshot::list_sources(ListBatch& lists) {
  lists.list(observe::operand_pods_of(profile_, ns_), observe::operand_projection(profile_),
             [this](const kube::Object& pod) { operands_.put(pod); });
  lists.list(observe::daemon_sets_in(ns_), observe::daemon_set_projection(),
             [this](const kube::Object& set) { daemon_sets_.put(set); });
  if (!profile_.vendor.own_operator.empty()) {
    lists.list(observe::competing_operators_of(profile_, ns_), observe::competing_operator_projection(),
               [this](const kube::Object& deployment) {
                 if (auto name = observe::competing_operator_in(deployment); !name.empty())
                   competing_operator_ = std::move(name);
               });
  }
  if (profile_.vendor.claim_driver.empty()) return;
  lists.list(
      observe::all_claims(), observe::claim_projection(), [this](const kube::Object& claim) { claims_.put(claim); },
      [] {});
}

void VendorSnapshot::make_fleets() {
  // Which image the operator has is not in the cluster.
  const vendors::OperandSettings settings{.ns = ns_, .own_image = {}};
  std::vector<std::optional<observe::PolicyRef>> policies;
  for (observe::PolicyRef& policy : policy_set_.counting()) policies.emplace_back(std::move(policy));
  policies.emplace_back(std::nullopt);
  for (auto& policy : policies) {
    const observe::Sources sources{.nodes = cluster_.nodes,
                                   .operand_pods = operand_index_,
                                   .daemon_sets = daemon_sets_,
                                   .policy_set = policy_set_,
                                   .claims = claims_,
                                   .stopwatch = stopwatch_};
    policies_.push_back(std::make_unique<PolicySnapshot>(
        *this, std::make_unique<observe::Fleet>(sources, std::move(policy), profile_, settings)));
    policies_.back()->fleet().take_templates_as_they_are();
  }
  for (const std::string& key : operands_.take_changes()) operand_index_.changed(key);
  for (const auto& policy : policies_) policy->fleet().look(runtime_, cluster_.at);
}

void VendorSnapshot::add_needed(PodsNeeded& needed) const {
  for (const auto& policy : policies_) {
    for (const core::NodeView& node : policy->view().nodes) {
      needed.on_all_nodes = needed.on_all_nodes || node.phase == Phase::Required;
      if (node.claim && core::kBeforeSwap.has(node.phase)) needed.on_nodes.insert(node.name);
    }
  }
}

void VendorSnapshot::keep_pod(const kube::Object& object) {
  const std::string node(json::text_at(object, {"spec", "nodeName"}));
  if (!node.empty()) pods_on(node).put(object);
}

kube::Cache<observe::PodFacts>& VendorSnapshot::pods_on(const std::string& node) {
  const auto make = [this](const kube::Object& pod) { return observe::pod_facts(pod, profile_); };
  return pods_.try_emplace(node, make).first->second;
}

void VendorSnapshot::fill_runtime_facts(const PodsNeeded& listed) {
  for (const std::string& node : listed.on_nodes) pods_on(node);
  for (auto& [node, pods] : pods_) {
    runtime_.pods[node] = &pods;
    pods.each([&, &node = node](const std::string&, const observe::PodFacts& pod) {
      if (observe::uses_device(pod, &claims_) && !pod.is_finished) ++device_pods_[node];
      for (const observe::Budget& budget : cluster_.budgets) {
        const bool holds =
            budget.ns == pod.ns && budget.allowed <= 0 && budget.pods && budget.pods->matches(pod.lookup());
        if (holds) runtime_.blocked_by[pod.uid] = budget.full_name();
      }
    });
  }
  if (listed.on_all_nodes) runtime_.device_pods = &device_pods_;
  for (const auto& policy : policies_) read_refusals(policy->policy());
}

// What the API server refuses only the operator hears: its word is repeated while it speaks of the policy as it is.
void VendorSnapshot::read_refusals(const kube::Object* policy) {
  if (policy == nullptr) return;
  if (json::int_at(*policy, {"status", "observedGeneration"}) != json::int_at(*policy, {"metadata", "generation"}))
    return;
  for (const json::Value& row : json::array_at(*policy, {"status", "nodes"})) {
    // Where a vendor has a word of its own for the reason, the code is that word.
    const bool has_code = !json::text_at(row, {"code"}).empty();
    const core::Reason reason = core::reason_named(json::text_at(row, {has_code ? "code" : "reason"}));
    const core::RefusalRow* refused = core::refusal_row(reason);
    if (refused == nullptr) continue;
    std::string_view text = json::text_at(row, {has_code ? "reason" : "message"});
    if (text.starts_with(refused->because)) text.remove_prefix(std::min(text.size(), refused->because.size() + 2));
    runtime_.refused[std::string(json::text_at(row, {"name"}))]["status"] = {.reason = reason,
                                                                             .text = std::string(text)};
  }
}

void VendorSnapshot::look(const PodsNeeded& listed) {
  fill_runtime_facts(listed);
  for (const auto& policy : policies_) {
    observe::Fleet& fleet = policy->fleet();
    if (fleet.policy() != nullptr) fleet.set_nodes_at_start(act::nodes_at_start(*fleet.policy()));
    fleet.everything_changed();
    fleet.look(runtime_, cluster_.at);
  }
}

json::Value PolicySnapshot::status() const {
  act::StatusFacts facts{.policy = policy(), .about = {.wants = fleet().wants()}, .ns = ns()};
  facts.about.competing_operator = vendor_.competing_operator();
  if (fleet().policy_ref()->kind > 0 || profile().policies_share_nodes) facts.about.disputed = fleet().disputed();
  return act::policy_status(view(), plan(), profile(), facts, at());
}

std::optional<base::WallTime> PolicySnapshot::since(std::size_t node) const {
  const observe::RecordedState& recorded = fleet().recorded(node);
  if (recorded.held) return recorded.held->since;
  const observe::NodeFacts* facts = fleet().facts(node);
  if (facts == nullptr || !facts->record || view().nodes[node].phase == Phase::Required) return {};
  const auto last = facts->record->last.find(profile().kind);
  return last == facts->record->last.end() ? std::nullopt : last->second.at;
}

std::string PolicySnapshot::reason(std::size_t node) const {
  const core::NodeView& one = view().nodes[node];
  if (one.phase == Phase::Failed && one.outcome && !one.refusal) return one.outcome->reason.str();
  return core::reason_of(profile().flow, view(), plan().slots, node);
}

std::optional<std::size_t> PolicySnapshot::index_of(const std::string& name) const {
  for (std::size_t i = 0; i < view().nodes.size(); ++i) {
    if (view().nodes[i].name == name) return i;
  }
  return {};
}

}  // namespace drover::cli
