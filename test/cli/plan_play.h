// A plan, and then the real operator on the same cluster: what was foreseen beside what it did.
#pragma once

#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "cli/plan_text.h"
#include "test/cli/look.h"
#include "test/cli/plan_cluster.h"

namespace drover::cli::testing {

// Times that pods tell of themselves are whole seconds: a rollout that ends after a few has no tenth worth asking for.
inline constexpr base::Span kClockTick = 2s;

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  int from(int low, int high) { return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1)); }
  bool one_in(int n) { return from(1, n) == 1; }
  const char* flag() { return one_in(2) ? "true" : "false"; }

 private:
  std::mt19937_64 engine_;
};

// ---- what was foreseen

// "a b | c": nodes that start at the same moment stand together, sorted.
inline std::vector<std::set<std::string>> groups_of(const forecast::Forecast& foreseen) {
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
inline std::vector<std::set<std::string>> in_groups(const std::vector<std::string>& nodes,
                                                    const forecast::Forecast& foreseen) {
  std::vector<std::set<std::string>> groups;
  std::size_t next = 0;
  for (const auto& group : groups_of(foreseen)) {
    groups.emplace_back();
    for (std::size_t i = 0; i < group.size() && next < nodes.size(); ++i) groups.back().insert(nodes[next++]);
  }
  return groups;
}

inline std::set<std::string> nodes_foreseen(const forecast::Forecast& foreseen) {
  std::set<std::string> nodes;
  for (const forecast::Row& row : foreseen.rows) {
    if (row.wave > 0) nodes.insert(row.node);
  }
  return nodes;
}

// "nvidia-1 ReplicaSet ml/train-5f6", for each deletion around a budget; a bare pod by its own name.
inline std::multiset<std::string> forced_foreseen(const forecast::Forecast& foreseen) {
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

inline std::set<std::string> nodes_named(const forecast::Forecast& foreseen, std::string_view kind, bool stops) {
  std::set<std::string> nodes;
  for (const forecast::Obstacle& one : foreseen.obstacles) {
    if ((kind.empty() || one.kind == kind) && one.stops == stops && one.is_usual) nodes.insert(one.node);
  }
  return nodes;
}

// Also those that are only perhaps in the way.
inline std::set<std::string> nodes_perhaps_named(const forecast::Forecast& foreseen, std::string_view kind) {
  std::set<std::string> nodes;
  for (const forecast::Obstacle& one : foreseen.obstacles) {
    if (one.kind == kind) nodes.insert(one.node);
  }
  return nodes;
}

// ---- what was done

inline std::set<std::string> those_of_before(const std::vector<std::string>& pods,
                                             const std::set<std::string>& before) {
  std::set<std::string> those;
  for (const std::string& pod : pods) {
    if (before.contains(pod)) those.insert(pod);
  }
  return those;
}

inline std::set<std::string> first_words(const std::multiset<std::string>& texts) {
  std::set<std::string> words;
  for (const std::string& text : texts) words.insert(text.substr(0, text.find(' ')));
  return words;
}

inline bool holds(const std::set<std::string>& all, const std::set<std::string>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

inline std::set<std::string> forced_of_before(const Cluster& cluster) {
  return those_of_before(cluster.door.deleted, cluster.before);
}

// All that were surely to be deleted around a budget, and beyond them none that was not named.
inline bool is_among(const std::set<std::string>& forced, const forecast::Forecast& foreseen) {
  const auto surely =
      pods_foreseen(foreseen, [](const forecast::Removed& one) { return one.is_forced && !one.is_forced_or_not; });
  const auto perhaps =
      pods_foreseen(foreseen, [](const forecast::Removed& one) { return one.is_forced || one.is_forced_or_not; });
  return holds(forced, surely) && holds(perhaps, forced);
}

// What depends on which of several requests is the first: a budget that is in the way in some runs only decides about
// all nodes that it is named for.
inline std::set<std::string> nodes_left_to_chance(const forecast::Forecast& foreseen) {
  std::set<std::string> budgets;
  std::set<std::string> nodes;
  for (const forecast::Obstacle& one : foreseen.obstacles) {
    if (!one.is_usual) budgets.insert(one.object);
  }
  for (const forecast::Obstacle& one : foreseen.obstacles) {
    if (budgets.contains(one.object)) nodes.insert(one.node);
  }
  return nodes;
}

// Pods that were there before and went, but for those of some nodes.
inline std::set<std::string> gone_of_before(const Cluster& cluster, const std::set<std::string>& but_for = {}) {
  std::set<std::string> pods;
  for (const auto& [pod, node] : cluster.door.gone) {
    if (cluster.before.contains(pod) && !but_for.contains(node)) pods.insert(pod);
  }
  return pods;
}

inline std::set<std::string> gone_foreseen(const forecast::Forecast& foreseen,
                                           const std::set<std::string>& but_for = {}) {
  std::set<std::string> pods;
  for (const forecast::Row& row : foreseen.rows) {
    for (const forecast::Removed& one : row.removed) {
      if (!one.is_replacement && !but_for.contains(row.node)) pods.insert(one.pod);
    }
  }
  return pods;
}

struct Played {
  forecast::Forecast foreseen;
  base::Span took = {};
  std::string text = {};              // for a test that failed
  std::set<std::string> failed = {};  // nodes
  bool all_done = true;
};

inline Played play(Cluster& cluster, const Setting& setting, std::uint64_t seed) {
  Played played{.foreseen = cluster.foreseen(cluster.next())};
  cluster.door.begin();
  cluster.go_on();
  played.took = cluster.run_to_rest(4h);
  for (const forecast::Row& row : played.foreseen.rows) {
    const core::Phase phase = cluster.phase_of(row.node);
    if (phase == core::Phase::Failed) played.failed.insert(row.node);
    played.all_done = played.all_done && (phase == core::Phase::Done || row.node == setting.skipped);
  }

  played.text = fmt::format("seed {}\n", seed);
  for (const Part& part : setting.parts())
    played.text += fmt::format("{} {} nodes, {}\n", part.nodes, part.vendor->name, part.upgrade);
  played.text += fmt::format("skipped {}, cordoned {}, clung to {}, gate {}\n", setting.skipped, setting.cordoned,
                             setting.clung_to, setting.gated_label);
  for (const Workload& one : setting.workloads) played.text += text_of(one);
  for (const Pool& one : setting.pools)
    played.text += fmt::format("pool {}{}: {}\n", one.name, one.changes ? "" : ", as it is", one.upgrade);
  played.text += joined(plan_lines(played.foreseen));
  played.text += fmt::format("the operator, in {}\n{}", base::human(played.took), cluster.door.said);
  played.text += fmt::format("failed: {}\n", fmt::join(played.failed, " "));
  return played;
}

// The seeds to play, and a summary of them at the end.
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

  // `visit` gets the seed, the cluster after the rollout, and what was foreseen and done.
  template <class Visit>
  void play_all(Setting (*setting_of)(std::uint64_t seed, double jitter), double jitter, const Visit& visit) {
    for (std::uint64_t seed = first_; seed <= last_; ++seed) {
      const Setting setting = setting_of(seed, jitter);
      Cluster cluster(seed, setting);
      visit(seed, cluster, play(cluster, setting, seed));
    }
  }
  // Counts, and prints `text` where it is not so and this seed was asked for.
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

inline bool is_within_a_tenth(base::Span took, base::Span least, base::Span most) {
  return took * 11 >= least * 10 - kClockTick * 10 && took * 9 <= most * 10 + kClockTick * 10;
}

inline std::set<std::string> failed_foreseen(const forecast::Forecast& foreseen) {
  std::set<std::string> nodes;
  for (const forecast::Row& row : foreseen.rows) {
    if (row.end == forecast::Row::End::Failed) nodes.insert(row.node);
  }
  return nodes;
}

inline std::set<std::string> without(std::set<std::string> all, const std::set<std::string>& some) {
  std::erase_if(all, [&](const std::string& one) { return some.contains(one); });
  return all;
}

// What was foreseen and what was done, for each cluster.
inline void note_all(Seeds& seeds, std::uint64_t seed, const Cluster& cluster, const Played& played) {
  const auto& [foreseen, took, text, failed, all_done] = played;
  const auto note = [&](const std::string& what, bool is_so) { seeds.note(what, is_so, seed, text); };
  const auto& forced = cluster.door.deleted_from;
  const std::set<std::string> stopped = nodes_named(foreseen, "", true);
  note("nodes taken", std::set(cluster.door.taken.begin(), cluster.door.taken.end()) == nodes_foreseen(foreseen));
  note("pods that go", gone_of_before(cluster) == gone_foreseen(foreseen));
  note("nodes that fail", failed == failed_foreseen(foreseen));
  note("whether it gets through", all_done == foreseen.gets_through);
  note("what stops it is named", stopped.empty() == foreseen.gets_through);
  note("order", in_groups(cluster.door.taken, foreseen) == groups_of(foreseen));
  note("forced deletions", forced == forced_foreseen(foreseen));
  note("budgets named", first_words(forced) == nodes_named(foreseen, "budget", false));
  note("time", is_within_a_tenth(took, foreseen.takes, foreseen.takes));
  // And where that depends on small differences, what is done was named.
  const std::set<std::string> by_chance = nodes_left_to_chance(foreseen);
  note("pods or chance", gone_of_before(cluster, by_chance) == gone_foreseen(foreseen, by_chance));
  note("failures or chance", without(failed, by_chance) == without(failed_foreseen(foreseen), by_chance));
  note("through or chance", all_done == foreseen.gets_through || foreseen.others > 0);
  note("forced deletions or chance", is_among(forced_of_before(cluster), foreseen));
  note("budgets or chance", holds(nodes_perhaps_named(foreseen, "budget"), first_words(forced)));
  note("time within what was named", is_within_a_tenth(took, foreseen.takes_at_least, foreseen.takes_at_most));
}

// These are so on at least so many of a hundred clusters.
inline void expect_shares(const Seeds& seeds, int least, std::initializer_list<const char*> all) {
  for (const char* what : all) EXPECT_GE(seeds.share(what), least) << what;
}

}  // namespace drover::cli::testing
