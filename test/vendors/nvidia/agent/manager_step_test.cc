// The driver manager's flow, one step at a time.
#include "vendors/nvidia/agent/manager_step.h"
#include "protocol/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::agent {
namespace {

using namespace std::chrono_literals;
using protocol::AgentRequest;
using protocol::Order;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Do = ManagerStep::Do;

constexpr const char* kPlugin = "nvidia.com/gpu.deploy.device-plugin";
constexpr const char* kPaused = "paused-for-driver-upgrade";

class Manager : public ::testing::Test {
 protected:
  ManagerSettings settings = {.node = "gpu-7", .pod_uid = "pod-1", .digest = "new"};
  Sight sight = {.node = NodeSight{.gates = {{kPlugin, "true"}}, .deploy = "true"},
                 .boot = "boot-1",
                 .loaded = {"nvidia_uvm", "nvidia"}};
  ManagerMemory memory;

  ManagerStep next() { return step(settings, sight, memory); }
  void allow(const std::string& id, AgentRequest serves = AgentRequest::Nothing) {
    sight.node->order = Order{.id = id, .target = "new", .may_load = true, .serves = serves};
  }
  void is_held() {
    sight.holders = {{.pid = 4242, .command = "python3", .paths = {"/dev/nvidia0"}, .pod = "ml/train-7"}};
  }
  void pass(base::Span span) { sight.now += span; }
  // Without the controller, up to the request for an eviction.
  void pause() {
    ASSERT_EQ(next().labels[kPlugin], kPaused);
    sight.node->gates[kPlugin] = kPaused;
    sight.node->has_paused = true;
  }
};

TEST_F(Manager, GoesAtOnceWhenNothingIsLoaded) {
  sight.loaded.clear();
  sight.node->is_managed = true;
  EXPECT_EQ(next().what, Do::Leave);
  EXPECT_EQ(next().code, 0);
  EXPECT_THAT(next().labels, IsEmpty());
}

TEST_F(Manager, GoesWithTheServerAwayOnlyWhenItNeedsNoEviction) {
  sight.node.reset();
  EXPECT_EQ(next().what, Do::Wait);
  pass(61s);
  EXPECT_EQ(next().what, Do::Wait) << "a driver is loaded: the operator must say that it may go";
  sight.loaded.clear();
  EXPECT_EQ(next().what, Do::Leave);
  EXPECT_EQ(next().code, 0);
  EXPECT_FALSE(next().must_be_told);
}

TEST_F(Manager, KeepsTheDriverThatIsTheWantedOne) {
  sight.stored_digest = "new";
  is_held();
  EXPECT_EQ(next().what, Do::Leave);
  EXPECT_EQ(next().code, 0);
  settings.reinstalls = true;
  EXPECT_EQ(next().what, Do::Wait);
}

TEST_F(Manager, LeavesTheHostsOwnDriverAlone) {
  sight.has_host_driver = true;
  EXPECT_EQ(next().labels["nvidia.com/gpu.deploy.driver"], "pre-installed");
  EXPECT_EQ(next().what, Do::Wait);
  sight.node->deploy = "pre-installed";
  EXPECT_THAT(next().labels, IsEmpty());
  pass(60s);
  EXPECT_EQ(next().what, Do::Leave);
  EXPECT_EQ(next().code, 1);
}

TEST_F(Manager, SaysBeforeAnythingElseThatThisKernelCannotUnload) {
  sight.can_unload = false;
  const ManagerStep end = next();
  EXPECT_EQ(end.what, Do::Leave);
  EXPECT_EQ(end.code, 1);
  EXPECT_FALSE(end.report.can_unload);
  EXPECT_THAT(end.report.message, HasSubstr("cannot unload modules"));
  EXPECT_THAT(end.labels, IsEmpty());
}

TEST_F(Manager, WaitsForPermissionWhereAnOperatorIsAtWork) {
  sight.node->is_managed = true;
  EXPECT_EQ(next().what, Do::Wait);
  EXPECT_EQ(next().report.wants, AgentRequest::Load);
  EXPECT_EQ(next().report.id, "pod-1");
  EXPECT_THAT(next().labels, IsEmpty()) << "the gates are the operator's";
  sight.node->claim = "claim-1";
  EXPECT_EQ(next().report.id, "claim-1");
  allow("claim-1");
  EXPECT_EQ(next().what, Do::Unload);
}

TEST_F(Manager, BelievesNoOrderThatIsForSomethingElse) {
  sight.node->is_managed = true;
  sight.node->claim = "claim-2";
  allow("claim-1");
  EXPECT_EQ(next().what, Do::Wait) << "an earlier upgrade's";
  allow("");
  EXPECT_EQ(next().what, Do::Wait) << "an empty name is not a permission";
  allow("pod-1");
  EXPECT_EQ(next().what, Do::Wait) << "from before the claim";
  allow("claim-2");
  sight.node->order->target = "other";
  EXPECT_EQ(next().what, Do::Wait) << "another driver's";
  allow("claim-2");
  sight.node->order->is_paused = true;
  EXPECT_EQ(next().what, Do::Wait);
  EXPECT_THAT(next().report.message, HasSubstr("paused"));
  allow("claim-2");
  sight.node->order->is_refused = true;
  EXPECT_EQ(next().what, Do::Wait);
  sight.node->order.reset();
  sight.node->order_trouble = "it is not a JSON object";
  EXPECT_THAT(next().report.message,
              HasSubstr("drover.dev/order-nvidia-driver cannot be read: it is not a JSON object"));
}

TEST_F(Manager, UnloadsNothingThatIsHeldAndLeavesTheDeadlineToTheOperator) {
  sight.node->is_managed = true;
  sight.node->claim = "claim-1";
  allow("claim-1");
  is_held();
  for (int minute = 0; minute < 60; ++minute) {
    ASSERT_EQ(next().what, Do::Wait);
    pass(1min);
  }
  EXPECT_THAT(next().report.message, HasSubstr("held by pid 4242 (python3) of pod ml/train-7"));
  sight.holders.clear();
  EXPECT_EQ(next().what, Do::Unload);
}

TEST_F(Manager, WithoutTheControllerPausesThenWaitsForPodsThenAsksForEviction) {
  EXPECT_TRUE(next().report.has_paused);
  pause();
  sight.operands = {"gpu-operator/nvidia-dcgm-x"};
  EXPECT_EQ(next().report.wants, AgentRequest::Nothing);
  EXPECT_THAT(next().report.message, HasSubstr("gpu-operator/nvidia-dcgm-x"));
  sight.operands.clear();
  EXPECT_EQ(next().report.wants, AgentRequest::Evict);
  EXPECT_EQ(next().report.id, "pod-1");
  EXPECT_TRUE(next().report.has_paused);
  allow("pod-1", AgentRequest::Evict);
  EXPECT_EQ(next().what, Do::Unload);
  sight.loaded.clear();
  const ManagerStep end = next();
  EXPECT_EQ(end.what, Do::Leave);
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.labels.at(kPlugin), "true");
  EXPECT_FALSE(end.report.has_paused);
}

TEST_F(Manager, GivesUpOnOperandsThatDoNotGoAndPutsTheLabelsBack) {
  pause();
  sight.operands = {"gpu-operator/nvidia-dcgm-x"};
  EXPECT_EQ(next().what, Do::Wait);
  pass(5min);
  const ManagerStep end = next();
  EXPECT_EQ(end.what, Do::Leave);
  EXPECT_EQ(end.code, 1);
  EXPECT_EQ(end.labels.at(kPlugin), "true");
}

TEST_F(Manager, AsksForADrainOnlyAfterTheEvictionFailed) {
  pause();
  EXPECT_EQ(next().report.wants, AgentRequest::Evict);
  sight.node->order =
      Order{.id = "pod-1", .target = "new", .serves = AgentRequest::Evict, .is_refused = true, .message = "bare pod"};
  EXPECT_EQ(next().report.wants, AgentRequest::Drain);
  allow("pod-1", AgentRequest::Evict);
  EXPECT_EQ(next().what, Do::Wait) << "that was for the eviction";
  allow("pod-1", AgentRequest::Drain);
  EXPECT_EQ(next().what, Do::Unload);
}

TEST_F(Manager, FailsWhenTheEvictionFailsAndDrainIsOff) {
  settings.drains = false;
  pause();
  EXPECT_EQ(next().report.wants, AgentRequest::Evict);
  sight.node->order =
      Order{.id = "pod-1", .target = "new", .serves = AgentRequest::Evict, .is_refused = true, .message = "bare pod"};
  const ManagerStep end = next();
  EXPECT_EQ(end.what, Do::Leave);
  EXPECT_EQ(end.code, 1);
  EXPECT_THAT(end.report.message, HasSubstr("bare pod"));
  EXPECT_EQ(end.labels.at(kPlugin), "true");
}

TEST_F(Manager, WhoMayNotHaveADrainMayNotHaveLess) {
  pause();
  EXPECT_EQ(next().report.wants, AgentRequest::Evict);
  sight.node->order =
      Order{.id = "pod-1", .target = "new", .serves = AgentRequest::Drain, .is_refused = true, .message = "bare pod"};
  next();
  EXPECT_EQ(next().what, Do::Leave);
}

TEST_F(Manager, DrainsAfterItsTimeIsOver) {
  settings.at_most = 300s;
  pause();
  EXPECT_EQ(next().report.wants, AgentRequest::Evict);
  pass(299s);
  EXPECT_EQ(next().report.wants, AgentRequest::Evict);
  pass(1s);
  EXPECT_EQ(next().report.wants, AgentRequest::Drain);
  pass(300s);
  EXPECT_EQ(next().what, Do::Leave);
}

TEST_F(Manager, DrainsWhenTheModuleStaysBusyAfterTheEviction) {
  pause();
  next();
  allow("pod-1", AgentRequest::Evict);
  EXPECT_EQ(next().what, Do::Unload);
  memory.unload_trouble = "cannot unload nvidia: it is in use";
  EXPECT_EQ(next().what, Do::Unload);
  pass(5min);
  EXPECT_EQ(next().report.wants, AgentRequest::Drain);
}

TEST_F(Manager, EvictsNoPodWhenItIsNotToAndTriesToUnload) {
  settings.evicts = false;
  settings.drains = false;
  pause();
  EXPECT_EQ(next().what, Do::Unload);
  is_held();
  EXPECT_EQ(next().what, Do::Wait);
  EXPECT_EQ(next().report.wants, AgentRequest::Nothing);
  pass(5min);
  EXPECT_EQ(next().what, Do::Leave);
  EXPECT_THAT(next().report.message, HasSubstr("ENABLE_AUTO_DRAIN is false"));
}

TEST_F(Manager, PutsTheLabelsBackWhenItIsAskedToEnd) {
  pause();
  memory.is_ending = true;
  EXPECT_EQ(next().what, Do::Leave);
  EXPECT_EQ(next().labels.at(kPlugin), "true");
}

TEST_F(Manager, PutsBackWhatAnEarlierRunLeftAlsoWhenAnOperatorHasTakenOver) {
  sight.node->gates[kPlugin] = kPaused;
  sight.node->has_paused = true;
  sight.node->is_managed = true;
  EXPECT_EQ(next().labels.at(kPlugin), "true");
  EXPECT_FALSE(next().report.has_paused);
  sight.node->claim = "claim-1";
  EXPECT_THAT(next().labels, IsEmpty()) << "the operator's pause";
}

TEST(Gates, KeepWhatTheySaidInThePause) {
  for (const std::string value : {"true", "on-demand", "x_y"}) {
    EXPECT_NE(paused(value, kPaused), value);
    EXPECT_EQ(paused(paused(value, kPaused), kPaused), paused(value, kPaused));
    EXPECT_EQ(restored(paused(value, kPaused), kPaused), value);
  }
  for (const std::string value : {"", "false", "a-value-that-leaves-no-room-for-the-word-behind-it-in-a-label"}) {
    EXPECT_EQ(paused(value, kPaused), value);
    EXPECT_EQ(restored(value, kPaused), value);
  }
}

TEST(ManagerSettingsReader, TakesTheSixVariablesAndRefusesWordsThatAreNoAnswer) {
  const Environment good = {{"NODE_NAME", "gpu-7"},
                            {"POD_UID", "u"},
                            {"DRIVER_CONFIG_DIGEST", "d"},
                            {"ENABLE_GPU_POD_EVICTION", "false"},
                            {"ENABLE_AUTO_DRAIN", "false"},
                            {"DRAIN_USE_FORCE", "true"},
                            {"DRAIN_POD_SELECTOR_LABEL", "app=web"},
                            {"DRAIN_TIMEOUT_SECONDS", "300s"},
                            {"DRAIN_DELETE_EMPTYDIR_DATA", "true"}};
  const auto settings = read_manager_settings(good);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_FALSE(settings->evicts);
  EXPECT_FALSE(settings->drains);
  EXPECT_TRUE(settings->takes_bare_pods);
  EXPECT_TRUE(settings->takes_local_data);
  EXPECT_EQ(settings->drained, "app=web");
  EXPECT_EQ(settings->at_most, 300s);
  const std::pair<std::string, std::string> wrongs[] = {{"ENABLE_AUTO_DRAIN", "yes"},
                                                        {"DRAIN_TIMEOUT_SECONDS", "soon"},
                                                        {"DRAIN_TIMEOUT_SECONDS", "-5s"},
                                                        {"DRAIN_POD_SELECTOR_LABEL", "a=b=c"},
                                                        {"NODE_NAME", "../gpu"},
                                                        {"DRIVER_CONFIG_DIGEST", "$(id)"},
                                                        {"NODE_NAME", ""},
                                                        {"POD_UID", ""}};
  for (const auto& wrong : wrongs) {
    Environment bad = good;
    bad.push_back(wrong);
    const auto refused = read_manager_settings(bad);
    ASSERT_FALSE(refused) << wrong.first << "=" << wrong.second;
    EXPECT_THAT(refused.error().message, HasSubstr(wrong.first));
  }
  Environment unlimited = good;
  unlimited.emplace_back("DRAIN_TIMEOUT_SECONDS", "0s");
  EXPECT_FALSE(read_manager_settings(unlimited)->at_most);
}

}  // namespace
}  // namespace drover::agent
