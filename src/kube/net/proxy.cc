#include "kube/net/proxy.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "kube/net/request_text.h"
#include "kube/net/response_reader.h"
#include "kube/net/url.h"

namespace drover::kube::net {
namespace {

using base::Fault;
using base::Result;
using boost::system::error_code;
using Done = std::function<void(Result<void>)>;

std::unexpected<Fault> unreachable(std::string message) {
  return base::fault(Fault::Kind::Unreachable, std::move(message));
}

class ConnectTalk final : public ProxyTalk, public std::enable_shared_from_this<ConnectTalk> {
 public:
  ConnectTalk(std::shared_ptr<Wire> wire, Done done) : wire_(std::move(wire)), done_(std::move(done)) {}

  void begin(const Proxy& proxy, const std::string& host, const std::string& port) {
    const std::string to = authority(host, port);
    text_ = fmt::format("CONNECT {} HTTP/1.1\r\nHost: {}\r\n", to, to);
    if (!proxy.user.empty()) {
      text_ += "Proxy-Authorization: Basic " + base::base64_encode(proxy.user + ":" + proxy.password) + "\r\n";
    }
    text_ += "\r\n";
    wire_->write_all(text_, [self = shared_from_this()](const error_code& error, std::size_t) {
      if (error) return self->done_(unreachable(error.message()));
      self->read();
    });
  }

 private:
  void read() {
    wire_->read_some(boost::asio::buffer(piece_),
                     [self = shared_from_this()](const error_code& error, std::size_t bytes) {
                       if (error)
                         return self->done_(unreachable("the proxy closed the connection: " + error.message()));
                       self->heard({self->piece_.data(), bytes});
                     });
  }

  void heard(std::string_view bytes) {
    // The answer to a CONNECT has no body: behind its head the tunnel begins, and there we speak first.
    const auto taken = reader_.feed(bytes, [](std::string_view) { return Result<void>(); });
    if (!taken) return done_(unreachable("the proxy's answer is garbled: " + taken.error().message));
    if (!reader_.has_head()) return read();
    const int code = reader_.head().code;
    if (code == 407) return done_(unreachable("the proxy wants a user and password in proxy-url (407)"));
    if (code / 100 != 2) return done_(unreachable(fmt::format("the proxy refused the tunnel ({})", code)));
    done_({});
  }

  std::shared_ptr<Wire> wire_;
  Done done_;
  std::string text_;
  std::array<char, 1024> piece_ = {};
  ResponseReader reader_{16 * 1024};
};

class SocksTalk final : public ProxyTalk, public std::enable_shared_from_this<SocksTalk> {
 public:
  SocksTalk(std::shared_ptr<Wire> wire, Done done) : wire_(std::move(wire)), done_(std::move(done)) {}

  void begin(const Proxy& proxy, const std::string& host, const std::string& port) {
    if (host.size() > 255 || proxy.user.size() > 255 || proxy.password.size() > 255) {
      return done_(unreachable("a name is too long for SOCKS5"));
    }
    const auto number = static_cast<unsigned>(base::parse_int(port).value_or(443));
    const auto length = [](const std::string& text) { return std::string(1, static_cast<char>(text.size())); };
    ask_ = std::string("\x05\x01\x00\x03", 4) + length(host) + host + static_cast<char>(number >> 8) +
           static_cast<char>(number & 255);
    login_ = "\x01" + length(proxy.user) + proxy.user + length(proxy.password) + proxy.password;
    text_ = proxy.user.empty() ? std::string("\x05\x01\x00", 3) : std::string("\x05\x02\x00\x02", 4);
    send(2, [this](std::string_view answer) { greeted(answer); });
  }

 private:
  using Heard = std::function<void(std::string_view)>;

  // Sends `text_`, then hands on exactly `wanted` bytes of answer.
  void send(std::size_t wanted, Heard heard) {
    wire_->write_all(
        text_, [self = shared_from_this(), wanted, heard = std::move(heard)](const error_code& error, std::size_t) {
          if (error) return self->done_(unreachable(error.message()));
          self->answer_.clear();
          self->read(wanted, heard);
        });
  }
  void read(std::size_t wanted, Heard heard) {
    if (answer_.size() >= wanted) return heard(answer_);
    const auto room = boost::asio::buffer(piece_.data(), std::min(piece_.size(), wanted - answer_.size()));
    wire_->read_some(room, [self = shared_from_this(), wanted, heard = std::move(heard)](const error_code& error,
                                                                                         std::size_t bytes) {
      if (error) return self->done_(unreachable("the proxy closed the connection: " + error.message()));
      self->answer_.append(self->piece_.data(), bytes);
      self->read(wanted, heard);
    });
  }

  void greeted(std::string_view answer) {
    if (answer[0] != 5) return done_(unreachable("the proxy does not speak SOCKS5"));
    if (answer[1] == 0) return ask();
    if (answer[1] != 2)
      return done_(unreachable("the proxy wants a login that we do not have; put user and password into proxy-url"));
    text_ = login_;
    send(2, [this](std::string_view verdict) {
      if (verdict[1] != 0) return done_(unreachable("the proxy refused the user or password of proxy-url"));
      ask();
    });
  }
  void ask() {
    text_ = ask_;
    // Five bytes tell how long the answer is: it ends with an address of one of three kinds.
    send(5, [this](std::string_view answer) {
      if (answer[1] != 0) {
        return done_(
            unreachable(fmt::format("the proxy refused the tunnel (SOCKS5 answer {})", static_cast<int>(answer[1]))));
      }
      const std::size_t length = answer[3] == 1 ? 4 : answer[3] == 4 ? 16 : 1 + static_cast<unsigned char>(answer[4]);
      read(4 + length + 2, [this](std::string_view) { done_({}); });
    });
  }

  std::shared_ptr<Wire> wire_;
  Done done_;
  std::string ask_;
  std::string login_;
  std::string text_;
  std::string answer_;
  std::array<char, 300> piece_ = {};
};

}  // namespace

std::shared_ptr<ProxyTalk> ProxyTalk::start(std::shared_ptr<Wire> wire, const Proxy& proxy, const std::string& host,
                                            const std::string& port, Done done) {
  if (proxy.kind == Proxy::Kind::Socks5) {
    auto talk = std::make_shared<SocksTalk>(std::move(wire), std::move(done));
    talk->begin(proxy, host, port);
    return talk;
  }
  auto talk = std::make_shared<ConnectTalk>(std::move(wire), std::move(done));
  talk->begin(proxy, host, port);
  return talk;
}

base::Result<Proxy> parse_proxy(std::string_view text) {
  TRY(const Url url, parse_url(text));
  Proxy proxy{.kind = {}, .host = url.host, .port = url.port, .user = url.user, .password = url.password};
  if (url.scheme == "http") {
    proxy.kind = Proxy::Kind::Http;
    if (proxy.port.empty()) proxy.port = "80";
  } else if (url.scheme == "https") {
    proxy.kind = Proxy::Kind::Https;
    if (proxy.port.empty()) proxy.port = "443";
  } else if (url.scheme == "socks5" || url.scheme == "socks5h") {
    proxy.kind = Proxy::Kind::Socks5;
    if (proxy.port.empty()) proxy.port = "1080";
  } else {
    return base::fault(Fault::Kind::Refused,
                       fmt::format("the scheme \"{}\" is not known; use http, https or socks5", url.scheme));
  }
  return proxy;
}

}  // namespace drover::kube::net
