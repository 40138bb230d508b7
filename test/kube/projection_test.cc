// What a Projection keeps, on parsed values. That the streaming parser keeps the same is stream_test.cc's business.
#include "kube/projection.h"

#include <gtest/gtest.h>

#include "kube/api.h"
#include "kube/object.h"
#include "kube/resource.h"

namespace drover::kube {
namespace {

json::Value parsed(std::string_view text) { return json::parse(text).value(); }
std::string cut(const Projection& projection, std::string_view text) {
  return json::text_of(projection.applied_to(parsed(text)));
}

TEST(Projection, KeepsEverythingWhenNoPathIsNamed) {
  EXPECT_EQ(cut({}, R"({"a":{"b":[1,{"c":2}]}})"), R"({"a":{"b":[1,{"c":2}]}})");
}

TEST(Projection, AlwaysKeepsWhatEverythingStandsOn) {
  EXPECT_EQ(cut({"spec.nodeName"}, R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u",
      "resourceVersion":"7","deletionTimestamp":"t","labels":{"x":"y"}},"spec":{"nodeName":"gpu-1","hostPID":true}})"),
            R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7",)"
            R"("deletionTimestamp":"t"},"spec":{"nodeName":"gpu-1"}})");
}

TEST(Projection, LooksThroughArrays) {
  EXPECT_EQ(cut({"spec.c.r"}, R"({"spec":{"c":[{"r":{"x":1},"n":"a"},{"n":"b"},[{"r":2}],5]}})"),
            R"({"spec":{"c":[{"r":{"x":1}},{},[{"r":2}]]}})");
}

TEST(Projection, TakesKeysWithDotsInBrackets) {
  EXPECT_EQ(cut({"metadata.annotations[drover.dev/record].at"},
                R"({"metadata":{"annotations":{"drover.dev/record":{"at":1,"by":2},"drover":{"dev/record":3}}}})"),
            R"({"metadata":{"annotations":{"drover.dev/record":{"at":1}}}})");
}

TEST(Projection, DropsAScalarWhereThePathGoesDeeper) {
  EXPECT_EQ(cut({"spec.a.b"}, R"({"spec":{"a":"scalar"}})"), R"({"spec":{}})");
}

TEST(Projection, KeepsTheWholeSubtreeWhenAPathEndsAboveAnother) {
  EXPECT_EQ(cut({"spec", "spec.a"}, R"({"spec":{"a":1,"b":2}})"), R"({"spec":{"a":1,"b":2}})");
}

TEST(Resource, PathsNameTheObjectsPlace) {
  EXPECT_EQ(path(kNodes, {}, "gpu-7", "status"), "/api/v1/nodes/gpu-7/status");
  EXPECT_EQ(path(kDaemonSets, "kube-system"), "/apis/apps/v1/namespaces/kube-system/daemonsets");
  EXPECT_EQ(path(kPods), "/api/v1/pods");
  EXPECT_EQ(path(kNodes, "ignored", "n"), "/api/v1/nodes/n");
}

TEST(Resource, AHostileNameCannotLeaveItsPlace) {
  EXPECT_EQ(path(kPods, "a/../b", "x?y#z%"), "/api/v1/namespaces/a%2F..%2Fb/pods/x%3Fy%23z%25");
  EXPECT_EQ(path(kPods, "..", "."), "/api/v1/namespaces/%2E%2E/pods/%2E");
}

TEST(Request, SentencesSayWhatIsAskedOfWhom) {
  EXPECT_EQ(sentence(get(kNodes, "", "gpu-7")), "get nodes/gpu-7");
  EXPECT_EQ(sentence(evict("ml", "train-7", "u")), "evict pods/ml/train-7");
  EXPECT_EQ(sentence(patch(kNodes, "", "gpu-7", PatchKind::Merge, json::Members{}, "status")),
            "patch status of nodes/gpu-7");
  EXPECT_EQ(sentence(create(kJobs, "ns", parsed(R"({"metadata":{"generateName":"flash-"}})"))),
            "create jobs.batch/ns/flash-*");
  EXPECT_EQ(sentence(remove(kDaemonSets, "ns", "d", "")), "delete daemonsets.apps/ns/d");
}

TEST(Request, CreateSaysWhatKindItIs) {
  const Request request = create(kDaemonSets, "ns", parsed(R"({"metadata":{"name":"d"}})"));
  EXPECT_EQ(json::text_at(request.body, {"apiVersion"}), "apps/v1");
  EXPECT_EQ(json::text_at(request.body, {"kind"}), "DaemonSet");
}

TEST(Object, TheControllerIsTheOwnerThatSaysSo) {
  const Object pod = parsed(
      R"({"metadata":{"name":"p","namespace":"n","ownerReferences":[{"uid":"a"},{"uid":"b","controller":true}]}})");
  ASSERT_NE(controller_of(pod), nullptr);
  EXPECT_EQ(json::text_at(*controller_of(pod), {"uid"}), "b");
  EXPECT_EQ(key_of(pod), "n/p");
  EXPECT_EQ(controller_of(parsed("{}")), nullptr);
}

}  // namespace
}  // namespace drover::kube
