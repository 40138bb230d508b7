#include "http/request_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <utility>

#include "base/text.h"
#include "http/chunk_reader.h"

namespace drover::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast::http;

using Head = beast::request<beast::empty_body>;

constexpr std::size_t kMostChunkLine = 4096;
const std::string kNoRequest = "this is not an HTTP/1.1 request: ";

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
bool is_chunked_or_plain(const Head& head) {
  const auto [first, last] = head.equal_range(beast::field::transfer_encoding);
  return first == last || (std::next(first) == last && base::lower(text_of(first->value())) == "chunked");
}

struct Objection {
  int code;
  std::string why;
};

std::optional<Objection> objection(const Head& head, const RequestRules& rules) {
  const auto [first, last] = head.equal_range(beast::field::host);
  if (first == last || std::next(first) != last) return Objection{400, "a request must have one Host header"};
  const auto name = host_name(text_of(first->value()));
  const auto is_it = [&](const std::string& one) { return base::lower(one) == name; };
  if (rules.hosts && std::ranges::none_of(*rules.hosts, is_it)) {
    return Objection{403, fmt::format("this server does not answer to the name in the Host header; call it by {}",
                                      fmt::join(*rules.hosts, " or "))};
  }
  if (!is_chunked_or_plain(head)) return Objection{501, "the only Transfer-Encoding read here is chunked"};
  if (!head.target().starts_with('/')) return Objection{400, "a request must name a path that begins with /"};
  return {};
}

RequestReader::Arrived arrived_with(const Head& head) {
  RequestReader::Arrived out;
  out.request.method = text_of(head.method_string());
  out.request.target = text_of(head.target());
  for (const auto& field : head) {
    out.request.headers.push_back({text_of(field.name_string()), text_of(field.value())});
  }
  out.keeps_alive = head.keep_alive();
  out.knows_chunks = head.version() >= 11;
  out.wants_no_body = head.method() == beast::verb::head;
  return out;
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

// Where the request under way stands.
struct RequestReader::Progress {
  std::size_t scanned = 0;  // of the head, in search of its end
  bool has_head = false;
  std::size_t left = 0;  // of a body whose size was told
  std::optional<ChunkReader> chunks = {};
};

RequestReader::RequestReader(const RequestRules& rules) : rules_(rules), progress_(std::make_unique<Progress>()) {}
RequestReader::~RequestReader() = default;

void RequestReader::take(std::string_view bytes) {
  if (state_ == State::Refused) return;
  bytes_.append(bytes);
  if (state_ != State::Whole) advance();
}

RequestReader::Arrived RequestReader::next() {
  Arrived out = std::exchange(arrived_, {});
  *progress_ = {};
  state_ = State::Empty;
  wants_to_continue_ = false;
  if (bytes_.empty()) bytes_.shrink_to_fit();  // an idle connection costs little
  advance();
  return out;
}

bool RequestReader::take_wish_to_continue() { return std::exchange(wants_to_continue_, false); }

void RequestReader::advance() {
  if (bytes_.empty()) return;
  if (!progress_->has_head) {
    state_ = State::Head;
    const auto size = whole_head();
    if (size == 0) return;
    read_head(size);
  }
  if (state_ == State::Body) read_body();
}

// The size of the head, once it is here. The parser is shown that and nothing else: what it thinks of half a head
// depends on where it was cut.
std::size_t RequestReader::whole_head() {
  constexpr std::string_view kEnd = "\r\n\r\n";
  if (bytes_[0] < 'A' || bytes_[0] > 'Z') {
    refuse(400, kNoRequest + "it does not begin with a method");
    return 0;
  }
  const auto at = bytes_.find(kEnd, progress_->scanned);
  const auto size = at == std::string::npos ? 0 : at + kEnd.size();
  if (size > rules_.most_head_bytes || (size == 0 && bytes_.size() >= rules_.most_head_bytes)) {
    refuse(431, fmt::format("the request's head is too long: at most {} bytes are read", rules_.most_head_bytes));
    return 0;
  }
  progress_->scanned = bytes_.size() - std::min(bytes_.size(), kEnd.size() - 1);
  return size;
}

void RequestReader::read_head(std::size_t size) {
  beast::request_parser<beast::empty_body> parser;
  parser.header_limit(UINT32_MAX);
  parser.body_limit(boost::none);
  parser.skip(true);  // the body is read here
  boost::system::error_code error;
  parser.put(asio::buffer(bytes_.data(), size), error);
  bytes_.erase(0, size);
  if (error) return refuse(400, kNoRequest + error.message());
  if (!parser.is_header_done()) return refuse(400, kNoRequest + "its first lines make no sense");
  // Before the body: a peer that may not speak here need not send it.
  if (const auto no = objection(parser.get(), rules_)) return refuse(no->code, no->why);
  arrived_ = arrived_with(parser.get());
  state_ = State::Body;
  progress_->has_head = true;
  if (parser.chunked()) {
    progress_->chunks.emplace(rules_.most_body_bytes, kMostChunkLine);
  } else if (const auto told = parser.content_length()) {
    if (*told > rules_.most_body_bytes) return refuse_body();
    progress_->left = *told;
  }
  wants_to_continue_ = bytes_.empty() && (parser.chunked() || progress_->left > 0) && arrived_.knows_chunks &&
                       base::lower(arrived_.request.header("expect")) == "100-continue";
}

void RequestReader::read_body() {
  auto& body = arrived_.request.body;
  if (progress_->chunks) {
    auto& chunks = *progress_->chunks;
    bytes_.erase(0, chunks.take(bytes_, body));
    if (chunks.state() == ChunkReader::State::Broken) return refuse(400, kNoRequest + "its chunks make no sense");
    if (chunks.state() == ChunkReader::State::TooLarge) return refuse_body();
    if (chunks.state() == ChunkReader::State::Reading) return;
  } else {
    const auto size = std::min(progress_->left, bytes_.size());
    body.append(bytes_, 0, size);
    bytes_.erase(0, size);
    progress_->left -= size;
    if (progress_->left > 0) return;
  }
  state_ = State::Whole;
  wants_to_continue_ = false;
}

void RequestReader::refuse_body() {
  refuse(413, "");
  refusal_.content_type = "application/json";
  refusal_.body = too_large(rules_.most_body_bytes);
}

void RequestReader::refuse(int code, const std::string& why) {
  state_ = State::Refused;
  bytes_.clear();
  refusal_ = {.code = code, .content_type = "text/plain; charset=utf-8", .body = why + "\n", .headers = {}};
}

}  // namespace drover::http
