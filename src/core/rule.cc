#include "core/rule.h"

namespace drover::core {

std::string_view name(Action action) {
  switch (action) {
    case Action::None: return "wait";
    case Action::ProveImage: return "prove-image";
    case Action::EvictDevicePods: return "evict-device-pods";
    case Action::DeleteDevicePods: return "delete-device-pods";
    case Action::EvictAll: return "evict-all";
    case Action::ReplaceDriverPod: return "replace-driver-pod";
    case Action::ReplaceValidator: return "replace-validator";
  }
  return "wait";
}

}  // namespace drover::core
