#include "kube/leader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "base/virtual_loop.h"
#include "kube/scripted_api.h"

namespace drover::kube {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Fault::Kind;

Object lease_of(const std::string& holder, const std::string& version, int duration = 15, int renewal = 0) {
  return {{"metadata", {{"name", "drover"}, {"namespace", "sys"}, {"resourceVersion", version}, {"uid", "u"}}},
          {"spec",
           {{"holderIdentity", holder},
            {"leaseDurationSeconds", duration},
            {"acquireTime", "2025-01-01T00:00:00.000000Z"},
            {"renewTime", "2025-01-01T00:00:0" + std::to_string(renewal) + ".000000Z"},
            {"leaseTransitions", 4}}}};
}

class AnElection : public testing::Test {
 protected:
  base::VirtualLoop loop;
  ScriptedApi api{loop};
  LeaseTerms terms{.ns = "sys", .name = "drover", .identity = "me"};
  std::vector<std::string> told;
  std::vector<std::string> logged;
  std::unique_ptr<LeaderElection> election;
  bool destroy_when_told = false;

  AnElection() {
    log::redirect([this](std::string_view line) { logged.emplace_back(line); });
  }
  ~AnElection() override { log::redirect({}); }

  void tell(const char* what) {
    told.push_back(what);
    if (destroy_when_told) election.reset();
  }
  void start() {
    election = std::make_unique<LeaderElection>(
        api, loop, base::Random(1), terms, [this] { tell("won"); }, [this] { tell("lost"); });
    election->start();
    run(0s);
  }
  void run(base::Span span) { loop.run_for(span); }
  ScriptedApi::Asked& last() { return *api.calls.back(); }
  // What the server makes of the last write.
  Object accepted(const std::string& version) {
    Object object = last().request.body;
    json::ensure(object, {"metadata", "resourceVersion"}) = version;
    return object;
  }
  // Leader since now, the lease at version 1.
  void start_leading() {
    start();
    last().fail(Kind::NotFound);
    run(0s);
    last().answer(accepted("1"));
    run(0s);
    ASSERT_TRUE(election->is_leader());
    told.clear();
  }
  std::string spec(const char* field) { return std::string(json::text_at(last().request.body, {"spec", field})); }
  std::int64_t number(const char* field) { return json::int_at(last().request.body, {"spec", field}, -1); }
};

TEST_F(AnElection, KnowsWhenTheLeaderBeforeWasHeardOfByItsOwnClock) {
  start();
  last().answer(lease_of("other", "7", 15, 3));
  run(0s);
  EXPECT_FALSE(election->is_leader());
  run(20s);
  last().answer(lease_of("other", "7", 15, 3));
  run(0s);
  last().answer(accepted("8"));
  run(0s);
  ASSERT_TRUE(election->is_leader());
  EXPECT_EQ(election->leader_before_until(), base::parse_rfc3339("2025-01-01T00:00:03Z").value());
  run(3s);
  last().answer(accepted("9"));
  run(0s);
  EXPECT_EQ(election->leader_before_until(), base::parse_rfc3339("2025-01-01T00:00:03Z").value());
}

TEST_F(AnElection, MakesTheLeaseWhenThereIsNone) {
  start();
  EXPECT_EQ(last().request.verb, Verb::Get);
  last().fail(Kind::NotFound);
  run(0s);
  EXPECT_EQ(last().request.verb, Verb::Create);
  EXPECT_EQ(spec("holderIdentity"), "me");
  EXPECT_EQ(number("leaseDurationSeconds"), 15);
  EXPECT_EQ(number("leaseTransitions"), 0);
  EXPECT_EQ(spec("renewTime"), base::rfc3339_micro(loop.wall()));
  EXPECT_EQ(spec("acquireTime"), spec("renewTime"));
  EXPECT_FALSE(election->is_leader());
  last().answer(accepted("1"));
  run(0s);
  EXPECT_TRUE(election->is_leader());
  EXPECT_EQ(election->holder(), "me");
  EXPECT_THAT(told, ElementsAre("won"));
}

TEST_F(AnElection, TravelsInTheLeaseLane) {
  start_leading();
  run(20s);
  for (const auto& asked : api.calls) EXPECT_EQ(asked->request.lane, Lane::Lease);
}

TEST_F(AnElection, TakesAFreeLeaseAtOnceAndCountsTheTransition) {
  start();
  last().answer(lease_of("", "7", 1));
  run(0s);
  EXPECT_EQ(last().request.verb, Verb::Replace);
  EXPECT_EQ(version_of(last().request.body), "7");
  EXPECT_EQ(uid_of(last().request.body), "u");
  EXPECT_EQ(number("leaseTransitions"), 5);
}

TEST_F(AnElection, TakesItsOwnLeaseBackAtOnceAfterARestart) {
  start();
  last().answer(lease_of("me", "7"));
  run(0s);
  EXPECT_EQ(last().request.verb, Verb::Replace);
  EXPECT_EQ(number("leaseTransitions"), 4);
  EXPECT_EQ(spec("acquireTime"), "2025-01-01T00:00:00.000000Z");
}

TEST_F(AnElection, WaitsForTheWholeDurationOfAnothersLeaseByItsOwnClock) {
  // The wall time in the lease is years ago; that means nothing.
  api.answers = [](const Request& r) {
    return r.verb == Verb::Get ? std::optional(lease_of("other", "7", 30)) : std::nullopt;
  };
  start();
  EXPECT_EQ(election->holder(), "other");
  run(29s);
  EXPECT_EQ(last().request.verb, Verb::Get);
  run(4s);
  EXPECT_EQ(last().request.verb, Verb::Replace);
  EXPECT_EQ(spec("holderIdentity"), "me");
}

TEST_F(AnElection, WaitsAnewWheneverTheOtherRenewed) {
  int renewal = 0;
  api.answers = [&](const Request& r) {
    return r.verb == Verb::Get ? std::optional(lease_of("other", "7", 15, renewal)) : std::nullopt;
  };
  start();
  for (; renewal < 9; ++renewal) {
    run(12s);
    ASSERT_EQ(last().request.verb, Verb::Get);
  }
  run(18s);
  EXPECT_EQ(last().request.verb, Verb::Replace);
}

TEST_F(AnElection, TakesNoAnnotationForARenewal) {
  int version = 0;
  api.answers = [&](const Request& r) {
    return r.verb == Verb::Get ? std::optional(lease_of("other", std::to_string(++version))) : std::nullopt;
  };
  start();
  run(18s);
  EXPECT_EQ(last().request.verb, Verb::Replace);
}

TEST_F(AnElection, TreatsALeaseWithGarbageInsideAsFree) {
  start();
  last().answer(
      Object{{"metadata", {{"name", "drover"}, {"namespace", "sys"}, {"resourceVersion", "7"}}}, {"spec", 42}});
  run(0s);
  EXPECT_EQ(last().request.verb, Verb::Replace);
  EXPECT_EQ(spec("holderIdentity"), "me");
}

TEST_F(AnElection, RenewsEveryCoupleOfSecondsWithoutLooking) {
  start_leading();
  const std::size_t before = api.calls.size();
  int version = 1;
  api.answers = [&](const Request& r) {
    Object object = r.body;
    json::ensure(object, {"metadata", "resourceVersion"}) = std::to_string(++version);
    return object;
  };
  run(60s);
  const std::size_t renewals = api.calls.size() - before;
  EXPECT_GE(renewals, 25u);
  EXPECT_LE(renewals, 38u);
  EXPECT_EQ(last().request.verb, Verb::Replace);
  EXPECT_TRUE(election->is_leader());
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(AnElection, LosesWhenTheDeadlinePassesThoughTheNetworkIsStuck) {
  start_leading();
  run(9999ms);
  EXPECT_TRUE(election->is_leader());
  EXPECT_THAT(told, IsEmpty());
  run(1ms);
  EXPECT_FALSE(election->is_leader());
  EXPECT_THAT(told, ElementsAre("lost"));
  run(1h);
  EXPECT_THAT(told, ElementsAre("lost"));
}

// Timers and instants may come from different clocks of the kernel.
class HastyLoop final : public base::Loop {
 public:
  explicit HastyLoop(base::Loop& loop) : loop_(loop) {}
  base::Instant now() const override { return loop_.now(); }
  base::WallTime wall() const override { return loop_.wall(); }
  [[nodiscard]] base::Timer after(base::Span span, std::function<void()> then) override {
    return loop_.after(span > 2ms ? span - 1ms : span, std::move(then));
  }
  void post(std::function<void()> then) override { loop_.post(std::move(then)); }

 private:
  base::Loop& loop_;
};

TEST_F(AnElection, LosesInTimeThoughItsTimersComeEarly) {
  HastyLoop hasty(loop);
  // No answer comes once the lease is made.
  api.answers = [this](const Request& r) -> std::optional<Result<Object>> {
    if (api.calls.size() == 1) return base::fault(Kind::NotFound, "none");
    if (r.verb == Verb::Create) return r.body;
    return std::nullopt;
  };
  election = std::make_unique<LeaderElection>(
      api, hasty, base::Random(1), terms, [this] { tell("won"); }, [this] { tell("lost"); });
  election->start();
  run(10s - 1ns);
  EXPECT_THAT(told, ElementsAre("won"));
  run(1ns);
  EXPECT_THAT(told, ElementsAre("won", "lost"));
}

TEST_F(AnElection, CountsTheDeadlineFromWhenTheRenewalWasSent) {
  start();
  last().fail(Kind::NotFound);
  run(0s);
  last().latency = 4s;
  last().answer(accepted("1"));
  run(4s);
  EXPECT_TRUE(election->is_leader());
  run(5999ms);
  EXPECT_TRUE(election->is_leader());
  run(1ms);
  EXPECT_FALSE(election->is_leader());
}

TEST_F(AnElection, StaysLostWhateverIsAnsweredAfterwards) {
  start_leading();
  run(9s);
  api.answers = [](const Request& r) { return r.body; };
  auto stuck = api.calls.back();
  ASSERT_TRUE(stuck->is_open);
  stuck->latency = 2s;
  stuck->answer(accepted("2"));
  run(1h);
  EXPECT_FALSE(election->is_leader());
  EXPECT_THAT(told, ElementsAre("lost"));
  EXPECT_EQ(last().asked_at, stuck->asked_at);
}

TEST_F(AnElection, KeepsTryingUntilTheDeadlineAndSurvivesAShortCut) {
  start_leading();
  const auto cut_off = [](const Request&) -> std::optional<Result<Object>> {
    return base::fault(Kind::Unreachable, "no route");
  };
  api.answers = cut_off;
  run(8s);
  EXPECT_THAT(told, IsEmpty());
  api.answers = [](const Request& r) { return r.body; };
  run(20s);
  EXPECT_TRUE(election->is_leader());
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(AnElection, LooksAgainAfterAConflictAndLosesWhenAnotherHoldsIt) {
  start_leading();
  run(3s);
  ASSERT_EQ(last().request.verb, Verb::Replace);
  last().fail(Kind::Conflict);
  run(0s);
  ASSERT_EQ(last().request.verb, Verb::Get);
  last().answer(lease_of("other", "9"));
  run(0s);
  EXPECT_FALSE(election->is_leader());
  EXPECT_THAT(told, ElementsAre("lost"));
}

TEST_F(AnElection, LooksAgainAfterAConflictAndGoesOnWhenOnlyTheVersionMoved) {
  start_leading();
  run(3s);
  last().fail(Kind::Conflict);
  run(0s);
  last().answer(lease_of("me", "9"));
  run(0s);
  ASSERT_EQ(last().request.verb, Verb::Replace);
  EXPECT_EQ(version_of(last().request.body), "9");
  last().answer(accepted("10"));
  run(0s);
  EXPECT_TRUE(election->is_leader());
}

TEST_F(AnElection, DoesNotSpinWhenEveryWriteConflicts) {
  api.answers = [](const Request& r) -> std::optional<Result<Object>> {
    if (r.verb == Verb::Get) return lease_of("", "7");
    return base::fault(Kind::Conflict, "always");
  };
  start();
  run(60s);
  EXPECT_LE(api.calls.size(), 4u * 40u);
}

TEST_F(AnElection, BelievesALostAnswerOnlyAfterAnotherWrite) {
  start();
  last().fail(Kind::NotFound);
  run(0s);
  Object made = accepted("1");
  last().fail(Kind::Unknown);
  run(0s);
  ASSERT_EQ(last().request.verb, Verb::Get);
  EXPECT_FALSE(election->is_leader());
  last().answer(made);
  run(0s);
  EXPECT_FALSE(election->is_leader());
  ASSERT_EQ(last().request.verb, Verb::Replace);
  last().answer(accepted("2"));
  run(0s);
  EXPECT_TRUE(election->is_leader());
}

TEST_F(AnElection, DoesNotExtendItsTimeByALostAnswer) {
  start_leading();
  api.answers = [](const Request& r) -> std::optional<Result<Object>> {
    if (r.verb == Verb::Get) return lease_of("me", "9");
    return base::fault(Kind::Unknown, "cut");
  };
  run(10s);
  EXPECT_THAT(told, ElementsAre("lost"));
}

TEST_F(AnElection, LetsAThrottlingServerRestAsACandidateButNotForLongAsALeader) {
  api.answers = [](const Request&) -> std::optional<Result<Object>> {
    return std::unexpected(Fault{Kind::Throttled, "slow down", 12s});
  };
  start();
  run(11s);
  EXPECT_EQ(api.calls.size(), 1u);
  run(2s);
  EXPECT_EQ(api.calls.size(), 2u);
  api.answers = {};
  api.calls.clear();
  start_leading();
  api.answers = [](const Request&) -> std::optional<Result<Object>> {
    return std::unexpected(Fault{Kind::Throttled, "slow down", 12s});
  };
  const std::size_t before = api.calls.size();
  run(9s);
  EXPECT_GE(api.calls.size(), before + 3);
}

TEST_F(AnElection, GivesUpAStuckCallAndTriesAnother) {
  start_leading();
  run(8s);
  ASSERT_GE(api.calls.size(), 4u);
  EXPECT_TRUE(api.call(2).was_given_up);
  ASSERT_EQ(last().request.verb, Verb::Get);  // the stuck one was a write: look
  last().answer(lease_of("me", "1"));
  run(0s);
  last().answer(accepted("2"));
  run(3s);
  EXPECT_TRUE(election->is_leader());
}

TEST_F(AnElection, LosesWhenTheLeaseIsDeletedUnderIt) {
  start_leading();
  run(3s);
  last().fail(Kind::NotFound);
  run(0s);
  last().fail(Kind::NotFound);
  run(0s);
  EXPECT_THAT(told, ElementsAre("lost"));
}

TEST_F(AnElection, TightensTermsThatContradictEachOther) {
  terms.duration = 15s;
  terms.renew_deadline = 60s;
  terms.retry_every = 60s;
  start_leading();
  run(4s);
  EXPECT_EQ(last().request.verb, Verb::Replace);
  run(6s);
  EXPECT_THAT(told, ElementsAre("lost"));
}

TEST_F(AnElection, GivesTheLeaseBackWhenItResigns) {
  start_leading();
  election->resign([this] { tell("done"); });
  EXPECT_FALSE(election->is_leader());
  run(0s);
  EXPECT_EQ(last().request.verb, Verb::Replace);
  EXPECT_EQ(version_of(last().request.body), "1");
  EXPECT_EQ(spec("holderIdentity"), "");
  EXPECT_EQ(number("leaseDurationSeconds"), 1);
  EXPECT_EQ(number("leaseTransitions"), 0);
  last().answer(accepted("2"));
  run(1h);
  EXPECT_THAT(told, ElementsAre("done"));
  EXPECT_EQ(election->holder(), "");
}

TEST_F(AnElection, LooksBeforeItGivesBackALeaseWhoseRenewalIsUnderWay) {
  start_leading();
  run(3s);
  ASSERT_TRUE(last().is_open);
  election->resign([this] { tell("done"); });
  run(0s);
  ASSERT_EQ(last().request.verb, Verb::Get);
  last().answer(lease_of("me", "2"));
  run(0s);
  EXPECT_EQ(version_of(last().request.body), "2");
  EXPECT_EQ(spec("holderIdentity"), "");
}

TEST_F(AnElection, LeavesAnothersLeaseAloneWhenItResigns) {
  start_leading();
  election->resign([this] { tell("done"); });
  last().fail(Kind::Conflict);
  run(0s);
  last().answer(lease_of("other", "9"));
  run(0s);
  EXPECT_THAT(told, ElementsAre("done"));
  EXPECT_EQ(last().request.verb, Verb::Get);
}

TEST_F(AnElection, IsDoneResigningAfterHalfTheDeadlineWithoutAnAnswer) {
  start_leading();
  election->resign([this] { tell("done"); });
  run(4s);
  EXPECT_THAT(told, IsEmpty());
  run(2s);
  EXPECT_THAT(told, ElementsAre("done"));
  run(1h);
  EXPECT_THAT(told, ElementsAre("done"));
}

TEST_F(AnElection, ResignsAsACandidateWithoutAWordToTheServer) {
  start();
  last().answer(lease_of("other", "7"));
  run(0s);
  const std::size_t before = api.calls.size();
  election->resign([this] { tell("done"); });
  EXPECT_THAT(told, IsEmpty());
  run(1h);
  EXPECT_THAT(told, ElementsAre("done"));
  EXPECT_EQ(api.calls.size(), before);
}

TEST_F(AnElection, MayBeDestroyedWhenItIsToldOfVictoryOrLoss) {
  destroy_when_told = true;
  start();
  last().fail(Kind::NotFound);
  run(0s);
  last().answer(accepted("1"));
  run(1h);
  EXPECT_THAT(told, ElementsAre("won"));
  EXPECT_EQ(api.calls.size(), 2u);

  destroy_when_told = false;
  start_leading();
  destroy_when_told = true;
  run(1h);
  EXPECT_THAT(told, ElementsAre("lost"));
}

TEST_F(AnElection, SaysTheSameTroubleOnce) {
  api.answers = [](const Request&) -> std::optional<Result<Object>> {
    return base::fault(Kind::Forbidden, "leases.coordination.k8s.io is forbidden");
  };
  start();
  run(10min);
  EXPECT_EQ(logged.size(), 1u);
  EXPECT_THAT(logged.at(0), testing::HasSubstr("is forbidden"));
  EXPECT_GE(api.calls.size(), 200u);
}

}  // namespace
}  // namespace drover::kube
