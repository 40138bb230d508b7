#include "kube/net/response_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "base/text.h"

namespace drover::kube::net {
namespace {

using base::Fault;
using base::Result;

// Chunk extensions and trailers are read and forgotten; long ones are not needed.
constexpr std::size_t kMostLineBytes = 4096;
constexpr int kMostInterimAnswers = 8;

std::unexpected<Fault> malformed(std::string message) {
  return base::fault(Fault::Kind::Malformed, std::move(message));
}

// Field values that are lists: does one of the words stand there?
bool has_word(std::string_view list, std::string_view word) {
  for (const std::string_view part : base::split(list, ',')) {
    if (base::lower(base::trim(part)) == word) return true;
  }
  return false;
}

std::optional<std::uint64_t> whole_number(std::string_view text, int radix) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, radix);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

// "Sun, 15 Nov 2026 16:22:04 GMT"
std::optional<std::chrono::sys_seconds> http_date(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto parts = base::split(base::trim(text), ' ');
  if (parts.size() != 6 || parts[5] != "GMT") return {};
  const auto clock = base::split(parts[4], ':');
  if (clock.size() != 3) return {};
  const auto month = std::ranges::find(kMonths, parts[2]);
  const auto day = base::parse_int(parts[1]);
  const auto year = base::parse_int(parts[3]);
  const auto hour = base::parse_int(clock[0]);
  const auto minute = base::parse_int(clock[1]);
  const auto second = base::parse_int(clock[2]);
  if (month == kMonths.end() || !day || !year || !hour || !minute || !second) return {};
  if (*day < 1 || *day > 31 || *year < 1970 || *year > 9999) return {};
  if (*hour < 0 || *hour > 23 || *minute < 0 || *minute > 59 || *second < 0 || *second > 60) return {};
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return {};
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second);
}

}  // namespace

std::string retry_after_seconds(const ResponseHead& head) {
  const std::string_view text = base::trim(head.retry_after);
  if (text.empty() || base::parse_int(text)) return std::string(text);
  const auto until = http_date(text);
  const auto now = http_date(head.date);
  if (!until || !now) return {};
  return std::to_string(std::max<std::int64_t>(0, (*until - *now).count()));
}

Result<std::size_t> ResponseReader::feed(std::string_view bytes, const BodySink& body) {
  if (broken_) return std::unexpected(*broken_);
  const std::size_t size = bytes.size();
  while (!bytes.empty() && !is_complete()) {
    has_begun_ = true;
    auto taken = step(bytes, body);
    if (!taken) {
      broken_ = taken.error();
      return taken;
    }
    bytes.remove_prefix(*taken);
  }
  return size - bytes.size();
}

Result<std::size_t> ResponseReader::step(std::string_view bytes, const BodySink& body) {
  switch (state_) {
    case State::Length: return take_body(bytes, body, State::Complete);
    case State::Chunk: return take_body(bytes, body, State::ChunkEnd);
    case State::UntilClose: TRY_VOID(body(bytes)); return bytes.size();
    case State::Complete: return std::size_t(0);
    default: break;
  }
  // The states that read lines.
  const std::size_t size = bytes.size();
  const std::size_t most = state_ == State::Head ? most_header_bytes_ - header_bytes_ : kMostLineBytes;
  const bool whole = take_line(bytes, most);
  if (line_is_too_long_) {
    return malformed(state_ == State::Head
                         ? fmt::format("the answer's header is larger than {} KB", most_header_bytes_ / 1024)
                         : "the answer's chunks are garbled");
  }
  if (!whole) return size;
  if (state_ == State::Head) {
    TRY_VOID(take_head_line());
  } else if (state_ == State::ChunkSize) {
    TRY_VOID(take_chunk_size());
  } else if (state_ == State::ChunkEnd) {
    if (!line_.empty()) return malformed("the answer's chunks are garbled");
    state_ = State::ChunkSize;
  } else {
    header_bytes_ += line_.size() + 2;
    if (header_bytes_ > most_header_bytes_) return malformed("the answer's trailers do not end");
    if (line_.empty()) state_ = State::Complete;
  }
  line_.clear();
  return size - bytes.size();
}

Result<std::size_t> ResponseReader::take_body(std::string_view bytes, const BodySink& body, State after) {
  const std::size_t size = std::min<std::uint64_t>(left_, bytes.size());
  left_ -= size;
  if (left_ == 0) state_ = after;
  TRY_VOID(body(bytes.substr(0, size)));
  return size;
}

bool ResponseReader::take_line(std::string_view& bytes, std::size_t most) {
  const std::size_t end = bytes.find('\n');
  const std::string_view piece = bytes.substr(0, end);
  line_is_too_long_ = line_.size() + piece.size() > most;
  if (line_is_too_long_) return false;
  line_.append(piece);
  if (end == std::string_view::npos) return false;
  bytes.remove_prefix(end + 1);
  if (line_.ends_with('\r')) line_.pop_back();
  return true;
}

Result<void> ResponseReader::take_head_line() {
  header_bytes_ += std::min(most_header_bytes_ - header_bytes_, line_.size() + 2);
  if (!has_status_) return take_status_line();
  if (line_.empty()) return head_ended();
  return take_field();
}

Result<void> ResponseReader::take_status_line() {
  // "HTTP/1.1 200 OK"; the words at the end are for people and may be missing.
  const std::string_view line = line_;
  const bool looks_right =
      line.size() >= 12 && line.starts_with("HTTP/1.") && line[8] == ' ' && (line.size() == 12 || line[12] == ' ');
  const auto code = looks_right ? whole_number(line.substr(9, 3), 10) : std::nullopt;
  if (!code || *code < 100) {
    return malformed(fmt::format("the peer does not speak HTTP/1.1 but says \"{}\"; is the scheme or the port wrong?",
                                 base::one_line(line, 60)));
  }
  is_old_http_ = line[7] == '0';
  head_.code = static_cast<int>(*code);
  head_.keep_alive = !is_old_http_;
  has_status_ = true;
  return {};
}

Result<void> ResponseReader::take_field() {
  const std::string_view line = line_;
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos || line.front() == ' ' || line.front() == '\t') {
    return malformed(fmt::format("the answer's header is garbled at \"{}\"", base::one_line(line, 40)));
  }
  const std::string name = base::lower(line.substr(0, colon));
  const std::string_view value = base::trim(line.substr(colon + 1));
  if (name == "content-length") {
    const auto length = whole_number(value, 10);
    if (!length || (length_ && *length_ != *length)) return malformed("the answer's Content-Length is garbled");
    length_ = length;
  } else if (name == "transfer-encoding") {
    if (base::lower(value) != "chunked") {
      return malformed(
          fmt::format("the answer comes in the unknown transfer encoding \"{}\"", base::one_line(value, 40)));
    }
    is_chunked_ = true;
  } else if (name == "connection") {
    if (has_word(value, "close")) head_.keep_alive = false;
    if (is_old_http_ && has_word(value, "keep-alive")) head_.keep_alive = true;
  } else if (name == "retry-after") {
    head_.retry_after = value;
  } else if (name == "date") {
    head_.date = value;
  } else if (name == "location") {
    head_.location = value;
  } else if (name == "content-encoding") {
    head_.content_encoding = value;
  } else if (name == "content-range") {
    head_.content_range = value;
  }
  return {};
}

Result<void> ResponseReader::head_ended() {
  if (head_.code == 101) return malformed("the peer changed the protocol without a request");
  if (head_.code < 200) {  // an interim answer: the real one follows
    if (++interim_answers_ > kMostInterimAnswers) return malformed("the peer sends interim answers without end");
    has_status_ = false;
    is_chunked_ = false;
    length_.reset();
    head_ = {};
    return {};
  }
  has_head_ = true;
  if (head_.code == 204 || head_.code == 304) {
    state_ = State::Complete;
  } else if (is_chunked_) {
    state_ = State::ChunkSize;
  } else if (length_) {
    left_ = *length_;
    state_ = left_ == 0 ? State::Complete : State::Length;
  } else {
    head_.keep_alive = false;
    state_ = State::UntilClose;
  }
  return {};
}

Result<void> ResponseReader::take_chunk_size() {
  const std::string_view digits = base::trim(std::string_view(line_).substr(0, line_.find(';')));
  const auto size = whole_number(digits, 16);
  if (!size) return malformed("the answer's chunks are garbled");
  left_ = *size;
  state_ = left_ == 0 ? State::Trailers : State::Chunk;
  if (left_ == 0) header_bytes_ = 0;
  return {};
}

Result<void> ResponseReader::end_of_stream() {
  if (broken_) return std::unexpected(*broken_);
  if (state_ == State::UntilClose) state_ = State::Complete;
  if (is_complete()) return {};
  return base::fault(Fault::Kind::Unknown, has_begun_ ? "the connection was closed in the middle of the answer"
                                                      : "the connection was closed before the answer");
}

}  // namespace drover::kube::net
