// A peer's socket, with TLS or without, so that a connection need not care. For serve only.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <memory>

namespace drover::http {

// The caller keeps the wire alive until it is called back. One read and one write at a time.
class Wire {
 public:
  using Error = boost::system::error_code;
  using Moved = std::function<void(Error error, std::size_t bytes)>;

  virtual ~Wire() = default;

  // The TLS handshake, if there is one.
  virtual void greet(std::function<void(Error)> then) = 0;
  virtual void read(boost::asio::mutable_buffer into, Moved then) = 0;
  virtual void write(boost::asio::const_buffer from, Moved then) = 0;
  // Tells the peer that nothing more will be said.
  virtual void say_goodbye(std::function<void()> then) = 0;
  virtual boost::asio::ip::tcp::socket& socket() = 0;
};

std::unique_ptr<Wire> plain_wire(boost::asio::ip::tcp::socket socket);
// The context must outlive the wire.
std::unique_ptr<Wire> tls_wire(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context& context);

}  // namespace drover::http
