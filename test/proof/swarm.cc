#include "swarm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "bugs.h"
#include "forged_record.h"
#include "play.h"

namespace drover::proof {
namespace {

using namespace std::chrono_literals;

// Chance is drawn one by one, never twice among the arguments of one call: compilers evaluate those in any order, and a
// seed is to be the same story everywhere.
class SwarmRun {
 public:
  SwarmRun(std::span<const Vendor* const> vendors, std::uint64_t seed, const Bug* bug)
      : vendors_(vendors),
        vendor_(*vendors.front()),
        seed_(seed),
        random_(base::Random(seed).fork("swarm")),
        // Half of all seeds hear of everything in time.
        is_harsh_(seed % 2 == 1),
        has_leases_(random_.chance(0.5)),
        play_({.seed = seed,
               .vendor = *vendors.front(),
               .also = {vendors.begin() + 1, vendors.end()},
               .max_unavailable = any_limit(),
               .nodes = any_fleet(),
               .mistakes = bug == nullptr ? Door::Mistakes() : bug->mistakes(*vendors.front()),
               .with_leases = has_leases_,
               .without_namespace = random_.chance(0.2),
               .knows_owners = random_.chance(0.5)}) {}

  SwarmResult run() {
    prepare();
    const base::Instant end = play_.world.loop.now() + 20min + random_.below(30) * 1min;
    while (play_.world.loop.now() < end && play_.is_clean()) {
      play_.world.run_for(1s + random_.below(90) * 1s);
      meddle();
    }
    calm_down();
    const bool rests = play_.comes_to_rest();
    if (rests) {
      play_.check_at_rest();
      play_.check_drivers();
    }
    std::string trouble = play_.report();
    if (!trouble.empty()) trouble += "at the end:\n" + play_.final_state();
    turn_to(*vendors_.front());
    return {trouble, play_.checker->chronicle()};
  }

 private:
  template <class Choices>
  auto one_of(const Choices& choices) {
    return choices[random_.below(choices.size())];
  }
  // What follows is about this vendor, in its words.
  void turn_to(const Vendor& vendor) {
    vendor_ = vendor;
    play_.speak_for(vendor);
  }
  template <class Do>
  void for_each_vendor(const Do& act) {
    for (const Vendor* vendor : vendors_) {
      turn_to(*vendor);
      act();
    }
  }
  const Vendor::Pair& furnishing() const { return vendor_.furnishings[seed_ % vendor_.furnishings.size()]; }
  std::string any_fleet() {
    if (vendors_.size() == 1) return fmt::format("{}={}", vendor_.name, 2 + random_.below(3));
    std::string fleet = fmt::format("both={}", 1 + random_.below(3));
    for (const Vendor* vendor : vendors_) fleet += fmt::format(",{}={}", vendor->name, random_.below(3));
    return fleet;
  }
  // Over all policies; alone, a policy is its own.
  std::optional<core::Share> any_limit() {
    if (vendors_.size() == 1 || random_.chance(0.5)) return std::nullopt;
    return core::Share{.amount = 1 + static_cast<int>(random_.below(3))};
  }
  std::string any_node() {
    const auto names = play_.names();
    return names.empty() ? fmt::format("{}-1", vendor_.name) : names[random_.below(names.size())];
  }
  std::string any_state() { return random_.chance(0.1) ? "nonsense" : std::string(one_of(vendor_.states).value); }

  // The vendor's sentences, with something in the place of <node> and the like.
  void say_all(std::string_view sentences) {
    std::string text = replaced(sentences, "<node>", any_node());
    text = replaced(text, "<version>", one_of(vendor_.versions));
    text = replaced(text, "<flag>", random_.chance(0.5) ? "true" : "false");
    text = replaced(text, "<n>", std::to_string(random_.below(3)));
    play_.say_all(text);
  }

  // ---- the beginning

  void prepare() {
    set_images();
    for_each_vendor([this] { create_policy(vendor_.versions[0]); });
    play_.say("operator starts");
    turn_to(*vendors_.front());
    if (!play_.world.store().find("namespaces", std::string(vendor_.ns))) {
      play_.world.run_for(1s + random_.below(60) * 1s);
      play_.say("namespace there");
    }
    for_each_vendor([this] { play_.say("installed"); });
    for_each_vendor([this] { add_workloads(); });
    if (random_.chance(0.3)) {  // from any state whatever
      play_.kill();
      for_each_vendor([this] {
        for (const std::string& node : play_.names()) scramble(node);
      });
      play_.start();
    }
    start_all();
    add_faults();
    for_each_vendor([this] { play_.say(fmt::format("version {}", vendor_.versions[1])); });
  }
  void add_workloads() {
    for (const std::string& node : play_.names()) {
      if (random_.chance(0.6)) {
        const int devices = 1 + static_cast<int>(random_.below(3));
        const bool is_job = random_.chance(0.3);
        play_.add_workload("train-" + node, 1, devices, node, is_job ? "kind=job" : "", random_.chance(0.2));
      }
      if (random_.chance(0.25)) play_.say(fmt::format("budget train-{} 1", node));
      if (random_.chance(0.3)) play_.add_workload("web-" + node, 1, 0, node, "", false);
      if (random_.chance(0.15)) play_.add_pod("notebook-" + node, 1, node, "forever:1", "");
      if (random_.chance(0.05)) play_.add_workload("pinned-" + node, 1, 1, node, "", false, true);
    }
  }
  void set_images() {
    play_.say("images as usual");
    play_.say("image forever:* wait forever");
    for_each_vendor([this] { play_.say_all(furnishing().key); });
  }
  void create_policy(std::string_view version) {
    play_.say(fmt::format("policy {} {}", version, vendor_.any_upgrade_policy(random_)));
    play_.say_all(furnishing().value);
  }

  void add_faults() {
    using sim::FaultKind;
    for (const sim::FaultRow& row : sim::all_faults()) {
      const bool hides =
          row.fault == FaultKind::StaleWatch || row.fault == FaultKind::WatchStall || row.fault == FaultKind::Slow;
      if (!row.is_between || (hides && !is_harsh_) || random_.chance(0.4)) continue;
      const bool is_rare = row.fault == FaultKind::WatchStall || row.fault == FaultKind::Gone410;
      play_.luck.add({.fault = row.fault,
                      .probability = is_rare ? 0.002 : 0.02,
                      .span = std::chrono::seconds(1 + random_.below(is_harsh_ ? 20 : 3))});
    }
  }

  // Marks that contradict each other and everything else.
  void scramble(const std::string& node) {
    json::Members labels;
    json::Members annotations;
    json::Members spec;
    const bool has_state = !random_.chance(0.2);
    if (!vendor_.state_label.empty())
      labels[vendor_.state_label] = has_state ? json::Value(any_state()) : json::Value();
    if (random_.chance(0.7)) annotations[kRecord] = any_record(node);
    const bool has_note = random_.chance(0.2);
    for (const std::string_view key : {vendor_.found_cordoned_annotation, vendor_.cordon_annotation}) {
      if (has_note && !key.empty()) annotations[key] = "true";
    }
    if (random_.chance(0.3)) labels[vendor_.a_gate] = vendor_.gate_closed;
    if (random_.chance(0.5)) spec["unschedulable"] = true;
    if (random_.chance(0.2)) spec["taints"] = json::Array{{{"key", kTaint}, {"effect", "NoSchedule"}}};
    play_.set_node(
        "person", node,
        json::Members{{"metadata", json::Members{{"labels", labels}, {"annotations", annotations}}}, {"spec", spec}});
  }

  json::Value any_record(const std::string& node) {
    const sim::Stored stored = play_.node(node);
    return any_forged_record(random_, vendor_, stored ? kube::uid_of(*stored) : "", play_.world.loop.wall());
  }

  // ---- the trouble

  void meddle() {
    // A claim for another kind would never end: only `calm_down` can take it away.
    static const std::vector<void (SwarmRun::*)()> kOperations = {
        &SwarmRun::cordon,         &SwarmRun::uncordon,       &SwarmRun::relabel,      &SwarmRun::touch_record,
        &SwarmRun::change_version, &SwarmRun::change_version, &SwarmRun::pause,        &SwarmRun::resume,
        &SwarmRun::resume,         &SwarmRun::policy_goes,    &SwarmRun::policy_comes, &SwarmRun::policy_comes,
        &SwarmRun::policy_changes, &SwarmRun::delete_driver,  &SwarmRun::budget,       &SwarmRun::skip,
        &SwarmRun::node_goes,      &SwarmRun::node_comes,     &SwarmRun::power,        &SwarmRun::power,
        &SwarmRun::hold,           &SwarmRun::request,        &SwarmRun::kill_one,     &SwarmRun::start_all,
        &SwarmRun::start_all,      &SwarmRun::mend,           &SwarmRun::gate,         &SwarmRun::foreigner,
        &SwarmRun::outage,         &SwarmRun::refuse,         &SwarmRun::accept,       &SwarmRun::accept,
        &SwarmRun::wrong_clock,    &SwarmRun::definition,     &SwarmRun::taint,        &SwarmRun::untaint,
        &SwarmRun::untaint};
    if (vendors_.size() > 1) turn_to(*vendors_[random_.below(vendors_.size())]);
    const std::size_t deed = random_.below(kOperations.size() + vendor_.troubles.size());
    if (deed < kOperations.size()) return (this->*kOperations[deed])();
    say_all(vendor_.troubles[deed - kOperations.size()]);
    play_.checker->note("fate", "trouble of the vendor's own");
  }

  void cordon() { play_.say("person cordons " + any_node()); }
  void uncordon() { play_.say("person uncordons " + any_node()); }
  void relabel() {
    const std::string node = any_node();
    play_.say(fmt::format("state {} {}", node, random_.chance(0.2) ? "none" : any_state()));
  }
  void touch_record() {
    const std::string node = any_node();
    play_.set_node("person", node, {{"metadata", {{"annotations", {{kRecord, any_record(node)}}}}}});
  }
  void change_version() { play_.say(fmt::format("version {}", one_of(vendor_.versions))); }
  void pause() { play_.say("pause"); }
  void resume() { play_.say("resume"); }
  void policy_goes() { play_.say("policy gone"); }
  void policy_comes() { create_policy(one_of(vendor_.versions)); }
  void policy_changes() { play_.say("upgrade-policy " + vendor_.any_upgrade_policy(random_)); }
  // Not under workloads where it takes the driver with it: the pod that comes would wait for them, and it is not
  // asked what it waits for.
  void delete_driver() {
    const std::string node = any_node();
    for (const sim::Stored& pod : play_.world.store().pods_on(node)) {
      if (!vendor_.agent_asks_first && uses_device(vendor_, *pod) && !is_finished(*pod)) return;
    }
    play_.delete_driver_pod(node);
  }
  void budget() {
    const std::string name = "train-" + any_node();
    play_.say(fmt::format("budget {} {}", name, random_.chance(0.5) ? "gone" : "1"));
  }
  void skip() {
    const std::string node = any_node();
    play_.say(fmt::format("label {} {}={}", node, vendor_.skip_label, random_.chance(0.5) ? "true" : ""));
  }
  void node_goes() {
    const std::string node = any_node();
    if (play_.names().size() <= 2 || off_.contains(node)) return;
    play_.say("delete node " + node);
  }
  void node_comes() {
    const bool has_both = vendors_.size() > 1 && random_.chance(0.5);
    play_.say(fmt::format("add node {}-{}", has_both ? "both" : vendor_.name, 1 + random_.below(5)));
  }
  void power() {
    const std::string node = any_node();
    auto what = random_.below(3);
    if (off_.contains(node)) what = 1;
    if (what == 1 && off_.erase(node) == 0) return;
    if (what == 0) off_.insert(node);
    if (what != 1) play_.machine_goes_down(node);
    if (what == 0) play_.kubelets.power_off(node);
    if (what == 1) play_.kubelets.power_on(node);
    if (what == 2) play_.kubelets.reboot(node);
    play_.checker->note("fate", fmt::format("{}  power {}", node, what == 0 ? "off" : what == 1 ? "on" : "cycle"));
  }
  void hold() {
    const std::string node = any_node();
    play_.say(fmt::format("annotate {} {}={}", node, kHold, random_.chance(0.3) ? "maria" : ""));
  }
  void request() { play_.say(fmt::format("annotate {} {}=true", any_node(), vendor_.request_annotation)); }
  void kill_one() {
    play_.checker->note("fate", "an operator is killed");
    play_.kill(random_.below(2));
  }
  void start_all() {
    play_.start(0);
    if (has_leases_) play_.start(1);  // without leases there is only one
  }
  void mend() {
    set_images();
    for_each_vendor([this] { play_.say_all(vendor_.mends); });
    play_.checker->note("fate", "what was broken is mended");
  }
  void gate() {
    const std::string node = any_node();
    if (!play_.node(node) || play_.state(node).empty()) return;  // then it could not be known as one of ours
    const std::string_view value = random_.chance(0.5) ? vendor_.gate_closed : "true";
    play_.say(fmt::format("label {} {}={}", node, vendor_.a_gate, value));
  }
  // Shorter and longer than every limit; a leader that loses its lease ends, and is started again.
  void outage() {
    play_.say("api away");
    play_.world.run_for(5s + random_.below(random_.chance(0.2) ? 900 : 120) * 1s);
    play_.say("api back");
    start_all();
  }
  void refuse() {
    static constexpr std::array kWhat = {"cordons",   "uncordons",  "nodes",  "evictions",
                                         "deletions", "daemonsets", "status", "events"};
    play_.say(fmt::format("api refuses {}", one_of(kWhat)));
  }
  void accept() { play_.say("api refuses nothing"); }
  void wrong_clock() {
    static constexpr std::array kOff = {"1h", "-1h", "0s", "100s"};
    kill_one();
    play_.say(fmt::format("clock {}", one_of(kOff)));
    start_all();
  }
  void definition() {
    play_.say("definition gone");
    play_.world.run_for(1s + random_.below(600) * 1s);
    play_.say("definition back");
    play_.world.run_for(1s);
    if (random_.chance(0.8)) policy_comes();
  }
  void taint() { play_.say("taint " + any_node()); }
  void untaint() { play_.say("untaint " + any_node()); }
  void foreigner() { play_.competing_operator(random_.chance(0.3)); }

  // ---- the end

  void calm_down() {
    play_.the_trouble_ends();
    play_.luck.clear();
    accept();
    mend();
    for_each_vendor([this] { end_trouble(); });
    play_.start(0);
    // An answer that was on its way may still cost it its lease; then its kubelet starts it again.
    play_.world.run_for(std::chrono::seconds(30));
    play_.start(0);
  }
  void end_trouble() {
    play_.competing_operator(false);
    const bool budgets_go = random_.chance(0.5);
    for (const std::string& node : play_.names()) {
      if (off_.contains(node)) play_.kubelets.power_on(node);
      // A claim of another kind would stay for ever.
      const NodeMarks marks = marks_of(vendor_, *play_.node(node));
      if (marks.claim && !is_served(marks.claim->kind)) play_.say(fmt::format("record {} removed", node));
      play_.say(fmt::format("label {} {}=", node, vendor_.skip_label));
      play_.say("untaint " + node);
      if (budgets_go) play_.say(fmt::format("budget train-{} gone", node));
    }
    if (random_.chance(0.85)) {
      if (!play_.policy()) policy_comes();
      resume();
      if (random_.chance(0.5)) change_version();
    } else {
      random_.chance(0.5) ? policy_goes() : void(play_.say("definition gone"));
    }
  }
  bool is_served(std::string_view kind) const {
    return std::any_of(vendors_.begin(), vendors_.end(), [&](const Vendor* one) { return one->kind == kind; });
  }

  std::span<const Vendor* const> vendors_;
  Vendor vendor_;  // whom the trouble is about
  std::uint64_t seed_;
  base::Random random_;
  bool is_harsh_;
  bool has_leases_;
  std::set<std::string> off_;  // machines without power
  Play play_;
};

}  // namespace

SwarmResult swarm(std::span<const Vendor* const> vendors, std::uint64_t seed, const Bug* bug) {
  return SwarmRun(vendors, seed, bug).run();
}

}  // namespace drover::proof
