// Look, decide, write, rest; again and again.
//
// A leader writes without looking as long as it knows the lease's version; a process in doubt (a conflict, a lost
// answer, an answer that does not come) looks first. Nothing is believed but the answer to a write of ours: a look that
// shows our name only leads to another write. So the time that counts is always the time a successful write was sent,
// and it is never later than the moment at which others can have seen it.
#include "kube/leader.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/same.h"

namespace drover::kube {
namespace {

using base::Instant;
using base::Span;
using Kind = Fault::Kind;

LeaseTerms made_safe(LeaseTerms terms) {
  terms.duration = std::max<Span>(terms.duration, std::chrono::seconds(1));
  terms.renew_deadline = std::min(terms.renew_deadline, terms.duration * 2 / 3);
  terms.retry_every = std::min(terms.retry_every, terms.renew_deadline / 4);
  return terms;
}

std::int64_t whole_seconds(Span span) { return std::chrono::ceil<std::chrono::seconds>(span).count(); }

// After these the write surely changed nothing, and the lease is still what we think it is.
bool surely_not_written(Kind kind) {
  return kind == Kind::Unreachable || kind == Kind::Forbidden || kind == Kind::Refused;
}
// Not trouble but news, which a look will tell.
bool another_was_faster(Kind kind) { return kind == Kind::Conflict || kind == Kind::AlreadyExists; }

}  // namespace

struct LeaderElection::Body : std::enable_shared_from_this<Body> {
  enum class Role { Idle, Candidate, Leader, Resigning, Over };

  Api& api;
  base::Loop& loop;
  base::Random random;
  const LeaseTerms terms;
  const std::function<void()> won;
  const std::function<void()> lost;
  std::vector<std::function<void()>> resigned;

  Role role = Role::Idle;
  Instant leader_until;  // Leader only

  // The lease as last seen.
  std::optional<Object> lease;  // nothing: there is none
  std::string holder;
  Instant changed_at;                          // when we first saw this spec
  std::optional<base::WallTime> before_until;  // when a holder before us renewed it last, by its clock
  bool in_doubt = true;                        // it may have changed since: look before writing

  // What is under way.
  Call call;
  bool writing = false;
  int doubts_in_a_row = 0;
  base::Timer patience;  // an answer that does not come
  base::Timer next;
  base::Timer deadline;
  std::optional<Kind> complained_of;

  Body(Api& api, base::Loop& loop, base::Random random, LeaseTerms terms, std::function<void()> won,
       std::function<void()> lost)
      : api(api),
        loop(loop),
        random(std::move(random)),
        terms(made_safe(std::move(terms))),
        won(std::move(won)),
        lost(std::move(lost)) {}

  bool is_leader() const { return role == Role::Leader && loop.now() < leader_until; }

  // The deadline has passed, whether or not its timer has been called yet.
  bool was_too_late() {
    if (role != Role::Leader || loop.now() < leader_until) return false;
    lose("no renewal succeeded in time");
    return true;
  }

  // A timer may come a little early by the clock that counts; then it is set again, but never to spin.
  void set_deadline() {
    const Span left = std::max<Span>(leader_until - loop.now(), std::chrono::milliseconds(1));
    deadline = later(left, [](Body& self) {
      if (!self.was_too_late() && self.role == Role::Leader) self.set_deadline();
    });
  }

  void attempt() {
    if (role == Role::Idle || role == Role::Over || was_too_late()) return;
    role == Role::Candidate || in_doubt ? look() : write();
  }

  void look() {
    Request request = get(kLeases, terms.ns, terms.name);
    request.lane = Lane::Lease;
    send(std::move(request), [](Body& self, Instant, Result<Object> answer) { self.saw(std::move(answer)); });
  }

  void saw(Result<Object> answer) {
    if (!answer && answer.error().kind != Kind::NotFound) {
      complain("look at", answer.error());
      return role == Role::Resigning ? finish() : rest(answer.error().retry_after);
    }
    in_doubt = false;
    answer ? observe(std::move(*answer)) : observe_none();
    switch (role) {
      case Role::Candidate: return may_take_it() ? write() : rest();
      case Role::Leader: return holder == terms.identity ? write() : lose("it is in other hands");
      case Role::Resigning: return holder == terms.identity ? write() : finish();
      case Role::Idle:
      case Role::Over: return;
    }
  }

  void observe(Object seen) {
    const bool is_as_before = lease && json::same(json::find(seen, {"spec"}), json::find(*lease, {"spec"}));
    if (!is_as_before) changed_at = loop.now();
    holder = json::text_at(seen, {"spec", "holderIdentity"});
    const auto renewed = base::parse_rfc3339(json::text_at(seen, {"spec", "renewTime"}));
    if (renewed && role == Role::Candidate && holder != terms.identity) before_until = *renewed;
    lease = std::move(seen);
  }
  void observe_none() {
    lease.reset();
    holder.clear();
  }

  bool may_take_it() const {
    if (!lease || holder.empty() || holder == terms.identity) return true;
    const std::int64_t stated = json::int_at(*lease, {"spec", "leaseDurationSeconds"});
    // More than a century is a century: the sum must not overflow.
    const Span theirs =
        stated > 0 ? std::chrono::seconds(std::min<std::int64_t>(stated, 3'000'000'000)) : terms.duration;
    return loop.now() - changed_at >= theirs;
  }

  void write() {
    Object desired = lease ? *lease : Object{{"metadata", {{"name", terms.name}, {"namespace", terms.ns}}}};
    if (!desired.is_object()) desired = json::Members();
    json::Value& spec = json::ensure(desired, {"spec"});
    if (!spec.is_object()) spec = json::Members();
    json::Members& fields = spec.get_object();
    const std::string now = base::rfc3339_micro(loop.wall());
    const bool giving_back = role == Role::Resigning;
    if (giving_back || holder != terms.identity) fields["acquireTime"] = now;
    if (!giving_back && holder != terms.identity) {
      fields["leaseTransitions"] = lease ? json::int_at(*lease, {"spec", "leaseTransitions"}) + 1 : 0;
    }
    fields["renewTime"] = now;
    fields["holderIdentity"] = giving_back ? std::string() : terms.identity;
    fields["leaseDurationSeconds"] = giving_back ? 1 : whole_seconds(terms.duration);
    Request request = lease ? replace(kLeases, std::move(desired)) : create(kLeases, terms.ns, std::move(desired));
    request.lane = Lane::Lease;
    send(std::move(request),
         [](Body& self, Instant sent_at, Result<Object> answer) { self.wrote(sent_at, std::move(answer)); });
    writing = true;
  }

  void wrote(Instant sent_at, Result<Object> answer) {
    if (!answer) return not_written(answer.error());
    observe(std::move(*answer));
    doubts_in_a_row = 0;
    complained_of.reset();
    if (role == Role::Resigning) return finish();
    const Instant until = sent_at + terms.renew_deadline;
    // The answer came so late that it is worth nothing; the lease is ours, though, so write again.
    if (loop.now() >= until) return write();
    leader_until = until;
    set_deadline();
    rest();
    if (std::exchange(role, Role::Leader) == Role::Leader) return;
    log::info("leader", {{"lease", lease_name()}, {"identity", terms.identity}});
    won();
  }

  void not_written(const Fault& fault) {
    if (!another_was_faster(fault.kind)) complain("write", fault);
    const bool sure = surely_not_written(fault.kind);
    if (role == Role::Resigning && sure) return finish();
    in_doubt = in_doubt || !sure;
    const bool looking_helps = fault.kind != Kind::Throttled && fault.kind != Kind::Failed;
    if (in_doubt && looking_helps && doubts_in_a_row++ < 1) return look();
    rest(fault.retry_after);
  }

  // A candidate waits as long as the server likes; a leader cannot.
  void rest(std::optional<Span> desired = {}) {
    doubts_in_a_row = 0;
    const Span most = role == Role::Leader ? terms.renew_deadline / 4 : terms.duration;
    const Span span = random.jitter(terms.retry_every, 0.2);
    next = later(std::max(span, std::min(desired.value_or(Span::zero()), most)), [](Body& self) { self.attempt(); });
  }

  void lose(std::string_view why) {
    end();
    log::warn("leadership lost", {{"lease", lease_name()}, {"why", std::string(why)}, {"holder", holder}});
    lost();
  }

  void resign(std::function<void()> done) {
    resigned.push_back(std::move(done));
    if (role == Role::Resigning) return;
    const bool may_be_ours = role == Role::Leader || writing;
    const bool was_writing = writing;
    end();
    if (!may_be_ours) return finish();
    role = Role::Resigning;
    in_doubt = in_doubt || was_writing;
    // People wait for this process to end: one deadline for all of it.
    deadline = later(terms.renew_deadline / 2, [](Body& self) { self.finish(); });
    attempt();
  }

  void finish() {
    end();
    for (auto& done : std::exchange(resigned, {})) loop.post(std::move(done));
  }

  // Nothing is under way any more, and nothing will be.
  void end() {
    role = Role::Over;
    stop_waiting();
    next.cancel();
    deadline.cancel();
  }
  void stop_waiting() {
    writing = false;
    call.cancel();
    patience.cancel();
  }

  using Then = void (*)(Body&, Instant sent_at, Result<Object>);
  void send(Request request, Then then) {
    patience = later(terms.renew_deadline / 2, [](Body& self) { self.gave_up_waiting(); });
    call = api.call(std::move(request), [weak = weak_from_this(), then, sent_at = loop.now()](Result<Object> answer) {
      if (auto self = weak.lock()) self->answered(then, sent_at, std::move(answer));
    });
  }
  void answered(Then then, Instant sent_at, Result<Object> answer) {
    stop_waiting();
    if (!was_too_late()) then(*this, sent_at, std::move(answer));
  }

  void gave_up_waiting() {
    if (was_too_late()) return;
    in_doubt = in_doubt || writing;
    stop_waiting();
    complain("hear about", {Kind::Unknown, "no answer for " + base::human(terms.renew_deadline / 2)});
    attempt();
  }

  // Once for each kind of trouble until a write succeeds; the lease is tried every two seconds.
  void complain(std::string_view what, const Fault& fault) {
    if (complained_of == fault.kind) return;
    complained_of = fault.kind;
    log::warn(fmt::format("cannot {} the lease", what), {{"lease", lease_name()}, {"why", fault.message}});
  }

  std::string lease_name() const { return terms.ns + "/" + terms.name; }

  base::Timer later(Span span, void (*then)(Body&)) {
    return loop.after(span, [weak = weak_from_this(), then] {
      if (auto self = weak.lock()) then(*self);
    });
  }
};

LeaderElection::LeaderElection(Api& api, base::Loop& loop, base::Random random, LeaseTerms terms,
                               std::function<void()> won, std::function<void()> lost)
    : body_(std::make_shared<Body>(api, loop, std::move(random), std::move(terms), std::move(won), std::move(lost))) {}

LeaderElection::~LeaderElection() { body_->end(); }

void LeaderElection::start() {
  if (body_->role != Body::Role::Idle) return;
  body_->role = Body::Role::Candidate;
  body_->attempt();
}
bool LeaderElection::is_leader() const { return body_->is_leader(); }
void LeaderElection::resign(std::function<void()> done) { body_->resign(std::move(done)); }
const std::string& LeaderElection::holder() const { return body_->holder; }
std::optional<base::WallTime> LeaderElection::leader_before_until() const { return body_->before_until; }

}  // namespace drover::kube
