// A rollout on the embedded cluster, from the first driver to the next.
#include <gmock/gmock.h>

#include "stage.h"

namespace drover::operate {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): a stage in few words

TEST(Rollout, InstallsTheFirstDriverWithoutTakingANodeAway) {
  Stage stage;
  stage.create_policy(cluster_policy("535.129.03"));
  stage.start_operator();
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min)) << stage.state("nvidia-1");
  for (const std::string& name : stage.names()) {
    EXPECT_EQ(stage.driver_on(name), "535.129.03");
    EXPECT_FALSE(stage.is_cordoned(name));
  }
}

TEST(Rollout, BringsAnotherVersionNodeByNode) {
  Stage stage;
  stage.create_policy(cluster_policy("535.129.03"));
  stage.start_operator();
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  stage.set_version("550.54.15");
  int most = 0;
  const auto done = [&] {
    int away = 0;
    bool all = true;
    for (const std::string& name : stage.names()) {
      away += stage.is_cordoned(name) ? 1 : 0;
      all = all && stage.state(name) == "upgrade-done" && stage.driver_on(name) == "550.54.15";
    }
    most = std::max(most, away);
    return all;
  };
  EXPECT_TRUE(stage.world.run_until(done, 1h)) << stage.pods_text("gpu-operator");
  EXPECT_EQ(most, 1);
}

// A door that lets everything through; each of those below has its own way with something.
class Door : public kube::Api {
 public:
  Door(kube::Api& inner, base::Loop& loop) : inner_(inner), loop_(loop) {}

  kube::Call call(kube::Request request, Answer answer) override {
    return inner_.call(std::move(request), std::move(answer));
  }
  kube::Call list(kube::ListRequest request, kube::ListSink sink) override {
    return inner_.list(std::move(request), std::move(sink));
  }
  kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    return inner_.watch(std::move(request), std::move(sink));
  }

 protected:
  void later(base::Span span, std::function<void()> then) { late_.push_back(loop_.after(span, std::move(then))); }

  kube::Api& inner_;
  base::Loop& loop_;

 private:
  std::vector<base::Timer> late_;
};

// A write that calls a node done waits a minute for the answer; what is deleted is written down.
class SlowWithDone final : public Door {
 public:
  using Door::Door;

  kube::Call call(kube::Request request, Answer answer) override {
    if (request.verb == kube::Verb::Delete) deleted.push_back(request.name);
    const bool ends = json::text_at(request.body, {"metadata", "labels", kState}) == "upgrade-done";
    if (!ends) return Door::call(std::move(request), std::move(answer));
    is_ending = true;
    return Door::call(std::move(request), [this, answer = std::move(answer)](kube::Result<Object> result) {
      later(1min, [answer, result = std::move(result)] { answer(result); });
    });
  }
  // Of nodes nothing is heard any more once one was called done.
  kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    if (request.range.resource.plural != "nodes") return Door::watch(std::move(request), std::move(sink));
    kube::WatchSink deaf = sink;
    deaf.event = [this, event = std::move(sink.event)](kube::WatchEvent news) {
      if (!is_ending) event(std::move(news));
    };
    return Door::watch(std::move(request), std::move(deaf));
  }

  std::vector<std::string> deleted;
  bool is_ending = false;
};

// A server that does not know policies, as one whose definitions are still being loaded.
class WithoutPolicies final : public Door {
 public:
  using Door::Door;

  kube::Call list(kube::ListRequest request, kube::ListSink sink) override {
    if (request.range.resource.plural != "clusterpolicies") return Door::list(std::move(request), std::move(sink));
    loop_.post([done = sink.done] {
      done(base::fault(base::Fault::Kind::NotFound, "the server could not find the requested resource"));
    });
    return {};
  }
};

// What takes a pod away comes to the server ten seconds after it was asked for; the end of a pod that proved an image
// does not matter.
class LateRemovals final : public Door {
 public:
  using Door::Door;

  kube::Call call(kube::Request request, Answer answer) override {
    const bool removes = request.subresource == "eviction" || request.verb == kube::Verb::Delete;
    if (!removes || request.name.starts_with("drover-preflight-")) {
      return Door::call(std::move(request), std::move(answer));
    }
    ++on_their_way;
    last = request.name;
    later(10s, [this, request = std::move(request), answer = std::move(answer)] {
      Door::call(request, [this, answer](const kube::Result<Object>& result) {
        --on_their_way;
        answer(result);
      }).let_go();
    });
    return {};
  }

  int on_their_way = 0;
  std::string last;
};

TEST(Rollout, NoNodeIsGivenUpWhereTheServerDoesNotKnowPolicies) {
  Stage stage;
  stage.create_policy(cluster_policy("535.129.03"));
  stage.start_operator();
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  stage.kill_operator();
  WithoutPolicies door(stage.luck, stage.world.loop);
  stage.start_operator(door);
  stage.world.run_for(5min);
  EXPECT_TRUE(stage.all("upgrade-done"));
  EXPECT_FALSE(stage.drover->is_synced());
}

TEST(Rollout, DoesNothingToANodeWhileItsNextPhaseIsBeingWritten) {
  Stage stage({.nodes = "nvidia=1"});
  stage.create_policy(cluster_policy("535.129.03"));
  stage.start_operator();
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  stage.kill_operator();
  SlowWithDone door(stage.luck, stage.world.loop);
  stage.start_operator(door);
  stage.set_version("550.54.15");
  ASSERT_TRUE(stage.world.run_until([&] { return door.is_ending; }, 10min));
  // Now a new driver pod makes the validator's result an old one.
  door.deleted.clear();
  std::string driver;
  stage.world.store().each("pods", "gpu-operator", [&](const sim::Stored& pod) {
    if (kube::name_of(*pod).starts_with("nvidia-driver-daemonset")) driver = kube::name_of(*pod);
  });
  stage.ask(kube::remove(kube::kPods, "gpu-operator", driver, ""));
  stage.world.run_for(50s);
  EXPECT_THAT(door.deleted, ::testing::IsEmpty());
  EXPECT_EQ(stage.state("nvidia-1"), "upgrade-done");
}

// Else the pod would go after its node was given back, for nothing.
TEST(Rollout, ANodeIsNotGivenBackWhileAPodOfItIsBeingEvicted) {
  Stage stage({.nodes = "nvidia=1"});
  LateRemovals door(stage.luck, stage.world.loop);
  stage.create_policy(cluster_policy("535.129.03"));
  stage.start_operator(door);
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  stage.run_training("train", 1, 8);
  stage.world.run_for(1min);
  stage.set_version("550.54.15");
  ASSERT_TRUE(stage.world.run_until([&] { return door.on_their_way == 1; }, 10min));
  ASSERT_TRUE(stage.is_cordoned("nvidia-1"));
  stage.set_version("535.129.03");
  ASSERT_TRUE(stage.world.run_until([&] { return !stage.is_cordoned("nvidia-1"); }, 10min));
  EXPECT_EQ(door.on_their_way, 0);
}

// Else its driver would go under the pods that it was given back to.
TEST(Rollout, ANodeIsNotGivenBackWhileItsDriverIsBeingDeleted) {
  Stage stage({.nodes = "nvidia=1"});
  LateRemovals door(stage.luck, stage.world.loop);
  stage.create_policy(cluster_policy("535.129.03"));
  stage.start_operator(door);
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  stage.set_version("550.54.15");
  ASSERT_TRUE(stage.world.run_until([&] { return door.on_their_way == 1; }, 10min));
  ASSERT_EQ(stage.state("nvidia-1"), "pod-restart-required");
  stage.set_version("535.129.03");
  stage.world.run_until([&] { return stage.state("nvidia-1") == "upgrade-done" || door.on_their_way == 0; }, 1min);
  EXPECT_EQ(stage.state("nvidia-1"), "pod-restart-required") << "its driver's pod is on its way out";
  EXPECT_TRUE(stage.run_until_all("upgrade-done", 10min));
  EXPECT_EQ(stage.driver_on("nvidia-1"), "535.129.03");
}

// It is no longer the first driver that never served a pod, but one like all others.
TEST(Rollout, AFirstDriverThatServesByNowIsNotTakenFromItsNode) {
  Stage stage({.nodes = "nvidia=1"});
  LateRemovals door(stage.luck, stage.world.loop);
  stage.create_policy(cluster_policy("535.129.03"));
  stage.start_operator(door);
  const auto driver = [&] {
    std::string uid;
    stage.world.store().each("pods", "gpu-operator", [&](const sim::Stored& pod) {
      if (kube::name_of(*pod).starts_with("nvidia-driver-daemonset")) uid = kube::uid_of(*pod);
    });
    return uid;
  };
  ASSERT_TRUE(stage.world.run_until([&] { return !driver().empty(); }, 10min));
  const std::string first = driver();
  stage.set_version("550.54.15");
  ASSERT_TRUE(stage.world.run_until([&] { return door.on_their_way == 1; }, 10s));
  ASSERT_THAT(door.last, ::testing::StartsWith("nvidia-driver-daemonset"));
  stage.patch_node("nvidia-1", R"({"metadata": {"labels": {"nvidia.com/gpu-driver-upgrade.skip": "true"}}})");
  stage.world.run_for(1min);
  EXPECT_EQ(driver(), first);
  stage.patch_node("nvidia-1", R"({"metadata": {"labels": {"nvidia.com/gpu-driver-upgrade.skip": null}}})");
  EXPECT_TRUE(stage.run_until_all("upgrade-done", 10min));
  EXPECT_EQ(stage.driver_on("nvidia-1"), "550.54.15");
}

// The fault: Ready for half a minute after each reboot, while the driver was only being built again.
TEST(Rollout, APolicyIsNotReadyFromTheEndOfAMachineUntilItsDriverIsBack) {
  Stage stage;
  stage.create_policy(cluster_policy("535.129.03"));
  stage.start_operator();
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  stage.world.run_for(10s);
  const auto ready = [&] {
    for (const json::Value& one : json::array_at(*stage.policy(), {"status", "conditions"})) {
      if (json::text_at(one, {"type"}) == "Ready") return std::string(json::text_at(one, {"reason"}));
    }
    return std::string();
  };
  const std::string usual = ready();
  stage.kubelets.power_off("nvidia-1");
  ASSERT_TRUE(stage.world.run_until([&] { return ready() != usual; }, 5min)) << usual;
  ASSERT_TRUE(stage.kubelets.images().prefer("*driver*", "nvidia-driver-ctr",
                                             "wait 1m; load nvidia $VERSION; load nvidia_uvm $VERSION on nvidia; "
                                             "load nvidia_modeset $VERSION on nvidia; ready; wait forever"));
  stage.kubelets.power_on("nvidia-1");
  ASSERT_TRUE(stage.world.run_until([&] { return ready() == usual; }, 10min)) << ready();
  EXPECT_EQ(stage.driver_on("nvidia-1"), "535.129.03") << "it says " << ready();
}

}  // namespace
}  // namespace drover::operate
