// The builder's DaemonSet as it is rendered, in a simulated cluster with the loader in its pods; the operator is a
// person who follows the document step by step.
#include <gmock/gmock.h>

#include "agent/yard.h"
#include "protocol/order.h"
#include "protocol/report.h"
#include "sim/agent_programs.h"
#include "vendors/tenstorrent/driver_operands.h"
#include "vendors/tenstorrent/words.h"

namespace drover::agent::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNamespace = "tt-k8s-driver-manager-system";

class Fleet {
 public:
  Fleet() : world(1), person(world.api("person")) {
    kubelets = std::make_unique<sim::Kubelets>(world.api("kubelets"), world.loop, world.cluster.random("kubelets"),
                                               sim::KubeletPlan{.events = false});
    kubelets->start();
    ask(kube::create(kube::kNamespaces, "", json::Members{{"metadata", json::Members{{"name", kNamespace}}}}));
    for (Object& node : sim::make_nodes(*sim::parse_fleet("tenstorrent=3,cpu=1")))
      ask(kube::create(kube::kNodes, "", std::move(node)));
  }

  Object ask(kube::Request request) { return answer_to(world, person, std::move(request)); }
  static json::Value daemon_set(const std::string& version) {
    const json::Value policy =
        json::Members{{"metadata", json::Members{{"name", "default"}, {"uid", "uid-1"}}},
                      {"spec", json::Members{{"version", version}, {"nodeAffinity", json::Members{}}}}};
    return vendors::render_builder(vendors::read_driver_policy(policy), {.ns = kNamespace, .own_image = "drover:1"});
  }
  void create(const std::string& version) { ask(kube::create(kube::kDaemonSets, kNamespace, daemon_set(version))); }
  void update(const std::string& version) {
    ask(kube::patch(kube::kDaemonSets, kNamespace, "ttdrv-default", kube::PatchKind::Merge,
                    json::Members{{"spec", *json::find(daemon_set(version), {"spec"})}}));
  }
  // The builder's pod on a node.
  sim::Stored pod_on(const std::string& node) const {
    sim::Stored found;
    world.store().each("pods", kNamespace, [&](const sim::Stored& pod) {
      if (json::text_at(*pod, {"spec", "nodeName"}) == node && !kube::is_being_deleted(*pod)) found = pod;
    });
    return found;
  }
  void delete_pod(const std::string& node) {
    ask(kube::remove(kube::kPods, kNamespace, std::string(kube::name_of(*pod_on(node))), ""));
  }
  void order(const std::string& node, const protocol::Order& order) {
    json::Value body;
    json::ensure(body, {"metadata", "annotations", vendors::kTenstorrentDriverChannel.order}) =
        protocol::text_of(order);
    ask(kube::patch(kube::kNodes, "", node, kube::PatchKind::Merge, std::move(body)));
  }
  protocol::Report report(const std::string& node) const {
    auto report = protocol::parse_report(
        kube::annotation_of(*world.store().find("nodes", node), vendors::kTenstorrentDriverChannel.report));
    return report ? *report : protocol::Report{};
  }
  bool is_ready(const std::string& node) const {
    const sim::Stored pod = pod_on(node);
    if (!pod) return false;
    for (const auto& one : json::array_at(*pod, {"status", "conditions"})) {
      if (json::text_at(one, {"type"}) == "Ready") return json::text_at(one, {"status"}) == "True";
    }
    return false;
  }
  bool serves(const std::string& node, const std::string& version) {
    return kubelets->host(node)->loaded_version("tenstorrent") == version && is_ready(node) &&
           kube::label_of(*world.store().find("nodes", node), vendors::kKmdVersionLabel) == version;
  }
  bool all_serve(const std::string& version, base::Span at_most = 10min) {
    return world.run_until(
        [&] {
          return serves("tenstorrent-1", version) && serves("tenstorrent-2", version) &&
                 serves("tenstorrent-3", version);
        },
        at_most);
  }

  sim::World world;
  kube::Api& person;
  std::unique_ptr<sim::Kubelets> kubelets;
};

TEST(Builder, BringsTheDriverToEveryNodeWithADevice) {
  Fleet fleet;
  fleet.create("2.7.0");
  EXPECT_TRUE(fleet.all_serve("2.7.0"));
  EXPECT_FALSE(fleet.pod_on("cpu-1"));
}

TEST(Builder, ANodeIsAwayOnlyForUnloadAndLoadWhenItWasPrepared) {
  Fleet fleet;
  fleet.create("2.7.0");
  ASSERT_TRUE(fleet.all_serve("2.7.0"));
  fleet.update("2.8.0");
  for (const std::string node : {"tenstorrent-1", "tenstorrent-2", "tenstorrent-3"}) {
    fleet.order(node, {.id = "claim", .target = vendors::kmd_digest("2.8.0"), .prepare = "2.8.0"});
    ASSERT_TRUE(fleet.world.run_until([&] { return fleet.report(node).prepared == "2.8.0"; }, 10min));
    EXPECT_TRUE(fleet.serves(node, "2.7.0")) << "it serves while it builds";
    base::Span without{};
    fleet.kubelets->host(node)->on_module = [&, since = base::Instant{}](const std::string&, const std::string&,
                                                                         bool is_loaded) mutable {
      if (is_loaded) without = fleet.world.loop.now() - since;
      if (!is_loaded) since = fleet.world.loop.now();
    };
    fleet.delete_pod(node);
    ASSERT_TRUE(fleet.world.run_until([&] { return fleet.report(node).wants == protocol::AgentRequest::Load; }, 10min));
    fleet.order(node, {.id = fleet.report(node).id, .target = vendors::kmd_digest("2.8.0"), .may_load = true});
    ASSERT_TRUE(fleet.world.run_until([&] { return fleet.serves(node, "2.8.0"); }, 1min));
    EXPECT_LT(without, 1s);
    fleet.kubelets->host(node)->on_module = {};
  }
  EXPECT_TRUE(fleet.all_serve("2.8.0"));
}

TEST(Builder, ADeletedPodDoesNotSwapUnderAWorkload) {
  Fleet fleet;
  fleet.create("2.7.0");
  ASSERT_TRUE(fleet.all_serve("2.7.0"));
  fleet.update("2.8.0");
  fleet.delete_pod("tenstorrent-2");
  fleet.world.run_for(1h);
  EXPECT_EQ(fleet.kubelets->host("tenstorrent-2")->loaded_version("tenstorrent"), "2.7.0");
  EXPECT_THAT(fleet.report("tenstorrent-2").message, HasSubstr("waiting for permission"));
  EXPECT_FALSE(fleet.is_ready("tenstorrent-2"));
}

TEST(Builder, AMachineThatRebootsHasItsDriverBackByItself) {
  Fleet fleet;
  fleet.create("2.7.0");
  ASSERT_TRUE(fleet.all_serve("2.7.0"));
  sim::SimHost& host = *fleet.kubelets->host("tenstorrent-3");
  ASSERT_TRUE(host.reboot(host.boot_id()));
  ASSERT_TRUE(fleet.world.run_until([&] { return !host.loaded_version("tenstorrent"); }, 1min));
  EXPECT_TRUE(fleet.all_serve("2.7.0"));
}

}  // namespace
}  // namespace drover::agent::testing
