// The ReplicaSet controller: as many pods as asked for, no more and no fewer.
//
// At rest: which sets may find pods to adopt, and of every pod that has a set the little that its set counts: a set of
// a thousand pods is looked at many times while they start, and reading a thousand pods each time is most of the work.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/selector.h"
#include "sim/controllers/controller.h"

namespace drover::sim {

class ReplicaSetController final : public Controller {
 public:
  explicit ReplicaSetController(ControlPlane plane);

 protected:
  std::vector<std::string> interests() const override { return {"replicasets.apps", "pods"}; }
  void heard(const Commit& commit) override;
  Done sync(const std::string& key) override;

 private:
  // What is remembered of a pod.
  struct Member {
    std::shared_ptr<const json::Value> labels;  // one for all that have the same
    bool is_active = false;
    bool is_terminal = false;
    bool is_being_deleted = false;
    std::optional<base::WallTime> ready_since;
  };
  using Members = std::map<std::string, Member>;  // by "ns/name"

  void remember(const kube::Object& pod);
  void forget_pod(const kube::Object& pod);
  const Members& members_of(const kube::Object& set) const;
  void enqueue_owner(const kube::Object& pod);
  void offer_orphan(const kube::Object& pod);
  // Adopts those that match and lets go of those that do not.
  Done claim(const kube::Object& set, const base::Selector& selector);
  Done resize(const kube::Object& set);
  Done remove_pods(const kube::Object& set, std::int64_t count);
  Done create_pods(const kube::Object& set, std::int64_t count);
  Done write_status(const kube::Object& set, const Done& resized);

  std::unordered_map<std::string, Members> members_;  // by the set's uid; looked up only
  std::set<std::string> may_adopt_;                   // sets that are new, or that a pod without a controller matches
};

}  // namespace drover::sim
