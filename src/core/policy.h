// What the user asked for, in the engine's words. Whatever a vendor's document calls these fields and whatever stands
// for "no limit" there was translated where the policy was read; here a missing limit is an empty optional.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace drover::core {

using base::Span;

// A number of nodes, or a share of them.
struct Share {
  int amount = 0;
  bool is_percent = false;

  // Rounded up, as the documents say; never more than there are.
  constexpr int of(int nodes) const {
    const long long whole = is_percent ? (static_cast<long long>(amount) * nodes + 99) / 100 : amount;
    return static_cast<int>(whole < nodes ? whole : nodes);
  }
  bool operator==(const Share&) const = default;
};

// Which pods may be removed at all, and for how long they are asked.
struct Removal {
  bool takes_bare_pods = false;      // without a controller: nothing recreates them
  bool takes_local_data = false;     // with an emptyDir: its content is lost
  std::optional<Span> at_most = {};  // then what the vendor's document says
  bool forces = true;                // which is that what is left is deleted; else it was in vain
  // What a message says of a pod that may not be removed; it names the field that would allow it.
  std::string_view bare_pod_text = "pod has no controller; delete it or set spec.…drain.force=true";
  std::string_view local_data_text = "its emptyDir would be lost; delete it or set spec.…drain.deleteEmptyDir=true";
  // The texts are not part of what was asked for.
  bool operator==(const Removal& other) const {
    return takes_bare_pods == other.takes_bare_pods && takes_local_data == other.takes_local_data &&
           at_most == other.at_most && forces == other.forces;
  }
};

struct JobWait {
  bool is_wanted = false;            // a selector was given
  std::optional<Span> at_most = {};  // then the upgrade goes on
  bool operator==(const JobWait&) const = default;
};

struct Policy {
  std::string name;
  std::string uid;
  bool is_on = true;  // off: nothing new is taken away, what is away comes back
  // Off, and no controller is wanted: outdated drivers are replaced one by one, and what each new one's init container
  // asks for is done (it is done for one that drover did not replace, too).
  bool rolling_update = false;
  bool is_ending = false;    // deleted, and its nodes have to be given back
  std::string trouble = {};  // what cannot be read of it: until that is mended, nothing new starts

  std::optional<int> max_parallel = 1;                          // nodes in flight
  std::string_view max_parallel_field = "maxParallelUpgrades";  // as the vendor spells it
  Share unavailable = {.amount = 25, .is_percent = true};       // nodes out of service, for whatever reason
  int nodes_at_start = 0;                                       // of this rollout; 0: not known yet
  Share failures = {.amount = 10, .is_percent = true};          // of those that finished with this driver

  bool cordons = true;  // false: its nodes stay open, and the agent deals with what holds the device
  JobWait jobs = {};
  std::optional<Removal> device_pods = Removal{.at_most = std::chrono::seconds(300)};
  std::optional<Removal> drain = {};  // empty: pods without a device stay
  Span restart_at_most = std::chrono::minutes(30);
  Span validate_at_most = std::chrono::minutes(10);
};

}  // namespace drover::core
