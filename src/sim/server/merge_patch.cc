#include "sim/server/merge_patch.h"

namespace drover::sim {

void merge_patch(json::Value& target, const json::Value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target.emplace_object();
  json::Members& members = target.get_object();
  for (const auto& wish : patch.get_object()) {
    if (wish.value().is_null()) {
      members.erase(wish.key());
    } else if (wish.value().is_object()) {
      merge_patch(members[wish.key()], wish.value());
    } else {
      members[wish.key()] = wish.value();
    }
  }
}

}  // namespace drover::sim
