#include "kube/event_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/virtual_loop.h"
#include "kube/scripted_api.h"

namespace drover::kube {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::IsEmpty;
using testing::Le;
using Kind = Fault::Kind;

class ARecorder : public testing::Test {
 protected:
  base::VirtualLoop loop;
  ScriptedApi api{loop};
  std::unique_ptr<EventRecorder> recorder =
      std::make_unique<EventRecorder>(api, loop, base::Random(1), "drover", "drover-0");

  static Event node_event(const std::string& node, const std::string& message) {
    return {.resource = kNodes,
            .ns = "",
            .name = node,
            .uid = "uid-" + node,
            .type = Event::Type::Warning,
            .reason = "DrainBlocked",
            .message = message};
  }
  void server_is_content() {
    api.answers = [](const Request& request) { return request.body; };
  }
  void server_says(Kind kind, std::optional<base::Span> retry_after = {}) {
    api.answers = [=](const Request&) -> std::optional<Result<Object>> {
      return std::unexpected(Fault{kind, "scripted", retry_after});
    };
  }
  void run(base::Span span) { loop.run_for(span); }
  Request& request(std::size_t n) { return api.call(n).request; }
  std::string text(std::size_t n, json::Path path) { return std::string(json::text_at(request(n).body, path)); }
  std::int64_t count(std::size_t n) { return json::int_at(request(n).body, {"count"}); }
};

// Real clocks move between two looks at them; virtual ones do not.
class CreepingLoop final : public base::Loop {
 public:
  explicit CreepingLoop(base::Loop& loop) : loop_(loop) {}
  base::Instant now() const override { return loop_.now() + base::Span(++looks_); }
  base::WallTime wall() const override { return loop_.wall(); }
  [[nodiscard]] base::Timer after(base::Span span, std::function<void()> then) override {
    return loop_.after(span, std::move(then));
  }
  void post(std::function<void()> then) override { loop_.post(std::move(then)); }

 private:
  base::Loop& loop_;
  mutable int looks_ = 0;
};

TEST_F(ARecorder, DropsNothingWhenTheClockMovesWhileItWorks) {
  CreepingLoop creeping(loop);
  recorder = std::make_unique<EventRecorder>(api, creeping, base::Random(1), "drover", "drover-0");
  recorder->record(node_event("gpu-7", "waits"));
  EXPECT_EQ(recorder->dropped(), 0u);
  EXPECT_EQ(api.calls.size(), 1u);
}

TEST_F(ARecorder, MakesAnEventThatKubectlUnderstands) {
  run(90s);
  recorder->record({.resource = kPods,
                    .ns = "ml",
                    .name = "train-7",
                    .uid = "u7",
                    .type = Event::Type::Normal,
                    .reason = "Evicted",
                    .message = "asked to leave"});
  ASSERT_EQ(api.calls.size(), 1u);
  EXPECT_EQ(request(0).verb, Verb::Create);
  EXPECT_EQ(request(0).resource, kEvents);
  EXPECT_EQ(request(0).ns, "ml");
  EXPECT_EQ(request(0).lane, Lane::Ordinary);
  EXPECT_THAT(request(0).name, testing::MatchesRegex("train-7\\.[0-9a-f]+"));
  EXPECT_EQ(text(0, {"kind"}), "Event");
  EXPECT_EQ(text(0, {"apiVersion"}), "v1");
  EXPECT_EQ(text(0, {"metadata", "namespace"}), "ml");
  EXPECT_EQ(text(0, {"involvedObject", "apiVersion"}), "v1");
  EXPECT_EQ(text(0, {"involvedObject", "kind"}), "Pod");
  EXPECT_EQ(text(0, {"involvedObject", "name"}), "train-7");
  EXPECT_EQ(text(0, {"involvedObject", "namespace"}), "ml");
  EXPECT_EQ(text(0, {"involvedObject", "uid"}), "u7");
  EXPECT_EQ(text(0, {"reason"}), "Evicted");
  EXPECT_EQ(text(0, {"message"}), "asked to leave");
  EXPECT_EQ(text(0, {"type"}), "Normal");
  EXPECT_EQ(text(0, {"source", "component"}), "drover");
  EXPECT_EQ(text(0, {"source", "host"}), "drover-0");
  EXPECT_EQ(text(0, {"reportingComponent"}), "drover");
  EXPECT_EQ(text(0, {"reportingInstance"}), "drover-0");
  EXPECT_EQ(text(0, {"firstTimestamp"}), "2026-01-01T00:01:30Z");
  EXPECT_EQ(text(0, {"lastTimestamp"}), "2026-01-01T00:01:30Z");
  EXPECT_EQ(count(0), 1);
}

TEST_F(ARecorder, PutsEventsAboutClusterScopedObjectsIntoDefault) {
  Event event = node_event("gpu-7", "x");
  event.ns = "nonsense";
  recorder->record(event);
  EXPECT_EQ(request(0).ns, "default");
  EXPECT_EQ(json::find(request(0).body, {"involvedObject", "namespace"}), nullptr);
  EXPECT_EQ(text(0, {"type"}), "Warning");
}

TEST_F(ARecorder, RaisesTheCountOfTheSameEventByOnePatchForManyRepeats) {
  server_is_content();
  for (int i = 0; i < 50; ++i) {
    recorder->record(node_event("gpu-7", "held by a budget"));
    run(100ms);
  }
  run(10s);
  ASSERT_EQ(api.calls.size(), 2u);
  EXPECT_EQ(request(1).verb, Verb::Patch);
  EXPECT_EQ(request(1).patch, PatchKind::Merge);
  EXPECT_EQ(request(1).ns, "default");
  EXPECT_EQ(request(1).name, request(0).name);
  EXPECT_EQ(count(1), 50);
  EXPECT_EQ(text(1, {"lastTimestamp"}), "2026-01-01T00:00:04Z");
  EXPECT_EQ(text(1, {"message"}), "held by a budget");
  EXPECT_EQ(recorder->sent(), 2u);
  EXPECT_EQ(recorder->dropped(), 0u);
}

TEST_F(ARecorder, PatchesOneEventAtMostEveryTenSeconds) {
  server_is_content();
  for (int i = 0; i < 600; ++i) {
    recorder->record(node_event("gpu-7", "held by a budget"));
    run(100ms);
  }
  EXPECT_THAT(api.calls.size(), AllOf(Ge(6u), Le(7u)));
}

TEST_F(ARecorder, CountsARepeatThatComesWhileTheFirstIsUnderWay) {
  recorder->record(node_event("gpu-7", "x"));
  recorder->record(node_event("gpu-7", "x"));
  api.call(0).answer(Object{});
  run(11s);
  ASSERT_EQ(api.calls.size(), 2u);
  EXPECT_EQ(count(1), 2);
}

TEST_F(ARecorder, BeginsANewEventTenMinutesAfterTheLastRepeat) {
  server_is_content();
  recorder->record(node_event("gpu-7", "x"));
  run(9min);
  recorder->record(node_event("gpu-7", "x"));
  run(9min);
  recorder->record(node_event("gpu-7", "x"));
  run(11min);
  recorder->record(node_event("gpu-7", "x"));
  run(1min);
  ASSERT_EQ(api.calls.size(), 4u);
  EXPECT_EQ(request(2).verb, Verb::Patch);
  EXPECT_EQ(request(3).verb, Verb::Create);
  EXPECT_EQ(count(3), 1);
  EXPECT_NE(request(3).name, request(0).name);
}

TEST_F(ARecorder, TellsEventsApartByObjectTypeReasonAndMessage) {
  server_is_content();
  const Event event = node_event("gpu-7", "x");
  recorder->record(event);
  Event other = event;
  other.uid = "reborn";
  recorder->record(other);
  other = event;
  other.type = Event::Type::Normal;
  recorder->record(other);
  other = event;
  other.reason = "Drained";
  recorder->record(other);
  other = event;
  other.message = "y";
  recorder->record(other);
  run(1min);
  ASSERT_EQ(api.calls.size(), 5u);
  std::set<std::string> names;
  for (const auto& asked : api.calls) {
    EXPECT_EQ(asked->request.verb, Verb::Create);
    names.insert(asked->request.name);
  }
  EXPECT_EQ(names.size(), 5u);
}

TEST_F(ARecorder, MakesAnEventAnewWhenTheServerHasForgottenIt) {
  server_is_content();
  recorder->record(node_event("gpu-7", "x"));
  run(1min);
  api.answers = [](const Request& request) -> std::optional<Result<Object>> {
    if (request.verb == Verb::Patch) return base::fault(Kind::NotFound, "expired");
    return request.body;
  };
  recorder->record(node_event("gpu-7", "x"));
  recorder->record(node_event("gpu-7", "x"));
  run(11s);
  ASSERT_EQ(api.calls.size(), 3u);
  EXPECT_EQ(request(1).verb, Verb::Patch);
  EXPECT_EQ(request(2).verb, Verb::Create);
  EXPECT_NE(request(2).name, request(0).name);
  EXPECT_EQ(count(2), 2);
  EXPECT_EQ(text(2, {"firstTimestamp"}), "2026-01-01T00:01:00Z");
}

TEST_F(ARecorder, GivesOneObjectABurstOf25AndThenOneEveryFiveSeconds) {
  server_is_content();
  for (int i = 0; i < 100; ++i) recorder->record(node_event("gpu-7", std::to_string(i)));
  recorder->record(node_event("gpu-8", "another object"));
  run(1s);
  EXPECT_EQ(api.calls.size(), 26u);
  EXPECT_EQ(recorder->dropped(), 75u);
  run(59s);
  for (int i = 100; i < 200; ++i) recorder->record(node_event("gpu-7", std::to_string(i)));
  run(1s);
  EXPECT_EQ(api.calls.size(), 26u + 12u);
}

TEST_F(ARecorder, LimitsTheWholeRecorderAndQueuesTheRest) {
  server_is_content();
  for (int i = 0; i < 500; ++i) recorder->record(node_event("gpu-" + std::to_string(i), "x"));
  run(0s);
  EXPECT_EQ(api.calls.size(), 100u);
  run(10s);
  EXPECT_THAT(api.calls.size(), AllOf(Ge(199u), Le(201u)));
  run(1min);
  EXPECT_EQ(api.calls.size(), 500u);
  EXPECT_EQ(recorder->dropped(), 0u);
}

TEST_F(ARecorder, HasAtMostFourWritesInFlight) {
  for (int i = 0; i < 50; ++i) recorder->record(node_event("gpu-" + std::to_string(i), "x"));
  run(1h);
  EXPECT_EQ(api.calls.size(), 4u);
  api.call(2).answer(Object{});
  run(0s);
  EXPECT_EQ(api.calls.size(), 5u);
}

TEST_F(ARecorder, DropsAndCountsWhatTheQueueCannotHold) {
  for (int i = 0; i < 2000; ++i) recorder->record(node_event("gpu-" + std::to_string(i), "x"));
  EXPECT_EQ(recorder->dropped(), 2000u - 1000u - 4u);
}

TEST_F(ARecorder, KeepsTheOrderOfEventsAboutOneObject) {
  for (const char* what : {"one", "two", "three"}) {
    recorder->record(node_event("gpu-7", what));
    recorder->record(node_event("gpu-8", what));
  }
  std::map<std::string, std::vector<std::string>> arrived;
  // Answers come in the wrong order; sometimes the first try fails.
  for (int i = 0; i < 40; ++i) {
    for (std::size_t n = api.calls.size(); n-- > 0;) {
      auto& asked = *api.calls[n];
      if (!asked.is_open) continue;
      if (i % 3 == 0) {
        asked.fail(Kind::Throttled, 1s);
      } else {
        arrived[std::string(json::text_at(asked.request.body, {"involvedObject", "name"}))].push_back(
            std::string(json::text_at(asked.request.body, {"message"})));
        asked.answer(asked.request.body);
      }
      break;
    }
    run(5s);
  }
  EXPECT_THAT(arrived["gpu-7"], ElementsAre("one", "two", "three"));
  EXPECT_THAT(arrived["gpu-8"], ElementsAre("one", "two", "three"));
}

TEST_F(ARecorder, TakesAnEventThatAlreadyExistsAfterALostAnswerForSent) {
  recorder->record(node_event("gpu-7", "x"));
  api.call(0).fail(Kind::Unknown);
  run(5s);
  ASSERT_EQ(api.calls.size(), 2u);
  EXPECT_EQ(request(1).name, request(0).name);
  api.call(1).fail(Kind::AlreadyExists);
  run(1min);
  EXPECT_EQ(recorder->sent(), 1u);
  EXPECT_EQ(recorder->dropped(), 0u);
  EXPECT_EQ(api.calls.size(), 2u);
}

TEST_F(ARecorder, HoldsEverythingBackAsLongAsTheServerAsked) {
  recorder->record(node_event("gpu-7", "x"));
  api.call(0).fail(Kind::Throttled, 30s);
  run(0s);
  recorder->record(node_event("gpu-8", "x"));
  run(29s);
  EXPECT_EQ(api.calls.size(), 1u);
  run(2s);
  EXPECT_EQ(api.calls.size(), 3u);
}

TEST_F(ARecorder, GivesUpAfterSixTriesAndCountsIt) {
  server_says(Kind::Unreachable);
  recorder->record(node_event("gpu-7", "x"));
  run(1h);
  EXPECT_EQ(api.calls.size(), 6u);
  EXPECT_EQ(recorder->dropped(), 1u);
  EXPECT_EQ(recorder->sent(), 0u);
}

TEST_F(ARecorder, WaitsLongerAndLongerWhileTheServerIsAway) {
  server_says(Kind::Unreachable);
  for (int i = 0; i < 1000; ++i) recorder->record(node_event("gpu-" + std::to_string(i), "x"));
  run(1h);
  // Four at a time, at most about once a minute.
  EXPECT_THAT(api.calls.size(), Le(4u * 90u));
}

TEST_F(ARecorder, DropsWhatTheServerRefusesAtOnce) {
  for (const Kind kind : {Kind::Forbidden, Kind::Refused, Kind::NotFound, Kind::Malformed}) {
    api.calls.clear();
    server_says(kind);
    const auto before = recorder->dropped();
    recorder->record(node_event("gpu-7", std::string(base::word(kind))));
    run(1h);
    EXPECT_EQ(api.calls.size(), 1u);
    EXPECT_EQ(recorder->dropped(), before + 1);
  }
}

TEST_F(ARecorder, TriesARefusedEventAgainWhenItIsRecordedAgain) {
  server_says(Kind::Forbidden);
  recorder->record(node_event("gpu-7", "x"));
  run(1s);
  server_is_content();
  recorder->record(node_event("gpu-7", "x"));
  run(1s);
  EXPECT_EQ(recorder->sent(), 1u);
  EXPECT_EQ(request(1).verb, Verb::Create);
}

TEST_F(ARecorder, NeverListsAndNeverWatches) {
  server_is_content();
  for (int i = 0; i < 100; ++i) recorder->record(node_event("gpu-7", "x"));
  run(1h);
  EXPECT_THAT(api.lists, IsEmpty());
  EXPECT_THAT(api.watches, IsEmpty());
}

TEST_F(ARecorder, CutsLongMessagesAndNamesToWhatTheServerTakes) {
  Event event = node_event(std::string(253, 'n'), std::string(5000, 'm') + "\n");
  recorder->record(event);
  EXPECT_EQ(text(0, {"message"}).size(), 1024u);
  EXPECT_EQ(request(0).name.size(), 253u);
  event.message = "two\nlines";
  recorder->record(event);
  api.call(0).answer(Object{});
  run(0s);
  EXPECT_EQ(text(1, {"message"}), "two lines");
}

TEST_F(ARecorder, NamesNoTwoEventsAlikeEvenAfterARestartWithTheSameSeed) {
  server_is_content();
  std::set<std::string> names;
  for (int life = 0; life < 5; ++life) {
    recorder = std::make_unique<EventRecorder>(api, loop, base::Random(1), "drover", "drover-0");
    for (int i = 0; i < 20; ++i) recorder->record(node_event("gpu-7", std::to_string(i)));
    run(10s);
  }
  for (const auto& asked : api.calls) names.insert(asked->request.name);
  EXPECT_EQ(names.size(), 100u);
}

TEST_F(ARecorder, RemembersNoMoreThanAFewThousandEvents) {
  server_is_content();
  // Ten a second, which is the rate of the recorder; the first is forgotten by the end, though its ten minutes are not
  // over.
  recorder->record(node_event("gpu-first", "x"));
  run(1s);
  for (int i = 0; i < 5000; ++i) {
    recorder->record(node_event("gpu-" + std::to_string(i), "x"));
    run(100ms);
  }
  api.calls.clear();
  recorder->record(node_event("gpu-first", "x"));
  run(1s);
  ASSERT_EQ(api.calls.size(), 1u);
  EXPECT_EQ(request(0).verb, Verb::Create);
}

TEST_F(ARecorder, LetsWhatIsUnderWayGoOnWhenItIsDestroyed) {
  recorder->record(node_event("gpu-7", "x"));
  recorder.reset();
  EXPECT_FALSE(api.call(0).was_given_up);
  api.call(0).answer(Object{});
  run(1h);
  EXPECT_EQ(api.calls.size(), 1u);
}

TEST_F(ARecorder, GivesEachEventAboutAnObjectASecondOfItsOwnWhenTold) {
  server_is_content();
  recorder = std::make_unique<EventRecorder>(api, loop, base::Random(1), "drover", "drover-0", 4096, true);
  for (const char* message : {"one", "two", "three"}) recorder->record(node_event("gpu-1", message));
  recorder->record(node_event("gpu-2", "other"));
  run(5s);
  ASSERT_EQ(api.calls.size(), 4u);
  EXPECT_EQ(text(0, {"message"}), "one");
  EXPECT_EQ(text(1, {"message"}), "other") << "another object does not wait";
  EXPECT_EQ(text(2, {"message"}), "two");
  EXPECT_EQ(text(3, {"message"}), "three");
  EXPECT_LT(text(0, {"lastTimestamp"}), text(2, {"lastTimestamp"}));
  EXPECT_LT(text(2, {"lastTimestamp"}), text(3, {"lastTimestamp"}));
}

}  // namespace
}  // namespace drover::kube
