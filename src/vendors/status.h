// What a policy's status is made of, for vendors whose documents have words of their own for it.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "core/view.h"

namespace drover::vendors {

struct NodeRow {
  const core::NodeView* node = nullptr;
  std::string message = {};  // why it stands where it stands
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
