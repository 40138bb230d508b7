// The ReplicaSet controller: as many pods as asked for, no more and no fewer.
//
// At rest: which sets may find pods to adopt. The pods of a set are found by owner in the store, which costs as much as
// the set is large.
#pragma once

#include <set>
#include <string>
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
  void enqueue_owner(const kube::Object& pod);
  void offer_orphan(const kube::Object& pod);
  // The set's own pods, after adopting those that match and letting go of those that do not.
  std::expected<std::vector<Stored>, Rejection> claim(const kube::Object& set, const base::Selector& selector);
  Done resize(const kube::Object& set, const std::vector<Stored>& active);
  Done create_pods(const kube::Object& set, std::int64_t count);
  Done write_status(const kube::Object& set, const Done& resized);

  std::set<std::string> may_adopt_;  // sets that are new, or that a pod without a controller matches
};

}  // namespace drover::sim
