#include "http/http_server.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/ssl/context.hpp>
#include <utility>

#include "http/connection.h"
#include "kube/net/asio_loop_body.h"

namespace drover::http {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using Error = boost::system::error_code;

constexpr auto kPauseWhenFull = std::chrono::milliseconds(100);

// No ALPN is offered, so no client tries HTTP/2.
base::Result<void> prepare(asio::ssl::context& tls, const Identity& identity) {
  Error error;
  tls.use_certificate_chain(asio::buffer(identity.certificate_pem), error);
  if (!error) tls.use_private_key(asio::buffer(identity.key_pem), asio::ssl::context::pem, error);
  if (error) {
    return base::fault(base::Fault::Kind::Refused,
                       "the server's certificate and key cannot be used: " + error.message() +
                           "; give a PEM certificate and the key it was made for");
  }
  SSL_CTX* context = tls.native_handle();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);  // idle connections are many
  return {};
}

}  // namespace

struct HttpServer::Body : std::enable_shared_from_this<HttpServer::Body> {
  explicit Body(kube::AsioLoop& loop) : house(std::make_shared<House>(loop)), acceptor(loop.body().io) {}

  std::shared_ptr<House> house;
  std::optional<asio::ssl::context> tls;
  std::string certificate;
  tcp::acceptor acceptor;
  base::Timer pause;

  base::Result<void> listen(const HttpServerOptions& options);
  void accept();
  void admit(tcp::socket socket);
  bool make_room();
};

base::Result<void> HttpServer::Body::listen(const HttpServerOptions& options) {
  const auto refuse = [&](std::string_view why) {
    return base::fault(base::Fault::Kind::Refused,
                       fmt::format("cannot listen on {}:{}: {}; give another {}, or port 0 to pick a free one",
                                   options.address, options.port, why, options.port_flag));
  };
  Error error;
  const auto address = options.address == "localhost" ? asio::ip::address_v4::loopback()
                                                      : asio::ip::make_address(options.address, error);
  if (error)
    return refuse("the address is not an IP address (127.0.0.1 is this machine only, 0.0.0.0 is all networks)");
  if (options.port < 0 || options.port > 65535) return refuse("a port is a number from 0 to 65535");
  const tcp::endpoint endpoint(address, static_cast<unsigned short>(options.port));
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  // "::" is everywhere, whatever the system's default for it is.
  if (!error && address.is_v6()) acceptor.set_option(asio::ip::v6_only(false), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return refuse(error.message());
  return {};
}

void HttpServer::Body::accept() {
  acceptor.async_accept([self = shared_from_this()](Error error, tcp::socket socket) {
    if (self->house->is_closed) return;
    if (!error) {
      self->admit(std::move(socket));
      return self->accept();
    }
    // Out of file descriptors, most likely: asking again at once would only spin.
    self->make_room();
    self->pause = self->house->loop.after(kPauseWhenFull, [self] {
      if (!self->house->is_closed) self->accept();
    });
  });
}

void HttpServer::Body::admit(tcp::socket socket) {
  if (house->connections.size() >= house->limits.most_connections && !make_room()) return;
  Error ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  auto wire = tls ? tls_wire(std::move(socket), *tls) : plain_wire(std::move(socket));
  auto connection = std::make_shared<Connection>(house, std::move(wire));
  house->connections.emplace(connection.get(), connection);
  connection->start();
}

// The client that has been idle for longest can come again; one that waits for an answer stays.
bool HttpServer::Body::make_room() {
  Connection* oldest = nullptr;
  std::optional<base::Instant> oldest_since;
  for (const auto& [connection, owned] : house->connections) {
    const auto since = connection->idle_since();
    if (!since || (oldest_since && *oldest_since <= *since)) continue;
    oldest = connection;
    oldest_since = since;
  }
  if (oldest == nullptr) return false;
  oldest->close();
  return true;
}

base::Result<std::unique_ptr<HttpServer>> HttpServer::open(kube::AsioLoop& loop, HttpServerOptions options,
                                                           Answerer answerer) {
  auto body = std::make_shared<Body>(loop);
  if (options.speaks_tls) {
    if (!options.identity) {
      TRY(options.identity, make_identity(options.names, loop.wall()));
    }
    body->tls.emplace(asio::ssl::context::tls_server);
    TRY_VOID(prepare(*body->tls, *options.identity));
    body->certificate = options.identity->certificate_pem;
  }
  TRY_VOID(body->listen(options));
  body->house->limits = options.limits;
  body->house->rules.most_head_bytes = options.limits.most_head_bytes;
  body->house->rules.most_body_bytes = options.limits.most_body_bytes;
  if (options.checks_host) body->house->rules.hosts = options.names;
  body->house->answerer = std::move(answerer);
  body->accept();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(body)));
}

HttpServer::HttpServer(std::shared_ptr<Body> body) : body_(std::move(body)) {}

HttpServer::~HttpServer() {
  body_->pause.cancel();
  Error ignored;
  body_->acceptor.close(ignored);
  body_->house->close();
}

int HttpServer::port() const {
  Error error;
  return body_->acceptor.local_endpoint(error).port();
}

std::string HttpServer::url() const {
  Error error;
  const auto endpoint = body_->acceptor.local_endpoint(error);
  const auto address = endpoint.address();
  // A server that listens everywhere is reached on this machine's own address, too.
  const std::string host = address.is_unspecified() ? "127.0.0.1"
                           : address.is_v6()        ? "[" + address.to_string() + "]"
                                                    : address.to_string();
  return fmt::format("{}://{}:{}", body_->tls ? "https" : "http", host, endpoint.port());
}

const std::string& HttpServer::certificate() const { return body_->certificate; }

std::size_t HttpServer::connections() const { return body_->house->connections.size(); }

}  // namespace drover::http
