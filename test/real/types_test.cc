// The built-in kinds' fields against a real kube-apiserver: every definition that our OpenAPI documents name has there
// the same fields with the same types, the same required ones, the same lists and the same choices.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/virtual_loop.h"
#include "bed.h"
#include "sim/openapi/openapi.h"
#include "sim/server.h"

namespace drover::real {
namespace {

// The members of a schema that say what a value is; descriptions, defaults and how a reference is wrapped do not.
constexpr std::string_view kCompared[] = {
    "type",
    "format",
    "enum",
    "oneOf",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-patch-merge-key",
    "x-kubernetes-patch-strategy",
};

json::Value essence(const json::Value& schema);

void add_reference(json::Members& out, const json::Value& schema) {
  std::string_view reference = json::text_at(schema, {"$ref"});
  const json::Array& all = json::array_at(schema, {"allOf"});
  if (reference.empty() && all.size() == 1) reference = json::text_at(all[0], {"$ref"});
  if (!reference.empty()) out["$ref"] = reference;
}

json::Value essence(const json::Value& schema) {
  json::Members out;
  add_reference(out, schema);
  for (const std::string_view key : kCompared) {
    if (const json::Value* value = json::find(schema, {key})) out[key] = *value;
  }
  std::vector<std::string> required;
  for (const json::Value& name : json::array_at(schema, {"required"})) required.emplace_back(name.as_string());
  std::sort(required.begin(), required.end());
  if (!required.empty()) out["required"] = json::Value(boost::json::value_from(required));
  if (const json::Value* items = json::find(schema, {"items"}); items != nullptr && items->is_object())
    out["items"] = essence(*items);
  if (const json::Value* more = json::find(schema, {"additionalProperties"}); more != nullptr && more->is_object())
    out["additionalProperties"] = essence(*more);
  return out;
}

class Fields : public OnARealCluster {
 protected:
  json::Value real_document(const std::string& place) const {
    const Ran ran = run({bed_->kubectl(), "--kubeconfig", bed_->kubeconfig(), "get", "--raw", "/openapi/v3/" + place});
    EXPECT_EQ(ran.status, 0) << place;
    auto parsed = json::parse(ran.output);
    EXPECT_TRUE(parsed) << place;
    return parsed ? *parsed : json::Value();
  }

  void compare(std::string_view name, const json::Value& ours, const json::Value& real) {
    ++definitions_;
    EXPECT_EQ(json::text_of(essence(ours)), json::text_of(essence(real))) << name;
    const json::Members& our_fields = json::members_at(ours, {"properties"});
    const json::Members& real_fields = json::members_at(real, {"properties"});
    for (const auto& field : our_fields) {
      ++fields_;
      const json::Value* there = real_fields.if_contains(field.key());
      ASSERT_NE(there, nullptr) << name << " has no " << field.key() << " in the real server";
      EXPECT_EQ(json::text_of(essence(field.value())), json::text_of(essence(*there))) << name << " " << field.key();
    }
    for (const auto& field : real_fields)
      EXPECT_TRUE(our_fields.contains(field.key())) << name << " has also " << field.key() << " in the real server";
  }

  int definitions_ = 0;
  int fields_ = 0;
};

TEST_F(Fields, AreThoseOfTheRealServer) {
  base::VirtualLoop loop;
  const sim::Server server(loop, base::Random(1));
  sim::openapi::Library library;
  library.look(server.resources(), {});
  const json::Value index = *json::parse(library.index());
  for (const auto& place : json::members_at(index, {"paths"})) {
    const std::string where(place.key());
    const json::Value ours = *json::parse(library.find(where)->body);
    const json::Value real = real_document(where);
    for (const auto& schema : json::members_at(ours, {"components", "schemas"})) {
      const json::Value* there = json::find(real, {"components", "schemas", schema.key()});
      ASSERT_NE(there, nullptr) << schema.key() << " of " << where << " is not in the real server";
      compare(schema.key(), schema.value(), *there);
    }
  }
  // A comparison of nothing would also find no difference.
  EXPECT_GT(definitions_, 900);
  EXPECT_GT(fields_, 4000);
}

}  // namespace
}  // namespace drover::real
