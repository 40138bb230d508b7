#include "cli/fleet_snapshot.h"

#include <algorithm>
#include <utility>

#include "observe/ranges.h"

namespace drover::cli {

FleetSnapshot::FleetSnapshot(kube::Api& api, base::Loop& loop, vendors::WorkProfiles profiles,
                             std::optional<core::Share> max_unavailable)
    : lists_(api), loop_(loop), max_unavailable_(max_unavailable) {
  for (const vendors::WorkProfile* profile : profiles)
    vendors_.push_back(std::make_unique<VendorSnapshot>(*profile, cluster_));
}

std::vector<const PolicySnapshot*> FleetSnapshot::policies() const {
  std::vector<const PolicySnapshot*> policies;
  for (const auto& vendor : vendors_) {
    for (const auto& policy : vendor->policies()) {
      if (policy->policy() != nullptr) policies.push_back(policy.get());
    }
  }
  return policies;
}

void FleetSnapshot::begin(std::function<void(base::Result<void>)> done) {
  lists_.begin(std::move(done));
  for (const auto& vendor : vendors_) vendor->list_policies(lists_);
  lists_.then([this] { list_sources(); });
}

void FleetSnapshot::list_sources() {
  for (const auto& vendor : vendors_) vendor->read_policies();
  std::erase_if(vendors_, [](const auto& vendor) { return !vendor->has_policies(); });
  if (vendors_.empty()) return lists_.finish({});
  std::vector<const vendors::WorkProfile*> profiles;
  std::vector<std::string> labels;
  for (const auto& vendor : vendors_) {
    profiles.push_back(&vendor->profile());
    const std::vector<std::string>& more = vendor->policy_set().label_keys();
    labels.insert(labels.end(), more.begin(), more.end());
    vendor->list_sources(lists_);
  }
  lists_.list(observe::all_nodes(), observe::node_projection(profiles, labels),
              [this](const kube::Object& node) { cluster_.nodes.put(node); });
  lists_.then([this] { list_pods(); });
}

void FleetSnapshot::list_pods() {
  cluster_.at = loop_.wall();
  PodsNeeded needed;
  for (const auto& vendor : vendors_) {
    vendor->make_fleets();
    vendor->add_needed(needed);
  }
  const auto keep = [this](const kube::Object& pod) {
    for (const auto& vendor : vendors_) vendor->keep_pod(pod);
  };
  const auto list = [&](std::string where) {
    lists_.list({.resource = kube::kPods, .ns = {}, .labels = {}, .fields = std::move(where)},
                observe::pod_projection(), keep);
  };
  if (needed.on_all_nodes) {
    list({});
  } else {
    for (const std::string& node : needed.on_nodes) list("spec.nodeName=" + node);
  }
  if (!needed.on_nodes.empty()) {
    lists_.list({.resource = kube::kDisruptionBudgets, .ns = {}, .labels = {}, .fields = {}},
                {"spec.selector", "status"},
                [this](const kube::Object& object) { cluster_.budgets.push_back(observe::budget_of(object)); });
  }
  lists_.then([this, needed] { decide(needed); });
}

// As in the operator's pass.
void FleetSnapshot::decide(const PodsNeeded& listed) {
  std::vector<core::Rollout> rollouts;
  for (const auto& vendor : vendors_) {
    vendor->look(listed);
    for (const auto& policy : vendor->policies())
      rollouts.push_back({.kind = vendor->profile().kind,
                          .flow = &vendor->profile().flow,
                          .fleet = &policy->fleet().to_decide(),
                          .is_of_policy = policy->policy() != nullptr});
  }
  std::vector<core::Plan> plans = core::decide(rollouts, max_unavailable_);
  auto plan = plans.begin();
  for (const auto& vendor : vendors_) {
    for (const auto& policy : vendor->policies()) policy->set_plan(std::move(*plan++));
  }
  lists_.finish({});
}

}  // namespace drover::cli
