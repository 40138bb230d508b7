#include "kube/net/dialer.h"

#include <fmt/core.h>
#include <netinet/tcp.h>

#include <array>
#include <boost/asio/connect.hpp>
#include <utility>

#include "base/text.h"
#include "base/time.h"
#include "kube/net/asio_loop_body.h"
#include "kube/net/proxy.h"
#include "kube/net/request_text.h"

namespace drover::kube::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using base::Fault;

// The kernel asks a silent peer every ten seconds, first after thirty: the end of a machine that could not say goodbye
// is known within a minute, also of a watch that never has anything to say. Where an option is not known, its default
// stays.
void stay_in_touch(tcp::socket& socket) {
  boost::system::error_code ignored;
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  const auto set = [&](int option, int value) {
    static_cast<void>(::setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof value));
  };
  set(TCP_KEEPIDLE, 30);
  set(TCP_KEEPINTVL, 10);
  set(TCP_KEEPCNT, 3);
}

}  // namespace

struct Dialing::Body : std::enable_shared_from_this<Dialing::Body> {
  Body(AsioLoop& loop, const Destination& destination, TlsContext context, Done then)
      : to(destination),
        tls(std::move(context)),
        done(std::move(then)),
        resolver(loop.body().io),
        socket(loop.body().io) {}

  const Destination& to;
  TlsContext tls;
  Done done;
  tcp::resolver resolver;
  tcp::socket socket;
  std::shared_ptr<Wire> wire;
  std::shared_ptr<ProxyTalk> talk;
  base::Timer limit;

  const std::string& host() const { return to.proxy ? to.proxy->host : to.host; }
  const std::string& port() const { return to.proxy ? to.proxy->port : to.port; }

  void finish(base::Result<std::shared_ptr<Wire>> result) {
    auto then = std::exchange(done, nullptr);
    limit.cancel();
    abandon();
    if (then) then(std::move(result));
  }
  void fail(std::string why) {
    std::string where = fmt::format("cannot reach {}", authority(to.host, to.port));
    if (to.proxy) where += fmt::format(" through the proxy {}", authority(to.proxy->host, to.proxy->port));
    finish(base::fault(Fault::Kind::Unreachable, fmt::format("{}: {}", where, why)));
  }
  // Lets go of everything that is pending; the wire that was handed out has another owner by now.
  void abandon() {
    boost::system::error_code ignored;
    resolver.cancel();
    socket.close(ignored);
    talk.reset();
    if (auto unfinished = std::exchange(wire, nullptr)) unfinished->close();
  }

  void resolve() {
    boost::system::error_code error;
    const auto address = asio::ip::make_address(host(), error);
    const auto number = base::parse_int(port());
    if (!error && number) {
      // An address needs no resolver (asio asks it in a thread of its own).
      const std::array<tcp::endpoint, 1> endpoint = {tcp::endpoint(address, static_cast<unsigned short>(*number))};
      return connect(endpoint);
    }
    resolver.async_resolve(host(), port(), [self = shared_from_this()](const auto& failure, const auto& found) {
      if (!self->done) return;
      if (failure) {
        return self->fail(fmt::format("the name {} is not known ({})", self->host(), failure.message()));
      }
      self->connect(found);
    });
  }

  template <class Endpoints>
  void connect(const Endpoints& endpoints) {
    asio::async_connect(socket, endpoints, [self = shared_from_this()](const auto& failure, const tcp::endpoint&) {
      if (!self->done) return;
      if (failure) return self->fail(failure.message());
      self->connected();
    });
  }

  void connected() {
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    stay_in_touch(socket);
    wire = make_wire(std::move(socket));
    if (!to.proxy) return secure();
    if (to.proxy->kind != Proxy::Kind::Https) return greet_proxy();
    secured_by(to.proxy_tls, to.proxy->host, true, [this] { greet_proxy(); });
  }

  void greet_proxy() {
    talk = ProxyTalk::start(wire, *to.proxy, to.host, to.port, [weak = weak_from_this()](base::Result<void> greeted) {
      const auto self = weak.lock();
      if (!self || !self->done) return;
      if (!greeted) return self->fail(greeted.error().message);
      self->secure();
    });
  }

  void secure() {
    if (!to.tls) return finish_with_wire();
    secured_by(tls, to.server_name, to.verify, [this] { finish_with_wire(); });
  }

  void secured_by(const TlsContext& context, const std::string& name, bool verify, std::function<void()> then) {
    const std::shared_ptr<Wire> below = std::exchange(wire, nullptr);
    wire = below->secure(context, name, verify,
                         [self = shared_from_this(), then = std::move(then)](const base::Result<void>& secured) {
                           if (!self->done) return;
                           if (!secured) return self->fail(secured.error().message);
                           then();
                         });
  }

  void finish_with_wire() { finish(std::exchange(wire, nullptr)); }
};

Dialing::Dialing(std::shared_ptr<Body> body) : body_(std::move(body)) {}

Dialing::~Dialing() {
  body_->done = nullptr;
  body_->limit.cancel();
  body_->abandon();
}

std::unique_ptr<Dialing> Dialing::start(AsioLoop& loop, const Destination& to, TlsContext tls, base::Span within,
                                        Done done) {
  auto body = std::make_shared<Body>(loop, to, std::move(tls), std::move(done));
  body->limit = loop.after(within, [weak = std::weak_ptr(body), within] {
    if (const auto self = weak.lock()) self->fail(fmt::format("no connection within {}", base::human(within)));
  });
  body->resolve();
  return std::unique_ptr<Dialing>(new Dialing(std::move(body)));
}

}  // namespace drover::kube::net
