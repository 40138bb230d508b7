#include "sim/serve/log_server.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <utility>
#include <vector>

#include "kube/net/asio_loop_body.h"
#include "sim/serve/certificate.h"
#include "sim/serve/log_query.h"

namespace drover::sim {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using Error = boost::system::error_code;

constexpr std::size_t kChunk = 64 * 1024;
constexpr std::size_t kMostReaders = 1000;
constexpr std::uint32_t kMostHeaderBytes = 16 * 1024;
constexpr auto kPatience =
    std::chrono::seconds(30);  // with a peer that does not speak, or does not take what it asked for

// One connection: handshake, one request, one answer (perhaps endless), end.
class Reader final : public std::enable_shared_from_this<Reader> {
 public:
  Reader(tcp::socket socket, asio::ssl::context& tls, LogBook& logs, const base::Loop& loop)
      : stream_(std::move(socket), tls), logs_(&logs), loop_(loop) {}
  ~Reader() { stop_listening(); }

  void start() {
    patience();
    stream_.async_handshake(asio::ssl::stream_base::server, [self = shared_from_this()](Error error) {
      if (!error) self->read_request();
    });
  }

  // The server closes: the log book may be gone soon.
  void cut_off() {
    stop_listening();
    logs_ = nullptr;
    Error ignored;
    beast::get_lowest_layer(stream_).socket().close(ignored);
  }

 private:
  void patience() { beast::get_lowest_layer(stream_).expires_after(kPatience); }

  void stop_listening() {
    if (logs_ != nullptr && ear_ != 0) logs_->unlisten(std::exchange(ear_, 0));
  }

  void read_request() {
    parser_.header_limit(kMostHeaderBytes);
    parser_.body_limit(0);
    patience();
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](Error error, std::size_t) {
      if (!error && self->logs_ != nullptr) self->answer();
    });
  }

  void answer() {
    const auto& request = parser_.get();
    const std::string target(request.target());
    if (request.method() != http::verb::get)
      return send_text(http::status::method_not_allowed, "only GET is served here\n");
    if (target == "/healthz") return send_text(http::status::ok, "ok");
    auto query = parse_log_query(target);
    if (!query) {
      const bool lost = query.error().kind == base::Fault::Kind::NotFound;
      return send_text(lost ? http::status::not_found : http::status::bad_request, query.error().message + "\n");
    }
    query_ = std::move(*query);
    const auto* run = logs_->run(query_.container, query_.previous);
    if (run == nullptr) {
      return send_text(
          query_.previous ? http::status::not_found : http::status::bad_request,
          fmt::format("{} has no {}logs: it has not {}\n", query_.container, query_.previous ? "previous " : "",
                      query_.previous ? "been restarted" : "started, or is not simulated here"));
    }
    run_ = run->id;
    next_ = first_line(query_, *run, loop_.wall());
    left_ = query_.most_bytes.value_or(UINT64_MAX);
    if (query_.follow && !query_.previous) {
      ear_ = logs_->listen(query_.container, [weak = weak_from_this()] {
        if (auto self = weak.lock()) self->more();
      });
    }
    send_header();
  }

  void send_text(http::status status, std::string text) {
    whole_ = {status, 11};
    whole_.set(http::field::content_type, "text/plain");
    whole_.body() = std::move(text);
    whole_.keep_alive(false);
    whole_.prepare_payload();
    patience();
    http::async_write(stream_, whole_, [self = shared_from_this()](Error, std::size_t) { self->finish(); });
  }

  void send_header() {
    header_.set(http::field::content_type, "text/plain");
    header_.chunked(true);
    header_.keep_alive(false);
    serializer_.emplace(header_);
    patience();
    http::async_write_header(stream_, *serializer_, [self = shared_from_this()](Error error, std::size_t) {
      if (error) return;
      beast::get_lowest_layer(self->stream_).expires_never();  // before the read: a reader may be silent for hours
      self->notice_hang_up();
      self->is_writing_ = false;
      self->more();
    });
  }

  // A reader that follows a silent container is noticed to be gone only by reading.
  void notice_hang_up() {
    stream_.async_read_some(asio::buffer(nothing_), [self = shared_from_this()](Error error, std::size_t) {
      if (error) return self->stop_listening();
      self->notice_hang_up();
    });
  }

  void more() {
    if (is_writing_ || is_over_ || logs_ == nullptr) return;
    const auto* run = logs_->run(query_.container, query_.previous);
    // A restarted container is another run; the one that was asked for has ended.
    const bool same = run != nullptr && run->id == run_;
    text_ = same ? take_lines(query_, *run, next_, kChunk) : std::string();
    if (text_.size() > left_) text_.resize(left_);
    left_ -= text_.size();
    if (text_.empty()) {
      const bool waits = ear_ != 0 && same && !run->has_ended && left_ > 0;
      if (waits) return beast::get_lowest_layer(stream_).expires_never();
      return send_last();
    }
    is_writing_ = true;
    patience();
    asio::async_write(stream_, http::make_chunk(asio::buffer(text_)),
                      [self = shared_from_this()](Error error, std::size_t) {
                        self->is_writing_ = false;
                        if (error) return self->stop_listening();
                        self->more();
                      });
  }

  void send_last() {
    is_over_ = true;
    stop_listening();
    patience();
    asio::async_write(stream_, http::make_chunk_last(),
                      [self = shared_from_this()](Error, std::size_t) { self->finish(); });
  }

  void finish() {
    stream_.async_shutdown([self = shared_from_this()](Error) {
      Error ignored;
      beast::get_lowest_layer(self->stream_).socket().close(ignored);
    });
  }

  beast::ssl_stream<beast::tcp_stream> stream_;
  LogBook* logs_;
  const base::Loop& loop_;
  beast::flat_buffer buffer_{kMostHeaderBytes};
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> whole_;
  http::response<http::empty_body> header_{http::status::ok, 11};
  std::optional<http::response_serializer<http::empty_body>> serializer_;
  LogQuery query_;
  std::uint64_t run_ = 0;
  std::uint64_t next_ = 1;
  std::uint64_t left_ = 0;
  std::string text_;
  int ear_ = 0;
  bool is_writing_ = true;  // the header first
  bool is_over_ = false;
  char nothing_[64] = {};
};

}  // namespace

struct LogServer::Body : std::enable_shared_from_this<LogServer::Body> {
  Body(kube::AsioLoop& loop, LogBook& logs) : loop(loop), logs(logs), acceptor(loop.body().io) {}

  kube::AsioLoop& loop;
  LogBook& logs;
  asio::ssl::context tls{asio::ssl::context::tls_server};
  tcp::acceptor acceptor;
  std::vector<std::weak_ptr<Reader>> readers;
  base::Timer pause;
  bool is_closed = false;

  void accept() {
    acceptor.async_accept([self = shared_from_this()](Error error, tcp::socket socket) {
      if (self->is_closed) return;
      std::erase_if(self->readers, [](const auto& reader) { return reader.expired(); });
      if (!error && self->readers.size() < kMostReaders) {
        auto reader = std::make_shared<Reader>(std::move(socket), self->tls, self->logs, self->loop);
        self->readers.push_back(reader);
        reader->start();
      }
      if (!error) return self->accept();
      // Out of file descriptors, most likely: asking again at once would only spin.
      self->pause = self->loop.after(std::chrono::milliseconds(200), [self] { self->accept(); });
    });
  }
};

base::Result<std::unique_ptr<LogServer>> LogServer::open(kube::AsioLoop& loop, LogBook& logs, int port) {
  const auto refuse = [&](std::string_view what, std::string_view why) {
    return base::fault(
        base::Fault::Kind::Refused,
        fmt::format("cannot serve logs on 127.0.0.1:{}: {}: {}; give another --log-port, or 0 to pick a free one", port,
                    what, why));
  };
  TRY(const auto identity, make_identity({"127.0.0.1", "localhost"}, loop.wall()));
  auto body = std::make_shared<Body>(loop, logs);
  Error error;
  body->tls.use_certificate_chain(asio::buffer(identity.certificate_pem), error);
  if (!error) body->tls.use_private_key(asio::buffer(identity.key_pem), asio::ssl::context::pem, error);
  if (error) return refuse("its certificate", error.message());
  SSL_CTX_set_min_proto_version(body->tls.native_handle(), TLS1_2_VERSION);
  const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), static_cast<unsigned short>(port));
  body->acceptor.open(endpoint.protocol(), error);
  if (!error) body->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) body->acceptor.bind(endpoint, error);
  if (!error) body->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return refuse("the port", error.message());
  body->accept();
  return std::unique_ptr<LogServer>(new LogServer(std::move(body)));
}

LogServer::LogServer(std::shared_ptr<Body> body) : body_(std::move(body)) {}

LogServer::~LogServer() {
  body_->is_closed = true;
  body_->pause.cancel();
  Error ignored;
  body_->acceptor.close(ignored);
  for (const auto& weak : body_->readers) {
    if (auto reader = weak.lock()) reader->cut_off();
  }
}

int LogServer::port() const {
  Error error;
  return body_->acceptor.local_endpoint(error).port();
}

int LogServer::readers() const {
  return static_cast<int>(std::count_if(body_->readers.begin(), body_->readers.end(),
                                        [](const auto& reader) { return !reader.expired(); }));
}

}  // namespace drover::sim
