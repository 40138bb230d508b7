// A definition that goes in the middle of a rollout, or is not served yet: what was taken is finished and given back,
// and a server that is only starting costs no node anything.
#include <gmock/gmock.h>

#include "operator/tenstorrent_stage.h"

namespace drover::operate::testing {
namespace {

constexpr std::string_view kClusterPolicyDefinition = "clusterpolicies.nvidia.com";
constexpr std::string_view kDriverPolicyDefinition = "tenstorrentdriverpolicies.driver.tenstorrent.com";
constexpr const char* kGpu = "nvidia-1";
constexpr const char* kTensix = "tenstorrent-1";

void delete_definition(Stage& stage, std::string_view name) {
  stage.ask(kube::remove(kube::kCustomResourceDefinitions, "", std::string(name), ""));
}
void define(Stage& stage, std::string_view file) {
  stage.ask(kube::create(kube::kCustomResourceDefinitions, "", manifest(std::string(file))));
  stage.world.run_for(1s);
}

// One node whose training pod a budget protects for ever.
class ABlockedUpgrade : public ::testing::Test {
 protected:
  void begin() { begin(stage.luck); }
  void begin(kube::Api& door) {
    stage.create_policy(cluster_policy("535.129.03", R"("gpuPodDeletion": {"timeoutSeconds": 0})"));
    stage.start_operator(door);
    ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
    stage.run_training("train", 1, 8);
    stage.create_budget("train", 1);
    stage.world.run_for(1min);
    stage.set_version("550.54.15");
    ASSERT_TRUE(stage.world.run_until([&] { return stage.is_cordoned(kGpu); }, 10min));
    stage.world.run_for(30s);
  }
  bool is_given_back(base::Span at_most = 2min) {
    return stage.world.run_until([&] { return !stage.is_cordoned(kGpu) && stage.state(kGpu).empty(); }, at_most);
  }

  Stage stage{{.nodes = "nvidia=1"}};
};

TEST_F(ABlockedUpgrade, IsUndoneWhenTheDefinitionGoes) {
  ASSERT_NO_FATAL_FAILURE(begin());
  delete_definition(stage, kClusterPolicyDefinition);
  EXPECT_TRUE(is_given_back());
  EXPECT_EQ(stage.driver_on(kGpu), "535.129.03");
}

TEST_F(ABlockedUpgrade, IsUndoneByAnOperatorThatFindsNoDefinition) {
  ASSERT_NO_FATAL_FAILURE(begin());
  stage.kill_operator();
  delete_definition(stage, kClusterPolicyDefinition);
  stage.world.run_for(1min);
  ASSERT_TRUE(stage.is_cordoned(kGpu));
  stage.start_operator();
  EXPECT_TRUE(is_given_back());
}

// Also where not one kind is left.
TEST_F(ABlockedUpgrade, IsUndoneWhenTheLastDefinitionGoes) {
  ASSERT_NO_FATAL_FAILURE(begin());
  delete_definition(stage, "nvidiadrivers.nvidia.com");
  delete_definition(stage, kClusterPolicyDefinition);
  EXPECT_TRUE(is_given_back());
}

// Swallows what watches tell of policies, and answers 404 for their kind while it is loading.
class PoliciesDoor final : public kube::Api {
 public:
  PoliciesDoor(kube::Api& inner, base::Loop& loop) : inner_(inner), loop_(loop) {}

  kube::Call call(kube::Request request, Answer answer) override {
    return inner_.call(std::move(request), std::move(answer));
  }
  kube::Call list(kube::ListRequest request, kube::ListSink sink) override {
    if (!is_loading || !is_policies(request.range)) return inner_.list(std::move(request), std::move(sink));
    loop_.post([done = std::move(sink.done)] { done(not_found()); });
    return {};
  }
  kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    if (!is_policies(request.range)) return inner_.watch(std::move(request), std::move(sink));
    if (is_loading) {
      loop_.post([ended = std::move(sink.ended)] { ended(not_found().error()); });
      return {};
    }
    kube::WatchSink deaf = sink;
    deaf.event = [this, event = std::move(sink.event)](kube::WatchEvent news) {
      if (!is_deaf) event(std::move(news));
    };
    end_ = sink.ended;
    open_ = inner_.watch(std::move(request), std::move(deaf));
    return {};
  }
  // As a server that starts again: open watches end.
  void start_loading() {
    is_loading = true;
    open_.cancel();
    loop_.post([this] { end_({}); });
  }

  bool is_deaf = false;
  bool is_loading = false;

 private:
  static bool is_policies(const kube::Range& range) { return range.resource.plural == "clusterpolicies"; }
  static std::unexpected<kube::Fault> not_found() {
    return base::fault(base::Fault::Kind::NotFound, "the server could not find the requested resource");
  }

  kube::Api& inner_;
  base::Loop& loop_;
  kube::Call open_;
  std::function<void(std::optional<kube::Fault>)> end_;
};

TEST_F(ABlockedUpgrade, IsUndoneAlsoWhenTheEndOfThePolicyWasNotTold) {
  PoliciesDoor door(stage.luck, stage.world.loop);
  ASSERT_NO_FATAL_FAILURE(begin(door));
  door.is_deaf = true;
  delete_definition(stage, kClusterPolicyDefinition);
  EXPECT_TRUE(is_given_back());
}

TEST_F(ABlockedUpgrade, IsLeftAsItIsWhileTheServerOnlyStarts) {
  PoliciesDoor door(stage.luck, stage.world.loop);
  ASSERT_NO_FATAL_FAILURE(begin(door));
  door.start_loading();
  EXPECT_FALSE(is_given_back(5min));
  EXPECT_FALSE(stage.drover->is_synced());
  door.is_loading = false;
  stage.set_version("535.129.03");
  EXPECT_TRUE(stage.run_until_all("upgrade-done", 10min)) << "it is known again";
  EXPECT_FALSE(stage.is_cordoned(kGpu));
}

TEST(ASwap, IsFinishedAndGivenBackWhenTheDefinitionGoes) {
  Stage stage({.nodes = "nvidia=1"});
  stage.create_policy(cluster_policy("535.129.03"));
  stage.start_operator();
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  stage.set_version("550.54.15");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.driver_on(kGpu).empty(); }, 10min));
  ASSERT_TRUE(stage.is_cordoned(kGpu));
  delete_definition(stage, kClusterPolicyDefinition);
  EXPECT_TRUE(stage.world.run_until([&] { return !stage.is_cordoned(kGpu); }, 10min)) << stage.state(kGpu);
  EXPECT_EQ(stage.driver_on(kGpu), "550.54.15");
}

class ABuilderWithoutPolicy : public ::testing::Test {
 protected:
  bool has_builders() const {
    bool found = false;
    stage.world.store().each("daemonsets.apps", kTenstorrentNamespace, [&](const sim::Stored&) { found = true; });
    return found;
  }
  TenstorrentStage stage{1};
};

TEST_F(ABuilderWithoutPolicy, FinishesItsSwapAndGoes) {
  stage.settle("2.7.0");
  stage.want("2.8.0");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.phase_on(kTensix) == "restart"; }, 10min));
  ASSERT_TRUE(stage.world.run_until([&] { return stage.loaded_on(kTensix).empty(); }, 10min));
  delete_definition(stage, kDriverPolicyDefinition);
  EXPECT_TRUE(stage.world.run_until([&] { return !stage.claim_on(kTensix); }, 5min)) << stage.phase_on(kTensix);
  EXPECT_EQ(stage.loaded_on(kTensix), "2.8.0") << "given back with its driver";
  EXPECT_FALSE(stage.is_cordoned(kTensix));
  EXPECT_EQ(stage.gate_on(kTensix), "absent");
  EXPECT_TRUE(stage.world.run_until([&] { return !has_builders(); }, 1min));
  define(stage, "charts/drover/crds/driver.tenstorrent.com_tenstorrentdriverpolicies.yaml");
  stage.ask(kube::create(kDriverPolicies, "", driver_policy("2.8.0")));
  EXPECT_TRUE(stage.world.run_until([&] { return has_builders() && stage.pod_on(kTensix); }, 2min));
  stage.world.run_for(1min);
  EXPECT_TRUE(stage.is_over("2.8.0")) << stage.told();
}

TEST_F(ABuilderWithoutPolicy, GoesAtOnceWhereNoNodeIsAway) {
  stage.settle("2.7.0");
  stage.ask(kube::remove(kDriverPolicies, "", "default", ""));
  EXPECT_TRUE(stage.world.run_until([&] { return !has_builders(); }, 1min));
  stage.world.run_for(1min);
  EXPECT_EQ(stage.loaded_on(kTensix), "2.7.0") << "the driver stays";
}

// As the vendor's own operator, and drover before, have made it: it would go with its policy in the middle of a swap.
TEST_F(ABuilderWithoutPolicy, IsTakenFromItsOwner) {
  stage.settle("2.7.0");
  stage.kill_operator();
  const sim::Stored policy = stage.world.store().find("tenstorrentdriverpolicies.driver.tenstorrent.com", "default");
  stage.ask(kube::patch(kube::kDaemonSets, std::string(kTenstorrentNamespace), "ttdrv-default", kube::PatchKind::Merge,
                        parsed(fmt::format(R"({{"metadata": {{"ownerReferences": [
      {{"apiVersion": "driver.tenstorrent.com/v1alpha1", "kind": "TenstorrentDriverPolicy", "name": "default",
        "uid": "{}", "controller": true, "blockOwnerDeletion": true}}]}}}})",
                                           kube::uid_of(*policy)))));
  stage.start();
  stage.world.run_for(30s);
  const sim::Stored set =
      stage.world.store().find("daemonsets.apps", fmt::format("{}/ttdrv-default", kTenstorrentNamespace));
  EXPECT_THAT(json::array_at(*set, {"metadata", "ownerReferences"}), ::testing::IsEmpty());
  EXPECT_EQ(stage.builder_pods_made[kTensix], 1);
}

}  // namespace
}  // namespace drover::operate::testing
