// The pods of drivers, validators and preflights, by node: an index over their cache that all fleets of a vendor share.
// A pod that the scheduler has not placed yet belongs to the only node that it may run on, if a DaemonSet of ours made
// it: it is why that node has no driver.
//
// At rest: by node the keys of its operand pods.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/interned_string.h"
#include "base/time.h"
#include "kube/cache.h"
#include "observe/daemon_set_facts.h"
#include "observe/pod_facts.h"
#include "vendors/work_profile.h"

namespace drover::observe {

class OperandPods {
 public:
  OperandPods(const kube::Cache<PodFacts>& pods, const kube::Cache<DaemonSetFacts>& daemon_sets,
              const vendors::WorkProfile& profile)
      : pods_(pods), daemon_sets_(daemon_sets), profile_(profile) {}

  // Takes what the cache says of the pod now. The nodes that it was and is on, each once.
  std::vector<std::string> changed(const std::string& key);

  // One that runs there counts before one that is still to be placed, then one that stays before one that goes; nullptr
  // for none.
  const PodFacts* with_role(const std::string& node, std::string_view role) const;
  const PodFacts* driver_on(const std::string& node) const { return with_role(node, profile_.driver_role); }
  // Those that run there.
  std::vector<const PodFacts*> on(const std::string& node) const;

  // Keys of the pods that prove images.
  const std::map<std::string, std::optional<base::Instant>>& preflights() const { return preflights_; }
  // How long one of them has been seen; from the first time that this is asked.
  base::Span proving_for(const PodFacts& preflight, base::Instant now);

 private:
  bool is_ours(const PodFacts& pod) const;

  const kube::Cache<PodFacts>& pods_;
  const kube::Cache<DaemonSetFacts>& daemon_sets_;
  const vendors::WorkProfile& profile_;
  std::map<std::string, std::optional<base::Instant>> preflights_;        // when each was first looked at
  std::map<std::string, std::vector<std::string>, std::less<>> pods_of_;  // keys, sorted, by node
  // By the hash of a pod's key: they are twice as many as nodes, and two of the same hash will not be met with.
  std::unordered_map<std::uint64_t, base::InternedString> node_of_;
};

}  // namespace drover::observe
