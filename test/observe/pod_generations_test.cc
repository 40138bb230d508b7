#include "observe/pod_generations.h"

#include <gtest/gtest.h>

#include "observe/objects.h"
#include "vendors/nvidia/module.h"

namespace drover::observe::testing {
namespace {

class PodGenerationsTest : public ::testing::Test {
 protected:
  void add(const std::string& name) {
    kube::Object pod = pod_object(name);
    json::ensure(pod, {"metadata", "uid"}) = name;
    json::ensure(pod, {"metadata", "resourceVersion"}) = name;
    pods.put(pod);
  }
  void look(int returns = 0) { generations.see("n1", returns, pods); }

  kube::Cache<PodFacts> pods{[](const kube::Object& pod) { return pod_facts(pod, vendors::nvidia_driver()); }};
  PodGenerations generations;
};

TEST_F(PodGenerationsTest, PodsThatAreThereTogetherAreOfOneGeneration) {
  for (const char* name : {"a", "b", "c"}) add(name);
  look();
  generations.evicted("n1", "a");
  add("d");
  look();
  generations.evicted("n1", "b");
  generations.evicted("n1", "c");
  add("e");
  look();
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(generations.of("n1", name), 1) << name;
  for (const char* name : {"d", "e"}) EXPECT_EQ(generations.of("n1", name), 2) << name;
}

TEST_F(PodGenerationsTest, ANextProcessGoesOnFromTheRecord) {
  add("a");
  look(2);
  EXPECT_EQ(generations.of("n1", "a"), 2);
  generations.evicted("n1", "a");
  add("b");
  look(2);
  EXPECT_EQ(generations.of("n1", "b"), 3);
}

TEST_F(PodGenerationsTest, ANodeThatWasGivenBackIsForgotten) {
  add("a");
  look();
  generations.evicted("n1", "a");
  generations.keep({});
  add("b");
  look();
  EXPECT_EQ(generations.of("n1", "b"), 1);
}

}  // namespace
}  // namespace drover::observe::testing
