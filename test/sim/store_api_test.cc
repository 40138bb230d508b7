// StoreApi: answers come later and in order, watches end, cancelled calls are not answered.
#include "sim/store_api.h"

#include <gtest/gtest.h>

#include "sim/objects.h"

namespace drover::sim {
namespace {

using namespace kube;
using namespace std::chrono_literals;

class Door : public ::testing::Test {
 protected:
  void make_nodes(int count) {
    for (int i = 0; i < count; ++i) expect(server.serve(create(kNodes, "", node_named("n" + std::to_string(i)))));
  }
  WatchSink into(std::string& text) {
    return {.event =
                [&text](WatchEvent event) {
                  text += "AMDB"[static_cast<int>(event.kind)];
                  if (event.kind != WatchEvent::Kind::Bookmark) text += std::string(name_of(event.object));
                  text += " ";
                },
            .ended = [&text](std::optional<Fault> fault) { text += fault ? std::string(word(fault->kind)) : "end"; }};
  }
  base::VirtualLoop loop;
  Server server{loop, base::Random(1)};
  StoreApi api{server, loop, base::Random(2)};
};

TEST_F(Door, AnswersLaterNotFromInsideTheCall) {
  std::string answer;
  const Call call =
      api.call(create(kNodes, "", node_named("a")), [&](Result<Object> result) { answer = name_of(*result); });
  EXPECT_EQ(answer, "");
  loop.run_for(1s);
  EXPECT_EQ(answer, "a");
}

TEST_F(Door, TurnsARefusalIntoItsFault) {
  std::optional<Fault> fault;
  const Call call = api.call(get(kNodes, "", "missing"), [&](Result<Object> result) { fault = result.error(); });
  loop.run_for(1s);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, Fault::Kind::NotFound);
  EXPECT_NE(fault->message.find("nodes \"missing\" not found"), std::string::npos) << fault->message;
}

TEST_F(Door, ACancelledWriteStillHappensWithoutAnAnswer) {
  bool called = false;
  {
    const Call call = api.call(create(kNodes, "", node_named("a")), [&](const Result<Object>&) { called = true; });
  }
  loop.run_for(1s);
  EXPECT_FALSE(called);
  EXPECT_TRUE(server.store().find("nodes", "a"));
}

TEST_F(Door, AnswersAlsoWhenTheCallWasLetGo) {
  bool called = false;
  api.call(get(kNodes, "", "a"), [&](const Result<Object>&) { called = true; }).let_go();
  loop.run_for(1s);
  EXPECT_TRUE(called);
}

TEST_F(Door, ListsAllPagesAsOne) {
  make_nodes(7);
  std::string names;
  std::string version;
  const Call call = api.list({.range = {kNodes, "", "", ""}, .page = 3, .resource_version = "", .projection = {}},
                             {.item = [&](const Object& node) { names += std::string(name_of(node)) + " "; },
                              .done = [&](Result<ListEnd> end) { version = end->resource_version; }});
  loop.run_for(1s);
  EXPECT_EQ(names, "n0 n1 n2 n3 n4 n5 n6 ");
  EXPECT_EQ(version, "11");
}

TEST_F(Door, AListThatIsTooSlowForHistoryIsExpired) {
  make_nodes(4);
  std::optional<Fault> fault;
  const Call call =
      api.list({.range = {kNodes, "", "", ""}, .page = 1, .resource_version = "", .projection = {}},
               {.item =
                    [&](const Object&) {
                      make_nodes(0);
                      (void)server.serve(patch(kNodes, "", "n0", PatchKind::Merge,
                                               {{"metadata", json::Members{{"labels", json::Members{{"a", "b"}}}}}}));
                      server.store().compact(server.store().version());
                    },
                .done =
                    [&](Result<ListEnd> end) {
                      if (!end) fault = end.error();
                    }});
  loop.run_for(1s);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, Fault::Kind::Expired);
}

TEST_F(Door, AWatchTellsEventsInOrderAndEndsInTime) {
  std::string seen;
  const Call call = api.watch(
      {.range = {kNodes, "", "", ""}, .resource_version = "4", .timeout = 100s, .projection = {}}, into(seen));
  loop.run_for(1s);
  make_nodes(3);
  loop.run_for(62s);
  EXPECT_EQ(seen, "An0 An1 An2 B ");
  loop.run_for(60s);
  EXPECT_EQ(seen, "An0 An1 An2 B end");
}

TEST_F(Door, AWatchFromAForgottenVersionIsExpired) {
  make_nodes(2);
  server.store().compact(6);
  std::string seen;
  const Call call = api.watch(
      {.range = {kNodes, "", "", ""}, .resource_version = "5", .timeout = 100s, .projection = {}}, into(seen));
  loop.run_for(1s);
  EXPECT_EQ(seen, "expired");
}

TEST_F(Door, ADestroyedWatchHearsNothing) {
  std::string seen;
  {
    const Call call = api.watch(
        {.range = {kNodes, "", "", ""}, .resource_version = "4", .timeout = 100s, .projection = {}}, into(seen));
    loop.run_for(1s);
    make_nodes(1);  // on its way when the call is destroyed
  }
  loop.run_for(200s);
  EXPECT_EQ(seen, "");
}

TEST_F(Door, AWatchThatWasLetGoGoesOn) {
  std::string seen;
  api.watch({.range = {kNodes, "", "", ""}, .resource_version = "4", .timeout = 100s, .projection = {}}, into(seen))
      .let_go();
  loop.run_for(1s);
  make_nodes(1);
  loop.run_for(1s);
  EXPECT_EQ(seen, "An0 ");
}

TEST_F(Door, MayCloseWhileAWatchAndACallAreUnderWay) {
  std::string seen;
  {
    StoreApi other(server, loop, base::Random(3));
    other.watch({.range = {kNodes, "", "", ""}, .resource_version = "4", .timeout = 100s, .projection = {}}, into(seen))
        .let_go();
    loop.run_for(1s);
    other.call(get(kNodes, "", "a"), [&](const Result<Object>&) { seen += "answered"; }).let_go();
  }
  make_nodes(2);
  loop.run_for(200s);
  EXPECT_EQ(seen, "");
}

TEST_F(Door, ShowsOnlyWhatTheProjectionKeeps) {
  Object node = node_named("a");
  json::ensure(node, {"metadata", "labels", "keep"}) = "1";
  json::ensure(node, {"metadata", "labels", "drop"}) = "1";
  expect(server.serve(create(kNodes, "", node)));
  Request request = get(kNodes, "", "a");
  request.projection = Projection{"metadata.labels[keep]"};
  std::string labels;
  const Call call =
      api.call(request, [&](Result<Object> result) { labels = json::text_of(json::Value(labels_of(*result))); });
  loop.run_for(1s);
  EXPECT_EQ(labels, R"({"keep":"1"})");
}

}  // namespace
}  // namespace drover::sim
