#include "act/errands.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"

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
// An errand that nobody asked for in this long is forgotten.
constexpr base::Span kForgetAfter = std::chrono::minutes(30);

// What the next look settles by itself is no news.
bool is_worth_a_line(Fault::Kind kind) {
  return kind != Fault::Kind::Conflict && kind != Fault::Kind::Blocked && kind != Fault::Kind::NotFound &&
         kind != Fault::Kind::AlreadyExists;
}

}  // namespace

base::Span wait_for_budget(std::string_view pod_uid, int refusals) {
  base::Random own(base::fnv1a(pod_uid) + static_cast<std::uint64_t>(refusals));
  return own.jitter(std::min(kMostWait, kBlockedWait * (1 << std::min(refusals, 8))), kBlockedJitter);
}

struct Errands::Errand {
  kube::Call call = {};
  bool is_under_way = false;
  bool was_put_off = false;
  base::Instant not_before = {};
  base::Instant asked_at = {};
  base::Backoff backoff{kFirstWait, kMostWait};
  int refusals = 0;  // by a budget, in a row
  int answers = 0;
};

struct Errands::Body {
  kube::Api& api;
  base::Loop& loop;
  base::Random random;
  std::function<bool()> permission;
  std::function<void()> told;
  std::map<std::string, Errand, std::less<>> errands = {};
  base::Instant tidied_at = {};
  std::uint64_t failures = 0;
  int under_way = 0;

  // Whether it may leave now; if not, whoever wants it comes back.
  bool is_free(Errand& errand, base::Instant now) {
    errand.asked_at = now;
    if (errand.is_under_way || under_way >= kMostUnderWay) return false;
    if (now >= errand.not_before) return true;
    errand.was_put_off = true;
    return false;
  }

  base::Span wait_after(std::string_view key, Errand& errand, const Fault& fault) {
    // The key of an eviction ends in the pod's uid.
    if (fault.kind == Fault::Kind::Blocked) return wait_for_budget(key.substr(key.find('/') + 1), errand.refusals++);
    // Another writer was faster: the watch brings his word, and then we decide again.
    if (fault.kind == Fault::Kind::Conflict) return std::min(errand.backoff.next(random), kFirstWait);
    const base::Span own = errand.backoff.next(random);
    return fault.retry_after ? std::max(own, *fault.retry_after) : own;
  }

  void tidy(base::Instant now) {
    if (now - tidied_at < std::chrono::minutes(1)) return;
    tidied_at = now;
    std::erase_if(
        errands, [&](const auto& one) { return !one.second.is_under_way && now - one.second.asked_at > kForgetAfter; });
  }
};

Errands::Errands(kube::Api& api, base::Loop& loop, base::Random random, std::function<bool()> permission,
                 std::function<void()> told)
    : body_(new Body{.api = api,
                     .loop = loop,
                     .random = std::move(random),
                     .permission = std::move(permission),
                     .told = std::move(told)}) {}

Errands::~Errands() = default;

bool Errands::run(const std::string& key, kube::Request request, base::Span rest, Then then) {
  Body& body = *body_;
  const base::Instant now = body.loop.now();
  body.tidy(now);
  Errand& errand = body.errands[key];
  if (!body.is_free(errand, now)) return false;
  if (body.permission && !body.permission()) return false;
  errand.is_under_way = true;
  ++body.under_way;
  errand.was_put_off = false;
  const std::string what = sentence(request);
  std::weak_ptr<Body> weak = body_;
  errand.call = body.api.call(
      std::move(request), [weak, key, what, rest, then = std::move(then)](const kube::Result<kube::Object>& answer) {
        const auto alive = weak.lock();
        if (!alive) return;
        const auto at = alive->errands.find(key);
        if (at == alive->errands.end()) return;
        Errand& done = at->second;
        --alive->under_way;
        done.is_under_way = false;
        done.call.let_go();
        ++done.answers;
        const base::Instant then_now = alive->loop.now();
        if (answer) {
          done.backoff.reset();
          done.refusals = 0;
          done.not_before = then_now + rest;
        } else {
          done.not_before = then_now + alive->wait_after(key, done, answer.error());
          done.was_put_off = true;  // whoever wants it done comes back then
          if (is_worth_a_line(answer.error().kind)) {
            ++alive->failures;
            log::warn(what + " failed", {{"why", answer.error().message}});
          }
        }
        // Nothing is left to remember of what succeeded and may be repeated at once: nodes are many.
        if (answer && rest == base::Span::zero()) alive->errands.erase(at);
        if (then) then(answer);
        if (alive->told) alive->told();
      });
  return true;
}

bool Errands::is_free(std::string_view key) {
  if (body_->under_way >= kMostUnderWay) return false;
  const auto at = body_->errands.find(key);
  return at == body_->errands.end() || body_->is_free(at->second, body_->loop.now());
}

bool Errands::is_under_way(std::string_view key) const {
  const auto at = body_->errands.find(key);
  return at != body_->errands.end() && at->second.is_under_way;
}

int Errands::answers(std::string_view key) const {
  const auto at = body_->errands.find(key);
  return at == body_->errands.end() ? 0 : at->second.answers;
}

void Errands::forget(std::string_view key) {
  const auto at = body_->errands.find(key);
  if (at == body_->errands.end()) return;
  if (at->second.is_under_way) --body_->under_way;
  body_->errands.erase(at);
}

std::uint64_t Errands::failures() const { return body_->failures; }

std::optional<base::Span> Errands::next_in() const {
  std::optional<base::Span> next;
  const base::Instant now = body_->loop.now();
  for (const auto& [key, errand] : body_->errands) {
    // What is due by now had its chance in this pass.
    if (!errand.was_put_off || errand.is_under_way || errand.not_before <= now) continue;
    const base::Span in = errand.not_before - now;
    if (!next || in < *next) next = in;
  }
  return next;
}

}  // namespace drover::act
