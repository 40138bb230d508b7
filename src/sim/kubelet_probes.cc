#include "sim/kubelet_probes.h"

#include <algorithm>
#include <utility>

namespace drover::sim {

using base::Instant;
using base::Span;

Probes::Probes(base::Loop& loop, const ContainerSpec& spec, std::function<void(Verdict)> verdict)
    : loop_(loop), spec_(spec), verdict_(std::move(verdict)) {}

void Probes::container_started(bool answers_ready) {
  is_running_ = true;
  is_sick_ = false;
  answers_ready_ = answers_ready;
  running_since_ = answer_since_ = started_since_ = loop_.now();
  is_started_ = !spec_.startup;
  is_ready_ = is_started_ && !spec_.readiness;
  look();
}

void Probes::container_ended() {
  is_running_ = is_started_ = is_ready_ = false;
  timer_.cancel();
}

void Probes::answer_ready(bool ready) {
  if (answers_ready_ == ready) return;
  answers_ready_ = ready;
  answer_since_ = loop_.now();
  look();
}

void Probes::answer_sick() {
  if (is_sick_) return;
  is_sick_ = true;
  sick_since_ = loop_.now();
  look();
}

void Probes::passed_before() {
  answers_ready_ = is_started_ = is_ready_ = true;
  look();
}

// The first time at or after `not_before` when this probe runs.
Instant Probes::tick(const ProbeSpec& probe, Instant not_before) const {
  const Instant first = running_since_ + probe.initial_delay;
  if (not_before <= first) return first;
  const auto periods = (not_before - first + probe.period - Span(1)) / probe.period;
  return first + periods * probe.period;
}

void Probes::wake_at(Instant at) { wake_ = wake_ ? std::min(*wake_, at) : at; }

// Each step returns true when it gave a verdict that a caller must hear.
bool Probes::startup_step(Instant now) {
  if (is_started_) return false;
  const Instant fails_at = tick(*spec_.startup, running_since_) + (spec_.startup->failures - 1) * spec_.startup->period;
  const Instant passes_at = tick(*spec_.startup, answer_since_);
  if (answers_ready_ && passes_at <= fails_at) {
    if (now < passes_at) {
      wake_at(passes_at);
      return false;
    }
    is_started_ = true;
    started_since_ = now;
    is_ready_ = !spec_.readiness;
    verdict_(Verdict::Changed);
    return true;
  }
  if (now < fails_at) {
    wake_at(fails_at);
    return false;
  }
  is_running_ = false;  // it is being ended: nothing more to find out about it
  verdict_(Verdict::StartupFailed);
  return true;
}

bool Probes::readiness_step(Instant now) {
  if (!is_started_ || !spec_.readiness || is_ready_ == answers_ready_) return false;
  const auto& probe = *spec_.readiness;
  const int needed = answers_ready_ ? probe.successes : probe.failures;
  // The probe runs as soon as the startup probe has passed, then on its own beat.
  Instant first = std::max(answer_since_, started_since_);
  if (!(first == started_since_ && first >= running_since_ + probe.initial_delay)) first = tick(probe, first);
  const Instant at = first + (needed - 1) * probe.period;
  if (now < at) {
    wake_at(at);
    return false;
  }
  is_ready_ = answers_ready_;
  verdict_(Verdict::Changed);
  return true;
}

bool Probes::liveness_step(Instant now) {
  if (!is_started_ || !spec_.liveness || !is_sick_) return false;
  const auto& probe = *spec_.liveness;
  const Instant at = tick(probe, std::max(sick_since_, started_since_)) + (probe.failures - 1) * probe.period;
  if (now < at) {
    wake_at(at);
    return false;
  }
  is_sick_ = false;
  verdict_(Verdict::LivenessFailed);
  return true;
}

void Probes::look() {
  if (!spec_.startup && !spec_.readiness && !spec_.liveness) return;
  // Never from inside the caller's own step: a verdict may stop or restart the container.
  timer_ = loop_.after(Span::zero(), [this] {
    while (is_running_) {
      wake_.reset();
      const Instant now = loop_.now();
      if (startup_step(now) || readiness_step(now) || liveness_step(now)) continue;
      if (wake_) timer_ = loop_.after(*wake_ - now, [this] { look(); });
      return;
    }
  });
}

}  // namespace drover::sim
