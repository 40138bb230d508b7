// A whole cluster in one process: API server, controllers, scheduler; in virtual time a whole world from one seed.
//
//   World world(7);
//   auto& api = world.api("operator");   // what a client holds
//   world.run_for(std::chrono::minutes(10));
//   std::cout << world.transcript();
//
// EmbeddedCluster runs on any base::Loop; World is the same on a VirtualLoop, with a transcript. Kubelets, hosts and
// faults are attached from outside: they use the API like every other client.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop.h"
#include "base/random.h"
#include "base/virtual_loop.h"
#include "sim/controllers/controller.h"
#include "sim/controllers/node_lifecycle.h"
#include "sim/server.h"
#include "sim/store_api.h"
#include "sim/transcript.h"

namespace drover::sim {

class DaemonSetController;
class Scheduler;

struct ClusterOptions {
  std::uint64_t seed = 1;
  NodePatience patience = {};
  // Between a commit and a controller's reaction.
  base::Span reaction = std::chrono::milliseconds(20);
  DoorTiming door = {};
};

class EmbeddedCluster {
 public:
  explicit EmbeddedCluster(base::Loop& loop, ClusterOptions options = {});
  ~EmbeddedCluster();
  EmbeddedCluster(const EmbeddedCluster&) = delete;
  EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

  base::Loop& loop() { return loop_; }
  Server& server() { return server_; }
  const Store& store() const { return server_.store(); }
  Events& events() { return events_; }
  // The API of one client; the same for the same name.
  StoreApi& api(const std::string& client);
  // A stream of chance that depends on the seed and the label only.
  base::Random random(std::string_view label) const { return random_.fork(label); }

  // Stops all controllers, as if the controller manager and the scheduler had died; and starts them again, with no
  // memory.
  void stop_controllers();
  void start_controllers();

  // For measurements; nothing while the controllers are stopped.
  const DaemonSetController* daemonsets() const { return daemonsets_; }
  const Scheduler* scheduler() const { return scheduler_; }

 private:
  template <class T, class... Args>
  T* add(Args&&... args);

  base::Loop& loop_;
  ClusterOptions options_;
  base::Random random_;
  Server server_;
  Events events_;
  std::map<std::string, std::unique_ptr<StoreApi>> doors_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  DaemonSetController* daemonsets_ = nullptr;
  Scheduler* scheduler_ = nullptr;
};

struct WorldOptions {
  ClusterOptions cluster = {};
  bool keeps_transcript = true;
};

class World {
 public:
  explicit World(WorldOptions options = {});
  explicit World(std::uint64_t seed) : World(WorldOptions{.cluster = {.seed = seed}}) {}

  base::VirtualLoop loop;
  EmbeddedCluster cluster;

  Server& server() { return cluster.server(); }
  const Store& store() const { return cluster.store(); }
  StoreApi& api(const std::string& client) { return cluster.api(client); }

  void run_for(base::Span span) { loop.run_for(span); }
  bool run_until(const std::function<bool()>& condition, base::Span at_most) {
    return loop.run_until(condition, at_most);
  }

  // "" when none is kept.
  const std::string& transcript() const;
  // A line of the caller's own in the transcript.
  void note(std::string_view actor, std::string_view what);

 private:
  std::optional<Transcript> transcript_;
};

}  // namespace drover::sim
