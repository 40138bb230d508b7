// What a policy's status is made of, for vendors whose documents have words of their own for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "core/view.h"

namespace drover::vendors {

// Of a condition: "True", "False" or "Unknown", and the reason as one word.
struct ConditionWords {
  std::string status;
  std::string reason;
};

struct NodeRow {
  const core::NodeView* node = nullptr;
  std::string message = {};  // why it stands where it stands
};

// Where a node stands, in the words of its policy's status, and how a change to them is told.
struct NodeState {
  enum class Tone { Silent, Normal, Warning };
  std::string_view state;
  std::string_view reason;  // CamelCase word
  Tone tone = Tone::Normal;
};

struct StatusRows {
  const core::Policy* policy = nullptr;
  std::string daemon_set = {};          // that brings the driver; "" for none
  std::string version = {};             // that is wanted
  std::string now = {};                 // RFC 3339
  const json::Value* before = nullptr;  // the status as it was; nullptr: there was none
  std::vector<NodeRow> nodes = {};      // that the policy means
};

}  // namespace drover::vendors
