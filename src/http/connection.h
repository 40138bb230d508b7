// One peer of the HTTP server: handshake, requests one after the other, their answers, and the end. For serve only.
//
// At rest a connection is in one phase. While an answer is under way it goes on reading, a little: that is how a peer's
// hang-up is noticed, and further requests wait in the reader. What is said to the peer waits in a queue whose size
// the answerer can see. Each phase that depends on the peer has a deadline.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <unordered_map>

#include "http/http_server.h"
#include "http/request_reader.h"
#include "http/wire.h"

namespace drover::http {

class Connection;

// What all connections of a server share.
struct House : std::enable_shared_from_this<House> {
  explicit House(kube::AsioLoop& loop) : loop(loop) {}

  // Unless the house closes first: what was to be called is let go of then, not when the loop ends.
  void call_soon(std::function<void()> then);
  // Closes all connections and lets go of everything that belongs to answerers.
  void close();

  kube::AsioLoop& loop;
  HttpServerLimits limits;
  RequestRules rules;
  Answerer answerer;
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections;
  std::deque<std::function<void()>> due;
  bool is_closed = false;
};

class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<House> house, std::unique_ptr<Wire> wire);

  void start();
  // At once; the answerer of an open exchange is told later, unless the house is closed too.
  void close();
  // Since when nothing has come and nothing is owed; nothing when it is busy.
  std::optional<base::Instant> idle_since() const;

  // For the open exchange.
  void reply(HttpReply reply);
  void begin(const HttpReply& head);
  void send(std::string piece);
  void end();
  std::size_t unsent() const { return unsent_; }
  void on_drained(std::function<void()> then);
  void on_gone(std::function<void()> then);

 private:
  enum class Phase { Greeting, Reading, Answering, Parting, Closed };

  void greeted(const Wire::Error& error);
  void read_more();
  void took(const Wire::Error& error, std::size_t bytes);
  void await_request();
  void look();
  void dispatch();
  void settle();
  void part();
  void stop_talking();
  void discard();

  void set_keep_alive(const HttpReply& reply);
  void enqueue(std::string piece);
  void write_more();
  void sent(const Wire::Error& error, std::size_t bytes);
  void watch_taking();
  void deadline(base::Span within);

  std::shared_ptr<House> house_;
  std::unique_ptr<Wire> wire_;
  RequestReader reader_;
  Phase phase_ = Phase::Greeting;
  base::Timer deadline_;
  base::Instant idle_since_{};
  RequestReader::State awaited_ = RequestReader::State::Empty;  // which the deadline is for
  std::array<char, 8 * 1024> inbox_{};
  bool is_reading_ = false;
  bool peer_said_all_ = false;

  // The answer under way.
  bool is_open_ = false;
  bool keeps_alive_ = true;
  bool wants_no_body_ = false;
  bool knows_chunks_ = true;
  std::function<void()> on_drained_;
  std::function<void()> on_gone_;

  // What the peer has not taken.
  std::deque<std::string> queue_;
  std::size_t front_sent_ = 0;
  std::size_t unsent_ = 0;
  bool is_writing_ = false;
  std::uint64_t taken_ = 0;
  std::uint64_t taken_before_ = 0;
  base::Timer taking_;
  bool watches_taking_ = false;
};

}  // namespace drover::http
