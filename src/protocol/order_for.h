// What the operator tells a node's agent, as it stands: one text for each situation, so that the code that writes it
// and the code that checks whether it is there agree.
#pragma once

#include <string>
#include <string_view>

#include "core/view.h"
#include "protocol/order.h"

namespace drover::protocol {

struct Situation {
  bool agent_prepares = false;         // the next driver, while the node serves
  const core::Claim* claim = nullptr;  // ours; nullptr: the node is not claimed
  core::Phase phase = core::Phase::Idle;
  bool is_paused = false;                       // the policy
  std::string version = {};                     // that is wanted
  bool is_to_prepare = false;                   // that version
  AgentRequest serves = AgentRequest::Nothing;  // what the agent asked for and gets
};

// For the annotation; "" when there is nothing to say.
std::string order_for(const Situation& situation);

// The version that the order on the node asks to prepare; "" for none.
std::string asked_to_prepare(std::string_view order);

}  // namespace drover::protocol
