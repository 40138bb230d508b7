// Nodes and pods as an API server would show them, for tests.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "kube/object.h"
#include "protocol/keys.h"
#include "protocol/record.h"

namespace drover::observe::testing {

inline json::Value parsed(std::string_view text) { return json::parse(text).value(); }

inline kube::Object node_object(std::string_view name) {
  json::Value node = parsed(R"({"kind":"Node","apiVersion":"v1","metadata":{"uid":"node-uid","resourceVersion":"7",
      "labels":{},"annotations":{}},"spec":{},"status":{"nodeInfo":{"bootID":"boot-1"},
      "conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-11-15T10:00:00Z"}]}})");
  json::ensure(node, {"metadata", "name"}) = name;
  return node;
}

inline void label(kube::Object& object, std::string_view key, std::string_view value) {
  json::ensure(object, {"metadata", "labels", key}) = value;
}
inline void annotate(kube::Object& object, std::string_view key, std::string_view value) {
  json::ensure(object, {"metadata", "annotations", key}) = value;
}
inline void record(kube::Object& object, const protocol::Record& record) {
  annotate(object, protocol::kRecordAnnotation, protocol::text_of(record));
}

inline kube::Object pod_object(std::string_view name) {
  json::Value pod = parsed(R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"ml","uid":"pod-uid",
      "labels":{"app":"train"},"ownerReferences":[{"kind":"ReplicaSet","name":"train","uid":"rs","controller":true}]},
      "spec":{"nodeName":"n1","containers":[{"name":"main"}]},"status":{"phase":"Running",
      "startTime":"2026-11-15T10:00:00Z",
      "conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-11-15T10:00:05Z"}]}})");
  json::ensure(pod, {"metadata", "name"}) = name;
  return pod;
}

}  // namespace drover::observe::testing
