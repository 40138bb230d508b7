// The client against a real kube-apiserver: every verb, and every outcome that a caller reacts to.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>

#include "bed.h"
#include "kube/event_recorder.h"
#include "kube/leader.h"

namespace drover::real {
namespace {

using base::Fault;
using kube::PatchKind;
using namespace std::chrono_literals;

class Client : public OnARealCluster {
 protected:
  static kube::Object config_map(const std::string& name, const std::string& text = "x") {
    return {{"metadata", {{"name", name}}}, {"data", {{"text", text}}}};
  }
  // A pod on a node that exists only on paper, running and ready because we say so.
  void make_running_pod(const std::string& name, const json::Members& labels) {
    const std::string node = ns_ + "-node";
    (void)ask(kube::create(kube::kNodes, "", {{"metadata", {{"name", node}}}}));
    const kube::Object pod = {{"metadata", {{"name", name}, {"labels", labels}}},
                              {"spec",
                               {{"nodeName", node},
                                {"terminationGracePeriodSeconds", 0},
                                {"containers", json::Array{{{"name", "c"}, {"image", "none"}}}}}}};
    ASSERT_TRUE(until([&] {  // the default ServiceAccount of a new namespace takes a moment
      auto made = ask(kube::create(kube::kPods, ns_, pod));
      return made || made.error().kind == Fault::Kind::AlreadyExists;
    }));
    const json::Value status = {
        {"status", {{"phase", "Running"}, {"conditions", json::Array{{{"type", "Ready"}, {"status", "True"}}}}}}};
    auto patched = ask(kube::patch(kube::kPods, ns_, name, PatchKind::Strategic, status, "status"));
    ASSERT_TRUE(patched) << patched.error().message;
  }
};

TEST_F(Client, CreatesReadsPatchesAndDeletes) {
  auto made = ask(kube::create(kube::kConfigMaps, ns_, config_map("a")));
  ASSERT_TRUE(made) << made.error().message;

  auto merged =
      ask(kube::patch(kube::kConfigMaps, ns_, "a", PatchKind::Merge, {{"data", {{"text", nullptr}, {"more", "1"}}}}));
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(json::text_of(json::members_at(*merged, {"data"})), R"({"more":"1"})");

  const json::Array operations = {{{"op", "replace"}, {"path", "/data/more"}, {"value", "2"}}};
  auto replaced = ask(kube::patch(kube::kConfigMaps, ns_, "a", PatchKind::Json, operations));
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ(json::text_at(*replaced, {"data", "more"}), "2");

  auto strategic =
      ask(kube::patch(kube::kConfigMaps, ns_, "a", PatchKind::Strategic, {{"metadata", {{"labels", {{"k", "v"}}}}}}));
  ASSERT_TRUE(strategic) << strategic.error().message;
  EXPECT_EQ(kube::label_of(*strategic, "k"), "v");

  const json::Value applied = {
      {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "b"}}}, {"data", {{"by", "apply"}}}};
  auto apply = ask(kube::patch(kube::kConfigMaps, ns_, "b", PatchKind::Apply, applied));
  ASSERT_TRUE(apply) << apply.error().message;
  EXPECT_EQ(json::text_at(*apply, {"data", "by"}), "apply");

  auto read = ask(kube::get(kube::kConfigMaps, ns_, "a"));
  ASSERT_TRUE(read);
  EXPECT_TRUE(ask(kube::remove(kube::kConfigMaps, ns_, "a", std::string(kube::uid_of(*read)))));
  EXPECT_EQ(ask(kube::get(kube::kConfigMaps, ns_, "a")).error().kind, Fault::Kind::NotFound);
}

TEST_F(Client, AnAnswerIsCutToItsProjection) {
  ASSERT_TRUE(ask(kube::create(kube::kConfigMaps, ns_, config_map("a", "wanted"))));
  auto request = kube::get(kube::kConfigMaps, ns_, "a");
  request.projection = kube::Projection{"data.text"};
  auto read = ask(std::move(request));
  ASSERT_TRUE(read);
  EXPECT_EQ(json::text_at(*read, {"data", "text"}), "wanted");
  EXPECT_EQ(kube::name_of(*read), "a");
  EXPECT_EQ(json::find(*read, {"metadata", "managedFields"}), nullptr);
}

TEST_F(Client, TellsOutcomesApart) {
  auto made = ask(kube::create(kube::kConfigMaps, ns_, config_map("a")));
  ASSERT_TRUE(made);
  EXPECT_EQ(ask(kube::create(kube::kConfigMaps, ns_, config_map("a"))).error().kind, Fault::Kind::AlreadyExists);
  EXPECT_EQ(ask(kube::create(kube::kConfigMaps, ns_, config_map("Not A Name"))).error().kind, Fault::Kind::Refused);
  EXPECT_EQ(ask(kube::get(kube::kConfigMaps, "nowhere", "a")).error().kind, Fault::Kind::NotFound);
  EXPECT_EQ(ask(kube::remove(kube::kConfigMaps, ns_, "a", "00000000-0000-4000-8000-000000000000")).error().kind,
            Fault::Kind::Conflict);
  const json::Value stale = {{"metadata", {{"resourceVersion", "1"}}}, {"data", {{"text", "y"}}}};
  EXPECT_EQ(ask(kube::patch(kube::kConfigMaps, ns_, "a", PatchKind::Merge, stale)).error().kind, Fault::Kind::Conflict);
  kube::Object old = *made;
  json::ensure(old, {"metadata", "resourceVersion"}) = "1";
  EXPECT_EQ(ask(kube::replace(kube::kConfigMaps, old)).error().kind, Fault::Kind::Conflict);
  // Nothing of it went through.
  EXPECT_EQ(kube::version_of(*ask(kube::get(kube::kConfigMaps, ns_, "a"))), kube::version_of(*made));
}

TEST_F(Client, ListsEveryPageOnceAndInOrder) {
  constexpr int kCount = 230;
  int answered = 0;
  for (int i = 0; i < kCount; ++i) {
    auto call = api_->call(kube::create(kube::kConfigMaps, ns_, config_map(fmt::format("c-{:04}", i))),
                           [&](kube::Result<kube::Object> made) { answered += made ? 1 : 0; });
    call.let_go();
  }
  ASSERT_TRUE(until([&] { return answered == kCount; }));
  auto items = list({.resource = kube::kConfigMaps, .ns = ns_, .labels = "", .fields = ""}, 50);
  ASSERT_TRUE(items) << items.error().message;
  std::vector<std::string> names;
  for (const auto& item : *items) {
    if (kube::name_of(item).starts_with("c-")) names.emplace_back(kube::name_of(item));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kCount));
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  auto one = list({.resource = kube::kConfigMaps, .ns = ns_, .labels = "", .fields = "metadata.name=c-0007"});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->size(), 1U);
}

TEST_F(Client, ABudgetBlocksAnEvictionAndSaysSo) {
  make_running_pod("held", {{"app", "held"}});
  make_running_pod("free", {{"app", "free"}});
  const kube::Object budget = {{"metadata", {{"name", "keep-one"}}},
                               {"spec", {{"minAvailable", 1}, {"selector", {{"matchLabels", {{"app", "held"}}}}}}}};
  ASSERT_TRUE(ask(kube::create(kube::kDisruptionBudgets, ns_, budget)));
  ASSERT_TRUE(until([&] {
    auto seen = ask(kube::get(kube::kDisruptionBudgets, ns_, "keep-one"));
    return seen && json::int_at(*seen, {"status", "observedGeneration"}) > 0 &&
           json::int_at(*seen, {"status", "currentHealthy"}) == 1;
  }));
  auto held = ask(kube::get(kube::kPods, ns_, "held"));
  ASSERT_TRUE(held);
  auto blocked = ask(kube::evict(ns_, "held", std::string(kube::uid_of(*held))));
  ASSERT_FALSE(blocked);
  EXPECT_EQ(blocked.error().kind, Fault::Kind::Blocked) << blocked.error().message;
  EXPECT_NE(blocked.error().message.find("keep-one"), std::string::npos) << blocked.error().message;

  auto wrong = ask(kube::evict(ns_, "free", "00000000-0000-4000-8000-000000000000"));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, Fault::Kind::Conflict) << wrong.error().message;

  auto free = ask(kube::get(kube::kPods, ns_, "free"));
  ASSERT_TRUE(free);
  auto evicted = ask(kube::evict(ns_, "free", std::string(kube::uid_of(*free))));
  EXPECT_TRUE(evicted) << evicted.error().message;
  EXPECT_TRUE(ask(kube::get(kube::kPods, ns_, "held")));
  (void)ask(kube::remove(kube::kNodes, "", ns_ + "-node", ""));
}

TEST_F(Client, OneCandidateLeadsAndTheNextFollowsWhenItResigns) {
  auto terms = [&](const std::string& who) {
    return kube::LeaseTerms{
        .ns = ns_, .name = "drover", .identity = who, .duration = 6s, .renew_deadline = 4s, .retry_every = 500ms};
  };
  std::vector<std::string> history;
  kube::LeaderElection one(
      *api_, *loop_, base::Random(1), terms("one"), [&] { history.emplace_back("one won"); },
      [&] { history.emplace_back("one lost"); });
  kube::LeaderElection two(
      *api_, *loop_, base::Random(2), terms("two"), [&] { history.emplace_back("two won"); },
      [&] { history.emplace_back("two lost"); });
  one.start();
  ASSERT_TRUE(until([&] { return one.is_leader(); }));
  two.start();
  // Long enough for the lease to have run out if it were not renewed.
  bool both = false;
  (void)until(
      [&] {
        both |= one.is_leader() && two.is_leader();
        return both;
      },
      8s);
  EXPECT_FALSE(both);
  EXPECT_TRUE(one.is_leader());
  bool resigned = false;
  one.resign([&] { resigned = true; });
  ASSERT_TRUE(until([&] { return resigned && two.is_leader(); }, 10s));
  EXPECT_FALSE(one.is_leader());
  EXPECT_EQ(history.front(), "one won");
  EXPECT_EQ(history.back(), "two won");
}

TEST_F(Client, TheSameEventThreeTimesIsOneEventWithACount) {
  kube::EventRecorder recorder(*api_, *loop_, base::Random(1), "drover", "drover-0");
  const kube::Event event{.resource = kube::kConfigMaps,
                          .ns = ns_,
                          .name = "a",
                          .uid = "u-1",
                          .type = kube::Event::Type::Warning,
                          .reason = "BudgetInTheWay",
                          .message = "waits"};
  for (int i = 0; i < 3; ++i) recorder.record(event);
  auto seen = [&]() -> kube::Object {
    auto events = list({.resource = kube::kEvents, .ns = ns_, .labels = "", .fields = "reason=BudgetInTheWay"});
    return events && events->size() == 1 ? events->front() : kube::Object();
  };
  ASSERT_TRUE(until([&] { return json::int_at(seen(), {"count"}) == 3; }, 20s)) << json::text_of(seen());
  EXPECT_EQ(json::text_at(seen(), {"type"}), "Warning");
  EXPECT_EQ(json::text_at(seen(), {"involvedObject", "name"}), "a");
  EXPECT_EQ(recorder.dropped(), 0U);
}

}  // namespace
}  // namespace drover::real
