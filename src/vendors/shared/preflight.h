// The pod that proves, before a node is taken, that a driver's image can be had there: it fetches the image and ends.
// The driver's DaemonSet is not touched by it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "vendors/desired.h"

namespace drover::vendors {

struct Preflight {
  std::string node;
  std::string image;
  std::string digest;  // of the driver
  std::string pull_policy = "IfNotPresent";
  std::vector<std::string> pull_secrets = {};
  json::Members labels = {};  // that name its part
  json::Members owner = {};
};

json::Value render_preflight(const Preflight& wanted, const OperandSettings& settings);
// Its name: the same for the same node and digest.
std::string preflight_name(std::string_view node, std::string_view digest);

}  // namespace drover::vendors
