// Startup, readiness and liveness of one running container, without ticking.
//
// A probe runs at start + initialDelay + k * period. What it would answer is known (the script says ready, unready or
// sick), so the moment at which enough answers have come is computed, and one timer is set for it.
#pragma once

#include <functional>
#include <optional>

#include "base/loop.h"
#include "sim/kubelet_spec.h"

namespace drover::sim {

class Probes {
 public:
  enum class Verdict { Changed, StartupFailed, LivenessFailed };
  // `verdict` is called later, from the loop.
  Probes(base::Loop& loop, const ContainerSpec& spec, std::function<void(Verdict)> verdict);

  void container_started(bool answers_ready);
  void container_ended();
  // What the probes find from now on.
  void answer_ready(bool ready);
  void answer_sick();
  // All probes have passed already (a container that ran before this kubelet began).
  void passed_before();

  bool is_started() const { return is_started_; }
  bool is_ready() const { return is_started_ && is_ready_; }

 private:
  base::Instant tick(const ProbeSpec& probe, base::Instant not_before) const;
  void look();
  bool startup_step(base::Instant now);
  bool readiness_step(base::Instant now);
  bool liveness_step(base::Instant now);
  void wake_at(base::Instant at);

  base::Loop& loop_;
  const ContainerSpec& spec_;
  std::function<void(Verdict)> verdict_;
  bool is_running_ = false;
  bool is_started_ = false;
  bool is_ready_ = false;
  bool answers_ready_ = false;
  bool is_sick_ = false;
  base::Instant running_since_;
  base::Instant answer_since_;
  base::Instant started_since_;
  base::Instant sick_since_;
  std::optional<base::Instant> wake_;
  base::Timer timer_;
};

}  // namespace drover::sim
