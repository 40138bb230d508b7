#include "base/time.h"

#include <fmt/core.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/text.h"

namespace drover::base {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

std::unexpected<Fault> not_a_time(std::string_view text) {
  return fault(Fault::Kind::Malformed,
               fmt::format("\"{}\" is not a time; write it like 2026-11-15T16:22:04Z", one_line(text, 60)));
}

std::unexpected<Fault> not_a_span(std::string_view text) {
  return fault(Fault::Kind::Malformed,
               fmt::format("\"{}\" is not a duration; write it like 300, 90s, 1m30s, 250ms or 2h", one_line(text, 60)));
}

// The date and time of day without fraction. Written by hand: every condition, lease and Event has one.
std::string to_the_second(WallTime at) {
  const auto day = std::chrono::floor<days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<seconds>(at - day));
  const int year = static_cast<int>(date.year());
  std::string text = year >= 0 && year <= 9999 ? "0000-00-00T00:00:00" : fmt::format("{:04}-00-00T00:00:00", year);
  const std::size_t after_year = text.size() - 15;
  const auto put = [&text](std::size_t end, std::int64_t number, std::size_t digits) {
    for (; digits > 0; --digits, number /= 10) text[--end] = static_cast<char>('0' + number % 10);
  };
  if (after_year == 4) put(4, year, 4);
  put(after_year + 3, static_cast<unsigned>(date.month()), 2);
  put(after_year + 6, static_cast<unsigned>(date.day()), 2);
  put(after_year + 9, clock.hours().count(), 2);
  put(after_year + 12, clock.minutes().count(), 2);
  put(after_year + 15, clock.seconds().count(), 2);
  return text;
}

// Exactly `digits` digits at the front of `text`, which moves behind them.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  for (char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

// ".123456789": any number of digits, kept to the microsecond.
microseconds take_fraction(std::string_view& text) {
  std::int64_t micros = 0;
  std::int64_t worth = 100000;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    micros += (text.front() - '0') * worth;
    worth /= 10;
    text.remove_prefix(1);
  }
  return microseconds(micros);
}

// "Z" or "+01:00"; what must be subtracted to get UTC.
std::optional<minutes> take_offset(std::string_view& text) {
  if (take(text, 'Z') || take(text, 'z')) return minutes(0);
  const bool ahead = take(text, '+');
  if (!ahead && !take(text, '-')) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || *hour > 23 || *minute > 59) return std::nullopt;
  const minutes offset = hours(*hour) + minutes(*minute);
  return ahead ? offset : -offset;
}

}  // namespace

std::string rfc3339(WallTime at) { return to_the_second(at) + "Z"; }

std::string rfc3339_micro(WallTime at) {
  const auto fraction = at - std::chrono::floor<seconds>(at);
  return fmt::format("{}.{:06}Z", to_the_second(at), fraction.count());
}

Result<WallTime> parse_rfc3339(std::string_view whole) {
  std::string_view text = whole;
  const auto year = take_digits(text, 4);
  const bool dash1 = take(text, '-');
  const auto month = take_digits(text, 2);
  const bool dash2 = take(text, '-');
  const auto day = take_digits(text, 2);
  const bool separator = take(text, 'T') || take(text, 't');
  const auto hour = take_digits(text, 2);
  const bool colon1 = take(text, ':');
  const auto minute = take_digits(text, 2);
  const bool colon2 = take(text, ':');
  const auto second = take_digits(text, 2);
  if (!year || !dash1 || !month || !dash2 || !day || !separator || !hour || !colon1 || !minute || !colon2 || !second) {
    return not_a_time(whole);
  }
  const microseconds fraction = take(text, '.') ? take_fraction(text) : microseconds(0);
  const auto offset = take_offset(text);
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!offset || !text.empty() || !date.ok() || *hour > 23 || *minute > 59 || *second > 60) return not_a_time(whole);
  return std::chrono::sys_days(date) + hours(*hour) + minutes(*minute) + seconds(*second) + fraction - *offset;
}

std::string human(Span span) {
  if (span < Span::zero()) return "-" + human(-span);
  if (span < seconds(1)) {
    const auto millis = std::chrono::duration_cast<milliseconds>(span).count();
    return millis == 0 ? "0s" : fmt::format("{}ms", millis);
  }
  const auto whole = std::chrono::floor<seconds>(span);
  struct Unit {
    seconds size;
    char letter;
  };
  constexpr std::array<Unit, 4> kUnits{{{days(1), 'd'}, {hours(1), 'h'}, {minutes(1), 'm'}, {seconds(1), 's'}}};
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    if (whole < kUnits[i].size) continue;
    std::string text = fmt::format("{}{}", whole / kUnits[i].size, kUnits[i].letter);
    if (i + 1 < kUnits.size()) {
      const auto rest = (whole % kUnits[i].size) / kUnits[i + 1].size;
      if (rest > 0) text += fmt::format("{}{}", rest, kUnits[i + 1].letter);
    }
    return text;
  }
  return "0s";
}

Result<Span> parse_span(std::string_view whole) {
  std::string_view text = trim(whole);
  if (auto bare = parse_int(text)) {
    if (*bare < 0 || *bare > 1'000'000'000) return not_a_span(whole);
    return Span(seconds(*bare));
  }
  constexpr std::array<std::pair<std::string_view, Span>, 5> kUnits{
      {{"ms", milliseconds(1)}, {"s", seconds(1)}, {"m", minutes(1)}, {"h", hours(1)}, {"d", days(1)}}};
  Span sum{};
  if (text.empty()) return not_a_span(whole);
  while (!text.empty()) {
    std::size_t digits = 0;
    while (digits < text.size() && (std::isdigit(static_cast<unsigned char>(text[digits])) != 0)) ++digits;
    const auto number = parse_int(text.substr(0, digits));
    if (!number || *number > 1'000'000'000) return not_a_span(whole);
    text.remove_prefix(digits);
    bool known = false;
    for (const auto& [name, size] : kUnits) {
      if (!text.starts_with(name)) continue;
      if (*number > (std::numeric_limits<Span::rep>::max() - sum.count()) / size.count()) return not_a_span(whole);
      sum += *number * size;
      text.remove_prefix(name.size());
      known = true;
      break;
    }
    if (!known) return not_a_span(whole);
  }
  return sum;
}

}  // namespace drover::base
