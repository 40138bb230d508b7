// The story: a small fleet boots, a driver is rolled out the way Kubernetes alone would let you do it, a disruption
// budget makes a drain wait, and a machine loses power. Everything is real client code against the embedded API server;
// only time is virtual.
#include "cli/demo.h"

#include <fmt/core.h>

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/screen.h"
#include "kube/api.h"
#include "sim/kubelet.h"
#include "sim/nodes.h"
#include "sim/world.h"

namespace drover::cli {

namespace {

using namespace std::chrono_literals;
using kube::Object;
using kube::PatchKind;

constexpr std::string_view kOldDriver = "535.129.03";
constexpr std::string_view kNewDriver = "550.54.14";

Object driver_daemonset(std::string_view version) {
  const json::Value labels = {{"app", "nvidia-driver-daemonset"}};
  return {{"metadata", {{"name", "nvidia-driver-daemonset"}}},
          {"spec",
           {{"selector", {{"matchLabels", labels}}},
            {"updateStrategy", {{"type", "OnDelete"}}},
            {"template",
             {{"metadata", {{"labels", labels}}},
              {"spec",
               {{"nodeSelector", {{"feature.node.kubernetes.io/pci-10de.present", "true"}}},
                {"containers", json::Array{{{"name", "nvidia-driver-ctr"},
                                            {"image", fmt::format("nvidia/driver:{}-ubuntu22.04", version)}}}}}}}}}}};
}

Object training(int replicas) {
  const json::Value labels = {{"app", "train"}};
  return {{"metadata", {{"name", "train"}}},
          {"spec",
           {{"replicas", replicas},
            {"selector", {{"matchLabels", labels}}},
            {"template",
             {{"metadata", {{"labels", labels}}},
              {"spec",
               {{"containers", json::Array{{{"name", "train"},
                                            {"image", "example/train:1"},
                                            {"resources", {{"limits", {{"nvidia.com/gpu", "4"}}}}}}}}}}}}}}};
}

Object budget(int available) {
  return {{"metadata", {{"name", "train"}}},
          {"spec", {{"minAvailable", available}, {"selector", {{"matchLabels", {{"app", "train"}}}}}}}};
}

bool is_ready(const Object& object) {
  for (const json::Value& condition : json::array_at(object, {"status", "conditions"})) {
    if (json::text_at(condition, {"type"}) == "Ready") return json::text_at(condition, {"status"}) == "True";
  }
  return false;
}

class Demo {
 public:
  explicit Demo(const DemoOptions& options)
      : options_(options),
        screen_(stdout),
        world_(sim::WorldOptions{.cluster = {.seed = options.seed}, .keeps_transcript = false}),
        person_(world_.api("person")),
        kubelets_(world_.api("kubelets"), world_.loop, world_.cluster.random("kubelets"), {}) {
    commits_ = world_.server().store().version();
  }

  bool tell() {
    kubelets_.start();
    return the_fleet_boots() && the_driver_is_installed() && training_begins() && a_new_version_waits() &&
           a_node_is_drained() && the_driver_is_replaced() && a_machine_loses_power();
  }

  void sum_up() {
    show();
    screen_.keep();
    screen_.say("");
    screen_.say(
        fmt::format("virtual time: {}; commits to the store: {}; evictions that the budget refused: {}; seed {} tells "
                    "the same story "
                    "again, byte for byte.",
                    base::human(world_.loop.now().time_since_epoch()), world_.store().version() - commits_, refused_,
                    options_.seed));
    screen_.say("Next: build/drover sim kubelet --help runs these machines against a real API server.");
  }

 private:
  // ---- the story

  bool the_fleet_boots() {
    say("4 NVIDIA nodes, 2 Tenstorrent nodes and one plain node register");
    const auto fleet = sim::parse_fleet("nvidia=4,tenstorrent=2,cpu=1");
    for (Object& node : sim::make_nodes(*fleet)) {
      if (!ask(kube::create(kube::kNodes, "", std::move(node)))) return false;
    }
    return until("every node is Ready", [&] { return count(kube::kNodes, "", is_ready) == 7; });
  }

  bool the_driver_is_installed() {
    say(fmt::format("a driver DaemonSet with {} is created: its pods load the module on the GPU nodes", kOldDriver));
    return ask(kube::create(kube::kNamespaces, "", {{"metadata", {{"name", "gpu-operator"}}}})) &&
           ask(kube::create(kube::kDaemonSets, "gpu-operator", driver_daemonset(kOldDriver))) &&
           until("the driver is loaded on 4 nodes", [&] { return nodes_with_driver(kOldDriver) == 4; });
  }

  bool training_begins() {
    say("a training Deployment of 6 pods takes 24 of 32 GPUs; a budget wants 5 of them up at any time");
    return ask(kube::create(kube::kNamespaces, "", {{"metadata", {{"name", "ml"}}}})) &&
           ask(kube::create(kube::kDeployments, "ml", training(6))) &&
           ask(kube::create(kube::kDisruptionBudgets, "ml", budget(5))) &&
           until("all 6 pods are ready", [&] { return count(kube::kPods, "ml", is_ready) == 6; });
  }

  bool a_new_version_waits() {
    say(fmt::format("the DaemonSet is changed to {}: with OnDelete nothing moves by itself", kNewDriver));
    const json::Value change = {{"spec", driver_daemonset(kNewDriver).at("spec")}};
    const bool changed =
        ask(kube::patch(kube::kDaemonSets, "gpu-operator", "nvidia-driver-daemonset", PatchKind::Merge, change));
    run(10s);
    return changed && nodes_with_driver(kOldDriver) == 4;
  }

  bool a_node_is_drained() {
    say("nvidia-1 is cordoned and its training pods are asked to leave");
    if (!ask(kube::patch(kube::kNodes, "", "nvidia-1", PatchKind::Merge, {{"spec", {{"unschedulable", true}}}})))
      return false;
    for (int tries = 0; tries < 60; ++tries) {
      const auto pods = training_pods_on("nvidia-1");
      if (pods.empty()) {
        say("nvidia-1 is empty");
        return true;
      }
      for (const auto& [name, uid] : pods) evict(name, uid);
      run(5s);
    }
    return false;
  }

  bool the_driver_is_replaced() {
    say("the driver pod of nvidia-1 is deleted: its successor loads the new version, and the node goes back to "
        "service");
    std::string pod;
    std::string uid;
    for (const auto& stored : world_.store().pods_on("nvidia-1")) {
      if (kube::namespace_of(*stored) != "gpu-operator") continue;
      pod = kube::name_of(*stored);
      uid = kube::uid_of(*stored);
    }
    return ask(kube::remove(kube::kPods, "gpu-operator", pod, uid)) &&
           until(fmt::format("nvidia-1 has {}", kNewDriver), [&] { return driver_of("nvidia-1") == kNewDriver; }) &&
           ask(kube::patch(kube::kNodes, "", "nvidia-1", PatchKind::Merge, {{"spec", {{"unschedulable", nullptr}}}}));
  }

  bool a_machine_loses_power() {
    say("nvidia-2 loses power");
    kubelets_.power_off("nvidia-2");
    if (!until("the node lifecycle controller has noticed", [&] { return !is_ready(*node("nvidia-2")); })) return false;
    say("nvidia-2 is switched on again");
    kubelets_.power_on("nvidia-2");
    return until("nvidia-2 is Ready, with a new boot id and its driver loaded",
                 [&] { return is_ready(*node("nvidia-2")) && !driver_of("nvidia-2").empty(); });
  }

  // ---- how it is told

  void say(std::string_view line) {
    const auto now = std::chrono::floor<std::chrono::seconds>(world_.loop.now().time_since_epoch());
    screen_.say(fmt::format("{:02}:{:02}  {}", now.count() / 60, now.count() % 60, line));
  }

  // Passes virtual time, a second a frame, so that an eye can follow.
  void run(base::Span span) {
    for (base::Span passed{}; passed < span; passed += 1s) frame();
  }
  void frame() {
    world_.run_for(1s);
    if (!screen_.is_terminal() || options_.frame == base::Span::zero()) return;
    show();
    std::this_thread::sleep_for(options_.frame);
  }
  bool until(std::string_view what, const std::function<bool()>& holds) {
    for (int seconds = 0; seconds < 600 && !holds(); ++seconds) frame();
    const bool happened = holds();
    say(fmt::format("{}{}", happened ? "" : "this did not happen within ten minutes: ", what));
    return happened;
  }

  void show() {
    std::vector<std::vector<std::string>> rows = {{"", "NODE", "STATUS", "DRIVER", "TRAINING", "BOOT"}};
    world_.store().each("nodes", "", [&](const sim::Stored& stored) {
      const std::string name(kube::name_of(*stored));
      const std::string status = fmt::format("{}{}", is_ready(*stored) ? "Ready" : "NotReady",
                                             json::flag_at(*stored, {"spec", "unschedulable"}) ? ", cordoned" : "");
      std::string pods;
      for (std::size_t i = 0; i < training_pods_on(name).size(); ++i) pods += "■ ";
      rows.push_back({"", name, status, std::string(driver_of(name)), pods,
                      std::string(json::text_at(*stored, {"status", "nodeInfo", "bootID"}).substr(0, 8))});
    });
    auto picture = table(rows);
    picture.insert(picture.begin(), "");
    screen_.draw(std::move(picture));
  }

  // ---- hands and eyes

  // Sends one request as a person would and waits for the answer; a fault is part of the story and ends it.
  bool ask(kube::Request request) {
    const std::string what = sentence(request);
    const auto outcome = answer_to(std::move(request));
    if (!outcome) say(fmt::format("{} went wrong: {}", what, outcome.error().message));
    return outcome.has_value();
  }
  kube::Result<Object> answer_to(kube::Request request) {
    std::optional<kube::Result<Object>> outcome;
    auto call = person_.call(std::move(request), [&](kube::Result<Object> answer) { outcome = std::move(answer); });
    if (!world_.run_until([&] { return outcome.has_value(); }, 1min)) {
      return base::fault(base::Fault::Kind::Unknown, "no answer within a minute");
    }
    return std::move(*outcome);
  }
  void evict(const std::string& pod, const std::string& uid) {
    const auto outcome = answer_to(kube::evict("ml", pod, uid));
    if (outcome) {
      say(fmt::format("ml/{} leaves", pod));
    } else if (outcome.error().kind == base::Fault::Kind::Blocked) {
      ++refused_;
      say(fmt::format("ml/{} stays: {}", pod, outcome.error().message));
    }
  }

  sim::Stored node(std::string_view name) const { return world_.store().find("nodes", name); }
  std::string driver_of(const std::string& name) {
    sim::SimHost* host = kubelets_.host(name);
    const auto modules = host == nullptr ? base::Result<std::vector<host::Module>>() : host->modules();
    for (const host::Module& module : modules.value_or(std::vector<host::Module>())) {
      if (module.name == "nvidia") return module.version;
    }
    return "";
  }
  int nodes_with_driver(std::string_view version) {
    return count(kube::kNodes, "",
                 [&](const Object& node) { return driver_of(std::string(kube::name_of(node))) == version; });
  }
  std::vector<std::pair<std::string, std::string>> training_pods_on(std::string_view node) const {
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& pod : world_.store().pods_on(node)) {
      if (kube::namespace_of(*pod) == "ml" && !kube::is_being_deleted(*pod)) {
        found.emplace_back(kube::name_of(*pod), kube::uid_of(*pod));
      }
    }
    return found;
  }
  int count(const kube::Resource& resource, std::string_view ns,
            const std::function<bool(const Object&)>& holds) const {
    int found = 0;
    world_.store().each(resource.qualified(), ns, [&](const sim::Stored& stored) { found += holds(*stored) ? 1 : 0; });
    return found;
  }

  DemoOptions options_;
  Screen screen_;
  sim::World world_;
  kube::Api& person_;
  sim::Kubelets kubelets_;
  std::uint64_t commits_ = 0;
  int refused_ = 0;
};

}  // namespace

int demo(const DemoOptions& options) {
  Demo demo(options);
  const bool ended_well = demo.tell();
  demo.sum_up();
  return ended_well ? 0 : 1;
}

}  // namespace drover::cli
