#include "kube/net/exchange.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "kube/status.h"

namespace drover::kube::net {
namespace {

using base::Fault;
using base::Result;
using boost::system::error_code;

// A Status is at most a few KB; a page of a proxy is quoted with a line.
constexpr std::size_t kMostErrorBody = 64 * 1024;

std::string_view why(const error_code& error) {
  if (error == boost::asio::error::eof || error == boost::asio::ssl::error::stream_truncated)
    return "the server closed the connection";
  if (error == boost::asio::error::connection_reset || error == boost::asio::error::broken_pipe)
    return "the server reset the connection";
  return "the connection broke";
}

}  // namespace

Exchange::Exchange(std::shared_ptr<Station> station, Order order)
    : station_(std::move(station)), order_(std::move(order)) {}

void Exchange::start() {
  station_->loop.post([self = shared_from_this()] {
    if (self->order_.done) self->ask_for_credential();
  });
}

void Exchange::abandon() {
  order_.done = nullptr;
  clock_.cancel();
  asking_.reset();
  seat_.reset();
}

void Exchange::ask_for_credential() {
  station_->credentials.current([self = shared_from_this()](Result<Proof> proof) {
    if (!self->order_.done) return;
    if (!proof) return self->finish(base::with_context(proof.error(), self->order_.request.what));
    self->proof_ = std::move(*proof);
    self->ask_for_connection();
  });
}

void Exchange::ask_for_connection() {
  // We own the question, so its answer must not own us.
  asking_ = station_->pool->ask(order_.use, proof_, wants_fresh_,
                                [weak = weak_from_this()](Result<std::unique_ptr<Seat>> seat) {
                                  const auto self = weak.lock();
                                  if (!self || !self->order_.done) return;
                                  if (!seat)
                                    return self->finish(base::with_context(seat.error(), self->order_.request.what));
                                  self->seat_ = std::move(*seat);
                                  self->send();
                                });
}

void Exchange::send() {
  const auto asked = std::exchange(asking_, nullptr);
  ++station_->requests;
  reader_.emplace(station_->limits.most_header_bytes);
  error_body_.clear();
  read_ = 0;
  text_ = wire_text(station_->target, order_.request, proof_.authorization);
  deadline_ = station_->loop.now() + station_->limits.answer_within;
  watch_the_time();
  seat_->connection()->wire->write_all(text_, [self = shared_from_this()](const error_code& error, std::size_t bytes) {
    if (self->order_.done && self->seat_) self->written(error, bytes);
  });
}

void Exchange::written(const error_code& error, std::size_t bytes) {
  was_sent_ = was_sent_ || bytes > 0;
  // After an error the server may still have said why (a refusal before it read everything): reading tells.
  if (error && bytes == 0) return connection_broke(why(error));
  read();
}

void Exchange::read() {
  const std::shared_ptr<Connection> connection = seat_->connection();
  connection->make_room(read_);
  connection->wire->read_some(boost::asio::buffer(connection->buffer),
                              [self = shared_from_this(), connection](const error_code& error, std::size_t bytes) {
                                if (!self->order_.done || !self->seat_) return;
                                if (error) return self->connection_broke(why(error));
                                self->read_ = bytes;
                                self->station_->bytes_read += bytes;
                                self->deadline_ = self->station_->loop.now() + self->station_->limits.answer_within;
                                self->heard({connection->buffer.data(), bytes});
                              });
}

void Exchange::heard(std::string_view bytes) {
  const auto taken = reader_->feed(bytes, [this](std::string_view piece) { return take_body(piece); });
  if (!order_.done) return;  // the sink gave up
  if (!taken) {
    Fault fault = taken.error();
    fault.message = order_.request.what + ": " + fault.message;
    return finish(std::unexpected(std::move(fault)));
  }
  if (order_.may_fall_silent && reader_->has_head() && reader_->head().code / 100 == 2) clock_.cancel();
  if (reader_->is_complete()) return answered(*taken == bytes.size());
  if (error_body_.size() >= kMostErrorBody) return answered(false);
  read();
}

Result<void> Exchange::take_body(std::string_view piece) {
  const ResponseHead& head = reader_->head();
  if (head.code / 100 != 2) {
    error_body_.append(piece.substr(0, kMostErrorBody - std::min(kMostErrorBody, error_body_.size())));
    return {};
  }
  if (!head.content_encoding.empty() && base::lower(head.content_encoding) != "identity") {
    return base::fault(Fault::Kind::Malformed,
                       fmt::format("the answer is compressed ({}), which was not requested; is there a proxy?",
                                   base::one_line(head.content_encoding, 40)));
  }
  if (!order_.done) return {};  // cancelled in the middle of a piece
  return order_.body(piece);
}

void Exchange::connection_broke(std::string_view why) {
  if (reader_->end_of_stream()) return answered(false);
  const bool was_old = seat_->connection()->is_used;
  const bool cannot_have_acted = !was_sent_ || !order_.request.writes;
  if (was_old && !reader_->has_begun() && cannot_have_acted && !std::exchange(was_replaced_, true))
    return try_again(true);
  finish(std::unexpected(lost(why)));
}

void Exchange::answered(bool nothing_is_left) {
  const ResponseHead& head = reader_->head();
  if (nothing_is_left && head.keep_alive) seat_->keep();
  if (head.code / 100 == 2) return finish({});
  if (head.code == 401 && !std::exchange(was_renewed_, true) && station_->credentials.refused(proof_))
    return try_again(false);
  finish(std::unexpected(fault_of_answer()));
}

Fault Exchange::fault_of_answer() const {
  const ResponseHead& head = reader_->head();
  if (head.code / 100 == 3) {
    return {Fault::Kind::Refused,
            fmt::format("{}: the server sends us elsewhere ({}, to \"{}\"); if that is right, put the new "
                        "address into {}",
                        order_.request.what, head.code, base::one_line(log::redact(head.location), 120),
                        station_->target.source)};
  }
  auto status = json::parse(error_body_);
  if (!status || !status->is_object()) status = json::Value(error_body_);
  return fault_from(head.code, *status, retry_after_seconds(head), order_.request.what);
}

Fault Exchange::lost(std::string_view why) const {
  const std::string where = authority(station_->target.host, station_->target.port);
  if (!was_sent_) {
    return {Fault::Kind::Unreachable,
            fmt::format("{}: {} at {} before anything was sent", order_.request.what, why, where)};
  }
  const std::string_view when = reader_->has_begun() ? "in the middle of its answer" : "without an answer";
  if (!order_.request.writes) {
    return {Fault::Kind::Unreachable, fmt::format("{}: {} at {} {}", order_.request.what, why, where, when)};
  }
  return {Fault::Kind::Unknown, fmt::format("{}: {} at {} {}: it may have happened; look before trying again",
                                            order_.request.what, why, where, when)};
}

void Exchange::try_again(bool fresh) {
  wants_fresh_ = fresh;
  was_sent_ = false;  // nothing that came of the first try
  clock_.cancel();
  seat_.reset();
  ask_for_credential();
}

void Exchange::watch_the_time() {
  clock_ = station_->loop.after(deadline_ - station_->loop.now(), [weak = weak_from_this()] {
    if (const auto self = weak.lock(); self && self->order_.done) self->time_passed();
  });
}

void Exchange::time_passed() {
  // Each piece of the answer moves the deadline; only the clock's alarm asks for it again.
  if (station_->loop.now() < deadline_) return watch_the_time();
  finish(std::unexpected(
      lost(fmt::format("the server said nothing for {}", base::human(station_->limits.answer_within)))));
}

void Exchange::finish(Result<void> result) {
  const auto done = std::exchange(order_.done, nullptr);
  clock_.cancel();
  asking_.reset();
  seat_.reset();
  if (done) done(std::move(result));
}

}  // namespace drover::kube::net
