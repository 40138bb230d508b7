// What a policy's status is made of, for vendors whose documents have words of their own for it.
#pragma once

#include <string>
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

// An Event about the policy.
struct News {
  std::string reason;   // CamelCase word
  std::string message;  // of which node, and why
  bool is_warning = false;
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
