#include "kube/object.h"

namespace drover::kube {

std::string key_of(const Object& object) {
  const std::string_view ns = namespace_of(object);
  const std::string_view name = name_of(object);
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  if (!ns.empty()) key.append(ns).append(1, '/');
  return key.append(name);
}

const json::Value* controller_of(const Object& object) {
  for (const json::Value& owner : json::array_at(object, {"metadata", "ownerReferences"})) {
    if (json::flag_at(owner, {"controller"})) return &owner;
  }
  return nullptr;
}

}  // namespace drover::kube
