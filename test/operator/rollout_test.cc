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

// A door at which whoever calls a node done waits a minute for the answer; what is deleted is written down.
class SlowWithDone final : public kube::Api {
 public:
  SlowWithDone(kube::Api& inner, base::Loop& loop) : inner_(inner), loop_(loop) {}

  kube::Call call(kube::Request request, Answer answer) override {
    if (request.verb == kube::Verb::Delete) deleted.push_back(request.name);
    const bool ends = json::text_at(request.body, {"metadata", "labels", kState}) == "upgrade-done";
    if (!ends) return inner_.call(std::move(request), std::move(answer));
    is_ending = true;
    return inner_.call(std::move(request), [this, answer = std::move(answer)](kube::Result<Object> result) {
      late_.push_back(loop_.after(1min, [answer, result = std::move(result)] { answer(result); }));
    });
  }
  kube::Call list(kube::ListRequest request, kube::ListSink sink) override {
    return inner_.list(std::move(request), std::move(sink));
  }
  // Of nodes nothing is heard any more once one was called done.
  kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    if (request.range.resource.plural != "nodes") return inner_.watch(std::move(request), std::move(sink));
    kube::WatchSink deaf = sink;
    deaf.event = [this, event = std::move(sink.event)](kube::WatchEvent news) {
      if (!is_ending) event(std::move(news));
    };
    return inner_.watch(std::move(request), std::move(deaf));
  }

  std::vector<std::string> deleted;
  bool is_ending = false;

 private:
  kube::Api& inner_;
  base::Loop& loop_;
  std::vector<base::Timer> late_;
};

// A server that does not know policies, as one whose definitions are still being loaded.
class WithoutPolicies final : public kube::Api {
 public:
  WithoutPolicies(kube::Api& inner, base::Loop& loop) : inner_(inner), loop_(loop) {}
  kube::Call call(kube::Request request, Answer answer) override {
    return inner_.call(std::move(request), std::move(answer));
  }
  kube::Call list(kube::ListRequest request, kube::ListSink sink) override {
    if (request.range.resource.plural != "clusterpolicies") return inner_.list(std::move(request), std::move(sink));
    loop_.post([done = sink.done] {
      done(base::fault(base::Fault::Kind::NotFound, "the server could not find the requested resource"));
    });
    return {};
  }
  kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    return inner_.watch(std::move(request), std::move(sink));
  }

 private:
  kube::Api& inner_;
  base::Loop& loop_;
};

TEST(Rollout, NobodyIsGivenUpWhereTheServerDoesNotKnowPolicies) {
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
  // Now a driver that comes anew makes the validator's word an old one.
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

}  // namespace
}  // namespace drover::operate
