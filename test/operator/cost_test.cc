// What an upgrade costs the API server: the same for each node, whatever the size of the fleet.
#include "counting_api.h"
#include "stage.h"

namespace drover::operate {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): a stage in few words

// Sanitized programs are ten times slower, and count the same.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kFleets[] = {20, 40};
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr int kFleets[] = {20, 40};
#else
constexpr int kFleets[] = {50, 200};
#endif
#else
constexpr int kFleets[] = {50, 200};
#endif

struct Cost {
  double node_patches = 0;
  double events = 0;
  double evictions = 0;
  double pods_deleted = 0;
  double preflights = 0;
  int status_writes = 0;
  base::Span took = {};
};

// Upgrades `nodes` nodes with one training pod each, a tenth of them at a time.
Cost cost_of(int nodes) {
  Stage stage({.nodes = fmt::format("nvidia={}", nodes),
               .kubelets = {.leases = false, .events = false},
               .nodes_are_judged = false});
  const int width = nodes / 10;
  stage.create_policy(
      cluster_policy("535.129.03", fmt::format(R"("maxParallelUpgrades": {}, "maxUnavailable": "100%")", width)));
  CountingApi door(stage.luck);
  stage.start_operator(door);
  EXPECT_TRUE(stage.run_until_all("upgrade-done", 1h));
  stage.run_training("train", nodes, 8);
  stage.world.run_for(1min);
  door.count.clear();
  const base::Instant began = stage.world.loop.now();
  stage.set_version("550.54.15");
  stage.world.run_for(1s);
  EXPECT_FALSE(stage.all("upgrade-done"));
  EXPECT_TRUE(stage.run_until_all("upgrade-done", 10h));
  stage.world.run_for(1min);
  const auto each = [&](const std::string& what) { return static_cast<double>(door.count[what]) / nodes; };
  Cost cost{.node_patches = each("patch nodes"),
            .events = each("create events") + each("patch events"),
            .evictions = each("evict pods"),
            .pods_deleted = each("delete pods"),
            .preflights = each("create pods"),
            .status_writes = door.count["patch clusterpolicies.nvidia.com/status"],
            .took = stage.world.loop.now() - began};
  // Nothing is asked for by name: what is known comes from lists and watches.
  for (const auto& [what, times] : door.count) EXPECT_FALSE(what.starts_with("get ")) << what << " " << times;
  // Idle afterwards: nothing but watches that are renewed.
  door.count.clear();
  stage.world.run_for(9min);
  for (const auto& [what, times] : door.count) {
    EXPECT_TRUE(what.starts_with("watch ")) << what << " " << times << " times while nothing happened";
  }
  return cost;
}

TEST(Cost, IsTheSameForEachNodeWhateverTheFleet) {
  const Cost ten = cost_of(10);
  EXPECT_EQ(ten.node_patches, 5);  // required; cordon to pod deletion; restart; validation; uncordon and done
  EXPECT_EQ(ten.events, 8);
  EXPECT_EQ(ten.evictions, 1);
  EXPECT_EQ(ten.preflights, 1);
  EXPECT_EQ(ten.pods_deleted, 2);  // the driver's, and the one that proved the image
  for (const int nodes : kFleets) {
    const Cost many = cost_of(nodes);
    EXPECT_EQ(many.node_patches, ten.node_patches) << nodes;
    EXPECT_EQ(many.events, ten.events) << nodes;
    EXPECT_EQ(many.evictions, ten.evictions) << nodes;
    EXPECT_EQ(many.preflights, ten.preflights) << nodes;
    EXPECT_EQ(many.pods_deleted, ten.pods_deleted) << nodes;
    EXPECT_LE(many.status_writes, many.took / 5s + 1) << nodes;
  }
}

}  // namespace
}  // namespace drover::operate
