#include "http/reply_head.h"

#include <fmt/format.h>

#include <array>
#include <boost/beast/http/status.hpp>

#include "base/text.h"

namespace drover::http {
namespace {

std::string_view reason(int code) {
  const auto text = boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(static_cast<unsigned>(code)));
  return {text.data(), text.size()};
}

// "Sun, 15 Nov 2026 19:45:13 GMT"
std::string http_date(base::WallTime at) {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(at - day));
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays.at(std::chrono::weekday(day).c_encoding()),
                     unsigned(date.day()), kMonths.at(unsigned(date.month()) - 1), int(date.year()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

// A line break inside a value would begin another header.
void add(std::string& head, std::string_view name, std::string_view value) {
  const auto put = [&](std::string_view text) {
    for (const char c : text) head += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  };
  put(name);
  head += ": ";
  put(value);
  head += "\r\n";
}

}  // namespace

std::string reply_head(const HttpReply& reply, Framing framing, bool keeps_alive, base::WallTime now) {
  const bool has_body = reply.code >= 200 && reply.code != 204 && reply.code != 304;
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", reply.code, reason(reply.code));
  if (has_body) add(head, "Content-Type", reply.content_type);
  add(head, "Date", http_date(now));
  for (const auto& header : reply.headers) {
    if (base::lower(header.name) != "connection") add(head, header.name, header.value);
  }
  if (has_body && framing == Framing::Length) add(head, "Content-Length", std::to_string(reply.body.size()));
  if (has_body && framing == Framing::Chunks) add(head, "Transfer-Encoding", "chunked");
  if (!keeps_alive) add(head, "Connection", "close");
  head += "\r\n";
  return head;
}

std::string chunk_head(std::size_t size) { return fmt::format("{:x}\r\n", size); }

}  // namespace drover::http
