#include "agent/devices.h"

#include <algorithm>

#include "base/text.h"

namespace drover::agent {

bool is_module_of(const DeviceKind& kind, std::string_view module) {
  const auto names = base::split(kind.modules, ',');
  return std::find(names.begin(), names.end(), module) != names.end();
}

std::string_view driver_module(const DeviceKind& kind) { return base::split(kind.modules, ',').back(); }

}  // namespace drover::agent
