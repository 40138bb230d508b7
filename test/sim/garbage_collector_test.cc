#include "sim/world_fixture.h"

namespace drover::sim {
namespace {

class GarbageCollection : public WorldTest {
 protected:
  Stored add_map(const std::string& name, const std::string& owners = "[]", const std::string& finalizers = "[]") {
    return create(
        kube::kConfigMaps,
        fmt::format(
            R"({{"metadata": {{"name": "{}", "namespace": "default", "ownerReferences": {}, "finalizers": {}}}}})",
            name, owners, finalizers));
  }
  static std::string owner(const Stored& object, bool blocks = false) {
    return fmt::format(
        R"({{"apiVersion": "v1", "kind": "ConfigMap", "name": "{}", "uid": "{}", "blockOwnerDeletion": {}}})",
        kube::name_of(*object), kube::uid_of(*object), blocks);
  }
  bool exists(const std::string& name) { return find("configmaps", "default/" + name) != nullptr; }
};

TEST_F(GarbageCollection, TakesDependentsAfterTheirOwnerAndTheirsAfterThem) {
  const Stored parent = add_map("parent");
  const Stored child = add_map("child", "[" + owner(parent) + "]");
  add_map("grandchild", "[" + owner(child) + "]");
  add_map("stranger");
  world.run_for(1min);
  EXPECT_TRUE(exists("grandchild"));
  remove(kube::kConfigMaps, "default", "parent");
  EXPECT_FALSE(exists("parent"));
  ASSERT_TRUE(soon([&] { return !exists("child") && !exists("grandchild"); }, 10s));
  world.run_for(1min);
  EXPECT_TRUE(exists("stranger"));
}

TEST_F(GarbageCollection, KeepsADependentThatHasAnotherOwnerAndForgetsTheOneThatIsGone) {
  const Stored one = add_map("one");
  const Stored two = add_map("two");
  add_map("child", "[" + owner(one) + "," + owner(two) + "]");
  remove(kube::kConfigMaps, "default", "one");
  world.run_for(1min);
  ASSERT_TRUE(exists("child"));
  const json::Array& owners = json::array_at(*find("configmaps", "default/child"), {"metadata", "ownerReferences"});
  ASSERT_EQ(owners.size(), 1U);
  EXPECT_EQ(json::text_at(owners[0], {"name"}), "two");
  remove(kube::kConfigMaps, "default", "two");
  EXPECT_TRUE(soon([&] { return !exists("child"); }, 10s));
}

TEST_F(GarbageCollection, CollectsWhatHasAnOwnerThatNeverExisted) {
  add_map(
      "child",
      R"([{"apiVersion": "v1", "kind": "ConfigMap", "name": "missing", "uid": "00000000-0000-0000-0000-000000000000"}])");
  EXPECT_TRUE(soon([&] { return !exists("child"); }, 10s));
}

TEST_F(GarbageCollection, DoesNotTakeANamesakeForTheOwner) {
  const Stored first = add_map("parent");
  add_map("child", "[" + owner(first) + "]");
  remove(kube::kConfigMaps, "default", "parent");
  add_map("parent");
  EXPECT_TRUE(soon([&] { return !exists("child"); }, 10s));
  EXPECT_TRUE(exists("parent"));
}

TEST_F(GarbageCollection, LeavesAloneWhatAnUnknownKindOwns) {
  add_map(
      "child",
      R"([{"apiVersion": "example.com/v1", "kind": "Widget", "name": "w", "uid": "00000000-0000-0000-0000-000000000000"}])");
  world.run_for(10min);
  EXPECT_TRUE(exists("child"));
}

TEST_F(GarbageCollection, OrphansDependentsWhenAskedTo) {
  const Stored parent = add_map("parent");
  add_map("child", "[" + owner(parent) + "]");
  remove(kube::kConfigMaps, "default", "parent", kube::Propagation::Orphan);
  ASSERT_TRUE(soon([&] { return !exists("parent"); }, 10s));
  world.run_for(1min);
  ASSERT_TRUE(exists("child"));
  EXPECT_TRUE(json::array_at(*find("configmaps", "default/child"), {"metadata", "ownerReferences"}).empty());
}

TEST_F(GarbageCollection, InTheForegroundTheOwnerWaitsForTheDependentsThatBlockIt) {
  const Stored parent = add_map("parent");
  add_map("slow", "[" + owner(parent, true) + "]", R"(["example.com/hold"])");
  add_map("quick", "[" + owner(parent, true) + "]");
  remove(kube::kConfigMaps, "default", "parent", kube::Propagation::Foreground);
  world.run_for(1min);
  EXPECT_TRUE(exists("parent"));
  EXPECT_TRUE(exists("slow"));
  EXPECT_FALSE(exists("quick"));
  patch(kube::kConfigMaps, "default", "slow", R"({"metadata": {"finalizers": null}})");
  EXPECT_TRUE(soon([&] { return !exists("slow") && !exists("parent"); }, 10s));
}

TEST_F(GarbageCollection, InTheForegroundADependentThatDoesNotBlockIsNotWaitedFor) {
  const Stored parent = add_map("parent");
  add_map("slow", "[" + owner(parent, false) + "]", R"(["example.com/hold"])");
  remove(kube::kConfigMaps, "default", "parent", kube::Propagation::Foreground);
  EXPECT_TRUE(soon([&] { return !exists("parent"); }, 10s));
  EXPECT_TRUE(exists("slow"));
}

TEST_F(GarbageCollection, TakesADaemonSetsPodsAndRevisionsWithIt) {
  add_nodes(2);
  add_daemonset("driver");
  ASSERT_TRUE(soon([&] { return ready("driver") == 2; }));
  remove(kube::kDaemonSets, "default", "driver", kube::Propagation::Foreground);
  ASSERT_TRUE(soon([&] { return pods("driver").empty() && !find("daemonsets.apps", "default/driver"); }, 1min));
  EXPECT_EQ(world.store().count("controllerrevisions.apps"), 0U);
}

}  // namespace
}  // namespace drover::sim
