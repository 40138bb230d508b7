#include "http/wire.h"

#include <boost/asio/ssl/stream.hpp>
#include <utility>

namespace drover::http {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

class PlainWire final : public Wire {
 public:
  explicit PlainWire(tcp::socket socket) : socket_(std::move(socket)) {}

  void greet(std::function<void(Error)> then) override { then({}); }
  void read(asio::mutable_buffer into, Moved then) override { socket_.async_read_some(into, std::move(then)); }
  void write(asio::const_buffer from, Moved then) override { socket_.async_write_some(from, std::move(then)); }
  void say_goodbye(std::function<void()> then) override { then(); }
  tcp::socket& socket() override { return socket_; }

 private:
  tcp::socket socket_;
};

class TlsWire final : public Wire {
 public:
  TlsWire(tcp::socket socket, asio::ssl::context& context) : stream_(std::move(socket), context) {}

  void greet(std::function<void(Error)> then) override {
    stream_.async_handshake(asio::ssl::stream_base::server, std::move(then));
  }
  void read(asio::mutable_buffer into, Moved then) override { stream_.async_read_some(into, std::move(then)); }
  void write(asio::const_buffer from, Moved then) override { stream_.async_write_some(from, std::move(then)); }
  void say_goodbye(std::function<void()> then) override {
    stream_.async_shutdown([then = std::move(then)](Error) { then(); });
  }
  tcp::socket& socket() override { return stream_.next_layer(); }

 private:
  asio::ssl::stream<tcp::socket> stream_;
};

}  // namespace

std::unique_ptr<Wire> plain_wire(tcp::socket socket) { return std::make_unique<PlainWire>(std::move(socket)); }

std::unique_ptr<Wire> tls_wire(tcp::socket socket, asio::ssl::context& context) {
  return std::make_unique<TlsWire>(std::move(socket), context);
}

}  // namespace drover::http
