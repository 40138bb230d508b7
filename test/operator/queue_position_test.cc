// Which node is served first when a rollout begins: the head of the line, not the first name.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <set>

#include "stage.h"

namespace drover::operate {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): a stage in few words

// A door that writes down who is put into line and whose image is fetched; lists of all pods may go wrong at it.
class LineApi final : public kube::Api {
 public:
  explicit LineApi(kube::Api& inner) : inner_(inner) {}

  kube::Call call(kube::Request request, Answer answer) override {
    const bool joins = request.resource.plural == "nodes" &&
                       json::text_at(request.body, {"metadata", "labels", kState}) == "upgrade-required";
    const bool proves =
        request.verb == kube::Verb::Create && request.resource.plural == "pods" && request.subresource.empty();
    if (joins) said.push_back("joins " + request.name);
    if (proves) said.push_back("proves " + std::string(json::text_at(request.body, {"spec", "nodeName"})));
    if (!joins) return inner_.call(std::move(request), std::move(answer));
    most_joining = std::max(most_joining, ++joining_);
    return inner_.call(std::move(request), [this, answer = std::move(answer)](kube::Result<Object> result) {
      --joining_;
      answer(std::move(result));
    });
  }
  kube::Call list(kube::ListRequest request, kube::ListSink sink) override {
    const bool counts = request.range.resource.plural == "pods" && request.range.ns.empty() &&
                        request.range.fields.empty() && request.range.labels.empty();
    if (!counts || !at_count) return inner_.list(std::move(request), std::move(sink));
    ++counts_tried;
    at_count(sink);
    return {};
  }
  kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    return inner_.watch(std::move(request), std::move(sink));
  }

  std::vector<std::string> said;
  int most_joining = 0;
  std::function<void(const kube::ListSink&)> at_count = {};
  int counts_tried = 0;

 private:
  kube::Api& inner_;
  int joining_ = 0;
};

std::size_t place_of(const std::vector<std::string>& said, std::string_view what) {
  const auto at = std::find_if(said.begin(), said.end(), [&](const auto& one) { return one.starts_with(what); });
  return static_cast<std::size_t>(at - said.begin());
}

TEST(Line, ItsHeadIsServedBeforeTheRestIsLabelled) {
  Stage stage({.nodes = "nvidia=60", .kubelets = {.events = false}, .nodes_are_judged = false});
  stage.create_policy(cluster_policy("535.129.03"));
  LineApi door(stage.luck);
  stage.start_operator(door);
  ASSERT_TRUE(stage.run_until_all("upgrade-done"));
  stage.run_training("train", 59, 8);  // a whole node each: the last by name stays empty
  stage.world.run_for(1min);
  door.said.clear();
  door.most_joining = 0;
  stage.set_version("550.54.15");
  stage.world.run_for(2s);
  ASSERT_THAT(door.said, ::testing::SizeIs(::testing::Gt(60U)));
  EXPECT_EQ(door.said.front(), "joins nvidia-9");
  EXPECT_EQ(door.said[place_of(door.said, "proves ")], "proves nvidia-9");
  EXPECT_LT(place_of(door.said, "proves "), 24U) << "of 60 that join";
  EXPECT_LE(door.most_joining, 8);
  EXPECT_EQ(std::set(door.said.begin(), door.said.end()).size(), door.said.size()) << "no node is told twice";
}

void expect_rollout_without_a_count(const std::function<void(const kube::ListSink&)>& at_count) {
  Stage stage;
  stage.create_policy(cluster_policy("535.129.03"));
  LineApi door(stage.luck);
  door.at_count = at_count;
  stage.start_operator(door);
  ASSERT_TRUE(stage.run_until_all("upgrade-done"));
  stage.set_version("550.54.15");
  stage.world.run_for(1min);
  EXPECT_GT(door.counts_tried, 0);
  EXPECT_TRUE(stage.run_until_all("upgrade-done"));
  for (const std::string& name : stage.names()) EXPECT_EQ(stage.driver_on(name), "550.54.15");
}

TEST(Line, GoesOnWhereThePodsCannotBeCounted) {
  expect_rollout_without_a_count(
      [](const kube::ListSink& sink) { sink.done(base::fault(base::Fault::Kind::Forbidden, "no")); });
}

TEST(Line, GoesOnWhereACountIsNeverAnswered) {
  expect_rollout_without_a_count([](const kube::ListSink&) {});
}

TEST(Line, IsCountedAgainWhenTheCountIsOldAndNothingChanges) {
  Stage stage({.kubelets = {.leases = false, .events = false}, .nodes_are_judged = false});
  stage.create_policy(cluster_policy("535.129.03", R"("podDeletion": {"timeoutSeconds": 0})"));
  LineApi door(stage.luck);
  int counts = 0;
  stage.start_operator(door);
  ASSERT_TRUE(stage.run_until_all("upgrade-done"));
  stage.run_training("train", 3, 8);
  stage.create_budget("train", 3);  // the first node waits for ever, and the others behind it
  stage.world.run_for(1min);
  door.at_count = [&counts](const kube::ListSink& sink) {
    ++counts;
    sink.done(kube::ListEnd{"1"});
  };
  stage.set_version("550.54.15");
  stage.world.run_for(9min);
  EXPECT_EQ(counts, 1);
  stage.world.run_for(62s);
  EXPECT_EQ(counts, 2);
}

}  // namespace
}  // namespace drover::operate
