// The scheduler: finds each waiting pod a node and binds it there.
//
// At rest: per node a Room (what it can hold and what it holds), and the pods that wait, those pinned to one node by
// name apart from the others. A pod that names its node costs one look at that node; any other is shown the nodes from
// the least loaded on, until one will do. Filters as in Kubernetes, in its order and in its words: unschedulable,
// taints, affinity, resources, anti-affinity by hostname. So the least loaded node that will do wins, then the first by
// name. Nothing is preempted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "kube/quantity.h"
#include "sim/controllers/controller.h"

namespace drover::sim {

class Scheduler final : public Controller {
 public:
  explicit Scheduler(ControlPlane plane);

  // How many (pod, node) pairs were looked at so far.
  std::uint64_t looks() const { return looks_; }

 protected:
  std::vector<std::string> interests() const override { return {"nodes", "pods"}; }
  void heard(const Commit& commit) override;
  Done sync(const std::string& key) override;

 private:
  using Amounts = kube::Amounts;

  struct Room {
    Stored node;  // what pods may mind of it; nothing while only they told of it
    Amounts allocatable;
    Amounts used;
    std::set<std::string> pods;
    std::set<std::string> guards;           // pods with anti-affinity
    std::optional<std::int64_t> load = {};  // under which it stands in by_load_
  };
  struct Placed {
    std::string node;
    Amounts requests;
  };
  struct Waiting {
    std::string pinned;  // the one node it can go to, or ""
    std::uint64_t turn = 0;
    bool hopes_for_room = true;  // some node would do if other pods left it
  };
  // Why a node will not do; resolvable when removing other pods could help.
  struct Reason {
    std::string text;
    bool resolvable = false;
  };

  void heard_node(const Commit& commit);
  void heard_pod(const Commit& commit);
  void place(const std::string& key, const kube::Object& pod);
  void lift(const std::string& key);
  // Keeps by_load_ right after the node or what it holds has changed.
  void rank(const std::string& name, Room& room);
  void wait(const std::string& key, const kube::Object& pod);
  void stop_waiting(const std::string& key);
  // Tries again the pods that a change of the node, or only more free capacity on it, may help.
  void retry_for(const std::string& node, bool only_more_room);

  Done schedule(const std::string& key);
  std::optional<std::string> choose(const kube::Object& pod, std::string& why_not);
  std::optional<Reason> objection(const kube::Object& pod, const Amounts& requests, const Room& room);
  bool fenced_off(const kube::Object& pod, const Room& room) const;
  static std::int64_t load_of(const Room& room);
  Done bind(const kube::Object& pod, const std::string& node);
  Done tell_unschedulable(const kube::Object& pod, const std::string& why);

  std::map<std::string, Room> rooms_;
  std::set<std::pair<std::int64_t, std::string>> by_load_;  // rooms whose node exists
  std::size_t nodes_ = 0;                                   // rooms whose node exists
  std::unordered_map<std::string, Placed> placed_;          // looked up only
  std::map<std::string, Waiting> waiting_;
  std::map<std::string, std::set<std::string>> pinned_to_;  // waiting pods by node
  std::map<std::uint64_t, std::string> roaming_;            // waiting pods that any node might take, oldest first
  std::uint64_t turns_ = 0;
  std::uint64_t looks_ = 0;
};

}  // namespace drover::sim
