#include "agent/https_download.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/version.h"
#include "kube/net/dialer.h"
#include "kube/net/request_text.h"
#include "kube/net/response_reader.h"
#include "kube/net/url.h"

namespace drover::agent {
namespace {

using base::fault;
using base::Fault;
using base::Result;
namespace net = kube::net;

constexpr int kMostRedirects = 5;
constexpr base::Span kConnectWithin = std::chrono::seconds(30);
constexpr base::Span kSilentFor = std::chrono::seconds(60);
constexpr std::size_t kMostHeadBytes = 64 * 1024;
constexpr std::size_t kPieceBytes = 64 * 1024;

std::string first_of(const Environment& environment, std::string_view lower, std::string_view upper) {
  const std::string value = variable_of(environment, lower);
  return value.empty() ? variable_of(environment, upper) : value;
}

// The answers that name another address.
bool is_redirect(int code) { return code == 301 || code == 302 || code == 303 || code == 307 || code == 308; }

Fault::Kind kind_of(int code) {
  if (code == 404 || code == 410) return Fault::Kind::NotFound;
  if (code == 401 || code == 403 || code == 407) return Fault::Kind::Forbidden;
  return code >= 500 || code == 408 || code == 429 ? Fault::Kind::Unreachable : Fault::Kind::Refused;
}

// One file: an address after the other until one answers with bytes.
class Getting : public std::enable_shared_from_this<Getting> {
 public:
  Getting(kube::AsioLoop& loop, Environment environment, std::string ca_pem, DownloadAsk ask, DownloadSink sink)
      : loop_(loop),
        environment_(std::move(environment)),
        ca_pem_(std::move(ca_pem)),
        ask_(std::move(ask)),
        url_(ask_.url),
        sink_(std::move(sink)) {}

  // Nothing of the caller's is called from inside its own call.
  void start() {
    soon_ = loop_.after(base::Span::zero(), [self = shared_from_this()] { self->go(); });
  }
  void give_up() {
    sink_ = {};
    is_over_ = true;
    soon_.cancel();
    silence_.cancel();
    dialing_.reset();
    if (auto wire = std::exchange(wire_, nullptr)) wire->close();
  }

 private:
  enum class Answer { Unjudged, IsTheFile, LeadsOn };

  void go() {
    const auto place = download_place(url_);
    if (!place) return end(std::unexpected(place.error()));
    place_ = *place;
    to_ = {};
    to_.host = place_.host;
    to_.port = place_.port;
    to_.server_name = place_.host;
    const std::string proxy = proxy_for(environment_, place_);
    if (!proxy.empty()) {
      auto parsed = net::parse_proxy(proxy);
      if (!parsed) return end(base::with_context(parsed.error(), "the proxy that HTTPS_PROXY names"));
      to_.proxy = std::move(*parsed);
    }
    net::TlsTerms terms;
    terms.ca_pem = ca_pem_;
    auto tls = net::make_tls(terms, "certificates");
    auto proxy_tls = net::make_tls({}, "certificates");
    if (!tls || !proxy_tls) return end(std::unexpected(tls ? proxy_tls.error() : tls.error()));
    to_.proxy_tls = *proxy_tls;
    dialing_ = net::Dialing::start(loop_, to_, *tls, kConnectWithin,
                                   [weak = weak_from_this()](Result<std::shared_ptr<net::Wire>> wire) {
                                     const auto self = weak.lock();
                                     if (self && !self->is_over_) self->connected(std::move(wire));
                                   });
  }

  void connected(Result<std::shared_ptr<net::Wire>> wire) {
    const auto dialled = std::move(dialing_);
    if (!wire) return end(std::unexpected(wire.error()));
    wire_ = std::move(*wire);
    reader_.emplace(kMostHeadBytes);
    answer_ = Answer::Unjudged;
    // A signed address may be signed for a name without a port.
    const std::string host = place_.port == "443" ? place_.host : net::authority(place_.host, place_.port);
    request_ =
        fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: drover/{}\r\nAccept: */*\r\nConnection: close\r\n",
                    place_.target, host, base::version());
    if (ask_.from > 0) request_ += fmt::format("Range: bytes={}-\r\n", ask_.from);
    request_ += "\r\n";
    watch_silence();
    wire_->write_all(request_, [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
      if (self->is_over_) return;
      if (error) return self->broke(error.message());
      self->read();
    });
  }

  void read() {
    wire_->read_some(boost::asio::buffer(buffer_),
                     [self = shared_from_this()](const boost::system::error_code& error, std::size_t bytes) {
                       if (self->is_over_) return;
                       if (error) return self->broke(error.message());
                       self->heard({self->buffer_.data(), bytes});
                     });
  }

  void heard(std::string_view bytes) {
    watch_silence();
    const auto taken = reader_->feed(bytes, [this](std::string_view piece) { return take(piece); });
    if (is_over_) return;
    if (!taken) return end(std::unexpected(taken.error()));
    if (reader_->has_head() && answer_ == Answer::Unjudged) {
      if (const auto judged = judge(); !judged) return end(judged);
    }
    if (answer_ == Answer::LeadsOn) return again();
    if (reader_->is_complete()) return end({});
    read();
  }

  Result<void> take(std::string_view piece) {
    if (answer_ == Answer::Unjudged) TRY_VOID(judge());
    return answer_ == Answer::IsTheFile ? sink_.piece(piece) : Result<void>();
  }

  // What the head of the answer means.
  Result<void> judge() {
    const net::ResponseHead& head = reader_->head();
    if (is_redirect(head.code)) {
      answer_ = Answer::LeadsOn;
      return follow(head);
    }
    if (head.code == 416 && ask_.from > 0) {  // what is here is not a part of what is there
      answer_ = Answer::LeadsOn;
      ask_.from = 0;
      return {};
    }
    if (head.code != 200 && head.code != 206)
      return fault(kind_of(head.code), fmt::format("{} answers {}", place_.host, head.code));
    if (!head.content_encoding.empty() && base::lower(head.content_encoding) != "identity")
      return fault(Fault::Kind::Refused, fmt::format("{} answers with a file in another encoding", place_.host));
    const std::uint64_t from = head.code == 206 ? ask_.from : 0;
    if (head.code == 206 && first_byte_of(head.content_range) != from) {
      return fault(Fault::Kind::Refused, fmt::format("{} answers with other bytes than were asked for (\"{}\")",
                                                     place_.host, base::one_line(head.content_range, 60)));
    }
    answer_ = Answer::IsTheFile;
    return sink_.begin(from);
  }

  Result<void> follow(const net::ResponseHead& head) {
    if (++redirects_ > kMostRedirects)
      return fault(Fault::Kind::Refused, fmt::format("{} redirects without end", place_.host));
    std::string next = head.location;
    if (next.starts_with('/') && !next.starts_with("//"))
      next = fmt::format("https://{}{}", net::authority(place_.host, place_.port), next);
    if (!next.starts_with("https://")) {
      return fault(Fault::Kind::Refused, fmt::format("{} redirects to \"{}\"; only https is followed", place_.host,
                                                     base::one_line(next.substr(0, next.find('?')), 120)));
    }
    url_ = std::move(next);
    return {};
  }

  void again() {
    silence_.cancel();
    if (auto wire = std::exchange(wire_, nullptr)) wire->close();
    soon_ = loop_.after(base::Span::zero(), [self = shared_from_this()] { self->go(); });
  }

  void broke(const std::string& why) {
    if (answer_ == Answer::LeadsOn) return again();
    if (reader_->end_of_stream()) return end({});
    end(fault(Fault::Kind::Unreachable, fmt::format("the connection to {} broke: {}", place_.host, why)));
  }

  void watch_silence() {
    silence_ = loop_.after(kSilentFor, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self && !self->is_over_) {
        self->end(fault(Fault::Kind::Unreachable,
                        fmt::format("{} has been silent for {}", self->place_.host, base::human(kSilentFor))));
      }
    });
  }

  void end(Result<void> result) {
    const auto done = std::move(sink_.done);
    give_up();
    if (done) done(std::move(result));
  }

  kube::AsioLoop& loop_;
  Environment environment_;
  std::string ca_pem_;
  DownloadAsk ask_;
  std::string url_;
  DownloadSink sink_;
  DownloadPlace place_ = {};
  net::Destination to_ = {};
  std::unique_ptr<net::Dialing> dialing_;
  std::shared_ptr<net::Wire> wire_;
  std::optional<net::ResponseReader> reader_;
  std::string request_;
  std::array<char, kPieceBytes> buffer_{};
  base::Timer soon_;
  base::Timer silence_;
  int redirects_ = 0;
  Answer answer_ = Answer::Unjudged;
  bool is_over_ = false;
};

bool covers(std::string_view entry, std::string_view host) {
  entry = base::trim(entry);
  if (entry.starts_with("*.")) entry.remove_prefix(1);
  if (entry == "*") return true;
  const std::string_view domain = entry.starts_with('.') ? entry.substr(1) : entry;
  if (domain.empty()) return false;
  return host == domain ||
         (host.size() > domain.size() && host.ends_with(domain) && host[host.size() - domain.size() - 1] == '.');
}

}  // namespace

Result<DownloadPlace> download_place(std::string_view url) {
  const auto wrong = [](std::string_view why) {
    return fault(Fault::Kind::Refused, fmt::format("the address cannot be used: {}", why));
  };
  url = url.substr(0, url.find('#'));
  const std::size_t question = std::min(url.find('?'), url.size());
  const auto parsed = net::parse_url(url.substr(0, question));
  if (!parsed) return wrong(parsed.error().message);
  if (parsed->scheme != "https") return wrong("only https is allowed");
  if (!parsed->user.empty() || !parsed->password.empty()) return wrong("it names a user");
  const std::string_view query = url.substr(question);
  if (!std::all_of(query.begin(), query.end(), [](char c) { return c > ' ' && c < 0x7f; }))
    return wrong("its query has spaces or control characters");
  return DownloadPlace{.host = base::lower(parsed->host),
                       .port = parsed->port.empty() ? "443" : parsed->port,
                       .target = (parsed->path.empty() ? "/" : parsed->path) + std::string(query)};
}

std::string proxy_for(const Environment& environment, const DownloadPlace& place) {
  const std::string exceptions = base::lower(first_of(environment, "no_proxy", "NO_PROXY"));
  for (const std::string_view entry : base::split(exceptions, ',')) {
    if (covers(entry, place.host) || (!entry.empty() && base::trim(entry) == place.host + ":" + place.port)) return {};
  }
  const std::string proxy = first_of(environment, "https_proxy", "HTTPS_PROXY");
  return proxy.empty() || proxy.find("://") != std::string::npos ? proxy : "http://" + proxy;
}

std::optional<std::uint64_t> first_byte_of(std::string_view content_range) {
  constexpr std::string_view kUnit = "bytes ";
  if (!content_range.starts_with(kUnit)) return {};
  content_range.remove_prefix(kUnit.size());
  const auto first = base::parse_int(content_range.substr(0, content_range.find('-')));
  if (!first || *first < 0) return {};
  return static_cast<std::uint64_t>(*first);
}

HttpsDownloads::HttpsDownloads(kube::AsioLoop& loop, Environment environment, std::string ca_pem)
    : loop_(loop), environment_(std::move(environment)), ca_pem_(std::move(ca_pem)) {}

std::shared_ptr<void> HttpsDownloads::get(const DownloadAsk& ask, DownloadSink sink) {
  const auto getting = std::make_shared<Getting>(loop_, environment_, ca_pem_, ask, std::move(sink));
  getting->start();
  // The loop's callbacks own it too: letting go of this ends it.
  return {nullptr, [getting](void*) { getting->give_up(); }};
}

}  // namespace drover::agent
