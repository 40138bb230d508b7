#include "http/connection.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/asio/ssl/error.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "base/text.h"
#include "http/reply_head.h"

namespace drover::http {
namespace {

namespace asio = boost::asio;
using State = RequestReader::State;

constexpr std::size_t kTogether = 64 * 1024;       // pieces up to this size travel together
constexpr std::size_t kReadAhead = 64 * 1024;      // of requests whose turn has not come
constexpr auto kLinger = std::chrono::seconds(2);  // for a peer to read our last words before the socket closes

// The door to one exchange; it may outlive the exchange and the connection.
class OpenExchange final : public Exchange {
 public:
  explicit OpenExchange(std::weak_ptr<Connection> connection) : connection_(std::move(connection)) {}
  ~OpenExchange() override {
    if (has_begun_) {
      OpenExchange::hang_up();
    } else {
      OpenExchange::reply({.code = 500,
                           .content_type = "text/plain; charset=utf-8",
                           .body = "the server forgot to answer this request\n",
                           .headers = {}});
    }
  }

  void reply(HttpReply reply) override {
    if (has_begun_) return;
    if (auto connection = close_door()) connection->reply(std::move(reply));
  }
  void begin(HttpReply head) override {
    if (std::exchange(has_begun_, true)) return;
    if (auto connection = connection_.lock()) connection->begin(head);
  }
  void send(std::string piece) override {
    auto connection = connection_.lock();
    if (connection && has_begun_) connection->send(std::move(piece));
  }
  void end() override {
    if (!has_begun_) return;
    if (auto connection = close_door()) connection->end();
  }
  std::size_t unsent() const override {
    const auto connection = connection_.lock();
    return connection ? connection->unsent() : 0;
  }
  void on_drained(std::function<void()> then) override {
    if (auto connection = connection_.lock()) connection->on_drained(std::move(then));
  }
  void on_gone(std::function<void()> then) override {
    if (auto connection = connection_.lock()) connection->on_gone(std::move(then));
  }
  void hang_up() override {
    if (auto connection = close_door()) connection->close();
  }

 private:
  std::shared_ptr<Connection> close_door() { return std::exchange(connection_, {}).lock(); }

  std::weak_ptr<Connection> connection_;
  bool has_begun_ = false;
};

bool is_plain_http(const Wire::Error& error) {
  return error.category() == asio::error::get_ssl_category() &&
         ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
}

}  // namespace

void House::call_soon(std::function<void()> then) {
  if (is_closed) return;
  due.push_back(std::move(then));
  loop.post([self = shared_from_this()] {
    if (self->due.empty()) return;
    const auto next = std::move(self->due.front());
    self->due.pop_front();
    next();
  });
}

void House::close() {
  is_closed = true;
  while (!connections.empty()) connections.begin()->second->close();
  due.clear();
  answerer = nullptr;
}

Connection::Connection(std::shared_ptr<House> house, std::unique_ptr<Wire> wire)
    : house_(std::move(house)), wire_(std::move(wire)), reader_(house_->rules) {}

void Connection::start() {
  deadline(house_->limits.handshake_within);
  wire_->greet([self = shared_from_this()](const Wire::Error& error) { self->greeted(error); });
}

void Connection::greeted(const Wire::Error& error) {
  if (phase_ != Phase::Greeting) return;
  if (!error) return await_request();
  if (!is_plain_http(error)) return close();
  static constexpr std::string_view kHint =
      "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
      "this server speaks HTTPS only; begin the address with https://\n";
  phase_ = Phase::Parting;
  deadline(kLinger);
  asio::async_write(wire_->socket(), asio::buffer(kHint), [self = shared_from_this()](const Wire::Error&, std::size_t) {
    if (self->phase_ == Phase::Parting) self->stop_talking();
  });
}

void Connection::close() {
  if (std::exchange(phase_, Phase::Closed) == Phase::Closed) return;
  deadline_.cancel();
  taking_.cancel();
  Wire::Error ignored;
  wire_->socket().close(ignored);
  on_drained_ = nullptr;
  if (auto then = std::exchange(on_gone_, nullptr); then && is_open_) house_->call_soon(std::move(then));
  is_open_ = false;
  unsent_ = 0;                           // the queue stays: a write that is being broken off still points into it
  const auto self = shared_from_this();  // the house may hold the last reference
  house_->connections.erase(this);
}

std::optional<base::Instant> Connection::idle_since() const {
  if (phase_ != Phase::Reading || awaited_ != State::Empty) return {};
  return idle_since_;
}

void Connection::deadline(base::Span within) {
  deadline_ = house_->loop.after(within, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->close();
  });
}

// Reading.

void Connection::read_more() {
  if (is_reading_ || peer_said_all_ || phase_ == Phase::Parting || phase_ == Phase::Closed) return;
  if (phase_ == Phase::Answering && (reader_.held() > kReadAhead || reader_.state() == State::Refused)) return;
  is_reading_ = true;
  wire_->read(asio::buffer(inbox_),
              [self = shared_from_this()](const Wire::Error& error, std::size_t bytes) { self->took(error, bytes); });
}

void Connection::took(const Wire::Error& error, std::size_t bytes) {
  is_reading_ = false;
  if (phase_ == Phase::Parting || phase_ == Phase::Closed) return;
  if (error) {
    peer_said_all_ = true;
    // An answer that is complete is still delivered to a peer that only stopped talking.
    const bool owes_only_bytes = phase_ == Phase::Answering && !is_open_ && unsent_ > 0;
    return owes_only_bytes ? void() : close();
  }
  reader_.take({inbox_.data(), bytes});
  if (phase_ == Phase::Reading) look();
  read_more();
}

void Connection::await_request() {
  phase_ = Phase::Reading;
  awaited_ = State::Empty;
  idle_since_ = house_->loop.now();
  deadline(house_->limits.idle_for);
  look();
  read_more();
}

void Connection::look() {
  const auto before = std::exchange(awaited_, reader_.state());
  if (awaited_ == State::Whole) return dispatch();
  if (awaited_ == State::Refused) {
    phase_ = Phase::Answering;
    deadline_.cancel();
    keeps_alive_ = false;
    wants_no_body_ = false;
    is_open_ = true;
    return reply(reader_.refusal());
  }
  if (awaited_ == before) return;
  deadline(awaited_ == State::Head ? house_->limits.head_within : house_->limits.body_within);
  if (reader_.take_wish_to_continue()) {
    enqueue("HTTP/1.1 100 Continue\r\n\r\n");
    write_more();
  }
}

void Connection::dispatch() {
  phase_ = Phase::Answering;
  deadline_.cancel();
  auto arrived = reader_.next();
  is_open_ = true;
  keeps_alive_ = arrived.keeps_alive && arrived.knows_chunks;
  wants_no_body_ = arrived.wants_no_body;
  knows_chunks_ = arrived.knows_chunks;
  house_->answerer(std::move(arrived.request), std::make_shared<OpenExchange>(weak_from_this()));
}

// Answering.

void Connection::set_keep_alive(const HttpReply& reply) {
  for (const auto& header : reply.headers) {
    if (base::lower(header.name) == "connection" && base::lower(header.value) == "close") keeps_alive_ = false;
  }
}

void Connection::reply(HttpReply reply) {
  if (!is_open_) return;
  set_keep_alive(reply);
  enqueue(reply_head(reply, Framing::Length, keeps_alive_, house_->loop.wall()));
  if (!wants_no_body_ && reply.code != 204 && reply.code != 304) enqueue(std::move(reply.body));
  is_open_ = false;
  write_more();
}

void Connection::begin(const HttpReply& head) {
  if (!is_open_) return;
  set_keep_alive(head);
  enqueue(reply_head(head, knows_chunks_ ? Framing::Chunks : Framing::UntilEnd, keeps_alive_, house_->loop.wall()));
  write_more();
}

void Connection::send(std::string piece) {
  if (!is_open_ || wants_no_body_ || piece.empty()) return;
  if (unsent_ > house_->limits.most_unsent_bytes) return close();
  if (knows_chunks_) enqueue(chunk_head(piece.size()));
  enqueue(std::move(piece));
  if (knows_chunks_) enqueue(std::string(kChunkEnd));
  write_more();
}

void Connection::end() {
  if (!is_open_) return;
  is_open_ = false;
  if (knows_chunks_ && !wants_no_body_) enqueue(std::string(kLastChunk));
  write_more();
  if (unsent_ == 0) house_->loop.post([self = shared_from_this()] { self->settle(); });
}

void Connection::on_drained(std::function<void()> then) {
  if (!is_open_) return;
  on_drained_ = std::move(then);
  if (unsent_ == 0) house_->loop.post([self = shared_from_this()] { self->settle(); });
}

void Connection::on_gone(std::function<void()> then) {
  if (is_open_) on_gone_ = std::move(then);
}

// Everything said has been taken.
void Connection::settle() {
  if (phase_ != Phase::Answering || unsent_ > 0) return;
  if (is_open_) {
    if (auto then = std::exchange(on_drained_, nullptr)) then();
    return;
  }
  on_drained_ = nullptr;
  on_gone_ = nullptr;
  if (peer_said_all_) return close();
  if (!keeps_alive_) return part();
  await_request();
}

// Closing a socket with unread bytes in it would destroy our last words on their way: first the peer ends, too.
void Connection::part() {
  phase_ = Phase::Parting;
  deadline(kLinger);
  wire_->say_goodbye([self = shared_from_this()] {
    if (self->phase_ == Phase::Parting) self->stop_talking();
  });
}

void Connection::stop_talking() {
  Wire::Error ignored;
  wire_->socket().shutdown(asio::socket_base::shutdown_send, ignored);
  discard();
}

void Connection::discard() {
  wire_->socket().async_read_some(asio::buffer(inbox_),
                                  [self = shared_from_this()](const Wire::Error& error, std::size_t) {
                                    if (self->phase_ != Phase::Parting) return;
                                    error ? self->close() : self->discard();
                                  });
}

// Writing.

void Connection::enqueue(std::string piece) {
  unsent_ += piece.size();
  const bool may_grow = queue_.size() > (is_writing_ ? 1u : 0u);
  if (may_grow && queue_.back().size() + piece.size() <= kTogether) {
    queue_.back() += piece;
  } else {
    queue_.push_back(std::move(piece));
  }
}

void Connection::write_more() {
  if (is_writing_ || queue_.empty()) return;
  is_writing_ = true;
  watch_taking();
  const auto& front = queue_.front();
  wire_->write(asio::buffer(front.data() + front_sent_, front.size() - front_sent_),
               [self = shared_from_this()](const Wire::Error& error, std::size_t bytes) { self->sent(error, bytes); });
}

void Connection::sent(const Wire::Error& error, std::size_t bytes) {
  is_writing_ = false;
  if (phase_ == Phase::Closed) return;
  if (error) return close();
  taken_ += bytes;
  unsent_ -= bytes;
  front_sent_ += bytes;
  if (front_sent_ == queue_.front().size()) {
    queue_.pop_front();
    front_sent_ = 0;
  }
  if (queue_.empty()) return settle();
  write_more();
}

// One timer for many writes: it looks back whether anything was taken since it looked last.
void Connection::watch_taking() {
  if (watches_taking_) return;
  watches_taking_ = true;
  taken_before_ = taken_;
  taking_ = house_->loop.after(house_->limits.taken_within, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (!self || self->phase_ == Phase::Closed) return;
    self->watches_taking_ = false;
    if (self->unsent_ == 0) return;
    if (self->taken_ == self->taken_before_) return self->close();
    self->watch_taking();
  });
}

}  // namespace drover::http
