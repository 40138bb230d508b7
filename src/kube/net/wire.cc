#include "kube/net/wire.h"

#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <type_traits>
#include <utility>

namespace drover::kube::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

tcp::socket& socket_below(tcp::socket& socket) { return socket; }
template <class Next>
tcp::socket& socket_below(asio::ssl::stream<Next>& stream) {
  return socket_below(stream.next_layer());
}

template <class Stream>
class WireOver;

// How deep TLS goes: a server inside a proxy's TLS. Deeper is not needed, and the types must end somewhere.
template <class Stream>
struct Above {
  using Type = asio::ssl::stream<Stream>;
};
template <>
struct Above<asio::ssl::stream<asio::ssl::stream<tcp::socket>>> {
  using Type = void;
};

template <class Stream>
class WireOver final : public Wire {
 public:
  explicit WireOver(Stream stream) : stream_(std::move(stream)) {}
  template <class... Args>
  explicit WireOver(std::in_place_t, TlsContext tls, Args&&... args)
      : tls_(std::move(tls)), stream_(std::forward<Args>(args)...) {}

  void read_some(asio::mutable_buffer into, Done done) override {
    stream_.async_read_some(
        into, [self = shared_from_this(), done = std::move(done)](const boost::system::error_code& error,
                                                                  std::size_t bytes) { done(error, bytes); });
  }

  void write_all(std::string_view text, Done done) override {
    asio::async_write(stream_, asio::buffer(text.data(), text.size()),
                      [self = shared_from_this(), done = std::move(done)](const boost::system::error_code& error,
                                                                          std::size_t bytes) { done(error, bytes); });
  }

  void close() override {
    boost::system::error_code ignored;
    socket_below(stream_).close(ignored);
  }

  bool is_quiet() override {
    tcp::socket& socket = socket_below(stream_);
    if (!socket.is_open()) return false;
    // Bytes that wait on an idle connection are a goodbye (of TLS or HTTP); no bytes and no error is the end of the
    // stream.
    char byte = 0;
    const auto seen = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return seen < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }

  std::shared_ptr<Wire> secure(TlsContext tls, const std::string& name, bool verify, Secured done) override {
    using Upper = typename Above<Stream>::Type;
    if constexpr (std::is_void_v<Upper>) {
      return nullptr;
    } else {
      asio::ssl::context& context = *tls;
      auto upper = std::make_shared<WireOver<Upper>>(std::in_place, std::move(tls), std::move(stream_), context);
      upper->shake_hands(name, verify, std::move(done));
      return upper;
    }
  }

  void shake_hands(const std::string& name, bool verify, Secured done) {
    auto self = std::static_pointer_cast<WireOver>(shared_from_this());
    auto expected = expect_server(stream_.native_handle(), name, verify);
    if (!expected) {
      return asio::post(stream_.get_executor(), [expected, done = std::move(done)] { done(expected); });
    }
    stream_.async_handshake(
        asio::ssl::stream_base::client, [self, done = std::move(done)](const boost::system::error_code& error) {
          if (!error) return done({});
          done(base::fault(base::Fault::Kind::Unreachable, handshake_complaint(self->stream_.native_handle(), error)));
        });
  }

 private:
  TlsContext tls_;  // outlives the stream
  Stream stream_;
};

}  // namespace

std::shared_ptr<Wire> make_wire(tcp::socket socket) {
  return std::make_shared<WireOver<tcp::socket>>(std::move(socket));
}

}  // namespace drover::kube::net
