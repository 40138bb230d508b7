// Watches every commit of the embedded store and says which promise was broken by it.
//
// Reads API objects and simulated machines only: nothing here comes from the engine, and the vendor is a value
// (vendor.h). At rest: what each node looked like after its last commit, who cordoned it, what the policy asked for
// lately, and how often the operator did what to which node. The operator writes under the name kOperator.
//
// What an operator had not been shown when it asked for a write does not count against it (knowledge.h).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "door.h"
#include "facts.h"
#include "sim/kubelet.h"
#include "sim/world.h"

namespace drover::proof {

inline constexpr std::string_view kOperator = "drover";  // its transcripts say "operator"
inline constexpr std::string_view kAgent = "drover-agent";

// From what an operator is shown to what it makes of it.
inline constexpr base::Span kSettling = std::chrono::milliseconds(200);
// A driver that stops being ready may be back at once: it is told after half a minute.
inline constexpr base::Span kUntilToldBroken = std::chrono::seconds(45);

struct Breach {
  std::string invariant;  // "I3 foreign cordon"
  std::string what;
};

// What cannot be undone, by node.
struct Effects {
  int driver_deletes = 0;
  int evictions = 0;
  int deletes = 0;
  int cordons = 0;
  int driver_pods = 0;  // that came to the node
  bool operator==(const Effects&) const = default;
};

class Checker;

struct CheckerOptions {
  bool counts_writes = false;  // I24: only where nothing goes wrong and no user meddles
  bool knows_owners = false;   // the API server says who set what: then nothing that is written is believed instead
  // Other vendors in the same operator (checks_beside.cc).
  std::vector<const Vendor*> beside = {};
  Checker* chronicler = nullptr;  // whose chronicle this one's notes go to; it tells what is not the operator's
};

class Checker {
 public:
  Checker(const Vendor& vendor, sim::World& world, sim::Kubelets& kubelets, CheckerOptions options = {});
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  const std::vector<Breach>& breaches() const { return breaches_; }
  bool is_clean() const { return breaches_.empty(); }
  // The first breach and the last lines before it; "" when there is none.
  std::string report() const;
  const std::map<std::string, Effects>& effects() const { return effects_; }
  // Everything that matters to a story: state moves, cordons, removals, Events; one line each.
  const std::string& chronicle() const { return chronicle_; }
  void note(std::string_view actor, std::string_view what);
  // One of them runs, and the API server can be reached: only that time counts against pods.
  void operators_hear(bool they_do);
  void an_operator_starts() { ++starts_; }
  // The doors of all operators so far; those that are shut may still have a write under way.
  void look_through(std::function<std::vector<const Door*>()> doors) { doors_ = std::move(doors); }

  // The operator that has just written may not have known of it when it asked; of any, where none has.
  bool is_news(const Change& change, base::Span settling = kSettling) const;
  Change change_of(const sim::Commit& commit) const;

  // Of the operator, neither status nor Event nor lease.
  std::string last_operator_write() const { return last_operator_write_; }

  // At rest nothing of ours is left on any node but what a failure holds.
  void check_at_rest();
  // When the trouble is over every node has the driver that is wanted, unless one failed.
  // `others_halt`: what is away for other vendors may keep this one's rollout waiting.
  void check_drivers(bool others_halt = false);
  // The version that the node's kernel has; "" for none.
  std::string loaded_on(const std::string& node) const;
  void blame(std::string_view invariant, std::string what);
  // A node has failed, or its agent waits for ever.
  bool is_halted() const;
  bool has_ready_driver(const std::string& node) const;
  bool has_pod(const std::string& node, std::string_view uid) const;  // and it is to stay
  // Its agent waits for pods that are not evicted any more: a person's record says that the node was drained.
  bool is_blocked(const std::string& node) const;
  // A machine loses its power: until its node is known to be away, what pods say of it is old.
  void machine_goes_down(const std::string& node) { down_at_[node] = world_.loop.now(); }
  // From now on nothing goes wrong any more: a node that is taken and fails all the same does so without a cause.
  void the_trouble_ends() { calm_since_ = world_.loop.now(); }
  // An upgrade that people or fate meddle with costs more writes and Events.
  void meddled_with(const std::string& node);

 private:
  struct Tracked {
    NodeMarks marks;
    bool cordon_is_ours = false;        // an observer of every commit would say so
    bool cordon_was_set_by_us = false;  // and so the API server says
    bool cordon_is_unsure = false;      // one that missed some may say otherwise
    bool uncordon_is_written = true;    // the operator has said something of the node since
    Change changed_at = {};             // in whatever way, not by the operator
    Change uncordoned_at = {};          // not by the operator
    Change down_by_others_at = {};
    Change touched_at = {};         // not by the operator: label, record, annotations, cordon
    Change driver_deleted_at = {};  // by a person
    Change driver_lost_at = {};     // its pod serves no longer
    bool had_driver = false;
    Change wished_at = {};             // by its agent, the last time that it asked for room
    bool gates_may_be_others = false;  // a closed one, where its value does not say
    bool claim_is_others = false;      // a person wrote it, or changed it
    const sim::SimHost* machine = nullptr;
    std::deque<base::Instant> driver_deletes = {};  // in the last minute
    base::Instant claimed_at = {};
    bool has_failed = false;  // once, at some time
    bool touched_since_failed = true;
    bool policy_since_failed = true;
    int writes = 0;           // by the operator, since it was at rest
    int writes_in_phase = 0;  // that left it in its phase
    std::map<std::string, int> events = {};
    base::Span heard_before_phase = {};
    int starts_before_phase = 0;
    std::map<std::string, int> removals = {};  // by family of pods, under one claim
    std::set<std::string> proven = {};         // digests of drivers whose images are on the node
  };

  std::string& chronicle_to_write() {
    return options_.chronicler == nullptr ? chronicle_ : options_.chronicler->chronicle_;
  }
  void heard(const sim::Commit& commit);
  // The operator does it for another vendor (checks_beside.cc).
  bool is_for_another(const sim::Commit& commit) const;
  void heard_node(const sim::Commit& commit, bool ours);
  void heard_pod(const sim::Commit& commit, bool ours);
  void heard_policy(const sim::Commit& commit, bool ours);
  void heard_event(const sim::Commit& commit, bool ours);
  void heard_module(const std::string& node, const std::string& version, bool is_loaded);
  void listen_to_machine(const std::string& node, Tracked& tracked);

  // checks_node.cc
  void check_node_write(const kube::Object& before, const kube::Object& after, Tracked& node, const NodeMarks& now);
  void check_fields(const kube::Object& before, const kube::Object& after, const NodeMarks& was, const NodeMarks& now);
  void check_cordon(const Tracked& node, const NodeMarks& now);
  void check_admission(const NodeMarks& was, const NodeMarks& now);
  void check_done(const kube::Object& before, const NodeMarks& was, const NodeMarks& now);
  void check_sticky(const Tracked& node, const NodeMarks& now);
  void check_cause(Tracked& node, const NodeMarks& now);
  void check_way_back(const Tracked& node, const NodeMarks& now);
  void count_writes(Tracked& node, const NodeMarks& now);
  void check_ready(const kube::Object& policy);
  void follow_cordon(const sim::Commit& commit, Tracked& node, const NodeMarks& now, bool ours);
  void follow_record(Tracked& node, const NodeMarks& now, bool ours, bool changes_record, std::string_view asker);
  void tell_node(const NodeMarks& was, const NodeMarks& now, std::string_view asker);
  // checks_pod.cc
  void check_removal(const kube::Object& pod);
  void check_storm(Tracked& node);
  bool time_is_over(const Tracked& node, std::int64_t seconds) const;
  void check_timeout(const Tracked& node, const NodeMarks& now);
  void count_removals(const std::string& family, Tracked& node);
  void check_driver_removal(const kube::Object& pod, const Tracked& node);
  void check_driver_removal_alone(const std::string& about, const Tracked& node);
  void check_swap(const std::string& about, const Tracked& node);
  void check_workload_removal(const kube::Object& pod, const Tracked& node, bool evicted);
  void check_removal_terms(const std::string& about, const kube::Object& pod, const Tracked& node, bool evicted);

  // True when `fits` holds for none of the terms that the operator may have taken for those in force.
  bool no_terms(const std::function<bool(const Terms&)>& fits) const;
  base::Span heard() const { return heard_ + (hears_since_ ? world_.loop.now() - *hears_since_ : base::Span{}); }
  std::int64_t managed_nodes() const;
  // The policy has spoken since the node's driver pod was made: what the pod brings may not be what is wanted.
  bool driver_is_older_than_the_terms(const std::string& node) const;

  bool has_closed_gates(const Tracked& node, const NodeMarks& now) const {
    return now.has_paused_gates && (vendor_.closed_gates_are_ours || !node.gates_may_be_others);
  }

  const Vendor& vendor_;
  sim::World& world_;
  sim::Kubelets& kubelets_;
  CheckerOptions options_;
  int subscription_;
  std::map<std::string, Tracked> nodes_;
  std::vector<Change> nodes_gone_;
  std::map<std::string, base::Instant> down_at_;
  struct TermsSince {
    Change since;
    Terms terms;
  };
  std::deque<TermsSince> terms_;
  std::map<std::string, Effects> effects_;
  std::vector<Breach> breaches_;
  std::string chronicle_;
  std::string at_breach_;
  std::string last_operator_write_;
  base::Span heard_ = {};
  std::optional<base::Instant> hears_since_;
  std::optional<base::Instant> calm_since_;
  int starts_ = 0;
  std::function<std::vector<const Door*>()> doors_;
  std::optional<std::pair<std::string, std::string>> being_written_;  // by the operator, at this moment
};

}  // namespace drover::proof
