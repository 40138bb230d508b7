// A plan is worth what it foresees: on random simulated clusters it is made first, and then the real operator runs.
//
// DROVER_SEED=N plays one cluster and says what was foreseen and what happened; DROVER_SEEDS=N begins with another.
#include <cstdlib>
#include <random>

#include "base/log.h"
#include "cli/plan_text.h"
#include "plan_cluster.h"
#include "vendors/nvidia/module.h"

namespace drover::cli {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): a cluster in few words

// Times that pods tell of themselves are whole seconds: a rollout that ends after a few has no tenth worth asking for.
constexpr base::Span kClockTick = 2s;

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  int from(int low, int high) { return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1)); }
  bool one_in(int n) { return from(1, n) == 1; }
  const char* flag() { return one_in(2) ? "true" : "false"; }

 private:
  std::mt19937_64 engine_;
};

std::string upgrade_of(Chance& chance) {
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

// One random cluster; what happens in it takes as long as it always does, but for this part.
Setting setting_of(std::uint64_t seed, double jitter) {
  Chance chance(seed);
  const auto from = [&](int low, int high) { return chance.from(low, high); };
  const auto one_in = [&](int n) { return chance.one_in(n); };
  Setting setting;
  setting.tempo.jitter = jitter;
  setting.nodes = from(3, 12);
  setting.tempo.pull = std::chrono::seconds(from(2, 20));
  setting.tempo.driver = std::chrono::seconds(from(40, 100));
  setting.tempo.task = std::chrono::seconds(from(5, 20));
  setting.upgrade = upgrade_of(chance);
  const int workloads = from(0, 4);
  for (int i = 0; i < workloads; ++i) {
    Workload one{.name = fmt::format("train-{}", i), .replicas = from(1, setting.nodes), .gpus = from(0, 3)};
    one.grace = from(1, 40);
    one.local_data = one_in(6);
    one.is_bare = one_in(6);
    if (one.is_bare) one.replicas = 1;
    if (one_in(2)) one.available = std::max(0, one.replicas - from(0, 2));
    setting.workloads.push_back(one);
  }
  const auto a_node = [&] { return fmt::format("nvidia-{}", from(1, setting.nodes)); };
  if (one_in(8)) setting.skipped = a_node();
  if (one_in(8)) setting.cordoned = a_node();
  if (one_in(8)) setting.clung_to = a_node();
  return setting;
}

// The same with two or three NVIDIADrivers, each with its own limits; one of them may stay as it is.
Setting setting_with_pools(std::uint64_t seed, double jitter) {
  Setting setting = setting_of(seed, jitter);
  Chance chance(seed + 1'000'000);
  setting.nodes = std::max(setting.nodes, 4);
  const int pools = chance.from(2, 3);
  for (int i = 0; i < pools; ++i) {
    setting.pools.push_back({.name = fmt::format("pool-{}", i), .upgrade = upgrade_of(chance)});
  }
  if (chance.one_in(3)) setting.pools[static_cast<std::size_t>(chance.from(0, pools - 1))].changes = false;
  if (chance.one_in(3)) setting.max_unavailable = core::Share{.amount = chance.from(1, 4)};
  return setting;
}

// ---- what was foreseen

// "a b | c": nodes that start at the same moment stand together, sorted.
std::vector<std::set<std::string>> groups_of(const forecast::Forecast& foreseen) {
  std::vector<std::set<std::string>> groups;
  std::optional<base::Span> at;
  for (const forecast::Row& row : foreseen.rows) {
    if (row.wave == 0) continue;
    if (at != row.starts_in) groups.emplace_back();
    at = row.starts_in;
    groups.back().insert(row.node);
  }
  return groups;
}

// The nodes as they were taken, cut into groups of the same sizes.
std::vector<std::set<std::string>> in_groups(const std::vector<std::string>& nodes,
                                             const forecast::Forecast& foreseen) {
  std::vector<std::set<std::string>> groups;
  std::size_t next = 0;
  for (const auto& group : groups_of(foreseen)) {
    groups.emplace_back();
    for (std::size_t i = 0; i < group.size() && next < nodes.size(); ++i) groups.back().insert(nodes[next++]);
  }
  return groups;
}

std::set<std::string> nodes_foreseen(const forecast::Forecast& foreseen) {
  std::set<std::string> nodes;
  for (const forecast::Row& row : foreseen.rows) {
    if (row.wave > 0) nodes.insert(row.node);
  }
  return nodes;
}

// "nvidia-1 ReplicaSet ml/train-5f6", for each deletion around a budget; a bare pod by its own name.
std::multiset<std::string> forced_foreseen(const forecast::Forecast& foreseen) {
  std::multiset<std::string> forced;
  for (const forecast::Row& row : foreseen.rows) {
    for (const forecast::Removed& one : row.removed) {
      if (one.is_forced) forced.insert(row.node + " " + (one.owner.empty() ? one.pod : one.owner));
    }
  }
  return forced;
}

// Pods that were there before.
template <class Which>
std::set<std::string> pods_foreseen(const forecast::Forecast& foreseen, Which which) {
  std::set<std::string> pods;
  for (const forecast::Row& row : foreseen.rows) {
    for (const forecast::Removed& one : row.removed) {
      if (!one.is_replacement && which(one)) pods.insert(one.pod);
    }
  }
  return pods;
}

std::set<std::string> nodes_named(const forecast::Forecast& foreseen, std::string_view kind, bool stops) {
  std::set<std::string> nodes;
  for (const forecast::Obstacle& one : foreseen.obstacles) {
    if ((kind.empty() || one.kind == kind) && one.stops == stops && one.is_usual) nodes.insert(one.node);
  }
  return nodes;
}

// Also those that are only perhaps in the way.
std::set<std::string> nodes_perhaps_named(const forecast::Forecast& foreseen, std::string_view kind) {
  std::set<std::string> nodes;
  for (const forecast::Obstacle& one : foreseen.obstacles) {
    if (one.kind == kind) nodes.insert(one.node);
  }
  return nodes;
}

// ---- what happened

std::set<std::string> those_of_before(const std::vector<std::string>& pods, const std::set<std::string>& before) {
  std::set<std::string> those;
  for (const std::string& pod : pods) {
    if (before.contains(pod)) those.insert(pod);
  }
  return those;
}

std::set<std::string> first_words(const std::multiset<std::string>& texts) {
  std::set<std::string> words;
  for (const std::string& text : texts) words.insert(text.substr(0, text.find(' ')));
  return words;
}

bool holds(const std::set<std::string>& all, const std::set<std::string>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

std::set<std::string> forced_of_before(const Cluster& cluster) {
  return those_of_before(cluster.door.deleted, cluster.before);
}

// All that were surely to be deleted around a budget, and beyond them none that was not named.
bool is_among(const std::set<std::string>& forced, const forecast::Forecast& foreseen) {
  const auto surely =
      pods_foreseen(foreseen, [](const forecast::Removed& one) { return one.is_forced && !one.is_forced_or_not; });
  const auto perhaps =
      pods_foreseen(foreseen, [](const forecast::Removed& one) { return one.is_forced || one.is_forced_or_not; });
  return holds(forced, surely) && holds(perhaps, forced);
}

struct Played {
  forecast::Forecast foreseen;
  base::Span took = {};
  std::string text = {};  // for a test that failed
};

// The plan, and then the operator. What no chance has a hand in is asked here: which nodes are taken, which of the pods
// that were there go, which nodes fail and are named, and whether it gets through.
Played play(Cluster& cluster, const Setting& setting, std::uint64_t seed) {
  const forecast::ForecastInput input = cluster.input(cluster.next());
  Played played{.foreseen = forecast::foresee(input, vendors::nvidia_driver().flow)};
  const forecast::Forecast& foreseen = played.foreseen;
  cluster.door.begun_at = cluster.world.loop.now();
  cluster.go_on();
  played.took = cluster.run_to_rest(4h);

  played.text = fmt::format("seed {}, {} nodes, {}\n", seed, setting.nodes, setting.upgrade);
  played.text +=
      fmt::format("skipped {}, cordoned {}, clung to {}\n", setting.skipped, setting.cordoned, setting.clung_to);
  for (const Workload& one : setting.workloads) played.text += text_of(one);
  for (const Pool& one : setting.pools) {
    played.text += fmt::format("pool {}{}: {}\n", one.name, one.changes ? "" : ", as it is", one.upgrade);
  }
  for (const std::string& line : plan_lines(foreseen, input.pace)) played.text += line + "\n";
  played.text += fmt::format("the operator, in {}\n{}", base::human(played.took), cluster.door.said);
  SCOPED_TRACE(played.text);

  EXPECT_EQ(std::set(cluster.door.taken.begin(), cluster.door.taken.end()), nodes_foreseen(foreseen));
  std::set<std::string> gone = those_of_before(cluster.door.evicted, cluster.before);
  gone.merge(those_of_before(cluster.door.deleted, cluster.before));
  EXPECT_EQ(gone, pods_foreseen(foreseen, [](const forecast::Removed&) { return true; }));
  std::set<std::string> failed;
  bool all_done = true;
  for (const forecast::Row& row : foreseen.rows) {
    const std::string state = cluster.state(row.node);
    all_done = all_done && (state == "upgrade-done" || row.node == setting.skipped);
    EXPECT_EQ(state == "upgrade-failed", row.end == forecast::Row::End::Failed) << row.node << " is " << state;
    if (state == "upgrade-failed") failed.insert(row.node);
  }
  EXPECT_EQ(all_done, foreseen.gets_through);
  EXPECT_TRUE(holds(nodes_named(foreseen, "", true), failed));
  EXPECT_EQ(nodes_named(foreseen, "", true).empty(), foreseen.gets_through) << "what stops it has a name";
  return played;
}

// The seeds to play, and what is said of them at the end.
class Seeds {
 public:
  Seeds() {
    const char* only = std::getenv("DROVER_SEED");
    const char* range = std::getenv("DROVER_SEEDS");
    first_ = std::stoull(only != nullptr ? only : range != nullptr ? range : "1");
    last_ = only != nullptr ? first_ : first_ + 99;
    says_all_ = only != nullptr;
    log::configure(log::Level::Error, log::Format::Text);
  }
  ~Seeds() {
    log::configure(log::Level::Info, log::Format::Text);
    fmt::print("of {} clusters as foreseen:", last_ - first_ + 1);
    for (const auto& [what, count] : count_) fmt::print(" {} {};", what, count);
    fmt::print("{}{}\n", others_.empty() ? "" : " not so:", others_);
  }
  Seeds(const Seeds&) = delete;
  Seeds& operator=(const Seeds&) = delete;

  // `visit` is told the seed, the cluster after the rollout, and what was foreseen, took and said.
  template <class Visit>
  void play_all(Setting (*setting_of)(std::uint64_t seed, double jitter), double jitter, const Visit& visit) {
    for (std::uint64_t seed = first_; seed <= last_; ++seed) {
      const Setting setting = setting_of(seed, jitter);
      Cluster cluster(seed, setting);
      visit(seed, cluster, play(cluster, setting, seed));
    }
  }
  // Counts, and says `text` where it is not so and somebody asked for this seed.
  bool note(const std::string& what, bool is_so, std::uint64_t seed, const std::string& text) {
    count_[what] += is_so ? 1 : 0;
    if (!is_so) others_ += fmt::format(" {} ({})", seed, what);
    if (!is_so && says_all_) fmt::print("{}\n{}", what, text);
    return is_so;
  }
  // In hundredths.
  int share(const std::string& what) const {
    return static_cast<int>(count_.at(what) * 100 / static_cast<int>(last_ - first_ + 1));
  }

 private:
  std::uint64_t first_ = 1;
  std::uint64_t last_ = 100;
  bool says_all_ = false;
  std::map<std::string, int> count_;
  std::string others_;
};

bool is_within_a_tenth(base::Span took, base::Span least, base::Span most) {
  return took * 11 >= least * 10 - kClockTick * 10 && took * 9 <= most * 10 + kClockTick * 10;
}

// What was foreseen and what happened, for each cluster.
void note_all(Seeds& seeds, std::uint64_t seed, const Cluster& cluster, const Played& played) {
  const auto& [foreseen, took, text] = played;
  const auto& forced = cluster.door.deleted_from;
  seeds.note("order", in_groups(cluster.door.taken, foreseen) == groups_of(foreseen), seed, text);
  seeds.note("forced deletions", forced == forced_foreseen(foreseen), seed, text);
  seeds.note("budgets named", first_words(forced) == nodes_named(foreseen, "budget", false), seed, text);
  seeds.note("time", is_within_a_tenth(took, foreseen.takes, foreseen.takes), seed, text);
  // And where that is left to chance, what happens was named.
  seeds.note("forced deletions or chance", is_among(forced_of_before(cluster), foreseen), seed, text);
  seeds.note("budgets or chance", holds(nodes_perhaps_named(foreseen, "budget"), first_words(forced)), seed, text);
  seeds.note("time within what was named", is_within_a_tenth(took, foreseen.takes_at_least, foreseen.takes_at_most),
             seed, text);
}

// Where everything takes as long as it took before, all of it is as foreseen, but for one cluster. There three pods
// that were evicted in the same moment wait for a node with room for two of them; whoever is made again first gets it,
// and that is known to nobody. The plan says that chance decides, and what happens is among what it names.
TEST(Plan, ForeseesWhatThenHappensOnRandomClusters) {
  Seeds seeds;
  seeds.play_all(setting_of, 0.0, [&](const auto&... played) { note_all(seeds, played...); });
  EXPECT_EQ(seeds.share("order"), 100);
  for (const char* what : {"forced deletions", "budgets named", "time"}) EXPECT_GE(seeds.share(what), 99) << what;
  for (const char* what : {"forced deletions or chance", "budgets or chance", "time within what was named"}) {
    EXPECT_EQ(seeds.share(what), 100) << what;
  }
}

// Of several policies that wait for the same place under the limit over all of them, the one whose image is there a
// moment sooner gets it: that is left to chance, and with it which policy's turn it is, and sometimes the time.
TEST(Plan, ForeseesWhatSeveralDriversDoOnRandomClusters) {
  Seeds seeds;
  seeds.play_all(setting_with_pools, 0.0, [&](const auto&... played) { note_all(seeds, played...); });
  EXPECT_GE(seeds.share("order"), 80);
  EXPECT_GE(seeds.share("time"), 90);
  EXPECT_GE(seeds.share("time within what was named"), 99);
  for (const char* what : {"forced deletions or chance", "budgets or chance"}) {
    EXPECT_EQ(seeds.share(what), 100) << what;
  }
}

// Where each thing takes up to a tenth more or less than usual, chance decides where a pod is made again and who asks a
// budget for its last room, and a forced deletion costs minutes: what depends on that must be told as such.
TEST(Plan, SaysWhatChanceDecidesOnRandomClusters) {
  Seeds seeds;
  seeds.play_all(setting_of, 0.1, [&](std::uint64_t seed, const Cluster& cluster, const auto& played) {
    const auto& [foreseen, took, text] = played;
    seeds.note("order", in_groups(cluster.door.taken, foreseen) == groups_of(foreseen), seed, text);
    seeds.note("forced deletions", is_among(forced_of_before(cluster), foreseen), seed, text);
    seeds.note("time", is_within_a_tenth(took, foreseen.takes, foreseen.takes), seed, text);
    seeds.note("time within what was named", is_within_a_tenth(took, foreseen.takes_at_least, foreseen.takes_at_most),
               seed, text);
  });
  EXPECT_GE(seeds.share("order"), 95);
  EXPECT_GE(seeds.share("forced deletions"), 95);
  EXPECT_GE(seeds.share("time"), 95);
  EXPECT_GE(seeds.share("time within what was named"), 99);
}

}  // namespace
}  // namespace drover::cli
