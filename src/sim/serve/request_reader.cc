#include "sim/serve/request_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <utility>

#include "base/text.h"

namespace drover::sim {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

std::string text_of(boost::beast::string_view view) { return {view.data(), view.size()}; }

// The words of kube-apiserver, so that kubectl shows a reason and not bytes.
std::string too_large(std::size_t limit) {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":"Request entity too large: )"
      R"(limit is {}","reason":"RequestEntityTooLarge","code":413}})"
      "\n",
      limit);
}

// Only what is written plainly: a peer that says it in another way has something else in mind.
bool is_chunked_or_plain(const http::request<http::string_body>& head) {
  const auto [first, last] = head.equal_range(http::field::transfer_encoding);
  return first == last || (std::next(first) == last && base::lower(text_of(first->value())) == "chunked");
}

}  // namespace

std::string host_name(std::string_view host_header) {
  std::string_view name = host_header;
  if (name.starts_with('[')) {
    const auto end = name.find(']');
    name = end == std::string_view::npos ? name : name.substr(1, end - 1);
  } else if (std::ranges::count(name, ':') == 1) {
    name = name.substr(0, name.find(':'));
  }
  return base::lower(name);
}

struct RequestReader::Parser {
  explicit Parser(const RequestRules& rules) {
    parser.header_limit(static_cast<std::uint32_t>(rules.most_head_bytes));
    parser.body_limit(rules.most_body_bytes);
  }
  http::request_parser<http::string_body> parser;
  bool has_head = false;
};

RequestReader::RequestReader(const RequestRules& rules) : rules_(rules), parser_(std::make_unique<Parser>(rules)) {}
RequestReader::~RequestReader() = default;

void RequestReader::take(std::string_view bytes) {
  if (state_ == State::Refused) return;
  bytes_.append(bytes);
  if (state_ != State::Whole) advance();
}

RequestReader::Arrived RequestReader::next() {
  Arrived out = std::exchange(arrived_, {});
  parser_ = std::make_unique<Parser>(rules_);
  state_ = State::Empty;
  wants_to_continue_ = false;
  if (bytes_.empty()) bytes_.shrink_to_fit();  // an idle connection costs little
  advance();
  return out;
}

bool RequestReader::take_wish_to_continue() { return std::exchange(wants_to_continue_, false); }

void RequestReader::advance() {
  auto& parser = parser_->parser;
  while (!bytes_.empty()) {
    if (state_ == State::Empty) state_ = State::Head;
    boost::system::error_code error;
    const auto taken = parser.put(asio::buffer(bytes_.data(), bytes_.size()), error);
    bytes_.erase(0, taken);
    if (error == http::error::need_more) error = {};
    if (error) {
      return refuse_parse(error.message(), error == http::error::header_limit, error == http::error::body_limit);
    }
    if (parser.is_header_done() && !parser_->has_head) look_at_head();
    if (state_ == State::Refused) return;
    if (parser.is_done()) {
      arrived_.request.body = std::move(parser.get().body());
      state_ = State::Whole;
      wants_to_continue_ = false;
      return;
    }
    if (taken == 0) break;
  }
  // What one line of the head, or of a chunk's head, may take.
  if (bytes_.size() > rules_.most_head_bytes) refuse_parse("it is too long", true, false);
}

// Before the body: a peer that may not speak here need not send it.
void RequestReader::look_at_head() {
  parser_->has_head = true;
  state_ = State::Body;
  const auto& head = parser_->parser.get();
  const auto [first, last] = head.equal_range(http::field::host);
  if (first == last || std::next(first) != last) return refuse(400, "a request must have one Host header");
  if (rules_.hosts) {
    const auto name = host_name(text_of(first->value()));
    const auto is_it = [&](const std::string& one) { return base::lower(one) == name; };
    if (!std::ranges::any_of(*rules_.hosts, is_it)) {
      return refuse(403, fmt::format("this server does not answer to the name in the Host header; call it by {}",
                                     fmt::join(*rules_.hosts, " or ")));
    }
  }
  if (!is_chunked_or_plain(head)) return refuse(501, "the only Transfer-Encoding read here is chunked");
  if (!head.target().starts_with('/')) return refuse(400, "a request must name a path that begins with /");
  arrived_.request.method = text_of(head.method_string());
  arrived_.request.target = text_of(head.target());
  for (const auto& field : head) {
    arrived_.request.headers.push_back({text_of(field.name_string()), text_of(field.value())});
  }
  arrived_.keeps_alive = head.keep_alive();
  arrived_.knows_chunks = head.version() >= 11;
  arrived_.wants_no_body = head.method() == http::verb::head;
  wants_to_continue_ =
      arrived_.knows_chunks && base::lower(arrived_.request.header("expect")) == "100-continue" && bytes_.empty();
}

void RequestReader::refuse_parse(const std::string& why, bool is_head_limit, bool is_body_limit) {
  if (is_head_limit) {
    return refuse(431,
                  fmt::format("the request's head is too long: at most {} bytes are read", rules_.most_head_bytes));
  }
  if (!is_body_limit) return refuse(400, fmt::format("this is no HTTP/1.1 request: {}", why));
  refuse(413, "");
  refusal_.content_type = "application/json";
  refusal_.body = too_large(rules_.most_body_bytes);
}

void RequestReader::refuse(int code, const std::string& why) {
  state_ = State::Refused;
  bytes_.clear();
  refusal_ = {.code = code, .content_type = "text/plain; charset=utf-8", .body = why + "\n", .headers = {}};
}

}  // namespace drover::sim
