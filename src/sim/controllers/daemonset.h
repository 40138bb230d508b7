// The DaemonSet controller: one pod on every node that fits, replaced by hand (OnDelete) or in turn (RollingUpdate).
//
// At rest: per DaemonSet a Fleet, per node of it a Seat with its pods and with what the seat last contributed to the
// sums. A pod's event touches one seat; only a new template or the DaemonSet's first sight walks all of them. The sums
// are the status, the rollout states are what a rolling update chooses from. Placement is decided here by selector,
// affinity and taints, and done by the scheduler, because every pod names its node by affinity; resources are the
// scheduler's business alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/selector.h"
#include "sim/controllers/controller.h"

namespace drover::sim {

class DaemonSetController final : public Controller {
 public:
  explicit DaemonSetController(ControlPlane plane);
  ~DaemonSetController() override;

  // How many seats were looked at so far: the measure of work, which must grow with events and not with nodes times
  // events.
  std::uint64_t seats_counted() const { return seats_counted_; }

 protected:
  std::vector<std::string> interests() const override;
  void heard(const Commit& commit) override;
  Done sync(const std::string& key) override;

 private:
  // What is remembered of a pod.
  struct DaemonPod {
    std::string name;
    std::string uid;
    std::string created;
    std::string hash;
    std::string generation;
    std::string_view phase;  // one of the literals in daemonset.cc
    bool bound = false;
    bool deleting = false;
    std::optional<base::WallTime> ready_since;
  };

  // The rollout state of a seat, by its pods that are not being deleted.
  enum class RolloutState {
    Vacant,       // no pod at all
    Leaving,      // only pods that are being deleted
    Excess,       // more pods than an update can judge
    Fresh,        // the new pod, available
    Starting,     // the new pod, not available yet
    Outdated,     // the old pod, available
    Broken,       // the old pod, not available
    SurgeWaits,   // both, the new one not available yet
    SurgeIsDone,  // both, the new one available
  };

  // What one seat adds to the DaemonSet's status.
  struct Sums {
    int desired = 0;
    int current = 0;
    int ready = 0;
    int available = 0;
    int updated = 0;
    int misscheduled = 0;
    void add(const Sums& other, int sign);
  };

  struct Seat {
    bool node_exists = false;
    bool should_run = false;
    bool may_stay = false;
    std::vector<DaemonPod> pods;  // the one that counts first
    Sums counted;
    RolloutState state = RolloutState::Vacant;
    int failures = 0;  // pods deleted here because they failed
    std::optional<base::Instant> failed_at;
  };

  struct Fleet {
    std::string uid;
    bool unread = true;         // nodes and pods are still to be looked at
    bool history_stale = true;  // revisions are still to be looked at
    std::int64_t generation = 0;
    std::string hash;
    std::string template_generation;
    base::Selector selector;
    bool surges = false;
    base::Span min_ready{};
    json::Value fit_spec;  // the template's spec with the tolerations that daemons have
    kube::Object pod;      // what is created, but for the node's name
    std::vector<Stored> old_revisions;

    std::map<std::string, Seat> seats;                         // by node
    std::unordered_map<std::string, std::string> node_of_pod;  // looked up only
    std::map<std::string, int> pods_of_hash;                   // how many pods were made from each revision
    std::set<std::string> unfit;                               // nodes whose fitness is to be judged again
    std::set<std::string> dirty;                               // nodes whose seat is to be managed
    std::set<std::string> uncounted;                           // nodes whose seat is to be counted
    std::set<std::string> orphans;                             // pods that match and have no controller
    std::set<std::string> strays;                              // pods of ours that match no longer
    std::multimap<base::Instant, std::string> look_again;      // nodes, when time alone will change them
    Sums sums;
    std::map<RolloutState, std::set<std::string>> by_state;  // nodes by rollout state, except Fresh and Vacant
  };

  void heard_node(const Commit& commit);
  void heard_pod(const Commit& commit);
  void heard_daemonset(const Commit& commit);
  void heard_revision(const Commit& commit);
  void offer_orphan(const kube::Object& pod);
  Fleet* fleet_of(const kube::Object& owned, std::string& key);
  static void put_pod(Fleet& fleet, const kube::Object& pod);
  static void touch(Fleet& fleet, const std::string& node);
  static void drop_pod(Fleet& fleet, const std::string& name);

  void read_everything(Fleet& fleet, const kube::Object& ds);
  Done claim_pods(Fleet& fleet, const kube::Object& ds);
  Done learn_template(Fleet& fleet, const kube::Object& ds);
  void judge_fitness(Fleet& fleet, const std::string& node);
  void recount(Fleet& fleet);
  void recount_seat(Fleet& fleet, const std::string& node);
  RolloutState rollout_state_of(const Fleet& fleet, const Seat& seat, base::WallTime now) const;
  bool is_available(const Fleet& fleet, const DaemonPod& pod, base::WallTime now) const;
  static bool is_updated(const Fleet& fleet, const DaemonPod& pod);

  Done manage(Fleet& fleet, const kube::Object& ds);
  Done manage_seat(Fleet& fleet, const kube::Object& ds, const std::string& node);
  Done prune_excess(Fleet& fleet, const kube::Object& ds, const Seat& seat);
  Done roll(Fleet& fleet, const kube::Object& ds);
  Done roll_in_place(Fleet& fleet, const kube::Object& ds, std::int64_t max_unavailable);
  Done roll_by_surge(Fleet& fleet, const kube::Object& ds, std::int64_t max_surge);
  Done create_pod(Fleet& fleet, const kube::Object& ds, const std::string& node);
  Done delete_pod(const kube::Object& ds, const DaemonPod& pod);
  bool failed_pod_may_go(Fleet& fleet, Seat& seat, const std::string& node);
  Done trim_history(Fleet& fleet, const kube::Object& ds);
  Done write_status(const Fleet& fleet, const kube::Object& ds);

  std::map<std::string, Fleet> fleets_;  // by "ns/name"
  std::uint64_t seats_counted_ = 0;
};

}  // namespace drover::sim
