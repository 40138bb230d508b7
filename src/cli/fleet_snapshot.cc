#include "cli/fleet_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "act/policy_status.h"
#include "core/explain.h"
#include "core/limit.h"
#include "observe/ranges.h"

namespace drover::cli {

using core::Phase;

FleetSnapshot::FleetSnapshot(kube::Api& api, base::Loop& loop, const vendors::WorkProfile& profile)
    : lists_(api),
      loop_(loop),
      profile_(profile),
      nodes_([](const kube::Object& object) { return observe::node_facts(object); }),
      operand_pods_([&profile](const kube::Object& object) { return observe::pod_facts(object, profile); }),
      daemon_sets_([&profile](const kube::Object& object) { return observe::daemon_set_facts(object, profile); }),
      claims_(observe::claims_of(profile)),
      policies_(observe::policy_caches(profile)),
      operand_index_(operand_pods_, profile),
      policy_set_(policies_, profile) {}

void FleetSnapshot::begin(std::function<void(base::Result<void>)> done) {
  lists_.begin(std::move(done));
  for (std::size_t kind = 0; kind < policies_.size(); ++kind) {
    const auto keep = [this, kind](const kube::Object& policy) { policies_[kind].put(policy); };
    if (kind == 0) {
      lists_.list(observe::policies_of(profile_, kind), {}, keep);
    } else {
      lists_.list_if_known(observe::policies_of(profile_, kind), {}, keep);
    }
  }
  lists_.then([this] { list_sources(); });
}

void FleetSnapshot::list_sources() {
  // Where the operands run is the operator's to say; it wrote it down.
  ns_ = profile_.vendor.ns;
  policy_set_.read();
  for (const vendors::PolicyObject& policy : policy_set_.objects()) {
    const std::string_view said = json::text_at(*policy.object, {"status", "namespace"});
    if (!said.empty()) ns_ = said;
  }
  const vendors::WorkProfile* const profiles[] = {&profile_};
  lists_.list(observe::all_nodes(), observe::node_projection(profiles, policy_set_.label_keys()),
              [this](const kube::Object& node) { nodes_.put(node); });
  lists_.list(observe::operand_pods_of(profile_, ns_), observe::operand_projection(profile_),
              [this](const kube::Object& pod) { operand_pods_.put(pod); });
  lists_.list(observe::daemon_sets_in(ns_), observe::daemon_set_projection(),
              [this](const kube::Object& set) { daemon_sets_.put(set); });
  if (!profile_.vendor.own_operator.empty()) {
    lists_.list(observe::competing_operators_of(profile_, ns_), observe::competing_operator_projection(),
                [this](const kube::Object& deployment) {
                  if (auto name = observe::competing_operator_in(deployment); !name.empty())
                    competing_operator_ = std::move(name);
                });
  }
  if (!profile_.vendor.claim_driver.empty()) {
    lists_.list_if_known(observe::all_claims(), observe::claim_projection(),
                         [this](const kube::Object& claim) { claims_.put(claim); });
  }
  lists_.then([this] { list_pods(); });
}

void FleetSnapshot::make_fleets() {
  for (const observe::PolicyRef& policy : policy_set_.counting()) {
    policies_seen_.push_back(
        {.fleet = std::make_unique<observe::Fleet>(observe::Sources{.nodes = nodes_,
                                                                    .operand_pods = operand_index_,
                                                                    .daemon_sets = daemon_sets_,
                                                                    .policy_set = policy_set_,
                                                                    .claims = claims_,
                                                                    .stopwatch = stopwatch_},
                                                   policy, profile_, vendors::OperandSettings{.ns = ns_})});
    policies_seen_.back().fleet->take_templates_as_they_are();
  }
  for (const std::string& key : operand_pods_.take_changes()) operand_index_.changed(key);
  for (const PolicyView& sight : policies_seen_) sight.fleet->look(runtime_, at_);
}

// The pods of nodes that are being emptied; all pods where nodes wait, because the node that disturbs least goes first.
void FleetSnapshot::list_pods() {
  at_ = loop_.wall();
  make_fleets();
  const auto keep = [this](const kube::Object& object) { keep_pod(object); };
  const auto make = [this](const kube::Object& object) { return observe::pod_facts(object, profile_); };
  bool some_wait = false;
  std::vector<std::string> being_emptied;
  for (const PolicyView& sight : policies_seen_) {
    for (const core::NodeView& node : sight.fleet->seen().nodes) {
      some_wait = some_wait || node.phase == Phase::Required;
      if (node.claim && core::kBeforeSwap.has(node.phase)) being_emptied.push_back(node.name);
    }
  }
  pods_were_counted_ = some_wait;
  for (const std::string& node : being_emptied) {
    pods_.try_emplace(node, make);
    const std::string here = "spec.nodeName=" + node;
    if (!pods_were_counted_) {
      lists_.list({.resource = kube::kPods, .ns = {}, .labels = {}, .fields = here}, observe::pod_projection(), keep);
    }
  }
  if (pods_were_counted_) {
    lists_.list({.resource = kube::kPods, .ns = {}, .labels = {}, .fields = {}}, observe::pod_projection(), keep);
  }
  if (!being_emptied.empty()) {
    lists_.list({.resource = kube::kDisruptionBudgets, .ns = {}, .labels = {}, .fields = {}},
                {"spec.selector", "status"},
                [this](const kube::Object& object) { budgets_.push_back(observe::budget_of(object)); });
  }
  lists_.then([this] { judge(); });
  if (!lists_.is_waiting()) judge();
}

void FleetSnapshot::keep_pod(const kube::Object& object) {
  const std::string node(json::text_at(object, {"spec", "nodeName"}));
  if (node.empty()) return;
  const auto make = [this](const kube::Object& pod) { return observe::pod_facts(pod, profile_); };
  pods_.try_emplace(node, make).first->second.put(object);
}

void FleetSnapshot::fill_runtime_facts() {
  for (auto& [node, pods] : pods_) {
    runtime_.pods[node] = &pods;
    pods.each([&, &node = node](const std::string&, const observe::PodFacts& pod) {
      if (observe::uses_device(pod, &claims_) && !pod.is_finished) ++device_pods_[node];
      for (const observe::Budget& budget : budgets_) {
        const bool holds =
            budget.ns == pod.ns && budget.allowed <= 0 && budget.pods && budget.pods->matches(pod.lookup());
        if (holds) runtime_.blocked_by[pod.uid] = budget.full_name();
      }
    });
  }
  if (pods_were_counted_) runtime_.device_pods = &device_pods_;
}

void FleetSnapshot::judge() {
  fill_runtime_facts();
  std::vector<core::Rollout> rollouts;
  for (const PolicyView& sight : policies_seen_) {
    if (const kube::Object* policy = sight.fleet->policy())
      sight.fleet->set_nodes_at_start(act::nodes_at_start(*policy));
    sight.fleet->everything_changed();
    sight.fleet->look(runtime_, at_);
    rollouts.push_back({.flow = &profile_.flow, .fleet = &sight.fleet->to_decide()});
  }
  std::vector<core::Plan> plans = core::decide(rollouts, {});
  for (std::size_t i = 0; i < policies_seen_.size(); ++i) policies_seen_[i].plan = std::move(plans[i]);
  lists_.finish({});
}

json::Value FleetSnapshot::status() const {
  act::StatusFacts facts{.policy = fleet().policy(), .about = {.wants = fleet().wants()}, .ns = ns_};
  facts.about.competing_operator = competing_operator_;
  if (fleet().policy_ref()->kind > 0 || profile_.policies_share_nodes) facts.about.disputed = fleet().disputed();
  return act::policy_status(view(), plan(), profile_, facts, at_);
}

std::optional<base::WallTime> FleetSnapshot::since(std::size_t node) const {
  const observe::RecordedState& recorded = fleet().recorded(node);
  if (recorded.held) return recorded.held->since;
  const observe::NodeFacts* facts = fleet().facts(node);
  if (facts == nullptr || !facts->record || view().nodes[node].phase == Phase::Required) return {};
  const auto last = facts->record->last.find(profile_.kind);
  return last == facts->record->last.end() ? std::nullopt : last->second.at;
}

std::string FleetSnapshot::reason(std::size_t node) const {
  const core::NodeView& one = this->view().nodes[node];
  if (one.phase == Phase::Failed && one.outcome) return one.outcome->reason.str();
  return core::reason_of(profile_.flow, view(), plan().slots, node);
}

std::optional<std::size_t> FleetSnapshot::index_of(const std::string& name) const {
  for (std::size_t i = 0; i < view().nodes.size(); ++i) {
    if (view().nodes[i].name == name) return i;
  }
  return {};
}

}  // namespace drover::cli
