// Watches and logs over HTTP: lines that come as things happen, and readers of all sorts.
#include <gmock/gmock.h>

#include "door_fixture.h"

namespace drover::sim {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

class DoorWatch : public DoorTest {
 protected:
  static constexpr const char* kAt = "/api/v1/namespaces/default/configmaps";

  std::shared_ptr<FakeExchange> watch(const std::string& query) {
    return get(std::string(kAt) + "?watch=true" + query);
  }
  static std::string type_of(const json::Value& line) { return std::string(json::text_at(line, {"type"})); }
  static std::string name_of(const json::Value& line) {
    return std::string(json::text_at(line, {"object", "metadata", "name"}));
  }
  void change(const std::string& name, const std::string& value) {
    EXPECT_EQ(patch(std::string(kAt) + "/" + name, R"({"data":{"k":")" + value + "\"}}", "application/merge-patch+json")
                  ->head.code,
              200);
  }
  std::string version_now() const { return std::to_string(world.store().version()); }
};

TEST_F(DoorWatch, WithoutAVersionItBeginsWithWhatIsThere) {
  make_config_maps(2);
  const auto reader = watch("&fieldSelector=metadata.name=c1");
  world.run_for(seconds(1));
  change("c1", "w");
  change("c0", "w");
  world.run_for(seconds(1));
  const auto lines = reader->lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(type_of(lines[0]), "ADDED");
  EXPECT_EQ(type_of(lines[1]), "MODIFIED");
  EXPECT_EQ(name_of(lines[1]), "c1");
  EXPECT_EQ(json::text_at(lines[1], {"object", "kind"}), "ConfigMap");
}

TEST_F(DoorWatch, FromAVersionItTellsOnlyWhatCameAfter) {
  make_config_maps(1);
  const std::string version = version_now();
  change("c0", "w");
  const auto reader = watch("&resourceVersion=" + version);
  EXPECT_EQ(visit(as_admin("DELETE", std::string(kAt) + "/c0"))->head.code, 200);
  world.run_for(seconds(1));
  const auto lines = reader->lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(type_of(lines[0]), "MODIFIED");
  EXPECT_EQ(type_of(lines[1]), "DELETED");
}

TEST_F(DoorWatch, AVersionLongGoneExpiresInsideOfTheWatch) {
  make_config_maps(1);
  world.server().store().compact(world.store().version());
  const auto reader = watch("&resourceVersion=1");
  EXPECT_EQ(reader->head.code, 200);
  const auto lines = reader->lines();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(type_of(lines[0]), "ERROR");
  EXPECT_EQ(json::int_at(lines[0], {"object", "code"}), 410);
  EXPECT_TRUE(reader->ended);
}

TEST_F(DoorWatch, InitialEventsEndWithAMarkedBookmark) {
  make_config_maps(1);
  const auto reader = watch(
      "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&fieldSelector=metadata.name="
      "c0");
  world.run_for(seconds(1));
  const auto lines = reader->lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(type_of(lines[1]), "BOOKMARK");
  EXPECT_EQ(json::text_at(lines[1], {"object", "metadata", "annotations", "k8s.io/initial-events-end"}), "true");
  EXPECT_EQ(watch("&sendInitialEvents=true")->head.code, 422);
}

TEST_F(DoorWatch, BookmarksComeEveryMinuteOnRequest) {
  const auto with = watch("&allowWatchBookmarks=true&resourceVersion=" + version_now());
  const auto without = watch("&resourceVersion=" + version_now());
  world.run_for(seconds(61));
  ASSERT_EQ(with->lines().size(), 1U);
  EXPECT_EQ(type_of(with->lines()[0]), "BOOKMARK");
  EXPECT_TRUE(without->lines().empty());
}

TEST_F(DoorWatch, ItEndsWhenItsTimeIsUp) {
  const auto reader = watch("&timeoutSeconds=5");
  world.run_for(seconds(4));
  EXPECT_FALSE(reader->ended);
  world.run_for(seconds(2));
  EXPECT_TRUE(reader->ended);
  EXPECT_EQ(door.streams(), 0U);
}

TEST_F(DoorWatch, AClosedConnectionEndsItsWatch) {
  const auto reader = watch("");
  EXPECT_EQ(door.streams(), 1U);
  reader->leave();
  EXPECT_EQ(door.streams(), 0U);
  make_config_maps(1);
}

TEST_F(DoorWatch, AClientThatDoesNotReadIsDisconnectedAndOthersAreNot) {
  make_config_maps(1);
  auto stuck = std::make_shared<FakeExchange>();
  stuck->takes = false;
  door.answer(as_admin("GET", std::string(kAt) + "?watch=true"), stuck);
  const auto other = watch("");
  const std::string much(200'000, 'x');
  for (int i = 0; i < 2000 && !stuck->hung_up; ++i) {
    change("c0", i % 2 == 0 ? much : "y");
    world.run_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(stuck->hung_up);
  EXPECT_FALSE(other->hung_up);
  EXPECT_LT(stuck->waiting, 4U * 1024 * 1024);
  EXPECT_EQ(door.streams(), 1U);
}

TEST_F(DoorWatch, ABurstDoesNotDisconnectAClientBeforeItCouldRead) {
  const auto reader = watch("");
  make_config_maps(3000);
  world.run_for(seconds(1));
  EXPECT_FALSE(reader->hung_up);
  EXPECT_GE(reader->lines().size(), 3000U);
}

TEST_F(DoorWatch, TheOldPathsWatchOneObject) {
  make_config_maps(2);
  const auto reader = get("/api/v1/watch/namespaces/default/configmaps/c0");
  world.run_for(seconds(1));
  ASSERT_EQ(reader->lines().size(), 1U);
  EXPECT_EQ(name_of(reader->lines()[0]), "c0");
}

TEST_F(DoorWatch, WrongOptionsAreAnsweredBeforeItBegins) {
  EXPECT_EQ(watch("&labelSelector===")->head.code, 400);
  EXPECT_EQ(watch("&resourceVersion=x")->head.code, 500);
  EXPECT_EQ(watch("&resourceVersionMatch=Exact")->head.code, 422);
}

// -- logs -------------------------------------------------------------------------------------------------------------

class DoorLogs : public DoorTest {
 protected:
  void make_pod() {
    EXPECT_EQ(post("/api/v1/namespaces/default/pods",
                   R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})")
                  ->head.code,
              201);
    logs.begin_run("default/p/c");
    logs.append("default/p/c", world.loop.wall(), "one");
    logs.append("default/p/c", world.loop.wall(), "two");
  }
  static constexpr const char* kAt = "/api/v1/namespaces/default/pods/p/log";
};

TEST_F(DoorLogs, WhatAContainerSaidIsRead) {
  make_pod();
  const auto all = get(kAt);
  world.run_for(seconds(1));
  all->drain();
  EXPECT_EQ(all->text, "one\ntwo\n");
  EXPECT_TRUE(all->ended);
  const auto last = get(std::string(kAt) + "?tailLines=1");
  EXPECT_EQ(last->text, "two\n");
}

TEST_F(DoorLogs, AFollowerHearsMoreUntilTheContainerEnds) {
  make_pod();
  const auto reader = get(std::string(kAt) + "?follow=true");
  reader->drain();
  logs.append("default/p/c", world.loop.wall(), "three");
  world.run_for(seconds(1));
  reader->drain();
  EXPECT_EQ(reader->text, "one\ntwo\nthree\n");
  EXPECT_FALSE(reader->ended);
  logs.end_run("default/p/c");
  world.run_for(seconds(1));
  EXPECT_TRUE(reader->ended);
  EXPECT_EQ(door.streams(), 0U);
  EXPECT_EQ(logs.listeners(), 0U);
}

TEST_F(DoorLogs, WhatCannotBeReadIsRefusedInTheServersWords) {
  make_pod();
  EXPECT_EQ(message_of(*get("/api/v1/namespaces/default/pods/q/log")), "pods \"q\" not found");
  EXPECT_EQ(message_of(*get(std::string(kAt) + "?container=d")), "container d is not valid for pod p");
  EXPECT_EQ(message_of(*get(std::string(kAt) + "?previous=true")),
            "previous terminated container \"c\" in pod \"p\" not found");
  EXPECT_EQ(get(std::string(kAt) + "?tailLines=-1")->head.code, 422);
  logs.forget_pod("default/p");
  EXPECT_THAT(message_of(*get(kAt)), HasSubstr("container \"c\" in pod \"p\" is waiting to start: ContainerCreating"));
}

}  // namespace
}  // namespace drover::sim
