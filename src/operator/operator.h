// drover itself: watches nodes and policies, and runs a pass whenever something changed.
//
// One thread, any kube::Api, any base::Loop: the same object runs on a real cluster in real time and on the embedded
// one in virtual time. Everything that must survive it is on the API server.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/loop.h"
#include "base/random.h"
#include "kube/api.h"
#include "kube/cache.h"
#include "kube/event_recorder.h"
#include "kube/heard_api.h"
#include "kube/leader.h"
#include "kube/reflector.h"
#include "observe/node_facts.h"
#include "operator/controller.h"
#include "operator/settings.h"

namespace drover::operate {

class Operator {
 public:
  // `lost` is called when another one has become the leader: the process should end.
  Operator(kube::Api& api, base::Loop& loop, const base::Random& random, Settings settings,
           std::function<void()> lost = {});
  ~Operator();
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  void start();
  // Gives the lease back; nothing is begun any more.
  void stop(std::function<void()> done);

  bool is_synced() const;
  // The API server serves the policies of at least one vendor.
  bool knows_a_policy_kind() const;
  bool is_leader() const;
  // Another replica leads; nothing is watched but the lease.
  bool stands_by() const;
  const std::vector<std::unique_ptr<Controller>>& controllers() const { return controllers_; }
  std::uint64_t passes() const { return passes_; }
  // Since the API server was last heard about nodes; nothing before the first time.
  std::optional<base::Span> silent_for() const;

 private:
  void look();
  void watch_nodes();
  bool learn_labels();
  void wake();
  void run();

  kube::HeardApi api_;
  base::Loop& loop_;
  base::Random random_;
  Settings settings_;
  std::set<std::string> label_keys_;  // of nodes, by which policies select
  kube::Cache<observe::NodeFacts> nodes_;
  std::unique_ptr<kube::Reflector> node_reflector_;
  kube::EventRecorder events_;
  std::unique_ptr<kube::LeaderElection> election_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  std::uint64_t passes_ = 0;
  bool is_woken_ = false;
  bool is_stopped_ = false;
  std::optional<base::Instant> trouble_at_ = {};  // of watching nodes, the last
  base::Timer next_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace drover::operate
