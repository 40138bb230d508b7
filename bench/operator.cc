// The operator as a process of its own beside an embedded cluster in another: how much memory and processor it takes to
// give 5,000 nodes their first driver, and to take the first of them through an upgrade.
//
// Everything goes over HTTPS, as with a real API server. The programs are `drover-sim serve` and `drover operator`,
// found beside the folder of this one.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "bench/bench.h"
#include "kube/config.h"
#include "kube/http_api.h"
#include "kube/yaml.h"
#include "sim_cli/crds.h"

namespace drover::bench {
namespace {

using namespace std::chrono_literals;

constexpr double kMostMegabytes = 40;

const kube::Resource kPolicies = {"nvidia.com", "v1", "clusterpolicies", "ClusterPolicy", kube::Scope::Cluster};

// A program that ends with us.
class Child {
 public:
  Child(const std::string& program, std::vector<std::string> words, const std::string& log) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    words.insert(words.begin(), program);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  ~Child() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // A line of /proc/PID/status, in MB.
  double megabytes(std::string_view what) const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with(what)) return std::atof(line.c_str() + what.size() + 1) / 1024;
    }
    return 0;
  }
  double cpu_seconds() const {
    std::ifstream stat("/proc/" + std::to_string(pid_) + "/stat");
    std::string word;
    double ticks = 0;
    for (int field = 1; stat >> word; ++field) {
      if (field == 14 || field == 15) ticks += std::atof(word.c_str());
    }
    return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }

 private:
  pid_t pid_ = -1;
};

// Asks the cluster, one question at a time.
class Asker {
 public:
  explicit Asker(const std::string& kubeconfig) {
    const auto target = kube::find_target(kubeconfig, "");
    if (target) {
      if (auto api = kube::HttpApi::open(loop_, *target, {})) api_ = std::move(*api);
    }
  }
  bool is_there() const { return api_ != nullptr; }

  kube::Result<kube::Object> ask(kube::Request request) {
    kube::Result<kube::Object> said = kube::Object();
    const kube::Call call = api_->call(std::move(request), [&](const kube::Result<kube::Object>& answer) {
      said = answer;
      loop_.stop();
    });
    loop_.run();
    return said;
  }

  // How many nodes are in each state.
  std::map<std::string, int> states() {
    std::map<std::string, int> states;
    kube::ListRequest request;
    request.range.resource = kube::kNodes;
    request.page = 500;
    request.projection = kube::Projection({"metadata.labels"});
    const kube::Call call =
        api_->list(request, {.item =
                                 [&](const kube::Object& node) {
                                   ++states[std::string(kube::label_of(node, "nvidia.com/gpu-driver-upgrade-state"))];
                                 },
                             .done = [&](const kube::Result<kube::ListEnd>&) { loop_.stop(); }});
    loop_.run();
    return states;
  }

 private:
  kube::AsioLoop loop_;
  std::unique_ptr<kube::HttpApi> api_;
};

bool furnish(Asker& asker) {
  for (const std::string_view text : sim_cli::embedded_crds()) {
    auto documents = kube::parse_manifests(text);
    if (!documents) return false;
    for (json::Value& one : *documents) {
      if (!asker.ask(kube::create(kube::kCustomResourceDefinitions, "", std::move(one)))) return false;
    }
  }
  const json::Value ns = {{"metadata", {{"name", "gpu-operator"}}}};
  const json::Value account = {{"metadata", {{"name", "drover-agent"}}}};
  const json::Value policy = {
      {"apiVersion", "nvidia.com/v1"},
      {"kind", "ClusterPolicy"},
      {"metadata", {{"name", "cluster-policy"}}},
      {"spec",
       {{"driver",
         {{"repository", "nvcr.io/nvidia"},
          {"image", "driver"},
          {"version", "535.129.03"},
          {"startupProbe", {{"initialDelaySeconds", 1}, {"periodSeconds", 1}}},
          {"upgradePolicy", {{"autoUpgrade", true}, {"maxParallelUpgrades", 50}, {"maxUnavailable", "25%"}}}}}}}};
  return asker.ask(kube::create(kube::kNamespaces, "", ns)) &&
         asker.ask(kube::create(kube::kServiceAccounts, "gpu-operator", account)) &&
         asker.ask(kube::create(kPolicies, "", policy));
}

// Waits and says how far it is; false when it takes too long.
bool until(Asker& asker, std::string_view what, const std::function<bool(std::map<std::string, int>&)>& holds) {
  const auto end = std::chrono::steady_clock::now() + 10min;
  while (std::chrono::steady_clock::now() < end) {
    auto states = asker.states();
    if (holds(states)) return true;
    fmt::print(stderr, "  {}: {} done, {} required\n", what, states["upgrade-done"], states["upgrade-required"]);
    std::this_thread::sleep_for(2s);
  }
  return false;
}

}  // namespace
}  // namespace drover::bench

int main(int argc, char** argv) {
  using namespace drover;
  using namespace drover::bench;
  Report report("the operator, its cluster in another process, over HTTPS", argc, argv);
  const int nodes = report.smoke() ? 20 : 5000;
  const std::string program = (std::filesystem::absolute(argv[0]).parent_path().parent_path() / "drover").string();
  const std::string simulator = program + "-sim";
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("drover-bench-{}", ::getpid());
  std::filesystem::create_directories(folder);
  const std::string kubeconfig = folder / "kubeconfig";

  const std::string fleet = fmt::format("nvidia={}", nodes);
  const Child cluster(simulator, {"serve", "--no-managed-fields", "--nodes", fleet, "--write-kubeconfig", kubeconfig},
                      folder / "cluster.log");
  for (int i = 0; i < 600 && !std::filesystem::exists(kubeconfig); ++i) std::this_thread::sleep_for(100ms);
  Asker asker(kubeconfig);
  if (!asker.is_there() || !furnish(asker)) {
    fmt::print(stderr, "the cluster did not come up; see {}\n", folder.string());
    return 1;
  }
  const Child op(program, {"operator", "--kubeconfig", kubeconfig}, folder / "operator.log");
  if (!until(asker, "first driver", [&](auto& states) { return states["upgrade-done"] == nodes; })) return 1;
  report.row("nodes", nodes, "");
  const double settled = op.megabytes("VmHWM");
  report.row("peak memory, every node with its first driver", settled, "MB", "under 40");
  report.row("  of what it has then, its own", op.megabytes("RssAnon"), "MB");
  report.row("  processor time until then, for a node", op.cpu_seconds() * 1000 / nodes, "ms");

  const json::Value version = {{"spec", {{"driver", {{"version", "550.54.15"}}}}}};
  if (!asker.ask(kube::patch(kPolicies, "", "cluster-policy", kube::PatchKind::Merge, version))) return 1;
  bool has_begun = false;  // every node waits, or is on its way
  const int some = nodes / 20;
  const bool has_moved = until(asker, "upgrade", [&](auto& states) {
    has_begun = has_begun || states["upgrade-done"] < some;
    return has_begun && states["upgrade-done"] >= some;
  });
  if (!has_moved) return 1;
  const double rolling = op.megabytes("VmHWM");
  // Each of the fifty nodes in hand has a watch of its own: a TLS connection, a tenth of a megabyte.
  report.row("peak memory, in the middle of a rollout, 50 at a time", rolling, "MB");
  report.row("  of what it has then, its own", op.megabytes("RssAnon"), "MB");
  std::filesystem::remove_all(folder);
  const int written = report.finish();
  if (settled < kMostMegabytes) return written;
  fmt::print(stderr, "the operator took {} MB or more: heaptrack build/drover operator … says what for\n",
             kMostMegabytes);
  return 1;
}
