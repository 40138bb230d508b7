// Watches every commit of the embedded store and says which promise was broken by it.
//
// Reads API objects only (and, for "done is true", the simulated machine): nothing here comes from the engine. At rest:
// what each node looked like after its last commit, who cordoned it, what the policy asked for lately, and how often
// the operator did what to whom. The operator is whoever writes under the name kOperator.
//
// Nobody can act on what he has not heard yet. What people or fate changed less than `slack` ago may therefore still be
// unknown to the operator, and does not count against it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "facts.h"
#include "sim/world.h"

namespace drover::proof {

inline constexpr std::string_view kOperator = "operator";
inline constexpr std::string_view kVendorsOperator = "nvidia-operator";  // plays the one that we take over from

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
  bool operator==(const Effects&) const = default;
};

struct CheckerOptions {
  base::Span slack = std::chrono::seconds(1);
  bool counts_writes = false;  // I24: only where nothing goes wrong and nobody meddles
  bool sees_all = true;        // the operator heard of everything in time: a person's cordon is always noticed
};

class Checker {
 public:
  using Loaded = std::function<std::string(const std::string& node)>;
  Checker(sim::World& world, Loaded loaded, CheckerOptions options = {});
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

  // Writes of the operator that are neither status, Events nor leases.
  std::uint64_t operator_writes() const { return operator_writes_; }
  std::string last_operator_write() const { return last_operator_write_; }

  // At rest nothing of ours is left on any node but what a failure holds.
  void check_at_rest();
  void blame(std::string_view invariant, std::string what);
  bool has_ready_driver(const std::string& node) const;
  // A machine loses its power: until its node is known to be away, what pods say of it is old.
  void machine_goes_down(const std::string& node) { down_at_[node] = world_.loop.now(); }

 private:
  struct Tracked {
    NodeMarks marks;
    bool cordon_is_ours = false;       // whoever looked at every commit would say so
    bool cordon_is_unsure = false;     // whoever did not may say otherwise
    base::Instant uncordoned_at = {};  // by somebody else
    base::Instant down_by_others_at = {};
    base::Instant touched_at = {};         // by somebody else: label, record, annotations, cordon
    base::Instant driver_deleted_at = {};  // by a person
    base::Instant wished_at = {};          // by its agent, the last time that it asked for room
    bool touched_since_failed = true;
    bool policy_since_failed = true;
    int writes = 0;  // by the operator, since it was at rest
    std::map<std::string, int> events = {};
    std::set<std::string> proven = {};  // digests of drivers whose images are on the node
  };

  void heard(const sim::Commit& commit);
  void heard_node(const sim::Commit& commit, bool ours);
  void heard_pod(const sim::Commit& commit, bool ours);
  void heard_policy(const sim::Commit& commit, bool ours);
  void heard_event(const sim::Commit& commit, bool ours);

  // checks_node.cc
  void check_node_write(const kube::Object& before, const kube::Object& after, Tracked& node, const NodeMarks& now);
  void check_fields(const kube::Object& before, const kube::Object& after, const NodeMarks& was, const NodeMarks& now);
  void check_cordon(const Tracked& node, const NodeMarks& now);
  void check_admission(const NodeMarks& was, const NodeMarks& now);
  void check_done(const kube::Object& before, const NodeMarks& was, const NodeMarks& now);
  void check_sticky(const Tracked& node, const NodeMarks& now);
  void follow_cordon(Tracked& node, const NodeMarks& now, bool ours, std::string_view asker);
  void tell_node(const NodeMarks& was, const NodeMarks& now, std::string_view asker);
  // checks_pod.cc
  void check_removal(const kube::Object& pod);
  void check_driver_removal(const kube::Object& pod, const Tracked& node);
  void check_driver_removal_alone(const std::string& about, const Tracked& node);
  void check_workload_removal(const kube::Object& pod, const Tracked& node, bool evicted);

  // True when `fits` holds for no terms that were in force within the slack.
  bool no_terms(const std::function<bool(const Terms&)>& fits) const;
  bool is_recent(base::Instant at) const;
  std::int64_t managed_nodes() const;
  // The policy has spoken since the node's driver pod was made: what the pod brings may not be what is wanted.
  bool driver_is_older_than_the_terms(const std::string& node) const;

  sim::World& world_;
  Loaded loaded_;
  CheckerOptions options_;
  int subscription_;
  std::map<std::string, Tracked> nodes_;
  std::vector<base::Instant> nodes_gone_;
  std::map<std::string, base::Instant> down_at_;
  struct TermsSince {
    base::Instant since;
    Terms terms;
  };
  std::deque<TermsSince> terms_;
  std::map<std::string, Effects> effects_;
  std::vector<Breach> breaches_;
  std::string chronicle_;
  std::string at_breach_;
  std::uint64_t operator_writes_ = 0;
  std::string last_operator_write_;
};

}  // namespace drover::proof
