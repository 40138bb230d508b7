// The driver manager's flow as one pure step: what was seen and what we remember in, what to do next out.
//
// Nothing here blocks, writes or asks. The memory holds only what may be forgotten: a manager that was killed begins
// again with an empty one, finds its labels paused and its request on the Node, and comes to the same end. The only
// permission that counts is an order for the very claim (or, without one, the very pod) that asks.
//
//   the host's own driver   labelled, left alone        nothing loaded        go
//   the wanted digest       stays loaded, go            no unloading          say so, fail
//   an operator at work     ask to load, wait, take out
//   without the controller  pause the operands, wait for their pods, ask for eviction (then for a drain), take out
// Whatever the end, labels that are ours to restore are restored before it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/gates.h"
#include "agent/inspect.h"
#include "base/time.h"
#include "protocol/order.h"
#include "protocol/report.h"
#include "vendors/nvidia/agent/manager_settings.h"

namespace drover::agent {

// What our own Node says.
struct NodeSight {
  Labels gates = {};
  std::string deploy = {};  // the label that gives the node a driver
  bool is_managed = false;  // an operator upgrades drivers
  std::string claim = {};   // of the record, while one is open
  std::optional<protocol::Order> order = {};
  std::string order_trouble = {};  // why there is none, when there is a text
  bool has_paused = false;         // our last report says that the pause is ours
};

struct Sight {
  std::optional<NodeSight> node = {};  // nothing until the API server has told
  std::string boot = {};
  bool can_unload = true;
  bool has_host_driver = false;            // installed on the machine itself
  std::string stored_digest = {};          // of the driver that is loaded, as its container noted it
  std::vector<std::string> loaded = {};    // the vendor's modules, in the order in which they can be unloaded
  std::vector<Holding> holders = {};       // processes of others
  std::vector<std::string> operands = {};  // pods that a paused label sends away and that still run
  base::Instant now = {};
};

struct ManagerMemory {
  std::optional<base::Instant> began = {};
  std::optional<base::Instant> paused_since = {};
  protocol::AgentRequest request = protocol::AgentRequest::Nothing;
  std::optional<base::Instant> requested_since = {};
  std::optional<base::Instant> busy_since = {};
  std::string unload_trouble = {};                 // what the kernel said last
  std::optional<base::Instant> marked_since = {};  // the host's own driver
  bool is_ending = false;                          // asked to end
};

struct ManagerStep {
  enum class Do { Wait, Unload, Leave };
  Do what = Do::Wait;
  Labels labels = {};  // to be written first, with the report
  protocol::Report report = {};
  int code = 0;                                // Leave
  bool must_be_told = true;                    // Leave: not before labels and report are written
  base::Span again = std::chrono::seconds(2);  // look again, if nothing happens before
};

ManagerStep step(const ManagerSettings& settings, const Sight& sight, ManagerMemory& memory);

}  // namespace drover::agent
