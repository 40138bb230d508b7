// Events live for an hour after their last change.
#include <gtest/gtest.h>

#include "kube/api.h"
#include "sim/world.h"

namespace drover::sim {
namespace {

kube::Object event(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Event"},
          {"metadata", {{"name", name}, {"namespace", "default"}}},
          {"involvedObject", {{"kind", "Node"}, {"name", "n"}}},
          {"reason", "Tested"},
          {"count", 1}};
}

TEST(EventExpiry, RemovesAnEventAnHourAfterItsLastChange) {
  World world(7);
  world.run_for(std::chrono::seconds(1));
  const auto is_there = [&](const std::string& name) {
    return world.store().find("events", "default/" + name) != nullptr;
  };
  ASSERT_TRUE(world.server().serve(kube::create(kube::kEvents, "default", event("quiet"))));
  ASSERT_TRUE(world.server().serve(kube::create(kube::kEvents, "default", event("repeated"))));
  world.run_for(std::chrono::minutes(30));
  ASSERT_TRUE(world.server().serve(kube::create(kube::kEvents, "default", event("late"))));
  ASSERT_TRUE(
      world.server().serve(kube::patch(kube::kEvents, "default", "repeated", kube::PatchKind::Merge, {{"count", 2}})));
  world.run_for(std::chrono::minutes(29));
  EXPECT_TRUE(is_there("quiet"));
  world.run_for(std::chrono::minutes(2));
  EXPECT_FALSE(is_there("quiet"));
  EXPECT_TRUE(is_there("repeated"));
  EXPECT_TRUE(is_there("late"));
  world.run_for(std::chrono::minutes(30));
  EXPECT_FALSE(is_there("repeated"));
  EXPECT_FALSE(is_there("late"));
}

TEST(EventExpiry, KnowsTheEventsThatWereThereBeforeIt) {
  World world(7);
  world.run_for(std::chrono::seconds(1));
  ASSERT_TRUE(world.server().serve(kube::create(kube::kEvents, "default", event("old"))));
  world.cluster.stop_controllers();
  world.cluster.start_controllers();
  world.run_for(std::chrono::minutes(61));
  EXPECT_EQ(world.store().find("events", "default/old"), nullptr);
}

}  // namespace
}  // namespace drover::sim
