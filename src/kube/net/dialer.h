// From an address to a Wire: name, TCP, proxy, TLS, all within one time limit.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kube/http_api.h"
#include "kube/net/wire.h"

namespace drover::kube::net {

// A proxy as proxy-url names it.
struct Proxy {
  enum class Kind { Http, Https, Socks5 };
  Kind kind = Kind::Http;
  std::string host;
  std::string port;
  std::string user;
  std::string password;
};
// Refused when the scheme is unknown or no host is there; the message never shows the password.
base::Result<Proxy> parse_proxy(std::string_view url);

// What is dialled, the same for every connection of an Api.
struct Destination {
  std::string host;
  std::string port;
  bool tls = true;
  bool verify = true;
  std::string server_name;  // what the certificate must name
  std::optional<Proxy> proxy;
  TlsContext proxy_tls;  // for an https proxy
};

// A try under way. Destroying it gives up; nothing is called back then.
class Dialing {
 public:
  using Done = std::function<void(base::Result<std::shared_ptr<Wire>>)>;

  // `done` comes later. Faults are Unreachable and say where it stuck.
  static std::unique_ptr<Dialing> start(AsioLoop& loop, const Destination& to, TlsContext tls, base::Span within,
                                        Done done);
  ~Dialing();

 private:
  struct Body;
  explicit Dialing(std::shared_ptr<Body> body);
  std::shared_ptr<Body> body_;
};

}  // namespace drover::kube::net
