// What people are shown of a fleet, on the embedded cluster, in virtual time: the same seed, the same text.
#include "cli/fleet_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <regex>
#include <string>

#include "base/text.h"
#include "test/cli/look.h"
#include "vendors/nvidia/module.h"

namespace drover::cli {
namespace {

using operate::testing::cluster_policy;
using operate::testing::Stage;
using operate::testing::StageOptions;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

Look look_at(Stage& stage) { return cli::look_at(stage, vendors::nvidia_driver()); }

// Three nodes with 535.129.03, all done.
std::unique_ptr<Stage> served_fleet(const std::string& upgrade = "") {
  auto stage = std::make_unique<Stage>(StageOptions{.nodes = "nvidia=3,cpu=1"});
  stage->create_policy(cluster_policy("535.129.03", upgrade));
  stage->start_operator();
  EXPECT_TRUE(stage->world.run_until(
      [&] {
        return stage->state("nvidia-1") == "upgrade-done" && stage->state("nvidia-2") == "upgrade-done" &&
               stage->state("nvidia-3") == "upgrade-done";
      },
      10min));
  return stage;
}

// A training pod on each node, and a budget that lets none of them go. nvidia-1 is held by it, nvidia-2 waits for its
// turn, nvidia-3 is left out.
std::unique_ptr<Stage> fleet_behind_a_budget() {
  auto stage = served_fleet(R"("maxUnavailable": 1)");
  for (const char* node : {"nvidia-2", "nvidia-3"}) {
    stage->patch_node(node, R"({"metadata": {"labels": {"nvidia.com/gpu-driver-upgrade.skip": "true"}}})");
  }
  stage->run_training("train", 3, 8);
  stage->create_budget("train", 3);
  stage->world.run_for(20s);
  stage->set_version("550.54.14");
  EXPECT_TRUE(stage->world.run_until([&] { return stage->state("nvidia-1") == "pod-deletion-required"; }, 5min));
  stage->patch_node("nvidia-2", R"({"metadata": {"labels": {"nvidia.com/gpu-driver-upgrade.skip": null}}})");
  stage->world.run_for(40s);
  return stage;
}

// Chosen names and seconds are not what these tests are about.
std::string without_chance(std::string text) {
  text = std::regex_replace(text, std::regex("train-[a-z0-9]+-[a-z0-9]+"), "train-POD");
  text = std::regex_replace(text, std::regex("daemonset-[a-z0-9]{5}"), "daemonset-POD");
  text = std::regex_replace(text, std::regex("([0-9]+m)?[0-9]+s( of [0-9]+m)?"), "TIME$2");
  return std::regex_replace(text, std::regex("(TIME|-)  +(the|no|evicting|its)"), "$1  $2");
}

TEST(Status, ShowsAFleetThatIsDone) {
  const auto stage = served_fleet();
  stage->world.run_for(90s);
  const auto look = look_at(*stage);
  EXPECT_EQ(without_chance(joined(status_lines(*look))), R"(NODE      DRIVER      STATE         SINCE  REASON
nvidia-1  535.129.03  upgrade-done  TIME  the driver is up to date
nvidia-2  535.129.03  upgrade-done  TIME  the driver is up to date
nvidia-3  535.129.03  upgrade-done  TIME  the driver is up to date

cluster-policy (nvidia): 3 nodes, 3 done, 0 in flight, 0 pending, 0 failed; upgrades are on; parallel 1, unavailable 0/1
)");
  EXPECT_FALSE(something_failed(*look));
}

TEST(Status, NamesTheBudgetThatHoldsARollout) {
  const auto stage = fleet_behind_a_budget();
  EXPECT_EQ(without_chance(joined(status_lines(*look_at(*stage)))),
            R"(NODE      DRIVER                  STATE                  SINCE  REASON
nvidia-1  535.129.03 → 550.54.14  pod-deletion-required  TIME  evicting pods that use the device: ml/train-POD (blocked by PodDisruptionBudget ml/train)
nvidia-2  535.129.03 → 550.54.14  upgrade-required       -  no slot is free: maxParallelUpgrades reached (1 of 1)
nvidia-3  535.129.03 → 550.54.14  upgrade-required       -  the skip label is set: remove it to let the node go on

cluster-policy (nvidia): 3 nodes, 0 done, 1 in flight, 2 pending, 0 failed; upgrades are on; parallel 1, unavailable 1/1
! Blocked: nvidia-1: blocked by PodDisruptionBudget ml/train; pods that use the device are deleted after 5m
)");
}

TEST(Status, IsJsonForPrograms) {
  const auto stage = fleet_behind_a_budget();
  const json::Value status = status_json(*look_at(*stage));
  EXPECT_EQ(json::text_at(status, {"policy"}), "cluster-policy");
  EXPECT_EQ(json::text_at(status, {"namespace"}), "gpu-operator");
  EXPECT_EQ(json::int_at(status, {"summary", "inFlight"}), 1);
  ASSERT_EQ(json::array_at(status, {"nodes"}).size(), 3U);
  const json::Value& first = json::array_at(status, {"nodes"}).at(0);
  EXPECT_EQ(json::text_at(first, {"phase"}), "evict-device-pods");
  EXPECT_EQ(json::text_at(first, {"state"}), "pod-deletion-required");
  EXPECT_EQ(json::text_at(first, {"loaded"}), "535.129.03");
  EXPECT_EQ(json::text_at(first, {"wanted"}), "550.54.14");
  EXPECT_THAT(std::string(json::text_at(first, {"reason"})), HasSubstr("blocked by PodDisruptionBudget ml/train"));
}

// The image of a pod that waits says what is wanted, not what is loaded.
TEST(Status, NamesNoLoadedDriverWhereItsPodHasNotRun) {
  Stage stage(StageOptions{.nodes = "nvidia=1"});
  stage.create_policy(cluster_policy("535.129.03"));
  stage.patch_policy(R"({"spec": {"driver": {"resources": {"requests": {"cpu": "1000"}}}}})");
  stage.start_operator();
  stage.world.run_for(1min);
  const auto look = look_at(stage);
  const json::Value status = status_json(*look);
  const json::Array& nodes = json::array_at(status, {"nodes"});
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(json::text_at(nodes[0], {"loaded"}), "");
  EXPECT_EQ(json::text_at(nodes[0], {"code"}), "Unschedulable");
  EXPECT_THAT(explained(*look, "nvidia-1"), HasSubstr("is not scheduled (Unschedulable: 0/1 nodes are available"));
}

TEST(Status, SaysWhatIsWrongWithThePolicy) {
  const auto stage = served_fleet();
  stage->patch_policy(R"({"spec": {"driver": {"upgradePolicy": {"maxParallelUpgrades": 1, "drain":
                      {"enable": true, "podSelector": "a in ("}}}, "mig": {"strategy": "mixed"}}})");
  stage->world.run_for(10s);
  const auto look = look_at(*stage);
  EXPECT_TRUE(something_failed(*look));
  EXPECT_THAT(status_lines(*look), Contains(HasSubstr("! Accepted: ")));
  EXPECT_THAT(joined(status_lines(*look)), HasSubstr("podSelector"));
}

TEST(Explain, GoesThroughTheRulesUpToTheOneThatCounts) {
  const auto stage = fleet_behind_a_budget();
  const auto look = look_at(*stage);
  EXPECT_EQ(without_chance(explained(*look, "nvidia-1")),
            R"(nvidia-1 is pod-deletion-required for TIME (policy cluster-policy)
  node         Ready, cordoned by drover
  driver       535.129.03 → 550.54.14; pod gpu-operator/nvidia-driver-daemonset-POD is ready
  in the way   ml/train-POD: blocked by PodDisruptionBudget ml/train (0 disruptions allowed, 3 healthy, 3 wanted); raise it or scale its owner up
rules, in order; the first that holds counts
  ✗ the policy no longer wants the node: policy cluster-policy selects it
  ✗ the skip label is set
  ✗ the target driver cannot be determined
  ✗ the wanted driver is the one that failed here
  ✗ the wanted driver is the one it has, and the node is not ready: 550.54.14 is wanted
  ✗ the wanted driver is the one it has: 550.54.14 is wanted
  ✗ a user uncordoned it
  ✗ the driver init container withdrew its request
  ✗ a pod of the wanted template would not fit the node
  ✗ its kernel cannot unload modules
  ✗ upgrades are off, and no pod has gone yet
  ✗ upgrades are off: policy cluster-policy has them on
  ✗ the node was lost
  ✗ the node is not ready
  ✗ pods that use the device are left to the drain
  ✗ the driver init container requests a drain, and drain is on
  ✗ the node's pods are not known yet
  ✗ no pod uses the device: ml/train-POD (blocked by PodDisruptionBudget ml/train)
  ✗ pods that use the device keep coming
  ✗ a pod that uses the device may not be evicted, and drain is on
  ✗ a pod that uses the device may not be evicted
  ✗ pods that use the device would not go, and drain is on: TIME of 7m
  ✗ pods that use the device would not go: TIME of 7m
  ✗ the time for evictions is over: TIME of 5m
  ✓ otherwise
    ⇒ evicting pods that use the device
reason: EvictingDevicePods
to do: raise the PodDisruptionBudget that the detail names, or scale its workload up
next: pods that use the device are asked to leave; those still there in TIME that use the device are deleted
)");
  EXPECT_EQ(without_chance(explained(*look, "nvidia-2")), R"(nvidia-2 is upgrade-required (policy cluster-policy)
  node         Ready
  driver       535.129.03 → 550.54.14; pod gpu-operator/nvidia-driver-daemonset-POD is ready
rules, in order; the first that holds counts
  ✗ the policy no longer wants the node: policy cluster-policy selects it
  ✗ its pod never ran, and another pod is wanted
  ✗ upgrades are off, and the wanted driver is the one it has: policy cluster-policy has them on
  ✗ upgrades are off: policy cluster-policy has them on
  ✗ the state label has an unknown value
  ✗ the skip label is set
  ✗ the target driver cannot be determined
  ✗ the wanted driver is the one that failed here
  ✗ the node is not ready
  ✗ the wanted driver is the one it has: 550.54.14 is wanted
  ✗ a pod of the wanted template would not fit the node
  ✗ the wanted driver is starting, and the scheduler finds no place for its pod
  ✗ the wanted driver is starting
  ✗ the node is claimed by other work
  ✗ uncordoned by a user
  ✗ its kernel cannot unload modules
  ✗ too many nodes failed with this driver: 0 of 0 that finished
  ✗ the driver's image cannot be pulled
  ✗ its turn has not come: maxParallelUpgrades reached (1 of 1)
  ✗ the driver's image is not on the node yet
  ✓ no slot is free: maxParallelUpgrades reached (1 of 1)
    ⇒ no slot is free
reason: NoSlot
to do: wait, bring the nodes that the detail names back into service, or raise the limit
next: waiting until this changes
)");
  EXPECT_EQ(without_chance(explained(*look, "nvidia-3")), R"(nvidia-3 is upgrade-required (policy cluster-policy)
  node         Ready, left out by its skip label
  driver       535.129.03 → 550.54.14; pod gpu-operator/nvidia-driver-daemonset-POD is ready
rules, in order; the first that holds counts
  ✗ the policy no longer wants the node: policy cluster-policy selects it
  ✗ its pod never ran, and another pod is wanted
  ✗ upgrades are off, and the wanted driver is the one it has: policy cluster-policy has them on
  ✗ upgrades are off: policy cluster-policy has them on
  ✗ the state label has an unknown value
  ✓ the skip label is set: remove it to let the node go on
    ⇒ the skip label is set
reason: SkipLabel
to do: remove the skip label from the node
next: waiting until this changes
)");
}

TEST(Explain, SaysHowToTryAgainWhenANodeHasFailed) {
  const auto stage = served_fleet(R"("gpuPodDeletion": {"force": false, "timeoutSeconds": 300})");
  stage->ask(kube::create(kube::kPods, "ml",
                          operate::testing::parsed(R"({"metadata": {"name": "bare"}, "spec": {"nodeName": "nvidia-1",
      "containers": [{"name": "c", "image": "x:1", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}})")));
  stage->world.run_for(10s);
  stage->set_version("550.54.14");
  ASSERT_TRUE(stage->world.run_until([&] { return stage->state("nvidia-1") == "upgrade-failed"; }, 30min));
  const auto look = look_at(*stage);
  EXPECT_TRUE(something_failed(*look));
  const std::string text = explained(*look, "nvidia-1");
  EXPECT_THAT(text, HasSubstr("is upgrade-failed"));
  EXPECT_THAT(text, HasSubstr("last try     failed: "));
  EXPECT_THAT(text, HasSubstr("ml/bare"));
  EXPECT_THAT(text, HasSubstr("kubectl label node nvidia-1 nvidia.com/gpu-driver-upgrade-state=upgrade-required"));
}

TEST(Explain, RefusesNodesThatAreNotThereOrNotOurs) {
  const auto stage = served_fleet();
  const auto look = look_at(*stage);
  EXPECT_EQ(explained(*look, "nvidia-9"), "there is no node nvidia-9; kubectl get nodes lists them");
  EXPECT_THAT(explained(*look, "cpu-1"), HasSubstr("node cpu-1 has no nvidia devices"));
}

// Whenever one looks, the phases are those that the operator has written, and the reasons are those of its status.
TEST(FleetSnapshot, SeesWhatTheOperatorSees) {
  const auto stage = served_fleet();
  stage->run_training("train", 2, 8);
  stage->world.run_for(10s);
  stage->set_version("550.54.14");
  int compared = 0;
  for (int i = 0; i < 40; ++i) {
    stage->world.run_for(3s);
    const auto look = look_at(*stage);
    const auto policy = stage->policy();
    for (const json::Value& row : json::array_at(*policy, {"status", "nodes"})) {
      const auto index = look->index_of(std::string(json::text_at(row, {"name"})));
      ASSERT_TRUE(index);
      const core::NodeView& node = look->view().nodes[*index];
      EXPECT_EQ(vendors::nvidia_driver().state(node.phase), stage->state(node.name));
      // The status is up to five seconds old; only where it speaks of the same phase can it be compared.
      if (json::text_at(row, {"state"}) != stage->state(node.name) || node.phase != core::Phase::Required) continue;
      if (look->reason(*index).starts_with("no slot")) {
        EXPECT_EQ(json::text_at(row, {"reason"}).substr(0, 7), "no slot") << node.name;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 3);
}

// What the API server refuses only the operator hears; its word is worth nothing about a policy that has changed since.
TEST(FleetSnapshot, RepeatsWhatTheOperatorSaysIsRefused) {
  const auto stage = served_fleet();
  stage->kill_operator();
  stage->set_version("550.54.14");
  const std::int64_t generation = json::int_at(*stage->policy(), {"metadata", "generation"});
  const std::string said = "the API server refuses a write: patch nodes/nvidia-1: no";
  stage->ask(kube::patch(operate::testing::kClusterPolicies, "", "cluster-policy", kube::PatchKind::Merge,
                         operate::testing::parsed(fmt::format(
                             R"({{"status": {{"observedGeneration": {}, "nodes": [{{"name": "nvidia-1",
                                   "state": "upgrade-done", "code": "WriteRefused", "reason": "{}"}}]}}}})",
                             generation, said)),
                         "status"));
  {
    const auto look = look_at(*stage);
    EXPECT_EQ(look->reason(*look->index_of("nvidia-1")), said);
    EXPECT_THAT(json::text_of(status_json(*look)), HasSubstr("\"code\":\"WriteRefused\""));
    EXPECT_THAT(joined(status_lines(*look)), HasSubstr("! Blocked: nvidia-1: " + said));
    const std::string text = explained(*look, "nvidia-1");
    EXPECT_THAT(text, HasSubstr("refused      patch nodes/nvidia-1: no"));
    EXPECT_THAT(text, HasSubstr("to do: correct what the detail names"));
  }
  stage->set_version("550.54.15");
  const auto look = look_at(*stage);
  EXPECT_EQ(look->reason(*look->index_of("nvidia-1")).find("refuses"), std::string::npos);
}

// Also where the server does not know its kind.
TEST(FleetSnapshot, FindsNoPolicyWhereThereIsNone) {
  for (const bool knows_the_kind : {false, true}) {
    Stage stage(knows_the_kind ? StageOptions{} : StageOptions{.definitions = {}});
    EXPECT_TRUE(look_at(stage).policies().empty());
  }
}

// An API server that lets no user see pods.
class NoPods final : public kube::Api {
 public:
  explicit NoPods(kube::Api& api, base::Loop& loop) : api_(api), loop_(loop) {}
  [[nodiscard]] kube::Call call(kube::Request request, Answer answer) override {
    return api_.call(std::move(request), std::move(answer));
  }
  [[nodiscard]] kube::Call list(kube::ListRequest request, kube::ListSink sink) override {
    if (request.range.resource.plural != "pods") return api_.list(std::move(request), std::move(sink));
    loop_.post([sink] { sink.done(base::fault(base::Fault::Kind::Forbidden, "list pods: you may not")); });
    return {};
  }
  [[nodiscard]] kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    return api_.watch(std::move(request), std::move(sink));
  }

 private:
  kube::Api& api_;
  base::Loop& loop_;
};

TEST(FleetSnapshot, EndsWithTheFirstThingThatIsForbidden) {
  const auto stage = served_fleet();
  NoPods api(stage->person, stage->world.loop);
  const vendors::WorkProfile* const only[] = {&vendors::nvidia_driver()};
  FleetSnapshot look(api, stage->world.loop, only);
  std::vector<std::string> ends;
  look.begin([&](const base::Result<void>& result) { ends.push_back(result ? "well" : result.error().message); });
  stage->world.run_for(1min);
  EXPECT_THAT(ends, ElementsAre("list pods: you may not"));
}

}  // namespace
}  // namespace drover::cli
