// The Job controller: pods that end, counted exactly once.
//
// At rest: per Job how often its pods failed since the last success, for the back-off (forgotten with a restart, as in
// Kubernetes). Counting is three steps that survive an interruption between any two: a finished pod's uid goes into
// uncountedTerminatedPods, its finalizer is taken off, and only then it moves into succeeded or failed. Completion
// indexes and pod failure policies are not known here: an Indexed Job runs like any other.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/controllers/controller.h"

namespace drover::sim {

class JobController final : public Controller {
 public:
  explicit JobController(ControlPlane plane);

 protected:
  std::vector<std::string> interests() const override { return {"jobs.batch", "pods"}; }
  void heard(const Commit& commit) override;
  Done sync(const std::string& key) override;

 private:
  struct Failures {
    int in_a_row = 0;
    std::optional<base::Instant> last_at;
  };
  // A verdict on the Job: the condition that announces it, and the one that ends it when its last pod is gone.
  struct Verdict {
    bool success = false;
    std::string reason;
    std::string message;
  };
  // One Job and its pods, as this look sees them.
  struct Look {
    std::string key;
    Stored seen;
    kube::Object job;  // the status that will be written is made here
    std::vector<Stored> pods;
    std::int64_t succeeded = 0;  // counted, about to be counted, and just finished
    std::int64_t failed = 0;
    std::vector<Stored> just_succeeded;
    std::vector<Stored> just_failed;
    std::optional<Verdict> verdict;
    std::int64_t active() const;
    bool suspended() const;
    bool replaces_only_failed() const;
  };

  Look gather(const std::string& key, const Stored& job) const;
  void remember_failures(const Look& look);
  std::optional<Verdict> failure(Look& look);
  Done manage(Look& look);
  Done create_pods(Look& look, std::int64_t count);
  Done delete_pods(Look& look, const std::vector<Stored>& pods);
  void note_suspension(Look& look);
  Done count(Look& look);
  void put_on_record(Look& look) const;
  Done release_finished(Look& look);
  void move_released(Look& look) const;
  void refresh_numbers(Look& look) const;
  bool enact(Look& look);
  Done write_status(Look& look);
  Done release(const kube::Object& pod);
  Done release_orphan(const std::string& pod_key);
  Done retire(const std::string& key, const kube::Object& job);

  std::map<std::string, Failures> failures_;
};

// Does the Job controller still hold this pod, so that it cannot vanish uncounted?
bool is_tracked_by_job(const kube::Object& pod);

}  // namespace drover::sim
