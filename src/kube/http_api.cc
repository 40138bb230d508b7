// What a call, a list and a watch are, on top of net/exchange.h: which parser reads the answer and who is told.
//
// Each of them is an Errand, owned by the Api's book of errands until it ends, so that closing the Api ends them all.
// The Call that the caller holds knows its errand only weakly.
#include "kube/http_api.h"

#include <map>
#include <optional>
#include <utility>

#include "kube/net/exchange.h"
#include "kube/stream.h"

namespace drover::kube {
namespace {

using net::Exchange;
using net::Outgoing;
using net::Station;
using net::Use;

class Errand;

// Errands under way, by number.
struct Book {
  std::map<std::uint64_t, std::shared_ptr<Errand>> errands;
  std::uint64_t next = 0;
};

class Errand : public std::enable_shared_from_this<Errand> {
 public:
  Errand(std::shared_ptr<Station> station, std::weak_ptr<Book> book, std::uint64_t number)
      : station_(std::move(station)), book_(std::move(book)), number_(number) {}
  virtual ~Errand() = default;
  Errand(const Errand&) = delete;
  Errand& operator=(const Errand&) = delete;

  // The answer is not wanted any more.
  virtual void cancel() { abandon(); }
  // Ends it here and now, silently.
  void abandon() {
    const auto self = shared_from_this();
    cross_out();
    if (exchange_) exchange_->abandon();
  }

 protected:
  virtual Result<void> take(std::string_view piece) = 0;
  virtual void answered(const Result<void>& end) = 0;

  void send(Outgoing request, Use use, bool may_fall_silent = false) {
    what_ = request.what;
    const auto weak = weak_from_this();
    Exchange::Order order{
        .request = std::move(request), .use = use, .may_fall_silent = may_fall_silent, .body = {}, .done = {}};
    order.body = [weak](std::string_view piece) {
      const auto self = weak.lock();
      return self ? self->take(piece) : Result<void>();
    };
    order.done = [weak](const Result<void>& end) {
      const auto self = weak.lock();
      if (self && !self->is_over_) self->answered(end);
    };
    exchange_ = std::make_shared<Exchange>(station_, std::move(order));
    exchange_->start();
  }
  // It is over; it lives on only while it runs.
  void cross_out() {
    is_over_ = true;
    if (const auto book = book_.lock()) book->errands.erase(number_);
  }

  std::shared_ptr<Station> station_;
  std::shared_ptr<Exchange> exchange_;
  std::string what_;
  bool is_over_ = false;

 private:
  std::weak_ptr<Book> book_;
  std::uint64_t number_;
};

// One object.
class CallErrand final : public Errand {
 public:
  CallErrand(std::shared_ptr<Station> station, std::weak_ptr<Book> book, std::uint64_t number, const Request& request,
             Api::Answer answer)
      : Errand(std::move(station), std::move(book), number),
        answer_(std::move(answer)),
        is_text_(request.subresource == "log"),
        lane_(request.lane),
        parser_(request.projection, station_->limits.most_object_bytes) {}

  void begin(Outgoing request) { send(std::move(request), lane_ == Lane::Lease ? Use::Lease : Use::Ordinary); }

  // The answer of a request that is out is read to its end, so that its connection can be used again. The lease is in a
  // hurry.
  void cancel() override {
    answer_ = nullptr;
    if (lane_ == Lane::Lease || !exchange_->was_sent()) abandon();
  }

 private:
  Result<void> take(std::string_view piece) override {
    if (!is_text_) return parser_.feed(piece);
    if (text_.size() + piece.size() > station_->limits.most_object_bytes) {
      return base::fault(Fault::Kind::Malformed, "the text is larger than an object may be");
    }
    text_.append(piece);
    return {};
  }
  void answered(const Result<void>& end) override {
    cross_out();
    const auto answer = std::exchange(answer_, nullptr);
    if (!answer) return;
    if (!end) return answer(std::unexpected(end.error()));
    if (is_text_) return answer(Object(text_));
    auto object = parser_.finish();
    if (!object) return answer(base::with_context(object.error(), what_));
    answer(std::move(object));
  }

  Api::Answer answer_;
  bool is_text_;  // logs are no JSON: the Object is then a string
  Lane lane_;
  ObjectParser parser_;
  std::string text_;
};

// All pages of a list, one after the other.
class ListErrand final : public Errand {
 public:
  ListErrand(std::shared_ptr<Station> station, std::weak_ptr<Book> book, std::uint64_t number, ListRequest request,
             ListSink sink)
      : Errand(std::move(station), std::move(book), number), request_(std::move(request)), sink_(std::move(sink)) {}

  void begin(Outgoing page) {
    const auto item = [this](Object object) {
      if (!is_over_) sink_.item(std::move(object));
    };
    parser_.emplace(request_.projection, item, station_->limits.most_object_bytes);
    send(std::move(page), Use::Ordinary);
  }

 private:
  Result<void> take(std::string_view piece) override { return parser_->feed(piece); }
  void answered(const Result<void>& end) override {
    if (!end) return finish(std::unexpected(end.error()));
    auto meta = parser_->finish();
    if (!meta) return finish(base::with_context(meta.error(), what_));
    if (meta->continue_token.empty()) return finish(ListEnd{meta->resource_version});
    if (meta->continue_token == token_) {
      return finish(base::fault(Fault::Kind::Malformed, what_ + ": the server gives the same page again and again"));
    }
    token_ = std::move(meta->continue_token);
    auto page = net::outgoing(station_->target, request_, token_);
    if (!page) return finish(std::unexpected(page.error()));
    begin(std::move(*page));
  }
  void finish(Result<ListEnd> result) {
    cross_out();
    sink_.done(std::move(result));
  }

  ListRequest request_;
  ListSink sink_;
  std::string token_;
  std::optional<ListParser> parser_;
};

class WatchErrand final : public Errand {
 public:
  WatchErrand(std::shared_ptr<Station> station, std::weak_ptr<Book> book, std::uint64_t number,
              const WatchRequest& request, WatchSink sink)
      : Errand(std::move(station), std::move(book), number),
        sink_(std::move(sink)),
        parser_(
            request.projection,
            [this](WatchEvent event) {
              if (!is_over_) sink_.event(std::move(event));
            },
            station_->limits.most_object_bytes) {}

  void begin(Outgoing request) { send(std::move(request), Use::Own, true); }

 private:
  Result<void> take(std::string_view piece) override { return parser_.feed(piece); }
  void answered(const Result<void>& end) override {
    cross_out();
    if (!end) return sink_.ended(end.error());
    if (parser_.is_between_events()) return sink_.ended({});
    sink_.ended(Fault{Fault::Kind::Malformed, what_ + ": the watch ended in the middle of an event"});
  }

  WatchSink sink_;
  WatchParser parser_;
};

class ErrandTicket final : public Call::Ticket {
 public:
  explicit ErrandTicket(std::weak_ptr<Errand> errand) : errand_(std::move(errand)) {}
  void cancel() override {
    if (const auto errand = errand_.lock()) errand->cancel();
  }

 private:
  std::weak_ptr<Errand> errand_;
};

// What is refused before it begins is still answered later.
class RefusalTicket final : public Call::Ticket {
 public:
  explicit RefusalTicket(base::Timer timer) : timer_(std::move(timer)) {}
  ~RefusalTicket() override { timer_.let_go(); }
  void cancel() override { timer_.cancel(); }

 private:
  base::Timer timer_;
};

net::Destination destination_of(const Target& target) {
  return {.host = target.host,
          .port = target.port,
          .tls = target.tls,
          .verify = target.verify,
          .server_name = target.tls_server_name.empty() ? target.host : target.tls_server_name,
          .proxy = {},
          .proxy_tls = {}};
}

}  // namespace

struct HttpApi::Body {
  std::shared_ptr<Station> station;
  std::shared_ptr<Book> book = std::make_shared<Book>();

  template <class Kind, class... Args>
  Call open(Outgoing request, Args&&... args) {
    const std::uint64_t number = book->next++;
    auto errand = std::make_shared<Kind>(station, book, number, std::forward<Args>(args)...);
    book->errands[number] = errand;
    errand->begin(std::move(request));
    return Call(std::make_shared<ErrandTicket>(errand));
  }
  Call refuse(std::function<void()> answer) {
    return Call(std::make_shared<RefusalTicket>(station->loop.after(base::Span::zero(), std::move(answer))));
  }
};

HttpApi::HttpApi(std::shared_ptr<Body> body) : body_(std::move(body)) {}

HttpApi::~HttpApi() {
  for (const auto& [number, errand] : std::exchange(body_->book->errands, {})) errand->abandon();
}

base::Result<std::unique_ptr<HttpApi>> HttpApi::open(AsioLoop& loop, Target target, HttpLimits limits) {
  net::Destination to = destination_of(target);
  if (!target.proxy_url.empty()) {
    auto proxy = net::parse_proxy(target.proxy_url);
    if (!proxy) return base::with_context(proxy.error(), target.source + ": proxy-url");
    to.proxy = std::move(*proxy);
    if (to.proxy->kind == net::Proxy::Kind::Https) {
      // A company's proxy is vouched for by the company's authority, or by a public one.
      TRY(to.proxy_tls,
          net::make_tls({.ca_pem = target.ca_pem, .trust_system_too = true, .certificate_pem = {}, .key_pem = {}},
                        target.source));
    }
  }
  const net::TlsTerms terms{.ca_pem = target.ca_pem, .verify = target.verify, .certificate_pem = {}, .key_pem = {}};
  auto pool = std::make_shared<net::Pool>(loop, std::move(to), terms, target.source, limits);
  net::Proof proof;
  if (const auto* pair = std::get_if<ClientCertificate>(&target.credential)) {
    proof.certificate_pem = pair->certificate_pem;
    proof.key_pem = pair->key_pem;
  }
  TRY_VOID(pool->prepare(proof));
  auto body = std::make_shared<Body>();
  body->station = std::make_shared<Station>(loop, std::move(target), limits, std::move(pool));
  return std::unique_ptr<HttpApi>(new HttpApi(std::move(body)));
}

Call HttpApi::call(Request request, Answer answer) {
  auto outgoing = net::outgoing(body_->station->target, request);
  if (outgoing) return body_->open<CallErrand>(std::move(*outgoing), request, std::move(answer));
  return body_->refuse([answer = std::move(answer), fault = outgoing.error()] { answer(std::unexpected(fault)); });
}

Call HttpApi::list(ListRequest request, ListSink sink) {
  auto outgoing = net::outgoing(body_->station->target, request, {});
  if (outgoing) return body_->open<ListErrand>(std::move(*outgoing), std::move(request), std::move(sink));
  return body_->refuse([done = std::move(sink.done), fault = outgoing.error()] { done(std::unexpected(fault)); });
}

Call HttpApi::watch(WatchRequest request, WatchSink sink) {
  auto outgoing = net::outgoing(body_->station->target, request);
  if (outgoing) return body_->open<WatchErrand>(std::move(*outgoing), request, std::move(sink));
  return body_->refuse([ended = std::move(sink.ended), fault = outgoing.error()] { ended(fault); });
}

HttpApi::Counters HttpApi::counters() const {
  const Station& station = *body_->station;
  return {
      .requests = station.requests, .connections = station.pool->connections_made(), .bytes_read = station.bytes_read};
}

}  // namespace drover::kube
