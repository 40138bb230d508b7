// A byte stream to somewhere, whatever lies below it: TCP, TLS over TCP, TLS through a TLS proxy.
//
// Callbacks come later, on the loop's thread. A Wire stays alive while an operation of its is pending.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kube/net/tls.h"

namespace drover::kube::net {

class Wire : public std::enable_shared_from_this<Wire> {
 public:
  using Done = std::function<void(const boost::system::error_code& error, std::size_t bytes)>;
  using Secured = std::function<void(base::Result<void>)>;

  virtual ~Wire() = default;
  virtual void read_some(boost::asio::mutable_buffer into, Done done) = 0;
  // Writes all of `text`, which must live until `done`; `bytes` says how much left us before an error.
  virtual void write_all(std::string_view text, Done done) = 0;
  // At once; what is pending ends with an error.
  virtual void close() = 0;
  // Nothing was sent to us and the peer has not closed: an idle connection that may be used again.
  virtual bool is_quiet() = 0;
  // A wire over this one, which hands its stream over and is empty then; of use once `done` says that the handshake of
  // a TLS client succeeded. `name` is what the peer must prove to be. nullptr where TLS is as deep as it goes.
  virtual std::shared_ptr<Wire> secure(TlsContext tls, const std::string& name, bool verify, Secured done) = 0;
};

std::shared_ptr<Wire> make_wire(boost::asio::ip::tcp::socket socket);

}  // namespace drover::kube::net
