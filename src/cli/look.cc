#include "cli/look.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "act/policy_status.h"
#include "core/explain.h"
#include "core/limit.h"
#include "observe/ranges.h"

namespace drover::cli {

using core::Phase;

Budget budget_of(const kube::Object& object) {
  Budget budget{.ns = std::string(kube::namespace_of(object)), .name = std::string(kube::name_of(object))};
  if (const json::Value* selector = json::find(object, {"spec", "selector"}); selector && selector->is_object()) {
    if (auto read = base::Selector::from_json(*selector)) budget.pods = std::move(*read);
  }
  budget.allowed = static_cast<int>(json::int_at(object, {"status", "disruptionsAllowed"}));
  budget.healthy = static_cast<int>(json::int_at(object, {"status", "currentHealthy"}));
  budget.wanted_healthy = static_cast<int>(json::int_at(object, {"status", "desiredHealthy"}));
  return budget;
}

Look::Look(kube::Api& api, base::Loop& loop, const vendors::Profile& profile)
    : rounds_(api),
      loop_(loop),
      profile_(profile),
      nodes_([](const kube::Object& object) { return observe::node_facts(object); }),
      operand_pods_([&profile](const kube::Object& object) { return observe::pod_facts(object, profile); }),
      daemon_sets_([&profile](const kube::Object& object) { return observe::daemon_set_facts(object, profile); }),
      claims_(observe::claims_of(profile)),
      policies_(observe::policy_caches(profile)),
      operand_index_(operand_pods_, profile),
      estate_(policies_, profile) {}

void Look::begin(std::function<void(base::Result<void>)> done) {
  rounds_.begin(std::move(done));
  for (std::size_t kind = 0; kind < policies_.size(); ++kind) {
    const auto keep = [this, kind](const kube::Object& policy) { policies_[kind].put(policy); };
    if (kind == 0) {
      rounds_.list(observe::policies_of(profile_, kind), {}, keep);
    } else {
      rounds_.list_if_known(observe::policies_of(profile_, kind), {}, keep);
    }
  }
  rounds_.then([this] { list_sources(); });
}

void Look::list_sources() {
  // Where the operands run is the operator's to say; it wrote it down.
  ns_ = profile_.ns;
  estate_.read();
  for (const vendors::PolicyObject& policy : estate_.objects()) {
    const std::string_view said = json::text_at(*policy.object, {"status", "namespace"});
    if (!said.empty()) ns_ = said;
  }
  const vendors::Profile* const profiles[] = {&profile_};
  rounds_.list(observe::all_nodes(), observe::node_projection(profiles, estate_.label_keys()),
               [this](const kube::Object& node) { nodes_.put(node); });
  rounds_.list(observe::operand_pods_of(profile_, ns_), observe::operand_projection(profile_),
               [this](const kube::Object& pod) { operand_pods_.put(pod); });
  rounds_.list(observe::daemon_sets_in(ns_), observe::daemon_set_projection(),
               [this](const kube::Object& set) { daemon_sets_.put(set); });
  rounds_.list(observe::foreigners_of(profile_, ns_), observe::foreigner_projection(),
               [this](const kube::Object& deployment) {
                 if (auto name = observe::foreign_operator_in(deployment); !name.empty())
                   foreign_operator_ = std::move(name);
               });
  if (!profile_.claim_driver.empty()) {
    rounds_.list_if_known(observe::all_claims(), observe::claim_projection(),
                          [this](const kube::Object& claim) { claims_.put(claim); });
  }
  rounds_.then([this] { list_pods(); });
}

void Look::make_fleets() {
  for (const observe::PolicyRef& policy : estate_.counting()) {
    sights_.push_back(
        {.fleet = std::make_unique<observe::Fleet>(observe::Sources{.nodes = nodes_,
                                                                    .operand_pods = operand_index_,
                                                                    .daemon_sets = daemon_sets_,
                                                                    .estate = estate_,
                                                                    .claims = claims_,
                                                                    .stopwatch = stopwatch_},
                                                   policy, profile_, vendors::OperandSettings{.ns = ns_})});
    sights_.back().fleet->take_templates_as_they_are();
  }
  for (const std::string& key : operand_pods_.take_changes()) operand_index_.changed(key);
  for (const Sight& sight : sights_) sight.fleet->look(runtime_, at_);
}

// The pods of nodes that are being emptied; all pods where nodes wait, because whoever disturbs least goes first.
void Look::list_pods() {
  at_ = loop_.wall();
  make_fleets();
  const auto keep = [this](const kube::Object& object) { keep_pod(object); };
  const auto make = [this](const kube::Object& object) { return observe::pod_facts(object, profile_); };
  bool somebody_waits = false;
  std::vector<std::string> being_emptied;
  for (const Sight& sight : sights_) {
    for (const core::NodeView& node : sight.fleet->seen().nodes) {
      somebody_waits = somebody_waits || node.phase == Phase::Required;
      if (node.claim && core::kBeforeSwap.has(node.phase)) being_emptied.push_back(node.name);
    }
  }
  has_census_ = somebody_waits;
  for (const std::string& node : being_emptied) {
    pods_.try_emplace(node, make);
    const std::string here = "spec.nodeName=" + node;
    if (!has_census_) {
      rounds_.list({.resource = kube::kPods, .ns = {}, .labels = {}, .fields = here}, observe::pod_projection(), keep);
    }
  }
  if (has_census_) {
    rounds_.list({.resource = kube::kPods, .ns = {}, .labels = {}, .fields = {}}, observe::pod_projection(), keep);
  }
  if (!being_emptied.empty()) {
    rounds_.list({.resource = kube::kDisruptionBudgets, .ns = {}, .labels = {}, .fields = {}},
                 {"spec.selector", "status"},
                 [this](const kube::Object& object) { budgets_.push_back(budget_of(object)); });
  }
  rounds_.then([this] { judge(); });
  if (!rounds_.is_waiting()) judge();
}

void Look::keep_pod(const kube::Object& object) {
  const std::string node(json::text_at(object, {"spec", "nodeName"}));
  if (node.empty()) return;
  const auto make = [this](const kube::Object& pod) { return observe::pod_facts(pod, profile_); };
  pods_.try_emplace(node, make).first->second.put(object);
}

void Look::fill_runtime_facts() {
  for (auto& [node, pods] : pods_) {
    runtime_.pods[node] = &pods;
    pods.each([&, &node = node](const std::string&, const observe::PodFacts& pod) {
      if (observe::uses_device(pod, &claims_) && !pod.is_finished) ++device_pods_[node];
      for (const Budget& budget : budgets_) {
        const bool holds =
            budget.ns == pod.ns && budget.allowed <= 0 && budget.pods && budget.pods->matches(pod.lookup());
        if (holds) runtime_.blocked_by[pod.uid] = budget.full_name();
      }
    });
  }
  if (has_census_) runtime_.device_pods = &device_pods_;
}

void Look::judge() {
  fill_runtime_facts();
  std::vector<core::Rollout> rollouts;
  for (const Sight& sight : sights_) {
    if (const kube::Object* policy = sight.fleet->policy())
      sight.fleet->set_nodes_at_start(act::nodes_at_start(*policy));
    sight.fleet->everything_changed();
    sight.fleet->look(runtime_, at_);
    rollouts.push_back({.flow = &profile_.flow, .fleet = &sight.fleet->to_decide()});
  }
  std::vector<core::Plan> plans = core::decide(rollouts, {});
  for (std::size_t i = 0; i < sights_.size(); ++i) sights_[i].plan = std::move(plans[i]);
  rounds_.finish({});
}

json::Value Look::status() const {
  act::StatusFacts facts{.policy = fleet().policy(), .about = {.wants = fleet().wants()}, .ns = ns_};
  facts.about.foreign_operator = foreign_operator_;
  if (fleet().policy_ref()->kind > 0 || profile_.policies_share_nodes) facts.about.disputed = fleet().disputed();
  return act::policy_status(view(), plan(), profile_, facts, at_);
}

std::optional<base::WallTime> Look::since(std::size_t node) const {
  const observe::Standing& standing = fleet().standing(node);
  if (standing.held) return standing.held->since;
  const observe::NodeFacts* facts = fleet().facts(node);
  if (facts == nullptr || !facts->record || view().nodes[node].phase == Phase::Required) return {};
  const auto last = facts->record->last.find(profile_.kind);
  return last == facts->record->last.end() ? std::nullopt : last->second.at;
}

std::string Look::reason(std::size_t node) const {
  const core::NodeView& one = this->view().nodes[node];
  if (one.phase == Phase::Failed && one.outcome) return one.outcome->reason.str();
  return core::reason_of(profile_.flow, view(), plan().slots, node);
}

std::optional<std::size_t> Look::index_of(const std::string& name) const {
  for (std::size_t i = 0; i < view().nodes.size(); ++i) {
    if (view().nodes[i].name == name) return i;
  }
  return {};
}

}  // namespace drover::cli
