#include "sim/types/scalars.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "sim/cel/quantity.h"

namespace drover::sim::types {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// ---- times, as Go's time.Parse reads them

struct Piece {
  std::string_view layout;  // as messages name it
  std::size_t digits;       // 0: literal
  int least;
  int most;
  std::string_view range;  // what is out of range when it is not between them; "" when nothing can be
};

constexpr Piece kPieces[] = {
    {"2006", 4, 0, 9999, ""},   {"-", 0, 0, 0, ""}, {"01", 2, 1, 12, "month"},  {"-", 0, 0, 0, ""},
    {"02", 2, 1, 31, "day"},    {"T", 0, 0, 0, ""}, {"15", 2, 0, 23, "hour"},   {":", 0, 0, 0, ""},
    {"04", 2, 0, 59, "minute"}, {":", 0, 0, 0, ""}, {"05", 2, 0, 59, "second"},
};

class TimeReader {
 public:
  TimeReader(std::string_view text, bool micro) : text_(text), rest_(text), micro_(micro) {}

  std::string error() {
    for (const Piece& piece : kPieces) {
      if (auto wrong = read(piece)) return *wrong;
    }
    if (auto wrong = micro_ ? read_micros() : skip_fraction()) return *wrong;
    if (auto wrong = read_zone()) return *wrong;
    if (!rest_.empty()) return parsing() + fmt::format(": extra text: {}", quoted(rest_));
    if (day_ > days_in_month()) return parsing() + ": day out of range";
    return "";
  }

 private:
  using Wrong = std::optional<std::string>;

  std::string parsing() const { return fmt::format("parsing time {}", quoted(text_)); }
  std::string_view layout() const { return micro_ ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00"; }
  std::string cannot(std::string_view rest, std::string_view piece) const {
    return fmt::format("{} as {}: cannot parse {} as {}", parsing(), quoted(layout()), quoted(rest), quoted(piece));
  }

  Wrong read(const Piece& piece) {
    if (piece.digits == 0) {
      if (!rest_.starts_with(piece.layout)) return cannot(rest_, piece.layout);
      rest_.remove_prefix(piece.layout.size());
      return std::nullopt;
    }
    int value = 0;
    for (std::size_t i = 0; i < piece.digits; ++i) {
      if (i >= rest_.size() || !is_digit(rest_[i])) return cannot(rest_, piece.layout);
      value = value * 10 + (rest_[i] - '0');
    }
    if (value < piece.least || value > piece.most) return fmt::format("{}: {} out of range", parsing(), piece.range);
    rest_.remove_prefix(piece.digits);
    if (piece.range.empty()) year_ = value;
    if (piece.range == "month") month_ = value;
    if (piece.range == "day") day_ = value;
    return std::nullopt;
  }

  Wrong skip_fraction() {
    if (rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !is_digit(rest_[1])) return std::nullopt;
    rest_.remove_prefix(1);
    while (!rest_.empty() && is_digit(rest_[0])) rest_.remove_prefix(1);
    return std::nullopt;
  }

  Wrong read_micros() {
    const bool there = rest_.size() >= 7 && (rest_[0] == '.' || rest_[0] == ',') &&
                       std::all_of(rest_.begin() + 1, rest_.begin() + 7, is_digit);
    if (!there) return cannot(rest_, ".000000");
    rest_.remove_prefix(7);
    return std::nullopt;
  }

  Wrong read_zone() {
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return std::nullopt;
    }
    const bool there = rest_.size() >= 6 && (rest_[0] == '+' || rest_[0] == '-') && is_digit(rest_[1]) &&
                       is_digit(rest_[2]) && rest_[3] == ':' && is_digit(rest_[4]) && is_digit(rest_[5]);
    if (!there) return cannot(rest_, "Z07:00");
    rest_.remove_prefix(6);
    return std::nullopt;
  }

  int days_in_month() const {
    const bool leap = year_ % 4 == 0 && (year_ % 100 != 0 || year_ % 400 == 0);
    if (month_ == 2) return leap ? 29 : 28;
    return month_ == 4 || month_ == 6 || month_ == 9 || month_ == 11 ? 30 : 31;
  }

  std::string_view text_;
  std::string_view rest_;
  bool micro_;
  int year_ = 0;
  int month_ = 1;
  int day_ = 1;
};

}  // namespace

std::string quoted(std::string_view text) { return json::text_of(json::Value(text)); }

std::string quantity_error(std::string_view text) {
  text = base::trim(text);
  if (cel::Quantity::parse(text)) return "";
  // A number and letters that could be a suffix, but are none.
  std::string_view rest = text;
  if (!rest.empty() && (rest[0] == '+' || rest[0] == '-')) rest.remove_prefix(1);
  std::size_t digits = 0;
  while (digits < rest.size() && is_digit(rest[digits])) ++digits;
  if (digits > 0 && digits < rest.size() &&
      rest.substr(digits).find_first_not_of("eEinumkKMGTP") == std::string_view::npos)
    return "unable to parse quantity's suffix";
  return R"(quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$')";
}

std::string time_error(std::string_view text, bool micro) { return TimeReader(text, micro).error(); }

std::string base64_error(std::string_view text) {
  const auto wrong_at = [](std::size_t at) { return fmt::format("illegal base64 data at input byte {}", at); };
  const auto is_code = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '/';
  };
  const auto skip_lines = [&](std::size_t at) {
    while (at < text.size() && (text[at] == '\n' || text[at] == '\r')) ++at;
    return at;
  };
  std::size_t at = skip_lines(0);
  std::size_t in_group = 0;  // four characters make a group
  for (; at < text.size(); at = skip_lines(at + 1)) {
    const char c = text[at];
    if (is_code(c)) {
      in_group = (in_group + 1) % 4;
      continue;
    }
    if (c != '=' || in_group < 2) return wrong_at(at);
    std::size_t end = skip_lines(at + 1);
    if (in_group == 2) {
      if (end >= text.size()) return wrong_at(text.size());
      if (text[end] != '=') return wrong_at(end - 1);
      end = skip_lines(end + 1);
    }
    return end < text.size() ? wrong_at(end) : "";
  }
  return in_group == 0 ? "" : wrong_at(text.size() - in_group);
}

}  // namespace drover::sim::types
