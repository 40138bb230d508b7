#include "sim/world.h"

#include "sim/world_fixture.h"

namespace drover::sim {
namespace {

// A bit of everything: daemons, a rollout, a job that fails, a budget, an eviction, a taint, a node that goes, a
// namespace.
std::string mixed_story(std::uint64_t seed) {
  World world(WorldOptions{.cluster = {.seed = seed, .patience = {.silence = {}, .startup = {}}}});
  FakeKubelet kubelet(world);
  const auto create = [&](const kube::Resource& resource, const std::string& ns, const std::string& text) {
    expect(world.server().serve(kube::create(resource, ns, parsed(text))));
  };
  const auto patch = [&](const kube::Resource& resource, const std::string& ns, const std::string& name,
                         const std::string& text) {
    expect(world.server().serve(kube::patch(resource, ns, name, kube::PatchKind::Merge, parsed(text))));
  };
  const auto spec_for = [](const std::string& app, const std::string& more) {
    return fmt::format(
        R"({{"metadata": {{"name": "{0}", "namespace": "default"}}, "spec": {{"selector": {{"matchLabels": {{"app": "{0}"}}}},
        "template": {{"metadata": {{"labels": {{"app": "{0}"}}}}, "spec": {{"containers": [{{"name": "main", "image": "v1"}}]}}}} {1}}}}})",
        app, more);
  };
  for (int i = 0; i < 4; ++i) {
    create(kube::kNodes, "",
           fmt::format(R"({{"metadata": {{"name": "n{}"}}, "status": {{"capacity": {{"pods": "9"}},
        "conditions": [{{"type": "Ready", "status": "True"}}]}}}})",
                       i));
  }
  create(kube::kDaemonSets, "default", spec_for("driver", ""));
  create(kube::kDeployments, "default", spec_for("web", R"(, "replicas": 5)"));
  create(
      kube::kDisruptionBudgets, "default",
      R"({"metadata": {"name": "web", "namespace": "default"}, "spec": {"selector": {"matchLabels": {"app": "web"}}, "maxUnavailable": "20%"}})");
  kubelet.ends_as["work"] = "Failed";
  create(kube::kJobs, "default",
         R"({"metadata": {"name": "work", "namespace": "default"}, "spec": {"backoffLimit": 2, "template": {
      "metadata": {"labels": {"app": "work"}}, "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i"}]}}}})");
  world.run_for(20s);
  const std::string new_image =
      R"({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "v2"}]}}}})";
  patch(kube::kDaemonSets, "default", "driver", new_image);
  patch(kube::kDeployments, "default", "web", new_image);
  world.run_for(5s);
  patch(kube::kNodes, "", "n2", R"({"spec": {"taints": [{"key": "k", "effect": "NoExecute"}]}})");
  world.run_for(10s);
  expect(world.server().serve(kube::remove(kube::kNodes, "", "n3", "")));
  create(kube::kNamespaces, "", R"({"metadata": {"name": "brief"}})");
  world.run_for(2min);
  expect(world.server().serve(kube::remove(kube::kNamespaces, "", "brief", "")));
  world.run_for(10min);
  return world.transcript();
}

TEST(World, TheSameSeedGivesTheSameTranscriptByteForByte) {
  const std::string once = mixed_story(7);
  const std::string again = mixed_story(7);
  EXPECT_GT(once.size(), 20'000U);
  EXPECT_TRUE(once == again);
}

TEST(World, AnotherSeedTellsAnotherStory) { EXPECT_FALSE(mixed_story(7) == mixed_story(8)); }

TEST(World, TheTranscriptHasTimeManagerAndChange) {
  World world(1);
  world.run_for(1s);
  kube::Request request =
      kube::create(kube::kConfigMaps, "default", parsed(R"({"metadata": {"name": "m", "namespace": "default"}})"));
  request.field_manager = "operator";
  expect(world.server().serve(request));
  world.run_for(500ms);
  request =
      kube::patch(kube::kConfigMaps, "default", "m", kube::PatchKind::Merge, parsed(R"({"data": {"key": "value"}})"));
  request.field_manager = "another";
  expect(world.server().serve(request));
  world.note("the test", "is content");
  const std::string& text = world.transcript();
  EXPECT_NE(text.find("00:00:01.000  operator                 configmaps/default/m  created\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("00:00:01.500  another                  configmaps/default/m  data.key=value\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("00:00:01.500  the test                 is content\n"), std::string::npos) << text;
}

TEST(World, AClientsApiHasLatency) {
  World world(1);
  std::string name;
  kube::Call call =
      world.api("client").call(kube::get(kube::kNamespaces, "", "default"), [&](kube::Result<kube::Object> answer) {
        name = answer ? std::string(kube::name_of(*answer)) : answer.error().message;
      });
  EXPECT_EQ(name, "");
  world.run_for(1s);
  EXPECT_EQ(name, "default");
  EXPECT_EQ(&world.api("client"), &world.api("client"));
}

TEST(World, GoesQuietWhenNothingHappens) {
  World world(1);
  world.run_for(1min);
  const auto commits = world.store().version();
  const auto callbacks = world.loop.callbacks_run();
  world.run_for(24h);
  EXPECT_EQ(world.store().version(), commits);
  EXPECT_EQ(world.loop.callbacks_run(), callbacks);
}

TEST(World, EventsAreForgottenAfterAnHour) {
  World world(1);
  world.cluster.events().normal({"v1", "Node", "", "n", ""}, "test", "Reason", "message");
  world.cluster.events().normal({"v1", "Node", "", "n", ""}, "test", "Reason", "message");
  ASSERT_EQ(world.store().count("events"), 1U);
  world.store().each("events", "default", [](const Stored& event) { EXPECT_EQ(json::int_at(*event, {"count"}), 2); });
  world.run_for(59min);
  EXPECT_EQ(world.store().count("events"), 1U);
  world.run_for(2min);
  EXPECT_EQ(world.store().count("events"), 0U);
}

TEST(World, OneObjectCannotFloodTheEvents) {
  World world(1);
  for (int i = 0; i < 1000; ++i) {
    world.cluster.events().normal({"apps/v1", "DaemonSet", "default", "d", "u"}, "test", "Reason",
                                  fmt::format("message {}", i));
  }
  std::map<std::string, std::int64_t> counts;
  world.store().each("events", "default", [&](const Stored& event) {
    counts[std::string(json::text_at(*event, {"message"}))] = json::int_at(*event, {"count"});
  });
  EXPECT_EQ(counts.size(), 10U);
  EXPECT_EQ(counts["message 8"], 1);
  EXPECT_EQ(counts["(combined from similar events): message 24"], 16);
}

TEST(Difference, NamesWhatChangedAndLeavesBookkeepingOut) {
  const kube::Object before =
      parsed(R"({"metadata": {"name": "n", "resourceVersion": "1", "labels": {"a": "1", "b": "2"}},
      "status": {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "x"}]}})");
  const kube::Object after = parsed(R"({"metadata": {"name": "n", "resourceVersion": "2", "labels": {"a": "3"}},
      "status": {"conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": "y"}], "phase": "Running"}})");
  EXPECT_EQ(difference(before, after),
            "metadata.labels.a=3 metadata.labels.b- status.conditions.Ready.status=False status.phase=Running");
}

}  // namespace
}  // namespace drover::sim
