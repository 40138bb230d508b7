#include "act/executor.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "kube/version_order.h"

namespace drover::act {
namespace {

using base::Fault;

constexpr base::Span kFirstWait = std::chrono::seconds(1);
constexpr base::Span kMostWait = std::chrono::seconds(30);
// A budget is asked at most six times a minute for one pod.
constexpr base::Span kBlockedWait = std::chrono::seconds(12);
constexpr double kBlockedJitter = 0.1;
// More than this at once only wait in line, each with its request in memory.
constexpr int kMostUnderWay = 64;
// A key that was not asked for in this long is forgotten.
constexpr base::Span kForgetAfter = std::chrono::minutes(30);
// A write that perhaps happened is seen by then, or did not.
constexpr base::Span kPerhaps = std::chrono::seconds(30);

// What the next look settles by itself is not worth a line. A DaemonSet that is applied and not found lacks its
// namespace.
bool is_worth_a_line(Purpose purpose, Fault::Kind kind) {
  if (purpose == Purpose::ApplySet && kind == Fault::Kind::NotFound) return true;
  return kind != Fault::Kind::Conflict && kind != Fault::Kind::Blocked && kind != Fault::Kind::NotFound &&
         kind != Fault::Kind::AlreadyExists;
}

}  // namespace

base::Span wait_for_budget(std::string_view pod_uid, int refusals) {
  base::Random own(base::fnv1a(pod_uid) + static_cast<std::uint64_t>(refusals));
  return own.jitter(std::min(kMostWait, kBlockedWait * (1 << std::min(refusals, 8))), kBlockedJitter);
}

// ---- what was sent and is not seen yet

struct PendingWrites::Sent {
  kube::Call call = {};
  bool is_under_way = false;
  base::Instant not_before = {};
  base::Instant asked_at = {};
  base::Backoff backoff{kFirstWait, kMostWait};
  int refusals = 0;  // by a budget, in a row
  int faults = 0;    // of any kind, in a row
  int answers = 0;
};

PendingWrites::PendingWrites(const base::Loop& loop) : loop_(loop) {}
PendingWrites::~PendingWrites() = default;

int PendingWrites::room() const { return kMostUnderWay - under_way_; }

bool PendingWrites::is_free(std::string_view key) const {
  if (room() <= 0) return false;
  const auto at = sent_.find(key);
  return at == sent_.end() || (!at->second.is_under_way && loop_.now() >= at->second.not_before);
}

bool PendingWrites::is_under_way(std::string_view key) const {
  const auto at = sent_.find(key);
  return at != sent_.end() && at->second.is_under_way;
}

int PendingWrites::answers(std::string_view key) const {
  const auto at = sent_.find(key);
  return at == sent_.end() ? 0 : at->second.answers;
}

bool PendingWrites::is_behind(const observe::NodeFacts& facts) const {
  const auto at = written_.find(facts.name);
  return at != written_.end() && kube::is_older(facts.version, at->second);
}

bool PendingWrites::may_overtake(const observe::NodeFacts& facts) const {
  const auto at = conflicted_.find(facts.name);
  return at != conflicted_.end() && kube::is_older(at->second, facts.version) && !is_under_way("node/" + facts.name);
}

bool PendingWrites::is_applied(const std::string& set, std::uint64_t text, std::int64_t generation) const {
  const auto at = applied_.find(set);
  return at != applied_.end() && at->second == std::pair(text, generation);
}

PendingWrites::Sent& PendingWrites::begin(const Write& write) {
  const Subject& subject = write.subject;
  Sent& sent = sent_[write.key];
  sent.is_under_way = true;
  put_off_.erase(&sent);
  ++under_way_;
  if (subject.is_low_priority) ++low_priority_;
  if (act::has_pending_evictions(write.purpose) || subject.ends_driver) ++pending_evictions_[subject.node];
  if (subject.takes) pending_takes_[subject.node] = {.sent = subject.decided_on};
  return sent;
}

void PendingWrites::end(const WriteResult& result) {
  const Subject& subject = result.subject;
  --under_way_;
  if (subject.is_low_priority) --low_priority_;
  const bool took_a_pod = act::has_pending_evictions(result.purpose) || subject.ends_driver;
  if (took_a_pod && --pending_evictions_[subject.node] == 0) pending_evictions_.erase(subject.node);
  if (result.purpose == Purpose::ApplySet && !result.fault)
    applied_[subject.object] = {subject.text, result.generation};
  if (result.purpose == Purpose::NodeStatus && !result.fault) written_[subject.node] = result.version;
  if (result.purpose != Purpose::Node) return;
  if (!result.fault) written_[subject.node] = result.version;
  if (result.fault && result.fault->kind == Fault::Kind::Conflict) conflicted_[subject.node] = subject.decided_on;
  const auto taking = pending_takes_.find(subject.node);
  if (taking == pending_takes_.end()) return;
  if (!result.fault) {
    taking->second.written = result.version;
  } else if (result.fault->kind == Fault::Kind::Unknown) {
    taking->second.until = loop_.now() + kPerhaps;
  } else {
    pending_takes_.erase(taking);
  }
}

// What is decided on the faster writer's word need not wait any longer.
void PendingWrites::overtake(const Write& write) {
  const auto at = conflicted_.find(write.subject.node);
  if (at == conflicted_.end() || !kube::is_older(at->second, write.subject.decided_on)) return;
  if (is_under_way(write.key)) return;
  if (const auto known = sent_.find(write.key); known != sent_.end()) {
    put_off_.erase(&known->second);
    sent_.erase(known);
  }
  conflicted_.erase(at);
}

// ---- sending

struct Executor::Body {
  kube::Api& api;
  base::Loop& loop;
  base::Random random;
  kube::EventRecorder& events;
  std::function<bool()> permission;
  std::function<void()> told;
  PendingWrites pending;
  std::vector<WriteResult> results = {};
  base::Instant tidied_at = {};
  std::uint64_t failures = 0;

  base::Span wait_after(std::string_view key, PendingWrites::Sent& sent, const Fault& fault) {
    // The key of an eviction ends in the pod's uid.
    if (fault.kind == Fault::Kind::Blocked) return wait_for_budget(key.substr(key.find('/') + 1), sent.refusals++);
    // Another writer was faster: the watch brings its word, and then we decide again.
    if (fault.kind == Fault::Kind::Conflict) return std::min(sent.backoff.next(random), kFirstWait);
    const base::Span own = sent.backoff.next(random);
    return fault.retry_after ? std::max(own, *fault.retry_after) : own;
  }

  void tidy(base::Instant now) {
    if (now - tidied_at < std::chrono::minutes(1)) return;
    tidied_at = now;
    std::erase_if(pending.sent_, [&](const auto& one) {
      const bool is_old = !one.second.is_under_way && now - one.second.asked_at > kForgetAfter;
      if (is_old) pending.put_off_.erase(&one.second);
      return is_old;
    });
  }

  void answered(const std::string& key, const std::string& what, base::Span rest, const Write& write,
                const kube::Result<kube::Object>& answer) {
    const auto at = pending.sent_.find(key);
    if (at == pending.sent_.end()) return;
    PendingWrites::Sent& done = at->second;
    done.is_under_way = false;
    done.call.let_go();
    ++done.answers;
    WriteResult result{.key = key, .purpose = write.purpose, .subject = write.subject};
    if (answer) {
      result.version = kube::version_of(*answer);
      result.generation = json::int_at(*answer, {"metadata", "generation"});
      // What it says is decided again, and would be sent again at once and for ever.
      const bool is_in_vain = write.purpose == Purpose::Node && result.version == write.subject.decided_on;
      if (is_in_vain) {
        rest = done.backoff.next(random);
        pending.put_off_.insert(&done);
        log::warn(what + " changed nothing",
                  {{"why", "something on its way, such as a mutating webhook, takes out what drover writes"}});
      } else {
        done.backoff.reset();
      }
      done.refusals = 0;
      done.faults = 0;
      done.not_before = loop.now() + rest;
    } else {
      result.fault = answer.error();
      result.faults = ++done.faults;
      done.not_before = loop.now() + wait_after(key, done, answer.error());
      pending.put_off_.insert(&done);  // the pass that wants it done comes back then
      if (is_worth_a_line(write.purpose, answer.error().kind)) {
        ++failures;
        log::warn(what + " failed", {{"why", answer.error().message}});
      }
    }
    // Nothing is left to remember of what succeeded and may be repeated at once: nodes are many.
    if (answer && rest == base::Span::zero()) {
      pending.put_off_.erase(&done);
      pending.sent_.erase(at);
    }
    pending.end(result);
    results.push_back(std::move(result));
    if (answer) tell(write);
    if (told) told();
  }

  void tell(const Write& write) {
    for (const kube::Event& event : write.events) events.record(event);
    if (write.purpose == Purpose::ForceDelete) {
      log::warn("pod deleted: the time for evictions is over",
                {{"node", write.subject.node}, {"pod", write.subject.pod_name}, {"budget", write.subject.budget}});
    }
    if (!write.repairs.empty()) log::info("node repaired", {{"node", write.subject.node}, {"what", write.repairs}});
    if (write.path.empty()) return;
    log::info("node moved", {{"logger", "controllers.Upgrade"}, {"node", write.subject.node}, {"path", write.path}});
  }
};

Executor::Executor(kube::Api& api, base::Loop& loop, base::Random random, kube::EventRecorder& events,
                   std::function<bool()> permission, std::function<void()> told)
    : body_(new Body{.api = api,
                     .loop = loop,
                     .random = std::move(random),
                     .events = events,
                     .permission = std::move(permission),
                     .told = std::move(told),
                     .pending = PendingWrites(loop)}) {}

Executor::~Executor() = default;

bool Executor::run(Write write) {
  Body& body = *body_;
  const base::Instant now = body.loop.now();
  body.tidy(now);
  if (write.purpose == Purpose::Node) body.pending.overtake(write);
  PendingWrites::Sent& known = body.pending.sent_[write.key];
  known.asked_at = now;
  if (known.is_under_way || body.pending.room() <= 0) return false;
  if (now < known.not_before) {
    body.pending.put_off_.insert(&known);
    return false;
  }
  if (body.permission && !body.permission()) return false;
  PendingWrites::Sent& sent = body.pending.begin(write);
  const std::string what = sentence(write.request);
  kube::Request request = std::move(write.request);
  // The watch brings the object itself; of the answer its version is enough.
  static const kube::Projection kRead = {"metadata.generation"};
  request.projection = kRead;
  std::weak_ptr<Body> weak = body_;
  sent.call = body.api.call(std::move(request),
                            [weak, what, write = std::move(write)](const kube::Result<kube::Object>& answer) {
                              const auto alive = weak.lock();
                              if (alive) alive->answered(write.key, what, write.rest, write, answer);
                            });
  return true;
}

void Executor::run(std::vector<Write> writes) {
  for (Write& write : writes) run(std::move(write));
}

std::vector<WriteResult> Executor::take_results() { return std::exchange(body_->results, {}); }

const PendingWrites& Executor::pending() const { return body_->pending; }

bool Executor::has_pending_takes(const kube::Cache<observe::NodeFacts>& nodes) {
  std::erase_if(body_->pending.pending_takes_, [&](const auto& one) {
    const auto& [name, taking] = one;
    const observe::NodeFacts* facts = nodes.find(name);
    if (facts == nullptr || (taking.until && body_->loop.now() >= *taking.until)) return true;
    if (!taking.written.empty()) return !kube::is_older(facts->version, taking.written);
    return taking.until && kube::is_older(taking.sent, facts->version);
  });
  return !body_->pending.pending_takes_.empty();
}

std::uint64_t Executor::failures() const { return body_->failures; }

std::optional<base::Span> Executor::next_in() const {
  std::optional<base::Span> next;
  const base::Instant now = body_->loop.now();
  for (const PendingWrites::Sent* sent : body_->pending.put_off_) {
    // What is due by now had its chance in this pass.
    if (sent->is_under_way || sent->not_before <= now) continue;
    const base::Span in = sent->not_before - now;
    if (!next || in < *next) next = in;
  }
  return next;
}

}  // namespace drover::act
