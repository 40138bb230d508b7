// The patch kinds that need no ownership: merge (RFC 7386), JSON (RFC 6902), strategic merge.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/objects.h"
#include "sim/same.h"
#include "sim/server/json_patch.h"
#include "sim/server/merge_patch.h"
#include "sim/server/strategic_patch.h"

namespace drover::sim {
namespace {

// Merge patch.

// RFC 7386's pseudocode, literally.
json::Value merge_slowly(json::Value target, const json::Value& patch) {
  if (!patch.is_object()) return patch;
  if (!target.is_object()) target = json::Members();
  json::Members out = target.get_object();
  for (const auto& member : patch.get_object()) {
    if (member.value().is_null()) {
      out.erase(member.key());
    } else {
      const json::Value before = out.contains(member.key()) ? out.at(member.key()) : json::Value();
      out[member.key()] = merge_slowly(before, member.value());
    }
  }
  return out;
}

json::Value arbitrary(int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 6 : 4);
  switch (kind) {
    case 0: return nullptr;
    case 1: return *rc::gen::inRange(0, 3);
    case 2:
      return json::Value(*rc::gen::element<std::string>("x", "y", "a long string of more than fifteen characters"));
    case 3: return true;
    case 4: {
      json::Array array;
      for (int i = *rc::gen::inRange(0, 3); i > 0; --i) array.push_back(arbitrary(depth - 1));
      return array;
    }
    default: {
      json::Members members;
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
        members[*rc::gen::element<std::string>("a", "b", "c")] = arbitrary(depth - 1);
      return members;
    }
  }
}

RC_GTEST_PROP(MergePatch, DoesWhatTheStandardsPseudocodeDoes, ()) {
  const json::Value target = arbitrary(3);
  const json::Value patch = arbitrary(3);
  json::Value fast = target;
  merge_patch(fast, patch);
  RC_ASSERT(same(fast, merge_slowly(target, patch)));
}

RC_GTEST_PROP(MergePatch, ASecondTimeChangesNothing, ()) {
  const json::Value patch = arbitrary(3);
  json::Value once = arbitrary(3);
  merge_patch(once, patch);
  json::Value twice = once;
  merge_patch(twice, patch);
  RC_ASSERT(same(once, twice));
}

// JSON patch.

std::string json_patched(std::string_view target, std::string_view patch) {
  json::Value value = parsed(target);
  switch (json_patch(value, parsed(patch))) {
    case JsonPatched::Done: return json::text_of(value);
    case JsonPatched::Malformed: return "malformed";
    case JsonPatched::DoesNotFit: break;
  }
  return "does not fit";
}

struct JsonCase {
  std::string_view target, patch, result;
};

TEST(JsonPatch, DoesWhatEachOperationSays) {
  for (const JsonCase& it : std::initializer_list<JsonCase>{
           {R"({"a":1})", R"([{"op":"add","path":"/b","value":2}])", R"({"a":1,"b":2})"},
           {R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2,3]})"},
           {R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])", R"({"a":[1,2]})"},
           {R"({"a":{"b/c":1,"d~e":2}})", R"([{"op":"remove","path":"/a/b~1c"},{"op":"remove","path":"/a/d~0e"}])",
            R"({"a":{}})"},
           {R"({"a":1})", R"([{"op":"replace","path":"/a","value":[]}])", R"({"a":[]})"},
           {R"({"a":1})", R"([{"op":"replace","path":"/b","value":1}])", "does not fit"},
           {R"({"a":1})", R"([{"op":"remove","path":"/b"}])", "does not fit"},
           {R"({"a":{"b":1}})", R"([{"op":"move","from":"/a/b","path":"/c"}])", R"({"a":{},"c":1})"},
           {R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":"/a/b/c"}])", "does not fit"},
           {R"({"a":{"b":1}})", R"([{"op":"copy","from":"/a","path":"/c"}])", R"({"a":{"b":1},"c":{"b":1}})"},
           {R"({"a":1})", R"([{"op":"test","path":"/a","value":1},{"op":"remove","path":"/a"}])", "{}"},
           {R"({"a":1})", R"([{"op":"test","path":"/a","value":2},{"op":"remove","path":"/a"}])", "does not fit"},
           {R"({"a":1})", R"([{"op":"add","path":"/x/y","value":1}])", "does not fit"},
           {R"({"a":[1]})", R"([{"op":"add","path":"/a/2","value":1}])", "does not fit"},
           {R"({"a":1})", R"([{"op":"dance","path":"/a"}])", "does not fit"},
           {R"({"a":1})", R"({"op":"add"})", "malformed"},
           {R"({"a":1})", R"([1])", "malformed"},
           {R"({"a":1})", R"([])", R"({"a":1})"},
       }) {
    EXPECT_EQ(json_patched(it.target, it.patch), it.result) << it.patch;
  }
}

RC_GTEST_PROP(JsonPatch, AddingAndRemovingAgainIsNothing, ()) {
  json::Members members;
  for (const char* key : {"a", "b"}) members[key] = arbitrary(2);
  const json::Value before = members;
  const std::string key = *rc::gen::element<std::string>("new", "with/slash", "with~tilde");
  std::string pointer = "/";
  for (const char c : key) pointer += c == '/' ? std::string("~1") : c == '~' ? std::string("~0") : std::string(1, c);
  json::Value value = before;
  const json::Value patch = json::Array{json::Value{{"op", "add"}, {"path", pointer}, {"value", arbitrary(2)}},
                                        json::Value{{"op", "remove"}, {"path", pointer}}};
  RC_ASSERT(json_patch(value, patch) == JsonPatched::Done);
  RC_ASSERT(same(value, before));
}

// Strategic merge patch.

std::string strategic(std::string_view target, std::string_view patch, std::string_view kind = "Pod") {
  json::Value value = parsed(target);
  const auto done = strategic_patch(value, parsed(patch), built_in_types(kind));
  return done ? json::text_of(value) : std::to_string(done.error().code);
}

struct StrategicCase {
  std::string_view says, target, patch, result;
};

TEST(StrategicPatch, KnowsWhichListsAreKeyed) {
  for (
      const StrategicCase& it : std::initializer_list<StrategicCase>{
          {"containers merge by name", R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]}})",
           R"({"spec":{"containers":[{"name":"b","image":"2"}]}})",
           R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]}})"},
          {"a new element comes first", R"({"spec":{"containers":[{"name":"a"}]}})",
           R"({"spec":{"containers":[{"name":"n"}]}})", R"({"spec":{"containers":[{"name":"n"},{"name":"a"}]}})"},
          {"an element can be deleted", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
           R"({"spec":{"containers":[{"name":"a","$patch":"delete"}]}})", R"({"spec":{"containers":[{"name":"b"}]}})"},
          {"a list can be replaced", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
           R"({"spec":{"containers":[{"$patch":"replace"},{"name":"c"}]}})",
           R"({"spec":{"containers":[{"name":"c"}]}})"},
          {"tolerations are atomic", R"({"spec":{"tolerations":[{"key":"a"}]}})",
           R"({"spec":{"tolerations":[{"key":"b"}]}})", R"({"spec":{"tolerations":[{"key":"b"}]}})"},
          {"taints are atomic", R"({"spec":{"taints":[{"key":"a"}]}})", R"({"spec":{"taints":[{"key":"b"}]}})",
           R"({"spec":{"taints":[{"key":"b"}]}})"},
          {"conditions merge by type", R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})",
           R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})",
           R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})"},
          {"finalizers are a set", R"({"metadata":{"finalizers":["a"]}})", R"({"metadata":{"finalizers":["b"]}})",
           R"({"metadata":{"finalizers":["b","a"]}})"},
          {"finalizers can be taken off", R"({"metadata":{"finalizers":["a","b"]}})",
           R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})", R"({"metadata":{"finalizers":["b"]}})"},
          {"the order can be set", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
           R"({"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"c"},{"name":"a"}],"containers":[{"name":"c"}]}})",
           R"({"spec":{"containers":[{"name":"b"},{"name":"c"},{"name":"a"}]}})"},
          {"null removes", R"({"metadata":{"labels":{"a":"1","b":"2"}}})", R"({"metadata":{"labels":{"a":null}}})",
           R"({"metadata":{"labels":{"b":"2"}}})"},
          {"nulls in what is new are dropped", R"({})", R"({"spec":{"a":null,"b":{"c":null}}})",
           R"({"spec":{"b":{}}})"},
          {"keys can be retained", R"({"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{}}}})",
           R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}})",
           R"({"spec":{"strategy":{"type":"Recreate"}}})"},
          {"an object can be replaced", R"({"spec":{"x":{"a":1}}})", R"({"spec":{"x":{"$patch":"replace","b":2}}})",
           R"({"spec":{"x":{"b":2}}})"},
          {"ports of containers merge by number",
           R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80}]}]}})",
           R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"http"}]}]}})",
           R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"http"}]}]}})"},
          {"an element without its key is refused", R"({"spec":{"containers":[{"name":"a"}]}})",
           R"({"spec":{"containers":[{"image":"x"}]}})", "500"},
          {"an unknown directive is refused", R"({"spec":{"x":{"a":1}}})", R"({"spec":{"x":{"$patch":"dance"}}})",
           "400"},
      }) {
    EXPECT_EQ(strategic(it.target, it.patch), it.result) << it.says;
  }
}

TEST(StrategicPatch, ABudgetsSelectorIsReplaced) {
  const std::string_view target = R"({"spec":{"selector":{"matchLabels":{"a":"1"}}}})";
  const std::string_view patch = R"({"spec":{"selector":{"matchLabels":{"b":"2"}}}})";
  EXPECT_EQ(strategic(target, patch, "PodDisruptionBudget"), R"({"spec":{"selector":{"matchLabels":{"b":"2"}}}})");
  EXPECT_EQ(strategic(target, patch, "Deployment"), R"({"spec":{"selector":{"matchLabels":{"a":"1","b":"2"}}}})");
}

// Through the server.

TEST(Patching, AStrategicPatchOfACustomResourceIsNotSupported) {
  base::VirtualLoop loop;
  Server server(loop, base::Random(1));
  const kube::Resource things{"example.com", "v1", "things", "Thing"};
  server.add_resource(things);
  expect(server.serve(kube::create(things, "default", {{"metadata", json::Members{{"name", "t"}}}})));
  const Rejection no =
      expect_refused(server.serve(kube::patch(things, "default", "t", kube::PatchKind::Strategic, json::Members())));
  EXPECT_EQ(no.code, 415);
  EXPECT_EQ(no.reason, "UnsupportedMediaType");
}

TEST(Patching, AJsonPatchThatDoesNotFitIsInvalid) {
  base::VirtualLoop loop;
  Server server(loop, base::Random(1));
  expect(server.serve(kube::create(kube::kNodes, "", node_named("a"))));
  const Rejection no = expect_refused(server.serve(kube::patch(
      kube::kNodes, "", "a", kube::PatchKind::Json, parsed(R"([{"op":"test","path":"/metadata/name","value":"b"}])"))));
  EXPECT_EQ(no.code, 422);
  EXPECT_EQ(no.message, "the server rejected our request due to an error in our request");
}

}  // namespace
}  // namespace drover::sim
