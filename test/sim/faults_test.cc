// Faults between a client and the API server, by name.
#include "sim/faults.h"

#include <gtest/gtest.h>

#include "sim/objects.h"
#include "sim/store_api.h"

namespace drover::sim {
namespace {

using namespace kube;
using namespace std::chrono_literals;

TEST(FaultTable, NamesEverythingOnceAndInOrder) {
  int index = 0;
  for (const FaultRow& row : all_faults()) {
    EXPECT_EQ(static_cast<int>(row.fault), index++);
    EXPECT_FALSE(row.sentence.empty());
    EXPECT_EQ(*parse_fault_kind(row.name), row.fault);
    EXPECT_EQ(name(row.fault), row.name);
  }
  EXPECT_EQ(index, static_cast<int>(FaultKind::PersonUncordons) + 1);
}

TEST(FaultTable, AnUnknownNameIsRefusedWithTheList) {
  const auto none = parse_fault_kind("lightning");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("unknown fault \"lightning\": choose one of lost-answer, never-sent"),
            std::string::npos);
}

class FaultyApiTest : public ::testing::Test {
 protected:
  std::string call(Request request) {
    std::string said = "nothing";
    const Call pending = api.call(std::move(request), [&](Result<Object> result) {
      said = result ? "yes" : std::string(word(result.error().kind));
      if (!result && result.error().retry_after) said += " " + base::human(*result.error().retry_after);
    });
    loop.run_for(5s);
    return said;
  }
  Call watch(std::string& text) {
    return api.watch(
        {.range = {kNodes, "", "", ""}, .resource_version = "4", .timeout = 1h, .projection = {}},
        {.event =
             [&text](WatchEvent event) {
               text += event.kind == WatchEvent::Kind::Bookmark ? "B " : std::string(name_of(event.object)) + " ";
             },
         .ended = [&text](std::optional<Fault> fault) { text += fault ? std::string(word(fault->kind)) : "end"; }});
  }
  void make(const char* name) { expect(server.serve(create(kNodes, "", node_named(name)))); }
  bool exists(const char* name) { return server.store().find("nodes", name) != nullptr; }

  base::VirtualLoop loop;
  Server server{loop, base::Random(1)};
  StoreApi door{server, loop, base::Random(2)};
  FaultyApi api{door, loop, base::Random(3), &server};
};

TEST_F(FaultyApiTest, WithoutRulesEverythingPasses) {
  EXPECT_EQ(call(create(kNodes, "", node_named("a"))), "yes");
  EXPECT_EQ(api.writes(), 1u);
}

TEST_F(FaultyApiTest, ALostAnswerMayHaveHappenedAndDid) {
  api.add({.fault = FaultKind::LostAnswer, .verb = "create"});
  EXPECT_EQ(call(create(kNodes, "", node_named("a"))), "unknown");
  EXPECT_TRUE(exists("a"));
  EXPECT_EQ(api.strokes(FaultKind::LostAnswer), 1u);
}

TEST_F(FaultyApiTest, WhatWasNeverSentDidNotHappen) {
  api.add({.fault = FaultKind::NeverSent, .verb = "write"});
  EXPECT_EQ(call(create(kNodes, "", node_named("a"))), "unreachable");
  EXPECT_FALSE(exists("a"));
}

TEST_F(FaultyApiTest, EachKindIsAFaultOfTheClient) {
  make("a");
  const Request wish = patch(kNodes, "", "a", PatchKind::Merge, parsed(R"({"spec":{"unschedulable":true}})"));
  int id = api.add({.fault = FaultKind::Conflict});
  EXPECT_EQ(call(wish), "conflict");
  api.remove(id);
  id = api.add({.fault = FaultKind::Throttled, .span = 3s});
  EXPECT_EQ(call(wish), "throttled 3s");
  api.remove(id);
  id = api.add({.fault = FaultKind::ServerError});
  EXPECT_EQ(call(wish), "failed");
  api.remove(id);
  EXPECT_FALSE(json::flag_at(*server.store().find("nodes", "a"), {"spec", "unschedulable"}));
  EXPECT_EQ(call(wish), "yes");
}

TEST_F(FaultyApiTest, ASlowAnswerComesLate) {
  make("a");
  api.add({.fault = FaultKind::Slow, .span = 20s});
  bool answered = false;
  const Call pending = api.call(get(kNodes, "", "a"), [&](const Result<Object>&) { answered = true; });
  loop.run_for(19s);
  EXPECT_FALSE(answered);
  loop.run_for(2s);
  EXPECT_TRUE(answered);
}

TEST_F(FaultyApiTest, StrikesTheNthAndOnlyWhatFits) {
  api.add({.fault = FaultKind::NeverSent, .verb = "create", .resource = "nodes", .nth = 2});
  EXPECT_EQ(call(create(kNodes, "", node_named("a"))), "yes");
  EXPECT_EQ(call(create(kConfigMaps, "default", parsed(R"({"metadata":{"name":"c"}})"))), "yes");
  EXPECT_EQ(call(create(kNodes, "", node_named("b"))), "unreachable");
  EXPECT_EQ(call(create(kNodes, "", node_named("b"))), "yes");
}

TEST_F(FaultyApiTest, StrikesByChanceAsTheSeedSays) {
  const auto run = [](std::uint64_t seed) {
    base::VirtualLoop loop;
    Server server(loop, base::Random(1));
    StoreApi door(server, loop, base::Random(2));
    FaultyApi api(door, loop, base::Random(seed));
    api.add({.fault = FaultKind::NeverSent, .probability = 0.5});
    std::string text;
    for (int i = 0; i < 64; ++i) {
      const Call pending = api.call(get(kNodes, "", "x"), [&](Result<Object> result) {
        text += result.error().kind == Fault::Kind::NotFound ? "." : "x";
      });
      loop.run_for(1s);
    }
    return text;
  };
  EXPECT_EQ(run(7), run(7));
  EXPECT_NE(run(7), run(8));
  EXPECT_NE(run(7).find('x'), std::string::npos);
  EXPECT_NE(run(7).find('.'), std::string::npos);
}

TEST_F(FaultyApiTest, TellsWhatItStruck) {
  std::string told;
  api.on_stroke([&](FaultKind kind, const std::string& what) { told += std::string(name(kind)) + ": " + what; });
  api.add({.fault = FaultKind::LostAnswer});
  call(patch(kNodes, "", "gpu-7", PatchKind::Merge, json::Members()));
  EXPECT_EQ(told, "lost-answer: patch nodes/gpu-7");
}

TEST_F(FaultyApiTest, AStaleWatchIsLateButInOrder) {
  api.add({.fault = FaultKind::StaleWatch, .verb = "watch", .nth = 1, .span = 30s});
  std::string seen;
  const Call pending = watch(seen);
  loop.run_for(1s);
  make("a");
  make("b");
  loop.run_for(20s);
  EXPECT_EQ(seen, "");
  loop.run_for(20s);
  EXPECT_EQ(seen, "a b ");
}

TEST_F(FaultyApiTest, AStalledWatchIsSilentForEver) {
  api.add({.fault = FaultKind::WatchStall, .nth = 2});
  std::string seen;
  const Call pending = watch(seen);
  loop.run_for(1s);
  for (const char* name : {"a", "b", "c"}) make(name);
  loop.run_for(3h);
  EXPECT_EQ(seen, "a ");
}

TEST_F(FaultyApiTest, ACutWatchEndsAndTheEventIsNotTold) {
  api.add({.fault = FaultKind::WatchCut, .nth = 2});
  std::string seen;
  const Call pending = watch(seen);
  loop.run_for(1s);
  for (const char* name : {"a", "b", "c"}) make(name);
  loop.run_for(1s);
  EXPECT_EQ(seen, "a unreachable");
}

TEST_F(FaultyApiTest, AfterGone410NoWatchCanBeginWhereItStood) {
  api.add({.fault = FaultKind::Gone410, .nth = 1});
  std::string seen;
  const Call pending = watch(seen);
  loop.run_for(1s);
  make("a");
  loop.run_for(1s);
  EXPECT_EQ(seen, "expired");
  std::string again;
  const Call second = watch(again);
  loop.run_for(1s);
  EXPECT_EQ(again, "expired");
}

TEST_F(FaultyApiTest, ADuplicateEventIsToldTwice) {
  api.add({.fault = FaultKind::DuplicateEvent, .nth = 2});
  std::string seen;
  const Call pending = watch(seen);
  loop.run_for(1s);
  for (const char* name : {"a", "b", "c"}) make(name);
  loop.run_for(1s);
  EXPECT_EQ(seen, "a b b c ");
}

TEST_F(FaultyApiTest, ABrokenListSaysThatItIsNotWhole) {
  make("a");
  api.add({.fault = FaultKind::LostAnswer, .verb = "list"});
  std::string seen;
  const Call pending =
      api.list({.range = {kNodes, "", "", ""}, .page = 500, .resource_version = "", .projection = {}},
               {.item = [&](const Object& node) { seen += std::string(name_of(node)) + " "; },
                .done = [&](Result<ListEnd> end) { seen += end ? "whole" : std::string(word(end.error().kind)); }});
  loop.run_for(1s);
  EXPECT_EQ(seen, "a unknown");
}

TEST_F(FaultyApiTest, ACancelledCallIsNotAnswered) {
  for (const FaultKind kind : {FaultKind::LostAnswer, FaultKind::NeverSent, FaultKind::Slow}) {
    const int id = api.add({.fault = kind});
    bool called = false;
    {
      const Call pending = api.call(get(kNodes, "", "x"), [&](const Result<Object>&) { called = true; });
    }
    loop.run_for(1min);
    EXPECT_FALSE(called) << name(kind);
    api.remove(id);
  }
}

}  // namespace
}  // namespace drover::sim
