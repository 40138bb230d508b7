// A plan is worth what it foresees: on random simulated clusters it is made first, and then the real operator runs.
//
// DROVER_SEED=N plays one cluster and prints what was foreseen and what was done; DROVER_SEEDS=N begins with another.
#include "test/cli/plan_play.h"

namespace drover::cli {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): a cluster in few words

std::string nvidia_upgrade(Chance& chance) {
  const char* limits[] = {"60", "120", "300"};
  const std::string limit = chance.one_in(12) ? "0" : limits[chance.from(0, 2)];
  const bool drains = chance.one_in(2);
  // One by one: in which order arguments are made is the compiler's choice.
  const std::string drained_data = chance.flag();
  const std::string drain_force = chance.flag();
  const std::string deleted_data = chance.flag();
  const std::string force = chance.flag();
  const std::string away = chance.one_in(2) ? "\"50%\"" : std::to_string(chance.from(1, 3));
  const int max_parallel = chance.from(0, 3);
  return fmt::format(
      R"("maxParallelUpgrades": {}, "maxUnavailable": {}, "podDeletion": {{"force": {}, "deleteEmptyDir": {},
      "timeoutSeconds": {}}}, "drain": {{"enable": {}, "force": {}, "deleteEmptyDir": {}, "timeoutSeconds": {}}})",
      max_parallel, away, force, deleted_data, limit, drains ? "true" : "false", drain_force, drained_data, limit);
}

std::string tenstorrent_upgrade(Chance& chance) {
  const char* limits[] = {"60", "120", "300"};
  const std::string limit = limits[chance.from(0, 2)];
  const std::string drains = chance.one_in(10) ? "false" : "true";
  const std::string full = chance.flag();
  const std::string force = chance.flag();
  const std::string local_data = chance.flag();
  const std::string kills = chance.one_in(4) ? "true" : "false";
  return fmt::format(
      R"("maxParallel": {}, "forceUnload": {}, "drain": {{"enable": {}, "fullNode": {}, "force": {},
      "deleteEmptyDir": {}, "timeoutSeconds": {}}})",
      chance.from(1, 4), kills, drains, full, force, local_data, limit);
}

// Workloads, and nodes that users treat otherwise.
void furnish(Setting& setting, Chance& chance) {
  const auto parts = setting.parts();
  const int workloads = chance.from(0, 4);
  for (int i = 0; i < workloads; ++i) {
    const Part& part = parts[static_cast<std::size_t>(i) % parts.size()];
    Workload one{.name = fmt::format("train-{}", i),
                 .replicas = chance.from(1, part.nodes),
                 .devices = chance.from(0, 3),
                 .resource = part.vendor->resource};
    one.grace = chance.from(1, 40);
    one.local_data = chance.one_in(6);
    one.is_bare = chance.one_in(6);
    if (one.is_bare) one.replicas = 1;
    if (chance.one_in(2)) one.available = std::max(0, one.replicas - chance.from(0, 2));
    setting.workloads.push_back(one);
  }
  // Not the node that has joined last, which may be the only one that says how long a build takes.
  const int nodes = setting.nodes - (setting.vendor->older.empty() ? 0 : 1);
  const auto a_node = [&] { return fmt::format("{}-{}", setting.vendor->name, chance.from(1, nodes)); };
  if (chance.one_in(8)) setting.skipped = a_node();
  if (chance.one_in(8)) setting.cordoned = a_node();
  if (chance.one_in(8)) setting.clung_to = a_node();
}

// One random cluster; each thing takes as long as it always does, but for this part.
Setting nvidia_setting(std::uint64_t seed, double jitter) {
  Chance chance(seed);
  Setting setting;
  setting.tempo.jitter = jitter;
  setting.nodes = chance.from(3, 12);
  setting.tempo.pull = std::chrono::seconds(chance.from(2, 20));
  setting.tempo.driver = std::chrono::seconds(chance.from(40, 100));
  setting.tempo.task = std::chrono::seconds(chance.from(5, 20));
  setting.upgrade = nvidia_upgrade(chance);
  furnish(setting, chance);
  return setting;
}

Setting tenstorrent_setting(std::uint64_t seed, double jitter) {
  Chance chance(seed);
  Setting setting;
  setting.vendor = &tenstorrent();
  setting.tempo.jitter = jitter;
  setting.nodes = chance.from(3, 12);
  setting.upgrade = tenstorrent_upgrade(chance);
  furnish(setting, chance);
  if (chance.one_in(3)) setting.gated_label = operate::testing::kGate;
  return setting;
}

// Two vendors under one limit.
Setting mixed_setting(std::uint64_t seed, double jitter) {
  Chance chance(seed + 2'000'000);
  Setting setting;
  setting.tempo.jitter = jitter;
  setting.tempo.driver = std::chrono::seconds(chance.from(40, 100));
  setting.nodes = chance.from(3, 6);
  setting.upgrade = nvidia_upgrade(chance);
  setting.others = {{.vendor = &tenstorrent(), .nodes = chance.from(3, 6), .upgrade = tenstorrent_upgrade(chance)}};
  if (chance.one_in(2)) setting.max_unavailable = core::Share{.amount = chance.from(1, 4)};
  furnish(setting, chance);
  return setting;
}

// The same with two or three NVIDIADrivers, each with its own limits; one of them may stay as it is.
Setting setting_with_pools(std::uint64_t seed, double jitter) {
  Setting setting = nvidia_setting(seed, jitter);
  Chance chance(seed + 1'000'000);
  setting.nodes = std::max(setting.nodes, 4);
  const int pools = chance.from(2, 3);
  for (int i = 0; i < pools; ++i) {
    setting.pools.push_back({.name = fmt::format("pool-{}", i), .upgrade = nvidia_upgrade(chance)});
  }
  if (chance.one_in(3)) setting.pools[static_cast<std::size_t>(chance.from(0, pools - 1))].changes = false;
  if (chance.one_in(3)) setting.max_unavailable = core::Share{.amount = chance.from(1, 4)};
  return setting;
}

// What does not depend on small differences.
constexpr std::initializer_list<const char*> kSure = {"nodes taken", "pods that go", "nodes that fail",
                                                      "whether it gets through", "what stops it is named"};
constexpr std::initializer_list<const char*> kOrChance = {"pods or chance", "failures or chance", "through or chance",
                                                          "forced deletions or chance", "budgets or chance"};

// Where everything takes as long as it took before, all of it is as foreseen, but for one cluster. There three pods
// that were evicted in the same moment wait for a node with room for two of them; the one that is made again first gets
// it, and no list says which that will be. The plan says that it depends on durations, and names what then happened.
TEST(Plan, ForeseesWhatThenHappensOnRandomClusters) {
  Seeds seeds;
  seeds.play_all(nvidia_setting, 0.0, [&](const auto&... played) { note_all(seeds, played...); });
  expect_shares(seeds, 100, kSure);
  expect_shares(seeds, 100, kOrChance);
  expect_shares(seeds, 100, {"order", "time within what was named"});
  expect_shares(seeds, 99, {"forced deletions", "budgets named", "time"});
}

// Of several policies that wait for the same place under the limit over all of them, the one whose image is there a
// moment sooner gets it: on that depends which policy is next, and sometimes the time.
TEST(Plan, ForeseesWhatSeveralDriversDoOnRandomClusters) {
  Seeds seeds;
  seeds.play_all(setting_with_pools, 0.0, [&](const auto&... played) { note_all(seeds, played...); });
  expect_shares(seeds, 100, kSure);
  expect_shares(seeds, 100, kOrChance);
  expect_shares(seeds, 99, {"time within what was named"});
  expect_shares(seeds, 90, {"time"});
  expect_shares(seeds, 80, {"order"});
}

// A pod that a budget holds until the drain's time is over stays here: of evictions that are asked for in the same
// moment the first decides which pods go and which nodes fail.
TEST(Plan, ForeseesWhatTenstorrentsAgentsDoOnRandomClusters) {
  Seeds seeds;
  seeds.play_all(tenstorrent_setting, 0.0, [&](const auto&... played) { note_all(seeds, played...); });
  expect_shares(seeds, 100, {"nodes taken", "what stops it is named", "order"});
  expect_shares(seeds, 95, kSure);
  expect_shares(seeds, 100, kOrChance);
  expect_shares(seeds, 99, {"time", "time within what was named"});
}

TEST(Plan, ForeseesWhatTwoVendorsDoUnderOneLimitOnRandomClusters) {
  Seeds seeds;
  seeds.play_all(mixed_setting, 0.0, [&](const auto&... played) { note_all(seeds, played...); });
  expect_shares(seeds, 100, kSure);
  expect_shares(seeds, 100, kOrChance);
  expect_shares(seeds, 99, {"order", "time", "time within what was named"});
}

// Where each thing takes up to a tenth more or less than usual, small differences decide where a pod is made again and
// which eviction gets a budget's last disruption, and a forced deletion costs minutes: what depends on that is marked.
TEST(Plan, SaysWhatChanceDecidesOnRandomClusters) {
  Seeds seeds;
  seeds.play_all(nvidia_setting, 0.1, [&](const auto&... played) { note_all(seeds, played...); });
  expect_shares(seeds, 100, kSure);
  expect_shares(seeds, 95, {"order", "forced deletions or chance", "time"});
  expect_shares(seeds, 99, {"time within what was named"});
}

}  // namespace
}  // namespace drover::cli
