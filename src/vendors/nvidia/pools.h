// Which nodes take the same driver image, and which DaemonSet carries it.
//
// The image's tag names the node's system (and its kernel, where modules come precompiled), so nodes that differ there
// are different pools with a DaemonSet each. Which DaemonSet carries which pool is not stored by us: it stands on the
// DaemonSets. So a DaemonSet keeps its name for as long as its pool has nodes, whatever other pools come and go:
//   - a pool that has a DaemonSet keeps it;
//   - one pool and one DaemonSet belong together, also when the pool's word has changed (another system on all nodes,
//     precompiled switched on) or the DaemonSet is the vendor's own: it is changed in place, and OnDelete keeps its
//     pods;
//   - the first pool without one gets the plain name, if that is free; any other gets a name with its word in it.
// A DaemonSet whose pool has no node any more is a leftover. It must be deleted with propagationPolicy Orphan: a driver
// pod that it still has goes on serving, and is replaced like any other outdated one.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "vendors/desired.h"
#include "vendors/nvidia/driver.h"

namespace drover::vendors {

inline constexpr std::string_view kDriverDaemonSet = "nvidia-driver-daemonset";
inline constexpr std::string_view kPoolAnnotation = "drover.dev/driver-pool";  // on the DaemonSet: the pool's word
inline constexpr std::string_view kDriverSetLabel = "drover.dev/driver-set";   // on its pods: the DaemonSet's name
// kPolicyAnnotation of a DaemonSet that was made for an NVIDIADriver says this and its name.
inline constexpr std::string_view kDriverPolicyPrefix = "NVIDIADriver/";

struct Pool {
  std::string os_id = {};  // "ubuntu"; all empty: the image is the same everywhere
  std::string os_version = {};
  std::string kernel = {};  // only with precompiled modules

  // "ubuntu22.04", "ubuntu22.04-6.8.0-90-generic", "any".
  std::string word() const;
  auto operator<=>(const Pool&) const = default;
};

// "nvidia-driver-daemonset-ubuntu24.04": lower case, and cut with a digest where it would be too long or not itself.
std::string operand_name(std::string_view operand, const std::string& word);

// The pool of a node with these labels; nothing where Node Feature Discovery has not said enough (or said what cannot
// stand in an image's tag).
std::optional<Pool> pool_of(const DriverAsk& driver, const json::Members& labels);

// The image for a pool; empty when the tag would be longer than registries allow.
std::string image_for(const DriverAsk& driver, const Pool& pool);

DriverSet driver_set_of(const json::Value& daemon_set);

struct Placement {
  struct Carrier {
    Pool pool;
    int nodes = 0;
    std::string name = {};
    json::Members match_labels = {};
  };
  std::vector<Carrier> carriers;       // sorted by pool
  std::vector<std::string> leftovers;  // names of DaemonSets to delete, their pods orphaned
  std::vector<std::string> unplaced;   // names of nodes whose system is not known: their driver is left as it is

  // Only then does a DaemonSet have to name its system: a label that comes and goes must not cost a driver.
  bool names_systems() const { return carriers.size() > 1; }
};

// While the system of any node is unknown nothing is a leftover: its driver may be that node's. `suffix` is what all
// names of the policy's DaemonSets end in before the pool's word; "" for the only policy, which also takes over what
// the vendor's own operator made.
Placement place(const DriverAsk& driver, const std::vector<PoolNode>& nodes, std::vector<DriverSet> existing,
                const std::string& suffix = {});

}  // namespace drover::vendors
