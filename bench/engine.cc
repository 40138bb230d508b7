// The engine without a cluster around it: how long one decision about a whole fleet takes, whether that grows with the
// fleet and not faster, and how long a rollout over 10,000 nodes takes when no pod has to be waited for.
//
// The rollout is a model of the world in a few lines: an image that was asked for is there one pass later, a pod that
// was asked to go is gone one pass later, a new driver is ready two passes after the old one's pod was deleted, and a
// validator passes one pass after that. Times are CPU times of one core.
#include "bench.h"

#include <string>
#include <utility>
#include <vector>

#include "core/decide.h"
#include "core/flows/flows.h"

namespace drover::bench {
namespace {

using core::Action;
using core::FleetView;
using core::NodeView;
using core::Phase;
using core::Plan;
using core::PodView;

constexpr int kPodsOnANode = 20;       // of which
constexpr int kDevicePodsOnANode = 4;  // use the device

std::vector<PodView> pods_on(const std::string& node) {
  std::vector<PodView> pods;
  for (int i = 0; i < kPodsOnANode; ++i) {
    const std::string name = "train-" + node + "-" + std::to_string(i);
    pods.push_back({.ns = "ml", .name = name, .uid = "uid-" + name, .owner = "ReplicaSet ml/train"});
    pods.back().uses_device = i < kDevicePodsOnANode;
  }
  return pods;
}

NodeView node_in(Phase phase, int number) {
  NodeView node;
  node.name = fmt::format("gpu-node-{:05}.example.internal", number);
  node.uid = fmt::format("5f0c7a52-0d7b-4f43-9c0e-{:012}", number);
  node.next_claim = fmt::format("{:016x}", number);
  node.phase = phase;
  if (phase != Phase::Idle) node.label = phase;
  node.target = "f00dfacef00dface";
  node.driver = {.wanted = "550.54.15", .pod = "old-" + node.uid, .is_outdated = phase != Phase::Done};
  node.driver.is_ready = true;
  node.gates = {{"nvidia.com/gpu.deploy.device-plugin", "true"}, {"nvidia.com/gpu.deploy.dcgm-exporter", "true"}};
  node.outcome = core::Outcome{.target = phase == Phase::Done ? node.target : "0123456789abcdef"};
  node.device_pods = kDevicePodsOnANode;
  if (core::is_in_flight(phase)) {
    node.claim =
        core::Claim{.id = node.next_claim.str(), .policy = "policy", .phase = phase, .target = node.target.str()};
    node.claim->driver_pod = node.driver.pod;
    node.is_cordoned = node.is_tainted = true;
    node.pods = pods_on(node.name);
  }
  return node;
}

// `in_flight` nodes are being emptied, all others stand in `rest`.
FleetView fleet_of(int nodes, Phase rest, int in_flight, int max_parallel) {
  FleetView fleet;
  fleet.policy.name = "cluster-policy";
  fleet.policy.uid = "policy";
  fleet.policy.max_parallel = max_parallel;
  fleet.nodes.reserve(static_cast<std::size_t>(nodes));
  for (int i = 0; i < nodes; ++i) fleet.nodes.push_back(node_in(i < in_flight ? Phase::EvictDevicePods : rest, i));
  return fleet;
}

double decide_once(const FleetView& fleet, std::size_t& sink) {
  return cpu_seconds([&] { sink += core::decide(core::in_place(), fleet).decisions.size(); });
}

double best_of(int rounds, const FleetView& fleet, std::size_t& sink) {
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) best = std::min(best, decide_once(fleet, sink));
  return best;
}

// ---- a world in which everything that is asked for happens

class World {
 public:
  explicit World(FleetView fleet) : fleet_(std::move(fleet)), waits_(fleet_.nodes.size(), 0) {}

  const FleetView& fleet() const { return fleet_; }
  int evictions() const { return evictions_; }
  int patches() const { return patches_; }
  std::size_t most_in_flight() const { return most_in_flight_; }

  bool is_done() const {
    return std::all_of(fleet_.nodes.begin(), fleet_.nodes.end(),
                       [](const NodeView& node) { return node.phase == Phase::Done; });
  }

  // What was asked for in earlier passes has happened.
  void go_on() {
    for (std::size_t i = 0; i < fleet_.nodes.size(); ++i) {
      NodeView& node = fleet_.nodes[i];
      if (node.preflight.state == core::PreflightView::State::Running) {
        node.preflight.state = core::PreflightView::State::Passed;
      }
      if (!core::is_in_flight(node.phase)) continue;
      if (core::kBeforeSwap.has(node.phase) && !node.pods) node.pods = pods_on(node.name);
      if (node.pods) std::erase_if(*node.pods, [](const PodView& pod) { return pod.is_going; });
      if (node.phase == Phase::Restart) start_driver(i, node);
      node.validator.has_passed = node.phase == Phase::Validate;
    }
  }

  void apply(const Plan& plan) {
    for (const core::Decision& decision : plan.decisions) {
      NodeView& node = fleet_.nodes[decision.node];
      if (decision.change) change(node, *decision.change);
      if (decision.action != Action::None) work(decision, node);
    }
    most_in_flight_ = std::max(most_in_flight_, static_cast<std::size_t>(plan.slots.in_flight));
  }

 private:
  void start_driver(std::size_t index, NodeView& node) {
    if (node.driver.pod.empty()) {
      node.driver.pod = "new-" + node.uid;
      node.driver.is_outdated = false;
      waits_[index] = 1;
    } else if (!node.driver.is_ready && waits_[index]-- == 0) {
      node.driver.is_ready = true;
    }
  }

  void change(NodeView& node, const core::Change& change) {
    ++patches_;
    const bool was_taken = node.claim.has_value();
    core::read_back(node, change.after);
    if (!was_taken || !(core::kBeforeSwap | core::Phase::Restart).has(node.phase)) node.pods.reset();
  }

  void work(const core::Decision& decision, NodeView& node) {
    switch (decision.action) {
      case Action::ProveImage: node.preflight.state = core::PreflightView::State::Running; break;
      case Action::EvictDevicePods:
        for (PodView& pod : *node.pods) {
          if (!pod.uses_device || pod.is_going) continue;
          pod.is_going = true;
          ++evictions_;
        }
        break;
      case Action::ReplaceDriverPod:
        node.driver.pod.clear();
        node.driver.is_ready = false;
        break;
      default: break;
    }
  }

  FleetView fleet_;
  std::vector<int> waits_;  // by node: passes until its new driver is ready
  int evictions_ = 0;
  int patches_ = 0;
  std::size_t most_in_flight_ = 0;
};

struct Rollout {
  int passes = 0;
  double seconds = 0;           // everything
  double deciding_seconds = 0;  // of them, in decide
  double patches_per_node = 0;
  bool is_done = false;
  bool kept_the_limit = false;
};

Rollout roll_out(int nodes, int max_parallel) {
  constexpr int kMostPasses = 1'000'000;
  Rollout rollout;
  World world(fleet_of(nodes, Phase::Idle, 0, max_parallel));
  rollout.seconds = cpu_seconds([&] {
    while (!world.is_done() && rollout.passes < kMostPasses) {
      ++rollout.passes;
      Plan plan;
      rollout.deciding_seconds += cpu_seconds([&] { plan = core::decide(core::in_place(), world.fleet()); });
      world.apply(plan);
      world.go_on();
    }
  });
  rollout.patches_per_node = static_cast<double>(world.patches()) / nodes;
  rollout.is_done = world.is_done() && world.evictions() == nodes * kDevicePodsOnANode;
  rollout.kept_the_limit = world.most_in_flight() <= static_cast<std::size_t>(max_parallel);
  return rollout;
}

int run(int argc, char** argv) {
  Report report("the engine: deciding for a whole fleet, and a rollout in a world that does as it is asked, one core",
                argc, argv);
  const int nodes = report.smoke() ? 200 : 10'000;
  const int in_flight = nodes / 20;
  const int rounds = report.smoke() ? 2 : 30;
  std::size_t sink = 0;

  const auto decide_row = [&](const std::string& mix, const FleetView& fleet, const std::string& wanted) {
    report.row(fmt::format("decide, {} nodes: {}", nodes, mix), best_of(rounds, fleet, sink) * 1e3, "ms", wanted);
  };
  decide_row("all done", fleet_of(nodes, Phase::Done, 0, in_flight), "under 5");
  decide_row("all wait, one at once", fleet_of(nodes, Phase::Required, 0, 1), "under 5");
  decide_row(fmt::format("all wait, {} at once", in_flight), fleet_of(nodes, Phase::Required, 0, in_flight), "under 5");
  decide_row(fmt::format("{} have {} pods, the rest waits", in_flight, kPodsOnANode),
             fleet_of(nodes, Phase::Required, in_flight, in_flight), "under 5");

  // Ten small fleets in turn touch as much memory as the large one, so that the caches' sizes do not show: only growth.
  const std::vector<FleetView> small(10, fleet_of(nodes / 10, Phase::Required, in_flight / 10, in_flight / 10));
  const FleetView large = fleet_of(nodes, Phase::Required, in_flight, in_flight);
  const Pair cost = in_turns(
      rounds,
      [&] {
        for (const FleetView& fleet : small) decide_once(fleet, sink);
      },
      [&] { decide_once(large, sink); });
  report.row(fmt::format("decide, {} nodes, times that for {}", nodes, nodes / 10), 10 * cost.second / cost.first, "x",
             "about 10");

  bool is_right = sink > 0;
  for (const int max_parallel : {in_flight, in_flight / 5}) {
    const Rollout rollout = roll_out(nodes, max_parallel);
    const std::string what = fmt::format("rollout, {} nodes, {} at once", nodes, max_parallel);
    report.row(what, rollout.seconds, "s", "under 5");
    report.row(what + ": of it deciding", rollout.deciding_seconds, "s");
    report.row(what + ": passes", rollout.passes, "");
    report.row(what + ": PATCHes of a node", rollout.patches_per_node, "", "at most 6");
    is_right = is_right && rollout.is_done && rollout.kept_the_limit;
  }
  if (!is_right) fmt::print(stderr, "a rollout did not end as it should: the figures mean nothing\n");
  const int written = report.finish();
  return is_right ? written : 1;
}

}  // namespace
}  // namespace drover::bench

int main(int argc, char** argv) { return drover::bench::run(argc, argv); }
