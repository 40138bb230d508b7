// Fault injection: everything that can be made to go wrong, by name.
//
// One table has all names, for scenarios, seeds and the command line. Faults between a client and the API server are
// injected by FaultyApi, a kube::Api around another one; faults of nodes, hosts and users by the code that simulates
// them (sim/world.h, sim/kubelet.h, sim/sim_host.h), under the same names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop.h"
#include "base/random.h"
#include "base/result.h"
#include "kube/api.h"
#include "sim/server.h"

namespace drover::sim {

enum class FaultKind {
  LostAnswer,
  NeverSent,
  Conflict,
  Throttled,
  ServerError,
  Slow,
  StaleWatch,
  WatchStall,
  WatchCut,
  Gone410,
  DuplicateEvent,
  OperatorDies,
  LeaderPaused,
  NodeNeverReturns,
  NodeDeleted,
  NodeNotReady,
  DiskFull,
  TornWrite,
  ClockJumps,
  ImageMissing,
  ContainerCrashes,
  BudgetNeverYields,
  PersonCordons,
  PersonUncordons,
};

struct FaultRow {
  FaultKind fault;
  std::string_view name;      // "lost-answer"
  bool is_between;            // between a client and the API server: FaultyApi does it
  std::string_view sentence;  // what it does, for people
};

// All faults, in the order of the enum.
std::span<const FaultRow> all_faults();
std::string_view name(FaultKind kind);
// The error lists the names that exist.
base::Result<FaultKind> parse_fault_kind(std::string_view name);

// When a fault is injected. Empty fields match everything.
struct FaultRule {
  FaultKind fault = FaultKind::LostAnswer;
  std::string verb =
      {};  // "get", "create", "replace", "patch", "delete", "evict", "list", "watch", or "write" for all that change
  std::string resource = {};  // "nodes", "daemonsets.apps"
  std::string ns = {};
  std::string name = {};
  int nth = 0;  // the nth fitting occurrence only, from 1; 0: every one, by chance
  double probability = 1.0;
  base::Span span = std::chrono::seconds(10);  // how slow, how stale, how long to stay away
};

// A kube::Api that injects faults. For watches an occurrence is one event; for the rest, one request.
class FaultyApi final : public kube::Api {
 public:
  // `server` is whose history gone-410 compacts; without one a watch only ends as if it had.
  FaultyApi(kube::Api& inner, base::Loop& loop, base::Random random, Server* server = nullptr);
  ~FaultyApi() override;

  // The rules, asked in the order of adding; the first that applies counts. `remove` takes the id.
  int add(FaultRule rule);
  void remove(int id);
  void clear();

  // Called for every injected fault: its name and the request ("lost-answer", "patch nodes/gpu-7").
  void on_stroke(std::function<void(FaultKind, const std::string& what)> told);
  std::uint64_t strokes(FaultKind kind) const;
  // Requests that change something, passed on or not, since the beginning.
  std::uint64_t writes() const;

  [[nodiscard]] kube::Call call(kube::Request request, Answer answer) override;
  [[nodiscard]] kube::Call list(kube::ListRequest request, kube::ListSink sink) override;
  [[nodiscard]] kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace drover::sim
