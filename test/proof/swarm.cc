#include "swarm.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <set>
#include <vector>

#include "play.h"

namespace drover::proof {
namespace {

using namespace std::chrono_literals;

constexpr std::array kVersions = {"535.129.03", "550.54.15", "570.86.15"};
constexpr std::array kShares = {R"(1)", R"(2)", R"("25%")", R"("50%")", R"("100%")"};

// Chance is drawn one by one, never twice among the arguments of one call: compilers evaluate those in any order, and a
// seed is to be the same story everywhere.
class Swarm {
 public:
  Swarm(std::uint64_t seed, const Door::Alter& alter)
      : random_(base::Random(seed).fork("swarm")),
        // Half of all seeds hear of everything in time, so that the checker can be exact about them.
        is_harsh_(seed % 2 == 1),
        has_leases_(random_.chance(0.5)),
        // The others have scripts in the place of the agents, which cannot ask: drivers do not change by themselves.
        has_agents_(seed % 3 == 0),
        play_({.seed = seed,
               .nodes = fmt::format("nvidia={}", 2 + random_.below(3)),
               .checker = {.slack = is_harsh_ ? base::Span(15min) : base::Span(45s), .sees_all = false},
               .alter = alter,
               .with_leases = has_leases_}) {}

  SwarmResult run() {
    prepare();
    const base::Instant end = play_.world.loop.now() + 20min + random_.below(30) * 1min;
    while (play_.world.loop.now() < end && play_.checker->is_clean()) {
      play_.world.run_for(1s + random_.below(90) * 1s);
      meddle();
    }
    calm_down();
    const bool rests = play_.comes_to_rest();
    if (rests) {
      play_.checker->check_at_rest();
      check_drivers();
    }
    std::string trouble = play_.checker->report();
    if (!trouble.empty()) trouble += "at the end:\n" + play_.final_state();
    return {trouble, play_.checker->chronicle()};
  }

 private:
  template <class Array>
  auto one_of(const Array& choices) {
    return choices[random_.below(choices.size())];
  }
  std::string some_node() {
    const auto names = play_.names();
    return names.empty() ? "nvidia-1" : names[random_.below(names.size())];
  }

  std::string removal() {
    const bool force = random_.chance(0.5);
    const bool local_data = random_.chance(0.5);
    return fmt::format(R"("force": {}, "deleteEmptyDir": {}, "timeoutSeconds": {})", force, local_data,
                       30 + random_.below(300));
  }

  std::string upgrade_policy() {
    std::string text = fmt::format(R"("maxParallelUpgrades": {}, )", random_.below(4));
    text += fmt::format(R"("maxUnavailable": {})", one_of(kShares));
    text += fmt::format(R"(, "podDeletion": {{{}}})", removal());
    if (random_.chance(0.4)) text += fmt::format(R"(, "drain": {{"enable": true, {}}})", removal());
    if (random_.chance(0.3)) {
      text += fmt::format(R"(, "waitForCompletion": {{"podSelector": "kind=job", "timeoutSeconds": {}}})",
                          30 + random_.below(300));
    }
    return text;
  }

  void prepare() {
    set_images();
    play_.say(fmt::format("policy {} {}", kVersions[0], upgrade_policy()));
    if (!has_agents_) play_.say("update-strategy OnDelete");
    play_.say("installed");
    for (const std::string& node : play_.names()) {
      if (random_.chance(0.6)) {
        const int devices = 1 + static_cast<int>(random_.below(3));
        const bool is_job = random_.chance(0.3);
        play_.add_workload("train-" + node, 1, devices, node, is_job ? "kind=job" : "", random_.chance(0.2));
      }
      if (random_.chance(0.3)) play_.add_workload("web-" + node, 1, 0, node, "", false);
      if (random_.chance(0.15)) play_.add_pod("notebook-" + node, 1, node, "forever:1", "");
    }
    if (random_.chance(0.3)) {  // from any state whatever
      play_.kill();
      for (const std::string& node : play_.names()) scramble(node);
      play_.start();
    }
    start_all();
    add_faults();
    play_.say(fmt::format("version {}", kVersions[1]));
  }

  void add_faults() {
    using sim::Luck;
    for (const sim::LuckRow& row : sim::all_luck()) {
      const bool hides = row.luck == Luck::StaleWatch || row.luck == Luck::WatchStall || row.luck == Luck::Slow;
      if (!row.is_between || (hides && !is_harsh_) || random_.chance(0.4)) continue;
      const bool is_rare = row.luck == Luck::WatchStall || row.luck == Luck::Gone410;
      play_.luck.add({.luck = row.luck,
                      .probability = is_rare ? 0.002 : 0.02,
                      .span = std::chrono::seconds(1 + random_.below(is_harsh_ ? 20 : 3))});
    }
  }

  // Marks that contradict each other and everything else.
  void scramble(const std::string& node) {
    json::Members labels;
    json::Members annotations;
    json::Members spec;
    labels[kState] = random_.chance(0.2) ? json::Value() : json::Value(any_state());
    if (random_.chance(0.7)) annotations[kRecord] = any_record(node);
    if (random_.chance(0.2)) annotations[kFoundCordoned] = "true";
    if (random_.chance(0.3)) labels["nvidia.com/gpu.deploy.device-plugin"] = kPaused;
    if (random_.chance(0.5)) spec["unschedulable"] = true;
    if (random_.chance(0.2)) spec["taints"] = json::Array{{{"key", kTaint}, {"effect", "NoSchedule"}}};
    play_.set_node(
        "person", node,
        json::Members{{"metadata", json::Members{{"labels", labels}, {"annotations", annotations}}}, {"spec", spec}});
  }

  std::string any_state() { return random_.chance(0.1) ? "nonsense" : one_of(all_states()); }

  json::Value any_record(const std::string& node) {
    if (random_.chance(0.2)) return json::Value();
    if (random_.chance(0.2)) return "{\"v\": 1, \"claim\":";
    static constexpr std::array kPhases = {"idle",  "required", "cordon",   "wait-for-jobs", "evict-device-pods",
                                           "drain", "restart",  "validate", "uncordon",      "done",
                                           "failed"};
    json::Members record = {{"v", 1}};
    if (random_.chance(0.6)) {
      const auto stored = play_.node(node);
      record["claim"] =
          json::Members{{"id", "anybody"},
                        {"kind", random_.chance(0.9) ? kKind : "tenstorrent/firmware"},
                        {"policy", "some-uid"},
                        {"node", stored && random_.chance(0.9) ? std::string(kube::uid_of(*stored)) : "another"},
                        {"phase", one_of(kPhases)},
                        {"since", base::rfc3339(play_.world.loop.wall() - random_.below(1000) * 1s)},
                        {"target", "whatever"},
                        {"cordon", random_.chance(0.7) ? "ours" : "found"}};
      if (random_.chance(0.3)) {
        json::ensure(record["claim"], {"gates", "nvidia.com/gpu.deploy.device-plugin"}) = "true";
      }
    }
    if (random_.chance(0.5)) {
      record["outcomes"] = json::Members{{kKind, json::Members{{"result", random_.chance(0.5) ? "done" : "failed"},
                                                               {"target", "whatever"},
                                                               {"next", random_.chance(0.5) ? "asked" : ""}}}};
    }
    return json::Value(json::text_of(record));
  }

  void meddle() {
    // Nobody but the first may claim for another kind: that claim would never end.
    static const std::vector<void (Swarm::*)()> kDeeds = {
        &Swarm::cordon,         &Swarm::uncordon,       &Swarm::relabel,      &Swarm::touch_record,
        &Swarm::change_version, &Swarm::change_version, &Swarm::pause,        &Swarm::resume,
        &Swarm::resume,         &Swarm::policy_goes,    &Swarm::policy_comes, &Swarm::policy_comes,
        &Swarm::policy_changes, &Swarm::delete_driver,  &Swarm::budget,       &Swarm::skip,
        &Swarm::node_goes,      &Swarm::node_comes,     &Swarm::power,        &Swarm::power,
        &Swarm::hold,           &Swarm::request,        &Swarm::kill_one,     &Swarm::start_all,
        &Swarm::start_all,      &Swarm::break_image,    &Swarm::mend_images,  &Swarm::gate,
        &Swarm::foreigner};
    (this->*one_of(kDeeds))();
  }

  void cordon() { play_.say("person cordons " + some_node()); }
  void uncordon() { play_.say("person uncordons " + some_node()); }
  void relabel() {
    const std::string node = some_node();
    play_.say(fmt::format("state {} {}", node, random_.chance(0.2) ? "none" : any_state()));
  }
  void touch_record() {
    const std::string node = some_node();
    play_.set_node("person", node, {{"metadata", {{"annotations", {{kRecord, any_record(node)}}}}}});
  }
  void change_version() { play_.say(fmt::format("version {}", one_of(kVersions))); }
  void pause() { play_.say("pause"); }
  void resume() { play_.say("resume"); }
  void policy_goes() { play_.say("policy gone"); }
  void policy_comes() {
    const std::string version = one_of(kVersions);
    play_.say(fmt::format("policy {} {}", version, upgrade_policy()));
    if (!has_agents_) play_.say("update-strategy OnDelete");
  }
  void set_images() {
    play_.kubelets.images() = sim::ImageTable::with_vendors();
    play_.say("image forever:* wait forever");
    if (has_agents_) play_.say("agents work");
  }
  void policy_changes() { play_.say("upgrade-policy " + upgrade_policy()); }
  // Not under workloads: the pod that comes would wait for them, and nobody asks it what it waits for.
  void delete_driver() {
    const std::string node = some_node();
    for (const sim::Stored& pod : play_.world.store().pods_on(node)) {
      if (uses_gpu(*pod) && !is_finished(*pod)) return;
    }
    play_.delete_driver_pod(node);
  }
  void budget() {
    const std::string name = "train-" + some_node();
    if (random_.chance(0.5)) {
      play_.as("person", kube::remove(kube::kDisruptionBudgets, "ml", name, ""));
    } else {
      play_.as("person", kube::create(kube::kDisruptionBudgets, "ml",
                                      operate::testing::parsed(fmt::format(
                                          R"({{"metadata": {{"name": "{0}"}}, "spec": {{"minAvailable": 1,
                                              "selector": {{"matchLabels": {{"app": "{0}"}}}}}}}})",
                                          name))));
    }
  }
  void skip() {
    const std::string node = some_node();
    play_.say(fmt::format("label {} {}={}", node, kSkip, random_.chance(0.5) ? "true" : ""));
  }
  void node_goes() {
    const std::string node = some_node();
    if (play_.names().size() <= 2 || off_.contains(node)) return;
    play_.say("delete node " + node);
  }
  void node_comes() { play_.say(fmt::format("add node nvidia-{}", 1 + random_.below(5))); }
  void power() {
    const std::string node = some_node();
    auto what = random_.below(3);
    if (off_.contains(node)) what = 1;
    if (what == 1 && off_.erase(node) == 0) return;
    if (what == 0) off_.insert(node);
    if (what != 1) play_.checker->machine_goes_down(node);
    if (what == 0) play_.kubelets.power_off(node);
    if (what == 1) play_.kubelets.power_on(node);
    if (what == 2) play_.kubelets.reboot(node);
    play_.checker->note("fate", fmt::format("{}  power {}", node, what == 0 ? "off" : what == 1 ? "on" : "cycle"));
  }
  void hold() {
    const std::string node = some_node();
    play_.say(fmt::format("annotate {} {}={}", node, kHold, random_.chance(0.3) ? "maria" : ""));
  }
  void request() { play_.say(fmt::format("annotate {} {}=true", some_node(), kRequest)); }
  void kill_one() {
    play_.checker->note("fate", "an operator is killed");
    play_.kill(random_.below(2));
  }
  void start_all() {
    play_.start(0);
    if (has_leases_) play_.start(1);  // without leases there is only one
  }
  void break_image() {
    if (random_.chance(0.5)) {
      // With all that follows: a container keeps its script when the image is there again.
      const std::string image = fmt::format("*driver:{}*", one_of(kVersions));
      play_.say(fmt::format("image-of {} image-is-here missing; say the image is here", image));
      play_.say(
          fmt::format("image-of {} nvidia-driver-ctr missing; wait driver; load nvidia $VERSION; load nvidia_uvm "
                      "$VERSION on nvidia; load nvidia_modeset $VERSION on nvidia; ready; wait forever; "
                      "when-stopped; try-unload nvidia_modeset; try-unload nvidia_uvm; try-unload nvidia",
                      image));
    } else {
      play_.say("container nvidia-operator-validator say no; exit 1");
    }
    play_.checker->note("fate", "an image breaks");
  }
  void mend_images() {
    set_images();
    play_.checker->note("fate", "images are mended");
  }
  void gate() {
    const std::string node = some_node();
    if (play_.state(node).empty()) return;  // then nobody could know that it is one of ours
    const bool is_paused = random_.chance(0.5);
    play_.say(fmt::format("label {} nvidia.com/gpu.deploy.dcgm={}", node, is_paused ? kPaused : "true"));
  }
  void foreigner() { play_.foreign_operator(random_.chance(0.3)); }

  void calm_down() {
    play_.checker->note("fate", "the trouble ends");
    play_.luck.clear();
    mend_images();
    play_.foreign_operator(false);
    for (const std::string& node : play_.names()) {
      if (off_.contains(node)) play_.kubelets.power_on(node);
      // A claim of another kind would stay for ever: nobody is there to end it.
      const NodeMarks marks = marks_of(*play_.node(node));
      if (marks.claim && !marks.claim_is_ours()) play_.say(fmt::format("record {} removed", node));
      play_.say(fmt::format("label {} {}=", node, kSkip));
    }
    if (random_.chance(0.85)) {
      if (!play_.policy()) policy_comes();
      resume();
    } else {
      policy_goes();
    }
    play_.start(0);
    // An answer that was on its way may still cost it its lease; then its kubelet starts it again.
    play_.world.run_for(std::chrono::seconds(30));
    play_.start(0);
  }

  // Whoever says done at the end has the driver that is wanted.
  void check_drivers() {
    const auto policy = play_.policy();
    if (!policy) return;
    const Terms terms = terms_of(*policy);
    for (const std::string& name : play_.names()) {
      const std::string driver = play_.driver_on(name);
      if (play_.state(name) == "upgrade-done" && driver != terms.version) {
        play_.checker->blame("I20 truthful done", fmt::format("{} says done at rest with \"{}\"", name, driver));
      }
      if (play_.state(name).empty()) play_.checker->blame("L1 progress", name + " has no state at rest");
    }
  }

  base::Random random_;
  bool is_harsh_;
  bool has_leases_;
  bool has_agents_;
  std::set<std::string> off_;  // machines without power
  Play play_;
};

}  // namespace

SwarmResult swarm(std::uint64_t seed, const Door::Alter& alter) { return Swarm(seed, alter).run(); }

}  // namespace drover::proof
