// HTTP requests: any bytes, cut anywhere, give the same requests and the same refusal as when they come at once; what
// is read obeys the rules; and no header of an answer can begin another one.
#include <cstdlib>
#include <string>

#include "http/reply_head.h"
#include "http/request_reader.h"
#include "pieces.h"
#include "sim/serve/log_query.h"

namespace {

namespace http = drover::http;
using State = http::RequestReader::State;

http::RequestRules rules(std::uint8_t choice) {
  http::RequestRules out;
  if ((choice & 1) != 0) out.hosts = {{"localhost", "::1"}};
  out.most_head_bytes = (choice & 2) != 0 ? 200 : 4096;
  out.most_body_bytes = (choice & 4) != 0 ? 16 : 4096;
  return out;
}

void check(const http::RequestReader::Arrived& arrived, const http::RequestRules& rules) {
  const auto& request = arrived.request;
  if (request.body.size() > rules.most_body_bytes || !request.target.starts_with('/')) std::abort();
  const auto host = http::host_name(request.header("HOST"));
  if (rules.hosts && host != "localhost" && host != "::1") std::abort();
  if (arrived.wants_no_body != (request.method == "HEAD")) std::abort();
  (void)drover::sim::parse_log_query(request.target);
  const auto head =
      http::reply_head({.code = 200, .content_type = request.target, .body = {}, .headers = request.headers},
                       http::Framing::Length, arrived.keeps_alive, {});
  if (head.find("\r\n\r\n") != head.size() - 4) std::abort();
}

// Everything that came out, in one text.
std::string outcome(const std::vector<std::vector<char>>& pieces, const http::RequestRules& rules) {
  std::string out;
  http::RequestReader reader(rules);
  for (const auto& piece : pieces) {
    reader.take({piece.data(), piece.size()});
    while (reader.state() == State::Whole) {
      const auto arrived = reader.next();
      check(arrived, rules);
      out += arrived.request.method + " " + arrived.request.target + "\n";
      for (const auto& header : arrived.request.headers) out += header.name + "=" + header.value + "\n";
      out += arrived.request.body + (arrived.keeps_alive ? "\nkept\n" : "\nlast\n");
    }
    if (reader.state() != State::Refused && reader.held() > rules.most_head_bytes) std::abort();
  }
  if (reader.state() == State::Refused) out += std::to_string(reader.refusal().code);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const drover::fuzz::Input input(bytes, size);
  const auto obeyed = rules(input.choice);
  const auto whole = input.text.empty() ? std::vector<std::vector<char>>() : input.pieces_of(input.text.size());
  const auto expected = outcome(whole, obeyed);
  if (outcome(input.pieces(), obeyed) != expected || outcome(input.pieces_of(1), obeyed) != expected) std::abort();
  return 0;
}
