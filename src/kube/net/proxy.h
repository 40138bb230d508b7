// Asking a proxy for a tunnel: CONNECT (RFC 9110) or SOCKS5 (RFC 1928, 1929), on a wire that leads to it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kube/net/dialer.h"

namespace drover::kube::net {

class ProxyTalk {
 public:
  virtual ~ProxyTalk() = default;

  // After a good `done` the wire leads to host:port. A caller that gives up closes the wire.
  static std::shared_ptr<ProxyTalk> start(std::shared_ptr<Wire> wire, const Proxy& proxy, const std::string& host,
                                          const std::string& port, std::function<void(base::Result<void>)> done);
};

}  // namespace drover::kube::net
