// A large fleet in the embedded cluster: 5,000 nodes and 50,000 pods, with controllers, kubelets and leases.
//
// What it costs in memory, how long its start takes (processor time; the clock is virtual), what it costs to keep it
// alive, and how long `kubectl get` of everything takes at the server. The yardstick of the lists is a memcpy of the
// bytes that they send. `--nodes N`: another size, ten pods a node.
#include "bench.h"

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "kube/api.h"
#include "sim/kubelet.h"
#include "sim/nodes.h"
#include "sim/print/table.h"
#include "sim/world.h"

namespace drover::bench {
namespace {

struct Size {
  int nodes;
  int daemonsets;
  int deployments;
  int replicas;

  int pods() const { return nodes * daemonsets + deployments * replicas; }
};

// "VmRSS" or "VmHWM" of this process, in MB.
double megabytes(std::string_view what) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(what)) return std::stod(line.substr(what.size() + 1)) / 1024;
  }
  return 0;
}

json::Value template_of(const std::string& app) {
  json::Value container = {{"name", "main"},
                           {"image", "registry.example/" + app + ":1.4.2"},
                           {"args", json::Array{"--serve", "--port=8080"}},
                           {"env", json::Array{json::Value{{"name", "MODE"}, {"value", "production"}}}},
                           {"resources", {{"requests", {{"cpu", "10m"}, {"memory", "32Mi"}}}}}};
  return {{"metadata", {{"labels", {{"app", app}}}}}, {"spec", {{"containers", json::Array{container}}}}};
}

kube::Object workload(const std::string& kind, const std::string& name, int replicas) {
  json::Members spec{{"selector", {{"matchLabels", {{"app", name}}}}}, {"template", template_of(name)}};
  if (replicas > 0) spec["replicas"] = replicas;
  return {{"apiVersion", "apps/v1"},
          {"kind", kind},
          {"metadata", {{"name", name}, {"namespace", "default"}}},
          {"spec", std::move(spec)}};
}

class Fleet {
 public:
  explicit Fleet(Size size) : size_(size) {
    world_.server().always_manage_fields(true);
    world_.run_for(std::chrono::seconds(1));
    for (auto& node : sim::make_nodes({{"cpu", size.nodes}})) ask(kube::create(kube::kNodes, "", std::move(node)));
    kubelets_ = std::make_unique<sim::Kubelets>(world_.api("kubelets"), world_.loop, world_.cluster.random("kubelets"),
                                                sim::KubeletPlan{});
    kubelets_->start();
    for (int i = 0; i < size.daemonsets; ++i) {
      ask(kube::create(kube::kDaemonSets, "default", workload("DaemonSet", "agent-" + std::to_string(i), 0)));
    }
    for (int i = 0; i < size.deployments; ++i) {
      ask(kube::create(kube::kDeployments, "default",
                       workload("Deployment", "service-" + std::to_string(i), size.replicas)));
    }
  }

  // Until every pod is ready; false when that does not happen.
  bool settle() {
    for (int i = 0; i < 600; ++i) {
      world_.run_for(std::chrono::seconds(1));
      if (kubelets_->count().pods_ready == size_.pods()) return true;
    }
    return false;
  }
  void live(base::Span span) { world_.run_for(span); }
  bool is_whole() const { return refused_ == 0 && kubelets_->count().pods_ready == size_.pods(); }
  sim::Kubelets::Count count() const { return kubelets_->count(); }
  base::Span age() const { return world_.loop.now().time_since_epoch(); }

  std::size_t list_json(const kube::Resource& resource) {
    std::size_t bytes = 0;
    for (const auto& item : all(resource)) bytes += json::text_of(*item.open()).size();
    return bytes;
  }
  std::size_t list_table(const kube::Resource& resource) {
    std::size_t bytes = 0;
    const auto sheet = sim::print::Sheet::of(resource.group, resource.plural);
    for (const auto& item : all(resource)) {
      bytes += sheet.row_text(*item.open(), world_.loop.wall(), sim::print::Include::Metadata).size();
    }
    return bytes;
  }

 private:
  void ask(const kube::Request& request) {
    if (!world_.server().serve(request)) ++refused_;
  }
  std::vector<sim::Kept> all(const kube::Resource& resource) {
    auto page = world_.server().list({resource, "", "", ""}, 0, "", "");
    return page ? std::move(page->items) : std::vector<sim::Kept>();
  }

  Size size_;
  sim::World world_{sim::WorldOptions{.cluster = {.seed = 7}, .keeps_transcript = false}};
  std::unique_ptr<sim::Kubelets> kubelets_;
  int refused_ = 0;
};

// Processor seconds, size, and how many times longer than copying the bytes.
void report_list(Report& report, const std::string& name, const std::function<std::size_t()>& list,
                 const std::string& wanted) {
  std::size_t bytes = 0;
  double seconds = 1e9;
  for (int i = 0; i < 3; ++i) seconds = std::min(seconds, cpu_seconds([&] { bytes = list(); }));
  std::vector<char> from(bytes, 'x'), to(bytes);
  volatile char sink = 0;
  double copying = 1e9;
  for (int i = 0; i < 3; ++i) {
    copying = std::min(copying, cpu_seconds([&] {
                         std::memcpy(to.data(), from.data(), bytes);
                         sink = to[bytes / 2];
                       }));
  }
  (void)sink;
  report.row(name, seconds, "s", wanted);
  report.row("  its size", static_cast<double>(bytes) / 1e6, "MB");
  report.row("  times the memcpy of its bytes", seconds / copying, "x");
}

int run(int argc, char** argv) {
  Report report("a fleet in the embedded cluster, with controllers, kubelets and leases", argc, argv);
  Size size = report.smoke() ? Size{20, 2, 4, 40} : Size{5000, 2, 40, 1000};
  if (argc == 3 && std::string_view(argv[1]) == "--nodes") {
    size.nodes = std::stoi(argv[2]);
    size.replicas = size.nodes / 5;
  }
  const double before = megabytes("VmRSS");
  std::unique_ptr<Fleet> fleet;
  bool settled = false;
  const double starting = cpu_seconds([&] {
    fleet = std::make_unique<Fleet>(size);
    settled = fleet->settle();
  });
  report.row("nodes", size.nodes, "");
  report.row("pods", size.pods(), "");
  report.row("start: until all pods are ready", starting, "s of CPU", "seconds, not minutes");
  report.row("  on the fleet's clock", std::chrono::duration<double>(fleet->age()).count(), "s");
  report.row("resident memory when all are ready", megabytes("VmRSS") - before, "MB", "at most 1,000");
  report.row("  its peak until then", megabytes("VmHWM") - before, "MB", "at most 1,000");
  const double living = cpu_seconds([&] { fleet->live(std::chrono::minutes(10)); });
  report.row("processor time to keep it alive", living / 600 * 100, "% of a core", "modest");
  report.row("resident memory ten minutes later", megabytes("VmRSS") - before, "MB", "at most 1,000");
  report_list(report, "list of all nodes as JSON", [&] { return fleet->list_json(kube::kNodes); }, "");
  report_list(report, "list of all nodes as a Table", [&] { return fleet->list_table(kube::kNodes); }, "at most 2");
  report_list(report, "list of all pods as JSON", [&] { return fleet->list_json(kube::kPods); }, "");
  report_list(report, "list of all pods as a Table", [&] { return fleet->list_table(kube::kPods); }, "");
  report.row("peak of resident memory, with the lists' yardsticks", megabytes("VmHWM"), "MB");
  if (!settled || !fleet->is_whole()) {
    fmt::print(stderr, "only {} of {} pods are ready: the figures mean nothing\n", fleet->count().pods_ready,
               size.pods());
  }
  const int written = report.finish();
  return settled && fleet->is_whole() ? written : 1;
}

}  // namespace
}  // namespace drover::bench

int main(int argc, char** argv) { return drover::bench::run(argc, argv); }
