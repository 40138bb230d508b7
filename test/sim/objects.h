// What the tests of the embedded cluster share: small objects, and answers that must be yes or no.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/json.h"
#include "base/virtual_loop.h"
#include "kube/api.h"
#include "sim/server.h"

namespace drover::sim {

inline json::Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value ? std::move(*value) : json::Value();
}

inline kube::Object node_named(const std::string& name) {
  return {{"kind", "Node"}, {"apiVersion", "v1"}, {"metadata", json::Members{{"name", name}}}};
}

inline kube::Object pod_named(const std::string& ns, const std::string& name, const std::string& node = {}) {
  kube::Object pod = {
      {"kind", "Pod"},
      {"apiVersion", "v1"},
      {"metadata", {{"name", name}, {"namespace", ns}}},
      {"spec",
       json::Members{{"containers", json::Array{json::Value{{"name", "main"}, {"image", "example/image:1"}}}}}}};
  if (!node.empty()) json::ensure(pod, {"spec", "nodeName"}) = node;
  return pod;
}

// The answer, which must be a yes.
template <class T>
T expect(Answer<T> answer) {
  if (!answer) {
    ADD_FAILURE() << answer.error().code << " " << answer.error().reason << ": " << answer.error().message;
    return T{};
  }
  return std::move(*answer);
}

// The refusal, which there must be.
template <class T>
Rejection expect_refused(const Answer<T>& answer) {
  if (answer) {
    ADD_FAILURE() << "was not refused";
    return {};
  }
  return answer.error();
}

}  // namespace drover::sim
