// One request and its answer: credential, connection, time limits, and what a broken connection means.
//
// The rules, in one place:
//   before a byte left        Unreachable; a connection that the server closed while idle is replaced once
//   sent, nothing came back   a read is tried once more if the connection was an old one; a write is Unknown
//   sent, the answer is cut   a read is Unreachable, a write Unknown
//   401                       the credential is renewed once, if it can be: the server did not act
//   other answers             2xx goes to `body` piece by piece; the rest becomes the fault that it means
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kube/net/pool.h"
#include "kube/net/request_text.h"
#include "kube/net/response_reader.h"

namespace drover::kube::net {

// What all exchanges of one Api share.
struct Station {
  Station(AsioLoop& events, Target to, HttpLimits bounds, std::shared_ptr<Pool> connections)
      : loop(events),
        target(std::move(to)),
        limits(bounds),
        credentials(events, target),
        pool(std::move(connections)) {}

  AsioLoop& loop;
  Target target;
  HttpLimits limits;
  Credentials credentials;
  std::shared_ptr<Pool> pool;
  std::uint64_t requests = 0;
  std::uint64_t bytes_read = 0;
};

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  struct Order {
    Outgoing request;
    Use use = Use::Ordinary;
    bool may_fall_silent = false;  // a watch: once its head is there, silence is not a fault
    ResponseReader::BodySink body;
    std::function<void(base::Result<void>)> done;
  };

  Exchange(std::shared_ptr<Station> station, Order order);

  // `body` and `done` come later, `done` once and last.
  void start();
  // Nothing is called back any more; the connection is closed.
  void abandon();
  bool was_sent() const { return was_sent_; }

 private:
  void ask_for_credential();
  void ask_for_connection();
  void send();
  void written(const boost::system::error_code& error, std::size_t bytes);
  void read();
  void heard(std::string_view bytes);
  base::Result<void> take_body(std::string_view piece);
  void connection_broke(std::string_view why);
  void answered(bool nothing_is_left);
  base::Fault fault_of_answer() const;
  base::Fault lost(std::string_view why) const;
  void try_again(bool fresh);
  void watch_the_time();
  void time_passed();
  void finish(base::Result<void> result);

  std::shared_ptr<Station> station_;
  Order order_;
  Proof proof_;
  Pool::AskingPtr asking_;
  std::unique_ptr<Seat> seat_;
  std::optional<ResponseReader> reader_;
  std::string text_;        // the request as it goes out
  std::string error_body_;  // of an answer that is not a 2xx, as far as we care
  std::size_t read_ = 0;    // bytes of the last piece
  bool was_sent_ = false;   // a byte left us, in any try
  bool wants_fresh_ = false;
  bool was_replaced_ = false;
  bool was_renewed_ = false;
  base::Instant deadline_ = {};
  base::Timer clock_;
};

}  // namespace drover::kube::net
