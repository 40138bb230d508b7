// What the operator tells a node's agent.
//
// Both talk through two annotations of the agent's own Node, for each kind of work (keys.h), and through nothing else.
// Data at rest, JSON, 2 KB at most:
//   drover.dev/order-…   the operator's: which claim it speaks for, the wanted driver, and whether it may be swapped
//   now drover.dev/report-…  the agent's (report.h): on which boot, what it has, what it needs done before it can go
//   on, why
// An order is permission only for the claim and the digest that it names; a report counts only for the boot that it
// names. Values that cannot be acted on are a fault, members that we do not know are a later release's.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/message.h"

namespace drover::protocol {

struct Order {
  std::string id = {};      // the claim of the record; without one, the id of the report that it answers
  std::string target = {};  // digest of the wanted driver
  bool may_load = false;    // the device is free: swap
  bool is_paused = false;   // begin nothing that takes the node away
  // The version that the loaded module must then have; empty when the policy does not tell it (an image by digest).
  std::string version = {};
  AgentRequest serves =
      AgentRequest::Nothing;  // the request that this answers; a drain is believed only when it is named
  bool is_refused = false;    // that request cannot be had, and `message` says why
  std::string message = {};   // for people
  std::string prepare = {};   // a version to fetch and build while the node serves on; nothing is loaded for it

  bool operator==(const Order&) const = default;
};

// Malformed says what is wrong with the text.
base::Result<Order> parse_order(std::string_view text);

// At most kMostMessageBytes: the message is cut, and no name is longer than any that `parse_order` takes.
std::string text_of(const Order& order);

}  // namespace drover::protocol
