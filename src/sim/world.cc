#include "sim/world.h"

#include <utility>

#include "sim/controllers/daemonset.h"
#include "sim/controllers/deployment.h"
#include "sim/controllers/disruption.h"
#include "sim/controllers/garbage_collector.h"
#include "sim/controllers/job.h"
#include "sim/controllers/namespaces.h"
#include "sim/controllers/replicaset.h"
#include "sim/controllers/scheduler.h"

namespace drover::sim {

EmbeddedCluster::EmbeddedCluster(base::Loop& loop, ClusterOptions options)
    : loop_(loop),
      options_(options),
      random_(options.seed),
      server_(loop, random_.fork("server")),
      events_(loop, server_) {
  start_controllers();
}

EmbeddedCluster::~EmbeddedCluster() { stop_controllers(); }

StoreApi& EmbeddedCluster::api(const std::string& client) {
  auto& door = doors_[client];
  if (!door) door = std::make_unique<StoreApi>(server_, loop_, random_.fork("door of " + client), options_.door);
  return *door;
}

template <class T, class... Args>
T* EmbeddedCluster::add(Args&&... args) {
  ControlPlane plane{loop_, server_, events_, options_.reaction};
  auto made = std::make_unique<T>(plane, std::forward<Args>(args)...);
  T* controller = made.get();
  controllers_.push_back(std::move(made));
  return controller;
}

void EmbeddedCluster::start_controllers() {
  if (!controllers_.empty()) return;
  add<NamespaceController>();
  add<ServiceAccounts>();
  add<EventExpiry>();
  add<GarbageCollector>();
  add<NodeLifecycle>(options_.patience);
  add<TaintEviction>();
  add<PodCollector>();
  add<DisruptionController>();
  daemonsets_ = add<DaemonSetController>();
  add<DeploymentController>();
  add<ReplicaSetController>();
  add<JobController>();
  scheduler_ = add<Scheduler>();
  for (const auto& controller : controllers_) controller->start();
}

void EmbeddedCluster::stop_controllers() {
  daemonsets_ = nullptr;
  scheduler_ = nullptr;
  controllers_.clear();
}

World::World(WorldOptions options) : cluster(loop, options.cluster) {
  if (options.keeps_transcript) transcript_.emplace(loop, cluster.server());
}

const std::string& World::transcript() const {
  static const std::string kNone;
  return transcript_ ? transcript_->text() : kNone;
}

void World::note(std::string_view actor, std::string_view what) {
  if (transcript_) transcript_->note(actor, what);
}

}  // namespace drover::sim
