// Tenstorrent's flow in random trouble: faults between the operator and the API server, operators that die, machines
// that reboot, people who meddle. Then the trouble ends, and everybody must have the wanted driver with nothing left
// behind. DROVER_SEEDS and DROVER_SEED as in swarm_test.cc.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <iostream>

#include "base/log.h"
#include "facts.h"
#include "tenstorrent_play.h"

namespace drover::proof {
namespace {

using namespace std::chrono_literals;
using operate::testing::kDriverPolicies;
using operate::testing::kGate;

constexpr std::array kKmdVersions = {"2.6.0", "2.7.0", "2.8.0"};

class TenstorrentSwarm {
 public:
  explicit TenstorrentSwarm(std::uint64_t seed)
      : random_(base::Random(seed).fork("tenstorrent-swarm")), play_(2 + static_cast<int>(random_.below(2)), seed) {
    play_.slack = 2min;
  }

  // "" when all is well.
  std::string run() {
    prepare();
    const base::Instant end = play_.world.loop.now() + 20min + random_.below(20) * 1min;
    while (play_.world.loop.now() < end && play_.breaches().empty()) {
      play_.world.run_for(1s + random_.below(90) * 1s);
      meddle();
    }
    calm_down();
    if (play_.comes_to_rest()) play_.check_at_rest();
    std::string trouble;
    for (const std::string& breach : play_.breaches()) trouble += breach + "\n";
    if (!trouble.empty()) trouble += play_.chronicle() + play_.ending();
    return trouble;
  }

  std::string chronicle() const { return play_.chronicle(); }

 private:
  template <class Array>
  auto one_of(const Array& choices) {
    return choices[random_.below(choices.size())];
  }
  std::string some_node() {
    const auto names = play_.names();
    return names[random_.below(names.size())];
  }
  std::string drain() {
    const bool full = random_.chance(0.7);
    const bool force = random_.chance(0.5);
    return fmt::format(R"(, "upgradePolicy": {{"maxParallel": {}, "drain": {{"fullNode": {}, "force": {},
                          "timeoutSeconds": {}}}}})",
                       1 + random_.below(2), full, force, 30 + random_.below(300));
  }

  void prepare() {
    play_.ask(kube::create(kDriverPolicies, "", operate::testing::driver_policy(kKmdVersions[0], drain())));
    play_.rise();
    EXPECT_TRUE(play_.run_until_loaded(kKmdVersions[0])) << play_.told();
    if (random_.chance(0.7))
      play_.run_work("train", 2, R"(, "volumes": [{"name": "tt", "hostPath": {"path": "/dev/tenstorrent/0"}}])");
    if (random_.chance(0.5)) play_.run_work("web", 2);
    using sim::Luck;
    for (const sim::LuckRow& row : sim::all_luck()) {
      const bool hides = row.luck == Luck::StaleWatch || row.luck == Luck::WatchStall || row.luck == Luck::Slow;
      if (!row.is_between || hides || random_.chance(0.5)) continue;
      play_.luck.add({.luck = row.luck,
                      .probability = row.luck == Luck::Gone410 ? 0.002 : 0.02,
                      .span = std::chrono::seconds(1 + random_.below(3))});
    }
    play_.want(kKmdVersions[1]);
  }

  void meddle() {
    static const std::vector<void (TenstorrentSwarm::*)()> kDeeds = {
        &TenstorrentSwarm::change_version, &TenstorrentSwarm::change_version, &TenstorrentSwarm::pause,
        &TenstorrentSwarm::resume,         &TenstorrentSwarm::resume,         &TenstorrentSwarm::cordon,
        &TenstorrentSwarm::uncordon,       &TenstorrentSwarm::delete_builder, &TenstorrentSwarm::policy_goes,
        &TenstorrentSwarm::policy_comes,   &TenstorrentSwarm::policy_comes,   &TenstorrentSwarm::skip,
        &TenstorrentSwarm::hold_device,    &TenstorrentSwarm::let_go,         &TenstorrentSwarm::reboot,
        &TenstorrentSwarm::kill,           &TenstorrentSwarm::rise,           &TenstorrentSwarm::rise,
        &TenstorrentSwarm::lose_record,    &TenstorrentSwarm::break_make,     &TenstorrentSwarm::mend_make,
        &TenstorrentSwarm::another_image,  &TenstorrentSwarm::budget,         &TenstorrentSwarm::force};
    (this->*one_of(kDeeds))();
  }
  void patch(std::string_view merge) {
    play_.as_person(
        kube::patch(kDriverPolicies, "", "default", kube::PatchKind::Merge, operate::testing::parsed(merge)));
  }
  void change_version() { patch(fmt::format(R"({{"spec": {{"version": "{}"}}}})", one_of(kKmdVersions))); }
  void pause() { patch(R"({"spec": {"paused": true}})"); }
  void resume() { patch(R"({"spec": {"paused": false}})"); }
  void cordon() { play_.patch_as_person(some_node(), {{"spec", {{"unschedulable", true}}}}); }
  void uncordon() { play_.patch_as_person(some_node(), {{"spec", {{"unschedulable", nullptr}}}}); }
  void delete_builder() {
    const auto pod = play_.pod_on(some_node());
    if (!pod) return;
    play_.as_person(
        kube::remove(kube::kPods, std::string(kube::namespace_of(*pod)), std::string(kube::name_of(*pod)), ""));
  }
  void policy_goes() { play_.as_person(kube::remove(kDriverPolicies, "", "default", "")); }
  void policy_comes() {
    const std::string version = one_of(kKmdVersions);
    play_.as_person(kube::create(kDriverPolicies, "", operate::testing::driver_policy(version, drain())));
  }
  void skip() {
    const std::string node = some_node();
    const bool is_set = random_.chance(0.5);
    play_.patch_as_person(
        node,
        {{"metadata", {{"labels", {{"driver.tenstorrent.com/skip", is_set ? json::Value("true") : json::Value()}}}}}});
  }
  void hold_device() {
    const std::string node = some_node();
    const auto pid = play_.kubelets.host(node)->open("/dev/tenstorrent/1", "", "tt-smi");
    if (pid) held_[node].push_back(*pid);
  }
  void let_go() {
    for (const auto& [node, pids] : held_) {
      for (const int pid : pids) play_.kubelets.host(node)->close(pid);
    }
    held_.clear();
  }
  void reboot() {
    const std::string node = some_node();
    held_.erase(node);
    play_.kubelets.reboot(node);
  }
  void kill() { play_.fall(); }
  void rise() { play_.rise(); }
  void lose_record() { play_.patch_as_person(some_node(), {{"metadata", {{"annotations", {{kRecord, nullptr}}}}}}); }
  void break_make() { play_.kubelets.host(some_node())->set_luck(sim::HostLuck::MakeFails, true); }
  void mend_make() {
    for (const std::string& node : play_.names()) play_.kubelets.host(node)->set_luck(sim::HostLuck::MakeFails, false);
  }
  void another_image() {
    patch(fmt::format(R"({{"spec": {{"installer": {{"image": "drover:{}"}}}}}})", random_.below(3)));
  }
  void force() { patch(fmt::format(R"({{"spec": {{"upgradePolicy": {{"forceUnload": {}}}}}}})", random_.chance(0.5))); }
  void budget() {
    if (random_.chance(0.5)) {
      play_.as_person(kube::remove(kube::kDisruptionBudgets, "ml", "train", ""));
    } else {
      play_.as_person(kube::create(kube::kDisruptionBudgets, "ml", operate::testing::parsed(R"({"metadata":
          {"name": "train"}, "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "train"}}}})")));
    }
  }

  void calm_down() {
    play_.luck.clear();
    let_go();
    mend_make();
    play_.as_person(kube::remove(kube::kDisruptionBudgets, "ml", "train", ""));
    for (const std::string& node : play_.names())
      play_.patch_as_person(node, {{"metadata", {{"labels", {{"driver.tenstorrent.com/skip", nullptr}}}}}});
    policy_comes();
    resume();
    play_.rise();
    change_version();
  }

  base::Random random_;
  TenstorrentPlay play_;
  std::map<std::string, std::vector<int>> held_;
};

std::uint64_t number_in(const char* variable, std::uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

TEST(TenstorrentSwarm, ComesToRestWhateverHappened) {
  log::redirect([](std::string_view) {});
  const std::uint64_t first = number_in("DROVER_SEED", 1);
  const std::uint64_t count = number_in("DROVER_SEEDS", 20);
  int failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < 3; ++seed) {
    TenstorrentSwarm swarm(seed);
    const std::string trouble = swarm.run();
    if (count == 1) std::cout << swarm.chronicle();
    if (trouble.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ": " << trouble;
  }
}

}  // namespace
}  // namespace drover::proof
