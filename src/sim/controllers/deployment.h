// The Deployment controller: a ReplicaSet per template, and the walk from the old ones to the new.
//
// Nothing at rest but the queue. One look gathers the Deployment and its ReplicaSets into a Rollout and takes one step;
// the next step follows from the events of this one. What was learnt on the way is written to the status once, at the
// end.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/selector.h"
#include "sim/controllers/controller.h"

namespace drover::sim {

class DeploymentController final : public Controller {
 public:
  explicit DeploymentController(ControlPlane plane);

 protected:
  std::vector<std::string> interests() const override { return {"deployments.apps", "replicasets.apps", "pods"}; }
  void heard(const Commit& commit) override;
  Done sync(const std::string& key) override;

 private:
  // One Deployment and its ReplicaSets, as this look sees them.
  struct Rollout {
    Stored seen;
    kube::Object deployment;  // the status that will be written is made here
    std::int64_t replicas = 1;
    std::int64_t max_surge = 0;
    std::int64_t max_unavailable = 0;
    bool recreates = false;
    Stored fresh;             // nothing until it exists
    std::vector<Stored> old;  // oldest first
    std::vector<Stored> all() const;
  };

  std::expected<Rollout, Rejection> gather(const Stored& deployment);
  std::expected<std::vector<Stored>, Rejection> claim(const kube::Object& deployment, const base::Selector& selector);
  // The ReplicaSet of the present template: found and brought up to date, or (if `may_create`) made.
  Done find_or_make_fresh(Rollout& rollout, bool may_create);
  Done update_fresh(Rollout& rollout, std::int64_t revision);
  Done make_fresh(Rollout& rollout, std::int64_t revision);
  Done set_revision(Rollout& rollout, std::int64_t revision);
  void note_pause(Rollout& rollout);

  bool was_scaled(const Rollout& rollout) const;
  Done scale_all(Rollout& rollout);
  Done scale_in_proportion(Rollout& rollout);
  // True when it changed something, so that the rest waits for the next look.
  std::expected<bool, Rejection> grow_fresh(Rollout& rollout);
  Done shrink_old(Rollout& rollout);
  Done recreate(Rollout& rollout);
  Done scale_to(Rollout& rollout, Stored& set, std::int64_t replicas);
  bool old_pods_run(const Rollout& rollout) const;
  Done trim_history(Rollout& rollout);
  Done write_status(Rollout& rollout, bool judges_progress);
  void judge_progress(Rollout& rollout, const kube::Object& before);

  std::set<std::string> may_adopt_;
};

}  // namespace drover::sim
