// The embedded API server: how many requests a second it serves on one core.
//
// get, patch, create and delete of Nodes of 2 KB in the ratio 1:2:1:1, through Server::serve, with one watcher, among
// 1,000 other nodes. The yardstick is copying 2 KB per operation with memcpy: what no store can beat.
#include "bench.h"

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/random.h"
#include "base/virtual_loop.h"
#include "kube/api.h"
#include "sim/server.h"

namespace drover::bench {
namespace {

constexpr std::size_t kObjectBytes = 2048;

// A node as a cloud's kubelet and Node Feature Discovery leave it: labels, addresses, conditions, capacity.
kube::Object node_of_two_kilobytes(const std::string& name) {
  kube::Object node = {
      {"kind", "Node"},
      {"apiVersion", "v1"},
      {"metadata",
       {{"name", name},
        {"labels",
         {{"kubernetes.io/hostname", name},
          {"kubernetes.io/os", "linux"},
          {"kubernetes.io/arch", "amd64"},
          {"node.kubernetes.io/instance-type", "gpu.8xlarge"},
          {"topology.kubernetes.io/zone", "zone-b"},
          {"feature.node.kubernetes.io/pci-10de.present", "true"},
          {"feature.node.kubernetes.io/kernel-version.full", "6.1.0-28-amd64"},
          {"feature.node.kubernetes.io/system-os_release.ID", "debian"}}},
        {"annotations", {{"node.alpha.kubernetes.io/ttl", "0"}, {"drover.dev/record", ""}}}}},
      {"spec", {{"podCIDR", "10.244.7.0/24"}, {"providerID", "cloud://zone-b/instance-4711"}}},
      {"status",
       {{"capacity", {{"cpu", "64"}, {"memory", "527951Mi"}, {"pods", "110"}, {"example.com/gpu", "8"}}},
        {"allocatable", {{"cpu", "63500m"}, {"memory", "520783Mi"}, {"pods", "110"}, {"example.com/gpu", "8"}}},
        {"addresses", json::Array{json::Value{{"type", "InternalIP"}, {"address", "10.0.7.7"}},
                                  json::Value{{"type", "Hostname"}, {"address", name}}}},
        {"nodeInfo",
         {{"kernelVersion", "6.1.0-28-amd64"},
          {"bootID", "0f5ff5f4-6d5e-4a52-8a0c-2f1f9a7d1f5e"},
          {"osImage", "Debian GNU/Linux 12 (bookworm)"},
          {"containerRuntimeVersion", "containerd://2.2.1"},
          {"kubeletVersion", "v1.36.3"}}}}}};
  json::Value& conditions = json::ensure(node, {"status", "conditions"});
  conditions.emplace_array();
  for (const char* type : {"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"}) {
    conditions.get_array().push_back({{"type", type},
                                      {"status", "False"},
                                      {"lastHeartbeatTime", "2026-01-01T00:00:00Z"},
                                      {"lastTransitionTime", "2026-01-01T00:00:00Z"},
                                      {"reason", "KubeletHasSufficient"}});
  }
  // The record annotation takes what is left.
  const std::size_t size = json::text_of(node).size();
  const std::size_t room = size < kObjectBytes - 150 ? kObjectBytes - 150 - size : 0;
  json::ensure(node, {"metadata", "annotations", "drover.dev/record"}) = std::string(room, 'r');
  return node;
}

class ListBatch {
 public:
  explicit ListBatch(int resident) {
    for (int i = 0; i < resident; ++i)
      serve(kube::create(kube::kNodes, "", node_of_two_kilobytes("resident-" + std::to_string(i))));
    for (int i = 0; i < 16; ++i) {
      const std::string name = "passing-" + std::to_string(i);
      creates_.push_back(kube::create(kube::kNodes, "", node_of_two_kilobytes(name)));
      deletes_.push_back(kube::remove(kube::kNodes, "", name, ""));
    }
    for (int i = 0; i < resident; ++i) {
      const std::string name = "resident-" + std::to_string(i);
      gets_.push_back(kube::get(kube::kNodes, "", name));
      for (const char* state : {"drain-required", "pod-restart-required"}) {
        patches_.push_back(
            kube::patch(kube::kNodes, "", name, kube::PatchKind::Merge,
                        {{"metadata", json::Members{{"labels", json::Members{{"example.com/upgrade-state", state}}}}},
                         {"spec", json::Members{{"unschedulable", state[0] == 'd'}}}}));
      }
    }
    auto watching = server_.watch(
        {kube::kNodes, "", "", ""}, server_.store().version(),
        [this](kube::WatchEvent::Kind, const sim::Stored& object) { seen_ += kube::version_of(*object).size(); });
    failed_ += watching ? 0 : 1;
  }

  // Five operations each: get, patch, patch, create, delete.
  void run(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      const std::size_t node = turn_++ % gets_.size();
      const std::size_t passing = turn_ % creates_.size();
      serve(gets_[node]);
      serve(patches_[2 * node]);
      serve(patches_[2 * node + 1]);
      serve(creates_[passing]);
      serve(deletes_[passing]);
    }
  }
  int failed() const { return failed_; }
  std::size_t seen() const { return seen_; }

 private:
  void serve(const kube::Request& request) {
    if (!server_.serve(request)) ++failed_;
  }

  base::VirtualLoop loop_;
  sim::Server server_{loop_, base::Random(7)};
  std::vector<kube::Request> gets_, patches_, creates_, deletes_;
  std::size_t turn_ = 0;
  std::size_t seen_ = 0;
  int failed_ = 0;
};

int run(int argc, char** argv) {
  Report report("embedded API server: get:patch:create:delete 1:2:1:1 on Nodes of 2 KB, one watcher, one core", argc,
                argv);
  const int resident = report.smoke() ? 16 : 1000;
  const int rounds = report.smoke() ? 20 : 4000;
  ListBatch work(resident);
  work.run(rounds);  // warm

  std::vector<char> from(kObjectBytes * 64, 'x'), to(kObjectBytes * 64);
  volatile char sink = 0;
  const auto copy = [&] {
    for (int i = 0; i < rounds * 5; ++i) {
      std::memcpy(&to[static_cast<std::size_t>(i % 64) * kObjectBytes],
                  &from[static_cast<std::size_t>((i + 7) % 64) * kObjectBytes], kObjectBytes);
      sink = to[static_cast<std::size_t>(i % 64) * kObjectBytes];
    }
  };
  const Pair best = in_turns(report.smoke() ? 2 : 15, [&] { work.run(rounds); }, copy);
  (void)sink;

  const double operations = rounds * 5.0;
  report.row("operations", operations / best.first, "op/s", "at least 200,000");
  report.row("time per operation", best.first / operations * 1e9, "ns");
  report.row("times the memcpy of 2 KB per operation", best.first / best.second, "x");
  if (work.failed() != 0) fmt::print(stderr, "{} requests were refused: the figures mean nothing\n", work.failed());
  const int written = report.finish();
  return work.failed() == 0 ? written : 1;
}

}  // namespace
}  // namespace drover::bench

int main(int argc, char** argv) { return drover::bench::run(argc, argv); }
