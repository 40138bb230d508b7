// What a policy brings to the cluster, as requests: its DaemonSets as it wants them, and the end of what nothing needs
// any more. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "act/executor.h"
#include "act/write.h"
#include "kube/cache.h"
#include "observe/daemon_set_facts.h"
#include "observe/fleet.h"
#include "observe/operand_pods.h"
#include "vendors/work_profile.h"

namespace drover::act {

using DaemonSets = kube::Cache<observe::DaemonSetFacts>;

// DaemonSets as the policy wants them; those that are there may be left as they are.
std::vector<Write> apply_operands(const observe::Fleet& fleet, const DaemonSets& sets, const std::string& ns,
                                  bool only_missing, const PendingWrites& pending);

// A dry run of a pod for each of its DaemonSets that has made none on a node for a while: what admission says of it is
// said to the DaemonSet's controller alone.
std::vector<Write> try_pods(const observe::Fleet& fleet, const std::string& ns, base::Instant now);

// Pods that prove images nothing waits for.
std::vector<Write> remove_probes(const std::vector<const observe::Fleet*>& fleets, const observe::OperandPods& index,
                                 const kube::Cache<observe::PodFacts>& operand_pods);

// DaemonSets of ours in this role that no policy wants. Not while a node may still need their pods.
std::vector<Write> remove_unwanted(const std::set<std::string>& wanted, std::string_view role, const DaemonSets& sets,
                                   const std::string& ns);

}  // namespace drover::act
