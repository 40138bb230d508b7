// What the operator tells a node's agent, as it stands: one text for each situation, so that whoever writes it and
// whoever looks whether it is there mean the same.
#pragma once

#include <string>
#include <string_view>

#include "core/view.h"
#include "protocol/order.h"

namespace drover::protocol {

struct Situation {
  bool agent_prepares = false;         // the next driver, while the node serves
  const core::Claim* claim = nullptr;  // ours; nullptr: nobody holds the node
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
