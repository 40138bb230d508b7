// The words between the operator and the agent on a node.
//
// Both talk through two annotations of the agent's own Node and through nothing else. Data at rest, JSON, 2 KB at most:
//   drover.dev/order   the operator's: which claim it speaks for, the wanted driver, and whether it may be swapped now
//   drover.dev/report  the agent's: on which boot, what it has, what it needs done before it can go on, and why
// An order is permission only for the claim and the digest that it names; a report counts only for the boot that it
// names. Words that nobody can act on are a fault, members that we do not know are a later release's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::protocol {

inline constexpr std::string_view kOrderAnnotation = "drover.dev/order";
inline constexpr std::string_view kReportAnnotation = "drover.dev/report";
inline constexpr std::size_t kMostMessageBytes = 2048;

// What an agent needs done before it can go on.
enum class Wish { Nothing, Load, Evict, Drain };
// "" for nothing, "load", "evict", "drain".
std::string_view word(Wish wish);

struct Order {
  std::string id = {};      // the claim of the record; without one, the id of the report that it answers
  std::string target = {};  // digest of the wanted driver
  bool may_load = false;    // nobody uses the device any more: swap
  bool is_paused = false;   // begin nothing that takes the node away
  // The version that the loaded module must then have; empty when the policy does not tell it (an image by digest).
  std::string version = {};
  Wish serves = Wish::Nothing;  // the wish that this answers; a drain is believed only when it is named
  bool is_refused = false;      // that wish cannot be had, and `message` says why
  std::string message = {};     // for people
  std::string prepare = {};     // a version to fetch and build while the node serves on; nothing is loaded for it

  bool operator==(const Order&) const = default;
};

struct Report {
  using Wish = protocol::Wish;

  std::string boot = {};    // the boot id on which this was written
  std::string id = {};      // the claim that it answers; without one, the uid of the agent's own pod
  std::string digest = {};  // of the driver that the agent is there to load
  Wish wants = Wish::Nothing;
  bool can_unload = true;       // false: this kernel changes drivers by a reboot only
  bool has_paused = false;      // the deploy labels that are paused were paused by the agent, which puts them back
  std::string message = {};     // for people: what it does or waits for
  std::string loaded = {};      // the version that the kernel has; empty: none, or an agent that does not tell
  std::string prepared = {};    // the version that could be loaded at once: what the order asked to prepare, or our own
  bool cannot_prepare = false;  // it was tried and did not work, and `message` says why; it is tried again
  bool is_blocked = false;      // what is loaded cannot be taken out, because somebody holds it: `message` names them
  bool is_refused = false;      // what it was to load did not load, and `message` says why; this pod does not try again

  bool operator==(const Report&) const = default;
};

// Malformed says what is wrong with the text.
base::Result<Order> parse_order(std::string_view text);
base::Result<Report> parse_report(std::string_view text);

// At most kMostMessageBytes: a report's message is cut first, and no name is longer than any that `parse` takes.
std::string text_of(const Order& order);
std::string text_of(const Report& report);

}  // namespace drover::protocol
