// Instants and spans. The type carries the unit.
//
// `Instant` is for measuring: it never jumps back and goes on during suspend (CLOCK_BOOTTIME, or the simulator's
// clock). `WallTime` is for showing: timestamps in objects, logs and Events. Never subtract one from the other.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::base {

using Span = std::chrono::nanoseconds;

// A tag for std::chrono only: it is never read; instants come from base::Loop.
struct Boottime {
  using rep = Span::rep;
  using period = Span::period;
  using duration = Span;
  using time_point = std::chrono::time_point<Boottime, Span>;
  static constexpr bool is_steady = true;
};

using Instant = Boottime::time_point;
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

// "2026-11-15T16:22:04Z", as metav1.Time.
std::string rfc3339(WallTime at);

// "2026-11-15T16:22:04.123456Z", as metav1.MicroTime.
std::string rfc3339_micro(WallTime at);

// Reads both of the above, fractions of any length and numeric offsets.
Result<WallTime> parse_rfc3339(std::string_view text);

// A span for people: "0s", "850ms", "12s", "4m", "4m30s", "1h3m", "2d4h"; two units at most.
std::string human(Span span);

// A span as people and flags write it: "300", "90s", "1m30s", "250ms", "2h"; a bare number is seconds.
Result<Span> parse_span(std::string_view text);

}  // namespace drover::base
