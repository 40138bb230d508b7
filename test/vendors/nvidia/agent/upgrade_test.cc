// The agent's programs in a simulated cluster: a driver upgrade without the controller, and a death at every deed.
#include <gmock/gmock.h>

#include "protocol/order.h"
#include "protocol/report.h"
#include "vendors/nvidia/agent/yard.h"
#include "vendors/nvidia/words.h"

namespace drover::agent::testing {
namespace {

using ::testing::IsEmpty;

constexpr const char* kPlugin = "nvidia.com/gpu.deploy.device-plugin";
constexpr const char* kDriverScript =
    "say installing $VERSION; wait driver; load nvidia $VERSION; load nvidia_uvm $VERSION on nvidia; "
    "write /run/nvidia/nvidia-driver.state $DRIVER_CONFIG_DIGEST; ready; wait forever";

class Yard {
 public:
  explicit Yard(Death death = {}, std::uint64_t seed = 1) : world(seed), person(world.api("person")) {
    counters.death = death;
    sim::ImageTable images = sim::ImageTable::with_vendors();
    EXPECT_TRUE(images.prefer("*nvidia/driver:*", "nvidia-driver-ctr", kDriverScript));
    EXPECT_TRUE(images.prefer("drover:*", "k8s-driver-manager", "program driver-manager"));
    EXPECT_TRUE(images.prefer("drover:*", "nvidia-operator-validator", "program validate"));
    sim::KubeletPlan plan;
    plan.events = false;
    kubelets = std::make_unique<sim::Kubelets>(world.api("kubelets"), world.loop, world.cluster.random("kubelets"),
                                               plan, std::move(images), programs());
    kubelets->start();
    ask(kube::create(kube::kNamespaces, "", parsed(R"({"metadata": {"name": "gpu-operator"}})")));
    ask(kube::create(kube::kNamespaces, "", parsed(R"({"metadata": {"name": "ml"}})")));
    for (Object& node : sim::make_nodes(*sim::parse_fleet("nvidia=3"))) {
      for (const char* gate : {"driver", "device-plugin", "operator-validator"})
        json::ensure(node, {"metadata", "labels", fmt::format("nvidia.com/gpu.deploy.{}", gate)}) = "true";
      ask(kube::create(kube::kNodes, "", std::move(node)));
    }
    ask(kube::create(kube::kDaemonSets, "gpu-operator", plugin()));
    ask(kube::create(kube::kDaemonSets, "gpu-operator", validator()));
  }

  // ---- people

  Object ask(kube::Request request) { return answer_to(world, person, std::move(request)); }
  void create_driver(const std::string& version) {
    ask(kube::create(kube::kDaemonSets, "gpu-operator", driver(version)));
  }
  void set_driver(const std::string& version) {
    Object set = driver(version);
    ask(kube::patch(kube::kDaemonSets, "gpu-operator", "nvidia-driver-daemonset", kube::PatchKind::Merge,
                    json::Members{{"spec", set.at("spec")}}));
  }
  void run_training() {
    ask(kube::create(kube::kDeployments, "ml", parsed(R"({"metadata": {"name": "train"}, "spec": {"replicas": 3,
      "selector": {"matchLabels": {"app": "train"}}, "template": {"metadata": {"labels": {"app": "train"}},
        "spec": {"containers": [{"name": "train", "image": "train:1",
                                 "resources": {"limits": {"nvidia.com/gpu": "8"}}}]}}}})")));
  }

  // ---- eyes

  sim::Stored node(int number) const { return world.store().find("nodes", fmt::format("nvidia-{}", number)); }
  std::optional<std::string> driver_on(int number) {
    return kubelets->host(fmt::format("nvidia-{}", number))->loaded_version("nvidia");
  }
  std::optional<protocol::Report> report_of(int number) const {
    auto report = protocol::parse_report(kube::annotation_of(*node(number), vendors::kNvidiaDriverChannel.report));
    return report ? std::optional(*report) : std::nullopt;
  }
  int ready_pods(std::string_view ns, std::string_view app) const {
    int count = 0;
    world.store().each("pods", ns, [&](const sim::Stored& pod) {
      if (kube::label_of(*pod, "app") != app || kube::is_being_deleted(*pod)) return;
      for (const auto& one : json::array_at(*pod, {"status", "conditions"}))
        count += json::text_at(one, {"type"}) == "Ready" && json::text_at(one, {"status"}) == "True" ? 1 : 0;
    });
    return count;
  }
  bool is_settled_at(const std::string& version) {
    for (int number = 1; number <= 3; ++number) {
      if (driver_on(number) != version || kube::label_of(*node(number), kPlugin) != "true") return false;
      if (json::flag_at(*node(number), {"spec", "unschedulable"})) return false;
      if (const auto report = report_of(number); report && report->has_paused) return false;
    }
    return ready_pods("gpu-operator", "nvidia-driver-daemonset") == 3 && ready_pods("gpu-operator", "plugin") == 3 &&
           ready_pods("gpu-operator", "validator") == 3;
  }
  bool settles_at(const std::string& version, base::Span at_most = 1h) {
    for (base::Span passed{}; passed < at_most && !is_settled_at(version); passed += 500ms) {
      world.run_for(500ms);
      serve_wishes();
    }
    return is_settled_at(version);
  }

  // ---- the clerk

  void serve_wishes() {
    for (int number = 1; number <= 3; ++number) {
      const std::string name = fmt::format("nvidia-{}", number);
      const auto report = report_of(number);
      const bool is_wanted = report && report->wants != protocol::AgentRequest::Nothing;
      const bool is_cordoned = json::flag_at(*node(number), {"spec", "unschedulable"});
      if (!is_wanted) {
        if (is_cordoned) patch_node(name, R"({"spec": {"unschedulable": null}})");
        continue;
      }
      ++requests;
      EXPECT_EQ(report->boot, kubelets->host(name)->boot_id());
      if (!serves) continue;
      if (!is_cordoned) patch_node(name, R"({"spec": {"unschedulable": true}})");
      std::vector<std::pair<std::string, std::string>> pods;
      world.store().each("pods", "ml", [&](const sim::Stored& pod) {
        if (json::text_at(*pod, {"spec", "nodeName"}) == name)
          pods.emplace_back(kube::name_of(*pod), kube::is_being_deleted(*pod) ? "" : kube::uid_of(*pod));
      });
      for (const auto& [pod, uid] : pods) {
        if (!uid.empty()) ask(kube::evict("ml", pod, uid));
      }
      if (!pods.empty()) continue;
      const std::string order = protocol::text_of(
          protocol::Order{.id = report->id, .target = report->digest, .may_load = true, .serves = report->wants});
      if (kube::annotation_of(*node(number), vendors::kNvidiaDriverChannel.order) == order) continue;
      json::Value body;
      json::ensure(body, {"metadata", "annotations", vendors::kNvidiaDriverChannel.order}) = order;
      ask(kube::patch(kube::kNodes, "", name, kube::PatchKind::Merge, std::move(body)));
    }
  }
  void patch_node(const std::string& name, std::string_view merge) {
    ask(kube::patch(kube::kNodes, "", name, kube::PatchKind::Merge, parsed(merge)));
  }

  PolicyCounters counters;
  sim::World world;
  kube::Api& person;
  std::unique_ptr<sim::Kubelets> kubelets;
  bool serves = true;
  int requests = 0;

 private:
  sim::Programs programs() {
    return {{"driver-manager",
             [this](sim::ProgramStart start) {
               return std::make_unique<Container<DriverManager>>(
                   std::move(start), counters, [](const sim::ProgramStart& told, ProgramContext around) {
                     auto settings = read_manager_settings(told.env);
                     EXPECT_TRUE(settings) << settings.error().message;
                     return std::make_unique<DriverManager>(*settings, std::move(around));
                   });
             }},
            {"validate", [this](sim::ProgramStart start) {
               return std::make_unique<Container<Validator>>(
                   std::move(start), watched, [](const sim::ProgramStart& told, ProgramContext around) {
                     return std::make_unique<Validator>(ValidatorSettings{told.node}, std::move(around), told.ready);
                   });
             }}};
  }
  static Object driver(const std::string& version) {
    return parsed(fmt::format(R"({{"metadata": {{"name": "nvidia-driver-daemonset"}}, "spec": {{
      "selector": {{"matchLabels": {{"app": "nvidia-driver-daemonset"}}}},
      "template": {{"metadata": {{"labels": {{"app": "nvidia-driver-daemonset"}}}}, "spec": {{
        "nodeSelector": {{"nvidia.com/gpu.deploy.driver": "true"}},
        "tolerations": [{{"operator": "Exists"}}],
        "initContainers": [{{"name": "k8s-driver-manager", "image": "drover:1", "env": [
          {{"name": "NODE_NAME", "valueFrom": {{"fieldRef": {{"fieldPath": "spec.nodeName"}}}}}},
          {{"name": "POD_UID", "valueFrom": {{"fieldRef": {{"fieldPath": "metadata.uid"}}}}}},
          {{"name": "DRIVER_CONFIG_DIGEST", "value": "digest-{0}"}}]}}],
        "containers": [{{"name": "nvidia-driver-ctr", "image": "nvcr.io/nvidia/driver:{0}-ubuntu22.04",
          "env": [{{"name": "DRIVER_CONFIG_DIGEST", "value": "digest-{0}"}}],
          "startupProbe": {{"exec": {{"command": ["nvidia-smi"]}}, "periodSeconds": 1, "failureThreshold": 120}}}}]}}}}}}}})",
                              version));
  }
  // It holds the device while it runs, as the real one does.
  static Object plugin() {
    return parsed(R"({"metadata": {"name": "nvidia-device-plugin-daemonset"}, "spec": {
      "selector": {"matchLabels": {"app": "plugin"}}, "template": {"metadata": {"labels": {"app": "plugin"}}, "spec": {
        "nodeSelector": {"nvidia.com/gpu.deploy.device-plugin": "true"},
        "containers": [{"name": "plugin", "image": "plugin:1",
                        "volumeMounts": [{"name": "dev", "mountPath": "/dev/nvidiactl"}]}],
        "volumes": [{"name": "dev", "hostPath": {"path": "/dev/nvidiactl"}}]}}}})");
  }
  static Object validator() {
    return parsed(R"({"metadata": {"name": "nvidia-operator-validator"}, "spec": {
      "selector": {"matchLabels": {"app": "validator"}}, "template": {"metadata": {"labels": {"app": "validator"}},
        "spec": {"nodeSelector": {"nvidia.com/gpu.deploy.operator-validator": "true"},
          "containers": [{"name": "nvidia-operator-validator", "image": "drover:1",
                          "readinessProbe": {"exec": {"command": ["x"]}, "periodSeconds": 1}}]}}}})");
  }

  PolicyCounters watched;  // of the validators, which do not die here
};

TEST(Upgrade, InstallsTheFirstDriverWithoutPermission) {
  Yard yard;
  yard.create_driver("535.1");
  EXPECT_TRUE(yard.settles_at("535.1"));
  EXPECT_EQ(yard.requests, 0);
  EXPECT_EQ(yard.counters.count, 0) << "nothing is loaded: nothing to ask, write or unload";
  EXPECT_THAT(yard.counters.wrong, IsEmpty());
}

TEST(Upgrade, WithoutTheControllerTheAgentAsksForTheEvictionAndPutsEveryLabelBack) {
  Yard yard;
  yard.create_driver("535.1");
  ASSERT_TRUE(yard.settles_at("535.1"));
  yard.run_training();
  ASSERT_TRUE(yard.world.run_until([&] { return yard.ready_pods("ml", "train") == 3; }, 10min));
  yard.set_driver("550.1");
  EXPECT_TRUE(yard.settles_at("550.1"));
  EXPECT_GE(yard.requests, 3);
  EXPECT_TRUE(yard.world.run_until([&] { return yard.ready_pods("ml", "train") == 3; }, 10min));
  EXPECT_THAT(yard.counters.wrong, IsEmpty());
}

TEST(Upgrade, UnloadsNothingUntilItsWishIsServed) {
  Yard yard;
  yard.create_driver("535.1");
  ASSERT_TRUE(yard.settles_at("535.1"));
  yard.run_training();
  ASSERT_TRUE(yard.world.run_until([&] { return yard.ready_pods("ml", "train") == 3; }, 10min));
  yard.serves = false;
  yard.set_driver("550.1");
  EXPECT_FALSE(yard.settles_at("550.1", 20min));
  EXPECT_EQ(yard.ready_pods("ml", "train"), 3);
  int still = 0;
  for (int number = 1; number <= 3; ++number) still += yard.driver_on(number) == "535.1" ? 1 : 0;
  EXPECT_EQ(still, 3);
  yard.serves = true;
  EXPECT_TRUE(yard.settles_at("550.1"));
}

TEST(Upgrade, ADeathOfTheAgentAtAnyDeedChangesNothingInTheEnd) {
  int counters = 0;
  {
    Yard yard;
    yard.create_driver("535.1");
    ASSERT_TRUE(yard.settles_at("535.1"));
    yard.set_driver("550.1");
    ASSERT_TRUE(yard.settles_at("550.1"));
    counters = yard.counters.count;
  }
  ASSERT_GE(counters, 3 * 5) << "pause, wish, two modules, restore: on each node";
  for (int at = 1; at <= counters; ++at) {
    for (const bool after : {false, true}) {
      Yard yard({.at = at, .after = after});
      yard.create_driver("535.1");
      ASSERT_TRUE(yard.settles_at("535.1"));
      yard.set_driver("550.1");
      EXPECT_TRUE(yard.settles_at("550.1")) << "death " << (after ? "after" : "before") << " deed " << at;
      EXPECT_EQ(yard.counters.deaths, 1);
      EXPECT_THAT(yard.counters.wrong, IsEmpty());
    }
  }
}

TEST(Upgrade, AKernelThatCannotUnloadIsReportedAndNothingIsPaused) {
  Yard yard;
  yard.create_driver("535.1");
  ASSERT_TRUE(yard.settles_at("535.1"));
  for (int number = 1; number <= 3; ++number)
    yard.kubelets->host(fmt::format("nvidia-{}", number))->set_fault(sim::HostFault::CannotUnload, true);
  yard.set_driver("550.1");
  const auto says_so = [&] {
    for (int number = 1; number <= 3; ++number) {
      if (const auto report = yard.report_of(number); report && !report->can_unload) return true;
    }
    return false;
  };
  ASSERT_TRUE(yard.world.run_until(says_so, 10min));
  yard.world.run_for(5min);
  for (int number = 1; number <= 3; ++number) {
    EXPECT_EQ(kube::label_of(*yard.node(number), kPlugin), "true");
    EXPECT_EQ(yard.driver_on(number), "535.1");
  }
}

TEST(Upgrade, AKernelThatCannotUnloadIsReportedWithTheFirstDriver) {
  Yard yard;
  yard.world.run_for(1min);
  yard.kubelets->host("nvidia-2")->set_fault(sim::HostFault::CannotUnload, true);
  yard.create_driver("535.1");
  ASSERT_TRUE(yard.settles_at("535.1"));
  ASSERT_TRUE(yard.report_of(2));
  EXPECT_FALSE(yard.report_of(2)->can_unload);
  // By the agent or the validator, whichever reports first; none says so of the others.
  for (const int number : {1, 3}) {
    const auto report = yard.report_of(number);
    EXPECT_TRUE(!report || report->can_unload);
  }
}

TEST(Upgrade, ADriverOfTheSameDigestStaysLoadedUnderItsWorkloads) {
  Yard yard;
  yard.create_driver("535.1");
  ASSERT_TRUE(yard.settles_at("535.1"));
  yard.run_training();
  ASSERT_TRUE(yard.world.run_until([&] { return yard.ready_pods("ml", "train") == 3; }, 10min));
  const int before = yard.counters.count;
  std::vector<std::string> pods;
  yard.world.store().each("pods", "gpu-operator", [&](const sim::Stored& pod) {
    if (kube::label_of(*pod, "app") == "nvidia-driver-daemonset") pods.emplace_back(kube::name_of(*pod));
  });
  for (const std::string& pod : pods) yard.ask(kube::remove(kube::kPods, "gpu-operator", pod, ""));
  yard.world.run_for(1min);
  EXPECT_TRUE(yard.settles_at("535.1", 10min));
  EXPECT_EQ(yard.ready_pods("ml", "train"), 3);
  EXPECT_EQ(yard.counters.count, before) << "nothing was written or unloaded";
}

TEST(Upgrade, UnderAnOperatorItAsksToLoadAndPausesNothing) {
  Yard yard;
  yard.create_driver("535.1");
  ASSERT_TRUE(yard.settles_at("535.1"));
  for (int number = 1; number <= 3; ++number) {
    yard.patch_node(fmt::format("nvidia-{}", number),
                    R"({"metadata": {"annotations": {"nvidia.com/gpu-driver-upgrade-enabled": "true"}}})");
  }
  yard.serves = false;
  yard.set_driver("550.1");
  EXPECT_FALSE(yard.settles_at("550.1", 10min));
  int asking = 0;
  for (int number = 1; number <= 3; ++number) {
    EXPECT_EQ(kube::label_of(*yard.node(number), kPlugin), "true");
    EXPECT_EQ(yard.driver_on(number), "535.1");
    const auto report = yard.report_of(number);
    asking += report && report->wants == protocol::AgentRequest::Load && report->digest == "digest-550.1" ? 1 : 0;
  }
  EXPECT_EQ(asking, 1) << "the DaemonSet replaces one pod at a time";
  EXPECT_THAT(yard.counters.wrong, IsEmpty());
}

TEST(Upgrade, AnAgentThatIsAskedToEndPutsTheLabelsBack) {
  Yard yard;
  yard.create_driver("535.1");
  ASSERT_TRUE(yard.settles_at("535.1"));
  yard.serves = false;
  yard.set_driver("550.1");
  const auto paused = [&] {
    int count = 0;
    for (int number = 1; number <= 3; ++number)
      count += kube::label_of(*yard.node(number), kPlugin) == "paused-for-driver-upgrade" ? 1 : 0;
    return count;
  };
  ASSERT_TRUE(yard.world.run_until([&] { return paused() == 1; }, 10min));
  yard.ask(kube::remove(kube::kDaemonSets, "gpu-operator", "nvidia-driver-daemonset", ""));
  EXPECT_TRUE(yard.world.run_until([&] { return paused() == 0; }, 2min));
}

TEST(Validate, AHostThatKeptTheOldModuleDoesNotPass) {
  Yard yard;
  yard.create_driver("535.1");
  ASSERT_TRUE(yard.settles_at("535.1"));
  ASSERT_EQ(yard.ready_pods("gpu-operator", "validator"), 3);
  json::Value body;
  json::ensure(body, {"metadata", "annotations", vendors::kNvidiaDriverChannel.order}) = protocol::text_of(
      protocol::Order{.id = "claim-1", .target = "digest-550.1", .may_load = true, .version = "550.1"});
  yard.ask(kube::patch(kube::kNodes, "", "nvidia-2", kube::PatchKind::Merge, body));
  EXPECT_TRUE(yard.world.run_until([&] { return yard.ready_pods("gpu-operator", "validator") == 2; }, 1min));
  EXPECT_TRUE(yard.world.run_until([&] { return yard.report_of(2).has_value(); }, 1min));
  EXPECT_TRUE(yard.world.run_until(
      [&] { return yard.report_of(2)->message == "validation: driver 535.1 is loaded, and 550.1 is wanted"; }, 1min));
  json::ensure(body, {"metadata", "annotations", vendors::kNvidiaDriverChannel.order}) = protocol::text_of(
      protocol::Order{.id = "claim-1", .target = "digest-535.1", .may_load = true, .version = "535.1"});
  yard.ask(kube::patch(kube::kNodes, "", "nvidia-2", kube::PatchKind::Merge, std::move(body)));
  EXPECT_TRUE(yard.world.run_until([&] { return yard.ready_pods("gpu-operator", "validator") == 3; }, 1min));
  EXPECT_TRUE(yard.world.run_until([&] { return yard.report_of(2)->message.find("works") != std::string::npos; }, 1min))
      << "what was complained of is taken back";
}

}  // namespace
}  // namespace drover::agent::testing
