// The parts of timestamps (in UTC) and durations. Time zones are left out: the zone data is not ours to ship.
#include <chrono>

#include "sim/cel/library.h"

namespace drover::sim::cel {

namespace {

using std::chrono::days;
using std::chrono::floor;
using Instant = std::chrono::sys_time<std::chrono::microseconds>;

Instant instant(const Timestamp& at) { return Instant{std::chrono::microseconds(at.micros)}; }
std::chrono::year_month_day date_of(const Timestamp& at) { return {floor<days>(instant(at))}; }
std::int64_t micros_of_day(const Timestamp& at) { return (instant(at) - floor<days>(instant(at))).count(); }

template <class Getter>
Value part_of_date(Arguments args, Getter part) {
  if (const auto* at = args[0].get<Timestamp>()) return Value{static_cast<std::int64_t>(part(*at))};
  return no_such_overload();
}

Value year(Arguments args, Meter&, const Node&) {
  return part_of_date(args, [](const Timestamp& at) { return int(date_of(at).year()); });
}
Value month(Arguments args, Meter&, const Node&) {
  return part_of_date(args, [](const Timestamp& at) { return unsigned(date_of(at).month()) - 1; });
}
Value day_of_month(Arguments args, Meter&, const Node&) {
  return part_of_date(args, [](const Timestamp& at) { return unsigned(date_of(at).day()) - 1; });
}
Value date(Arguments args, Meter&, const Node&) {
  return part_of_date(args, [](const Timestamp& at) { return unsigned(date_of(at).day()); });
}
Value day_of_week(Arguments args, Meter&, const Node&) {
  return part_of_date(args,
                      [](const Timestamp& at) { return std::chrono::weekday{floor<days>(instant(at))}.c_encoding(); });
}
Value day_of_year(Arguments args, Meter&, const Node&) {
  return part_of_date(args, [](const Timestamp& at) {
    const auto day = floor<days>(instant(at));
    const std::chrono::year_month_day first{date_of(at).year(), std::chrono::January, std::chrono::day{1}};
    return (day - std::chrono::sys_days{first}).count();
  });
}

// Of a timestamp what its clock shows; of a duration the whole.
Value unit(Arguments args, std::int64_t micros, std::int64_t wraps_at) {
  if (const auto* at = args[0].get<Timestamp>()) return Value{micros_of_day(*at) / micros % wraps_at};
  if (const auto* span = args[0].get<Duration>()) {
    return Value{span->nanos / (micros * 1000)};
  }
  return no_such_overload();
}
Value hours(Arguments args, Meter&, const Node&) { return unit(args, 3'600'000'000, 24); }
Value minutes(Arguments args, Meter&, const Node&) { return unit(args, 60'000'000, 60); }
Value seconds(Arguments args, Meter&, const Node&) { return unit(args, 1'000'000, 60); }
Value milliseconds(Arguments args, Meter&, const Node&) { return unit(args, 1'000, 1000); }

}  // namespace

void add_time(Library& library) {
  library.add("getFullYear", {"timestamp.() int"}, year);
  library.add("getMonth", {"timestamp.() int"}, month);
  library.add("getDate", {"timestamp.() int"}, date);
  library.add("getDayOfMonth", {"timestamp.() int"}, day_of_month);
  library.add("getDayOfWeek", {"timestamp.() int"}, day_of_week);
  library.add("getDayOfYear", {"timestamp.() int"}, day_of_year);
  library.add("getHours", {"timestamp.() int", "duration.() int"}, hours);
  library.add("getMinutes", {"timestamp.() int", "duration.() int"}, minutes);
  library.add("getSeconds", {"timestamp.() int", "duration.() int"}, seconds);
  library.add("getMilliseconds", {"timestamp.() int", "duration.() int"}, milliseconds);
}

}  // namespace drover::sim::cel
