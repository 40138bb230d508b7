// The loader's flow as one pure step: what was seen, what was noted and what we remember in, what to do next out.
//
// Nothing here blocks, writes or asks. The memory may be lost at any moment; what must survive is in the note, which is
// written before the deed that it speaks of. So an agent that dies between any two deeds goes on where it stopped.
//
//   the host manages it   labelled, left alone            the wanted one serves   labelled, ready; builds what is to
//   come paused                nothing is taken away; after a reboot the version from before comes back nothing is
//   loaded     build, then load, at once; after a vacate, with permission another is loaded     build first; then ask;
//   then, held by no process, unload and load
// What did not load is not tried again by the same pod, and the version from before is put back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/inspect.h"
#include "agent/own_node.h"
#include "base/time.h"
#include "protocol/order.h"
#include "protocol/report.h"
#include "vendors/tenstorrent/agent/kmd_cache.h"
#include "vendors/tenstorrent/agent/load_settings.h"
#include "vendors/tenstorrent/agent/swap_journal.h"

namespace drover::agent {

// What our own Node says.
struct LoadNode {
  std::string install_mode = {};  // the three labels that are ours
  std::string kmd_version = {};
  std::string smi_version = {};
  std::string claim = {};  // of the record, while one is open
  std::optional<protocol::Order> order = {};
  std::string order_trouble = {};  // why there is none, when there is a text
};

struct LoadSight {
  std::optional<LoadNode> node = {};  // nothing until the API server has told
  std::string boot = {};
  std::string kernel = {};
  bool can_unload = true;
  std::string hosts_own = {};  // the path that says that the host manages the driver
  struct Loaded {
    std::string version;
    int references = 0;
  };
  std::optional<Loaded> loaded = {};
  std::vector<Holding> holders = {};  // looked for only when it matters
  std::vector<KmdKey> to_come = {};   // for other kernels that are installed: not in the cache yet
  KmdNote note = {};
  base::Instant now = {};
};

struct LoadMemory {
  struct Trouble {
    std::string message;
    base::Instant again_at;
    base::Span wait;
  };
  std::optional<base::Instant> began = {};
  std::map<KmdKey, KmdEntry> built = {};  // found good in this run
  std::map<KmdKey, Trouble> not_built = {};
  std::optional<KmdKey> building = {};
  std::map<std::string, std::string> not_loaded = {};  // by version: what the kernel said
  std::string unload_trouble = {};                     // what the kernel said last
  std::optional<base::Instant> busy_since = {};
  bool smi_was_tried = false;
  bool smi_is_placed = false;
  bool is_ending = false;  // asked to end
};

struct LoadStep {
  enum class Do { Wait, Build, Unload, Kill, Load, PlaceSmi, Leave };
  Do what = Do::Wait;
  KmdKey key = {};             // Build, Load
  bool in_background = false;  // Build
  KmdNote note = {};           // to be written first, if it is another
  LabelChanges labels = {};
  protocol::Report report = {};
  bool is_ready = false;
  int code = 0;                                 // Leave
  base::Span again = std::chrono::seconds(10);  // look again, if nothing happens before
};

LoadStep step(const LoadSettings& settings, const LoadSight& sight, LoadMemory& memory);

// Whether this order lets the loader take the driver out now.
bool may_swap(const LoadSettings& settings, const LoadNode& node);
// The path by which the host says that it manages the driver itself; "" when it does not.
std::string hosts_own_driver(host::Host& host);

}  // namespace drover::agent
