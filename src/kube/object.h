// An API object, whole or projected: a JSON value with the questions that all rooms ask of it.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace drover::kube {

using Object = json::Value;

inline std::string_view name_of(const Object& object) { return json::text_at(object, {"metadata", "name"}); }
inline std::string_view namespace_of(const Object& object) { return json::text_at(object, {"metadata", "namespace"}); }
inline std::string_view uid_of(const Object& object) { return json::text_at(object, {"metadata", "uid"}); }
inline std::string_view version_of(const Object& object) {
  return json::text_at(object, {"metadata", "resourceVersion"});
}
inline const json::Members& labels_of(const Object& object) { return json::members_at(object, {"metadata", "labels"}); }
inline std::string_view label_of(const Object& object, std::string_view key) {
  return json::text_at(object, {"metadata", "labels", key});
}
inline std::string_view annotation_of(const Object& object, std::string_view key) {
  return json::text_at(object, {"metadata", "annotations", key});
}
inline bool is_being_deleted(const Object& object) {
  return !json::text_at(object, {"metadata", "deletionTimestamp"}).empty();
}
// "ns/name", or "name" for cluster-scoped objects: unique within one resource.
std::string key_of(const Object& object);

// The ownerReference with controller=true, or nullptr.
const json::Value* controller_of(const Object& object);

}  // namespace drover::kube
