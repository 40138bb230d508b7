#include "vendors/tenstorrent/driver_metrics.h"

#include <chrono>
#include <map>
#include <string_view>

#include "vendors/tenstorrent/driver_status.h"
#include "vendors/tenstorrent/words.h"

namespace drover::vendors {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;
using Policies = std::vector<PolicyMetrics>;

// One sample for each policy, or several.
template <class Add>
MetricFamily family(std::string name, bool is_counter, std::string help, const Policies& policies, const Add& add) {
  MetricFamily one{.name = "ttdriver_" + std::move(name), .is_counter = is_counter, .help = std::move(help)};
  for (const PolicyMetrics& policy : policies) {
    add(policy, [&](double value, Labels labels) {
      labels.insert(labels.begin(), {"cr", policy.policy});
      one.samples.push_back({.labels = std::move(labels), .value = value});
    });
  }
  return one;
}

// Every node once, whichever policy has it, by what its kernel has.
MetricFamily by_version(const Policies& policies) {
  std::map<std::pair<std::string, std::string_view>, int> counts;
  for (const PolicyMetrics& policy : policies) {
    for (const core::NodeView& node : policy.fleet->nodes) {
      if (!node.is_selected || node.driver.loaded.empty()) continue;
      ++counts[{node.driver.loaded.str(), node.driver.is_host_managed ? kHostMode : kContainerMode}];
    }
  }
  MetricFamily one{.name = "ttdriver_nodes_by_kmd_version", .help = "Nodes by the version of tt-kmd that is loaded."};
  for (const auto& [key, count] : counts) {
    one.samples.push_back({.labels = {{"version", key.first}, {"install_mode", std::string(key.second)}},
                           .value = static_cast<double>(count)});
  }
  return one;
}

// All states, also those without a node.
MetricFamily by_state(const Policies& policies) {
  return family("policy_nodes", false, "Nodes of a policy by their state.", policies,
                [](const PolicyMetrics& policy, const auto& sample) {
                  std::map<std::string_view, int> counts;
                  for (const core::NodeView& node : policy.fleet->nodes) {
                    if (node.is_selected) ++counts[state_of(node, policy.fleet->policy).state];
                  }
                  for (const std::string_view state : kNodeStates)
                    sample(counts[state], {{"state", std::string(state)}});
                });
}

MetricFamily sets(const Policies& policies) {
  return family("daemonset_operations_total", true, "Builders' DaemonSets that were made or changed.", policies,
                [](const PolicyMetrics& policy, const auto& sample) {
                  for (const auto& [operation, word] :
                       {std::pair(Operation::MakeSet, "create"), std::pair(Operation::ChangeSet, "update")}) {
                    const Attempts& tries = policy.counters[operation];
                    sample(static_cast<double>(tries.done), {{"operation", word}, {"result", "success"}});
                    sample(static_cast<double>(tries.failed), {{"operation", word}, {"result", "error"}});
                  }
                });
}

MetricFamily by_pass(std::string name, std::string help, const Policies& policies, std::uint64_t Attempts::* which) {
  return family(std::move(name), true, std::move(help), policies,
                [which](const PolicyMetrics& policy, const auto& sample) {
                  sample(static_cast<double>(policy.counters[Operation::EvictHolder].*which), {{"pass", "pass1"}});
                  sample(static_cast<double>(policy.counters[Operation::EvictOther].*which), {{"pass", "pass2"}});
                });
}

MetricFamily errors(const Policies& policies) {
  return family("errors_total", true, "Writes that failed, by what they were for.", policies,
                [](const PolicyMetrics& policy, const auto& sample) {
                  const auto failed = [&](Operation operation) {
                    return static_cast<double>(policy.counters[operation].failed);
                  };
                  sample(failed(Operation::MakeSet), {{"stage", "create_daemonset"}});
                  sample(failed(Operation::ChangeSet), {{"stage", "update_daemonset"}});
                  sample(failed(Operation::TakeNode), {{"stage", "prepare_upgrade"}});
                  sample(failed(Operation::EvictHolder) + failed(Operation::EvictOther), {{"stage", "evict_pod"}});
                  sample(failed(Operation::GiveBack), {{"stage", "uncordon_ready_nodes"}});
                  sample(failed(Operation::WriteStatus), {{"stage", "update_status"}});
                });
}

MetricFamily looked_at(const Policies& policies) {
  return family("last_successful_reconcile_timestamp_seconds", false,
                "When a policy was last gone through, as Unix time.", policies,
                [](const PolicyMetrics& policy, const auto& sample) {
                  if (!policy.looked_at) return;
                  sample(std::chrono::duration<double>(policy.looked_at->time_since_epoch()).count(), {});
                });
}

}  // namespace

std::vector<MetricFamily> tenstorrent_metrics(const Policies& policies) {
  return {by_version(policies),
          by_state(policies),
          family("policy_desired_version", false, "1 for the version that a policy wants.", policies,
                 [](const PolicyMetrics& policy, const auto& sample) {
                   if (!policy.version.empty()) sample(1, {{"version", policy.version}});
                 }),
          sets(policies),
          by_pass("pods_evicted_total", "Pods that were evicted: pass1 uses the device, pass2 is the drain.", policies,
                  &Attempts::done),
          by_pass("drain_blocked_total", "Evictions that a PodDisruptionBudget refused.", policies, &Attempts::held),
          errors(policies),
          looked_at(policies)};
}

}  // namespace drover::vendors
