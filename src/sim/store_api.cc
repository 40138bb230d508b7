#include "sim/store_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "base/text.h"
#include "kube/status.h"

namespace drover::sim {
namespace {

// Cancelling a Call stops its answer; a request that was sent cannot be stopped.
struct Ticket final : kube::Call::Ticket {
  bool is_wanted = true;
  std::function<void()> on_cancel;

  void cancel() override {
    is_wanted = false;
    if (auto then = std::exchange(on_cancel, nullptr)) then();
  }
};

// A copy that shares nothing with the store.
kube::Object delivered(const kube::Object& stored, const kube::Projection& projection) {
  if (projection.keeps_everything()) return kube::Object(stored, boost::json::storage_ptr());
  return projection.applied_to(stored);
}

}  // namespace

struct StoreApi::Body : std::enable_shared_from_this<StoreApi::Body> {
  Server& server;
  base::Loop& loop;
  base::Random random;
  base::Random definitions_random;
  DoorTiming timing;

  Body(Server& server, base::Loop& loop, base::Random random, DoorTiming timing)
      : server(server),
        loop(loop),
        random(std::move(random)),
        definitions_random(this->random.fork("definitions")),
        timing(timing) {}

  // Reading definitions has a stream of its own: whether a client looks at them changes nothing else of a seed.
  base::Random& random_of_reads(const kube::Resource& resource) {
    return resource == kube::kCustomResourceDefinitions ? definitions_random : random;
  }
  // How long half a round trip takes.
  base::Span way(base::Random& its_random) const {
    return timing.latency > base::Span::zero() ? its_random.jitter(timing.latency / 2, 0.5) : base::Span::zero();
  }

  // Calls `then` after half a round trip, unless the StoreApi is gone by then.
  void travel(base::Random& its_random, std::function<void()> then) {
    loop.after(way(its_random),
               [weak = weak_from_this(), then = std::move(then)] {
                 if (const auto alive = weak.lock()) then();
               })
        .let_go();
  }

  struct Listing;
  struct Watching;
  std::vector<std::shared_ptr<Watching>> watches;  // open watches; those whose Call was let go still get events
  ~Body();
  void stop(Watching& watching);
  void ask_for_page(const std::shared_ptr<Listing>& listing);
  void begin(const std::shared_ptr<Watching>& watching);
  using Deliver = std::function<void(Watching&)>;
  void send(const std::shared_ptr<Watching>& watching, Deliver deliver);
  void bookmark_later(const std::shared_ptr<Watching>& watching);
  void end(const std::shared_ptr<Watching>& watching, std::optional<kube::Fault> fault);
};

StoreApi::StoreApi(Server& server, base::Loop& loop, base::Random random, DoorTiming timing)
    : body_(std::make_shared<Body>(server, loop, std::move(random), timing)) {}

StoreApi::~StoreApi() = default;

base::Fault fault_of(const Rejection& rejection, const kube::Request& request) {
  std::string retry_after;
  if (rejection.retry_after) {
    retry_after = std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*rejection.retry_after).count());
  }
  return kube::fault_from(rejection.code, rejection.status(), retry_after, kube::sentence(request));
}

namespace {

base::Fault fault_of_range(const Rejection& rejection, const kube::Range& range, std::string_view verb) {
  std::string retry_after;
  if (rejection.retry_after) {
    retry_after = std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*rejection.retry_after).count());
  }
  return kube::fault_from(rejection.code, rejection.status(), retry_after,
                          fmt::format("{} {}", verb, range.resource.qualified()));
}

}  // namespace

// Single requests.

kube::Call StoreApi::call(kube::Request request, Answer answer) {
  auto ticket = std::make_shared<Ticket>();
  Body* body = body_.get();
  base::Random& random = request.verb == kube::Verb::Get ? body->random_of_reads(request.resource) : body->random;
  body->travel(random, [body, &random, ticket, request = std::move(request), answer = std::move(answer)]() mutable {
    auto served = body->server.serve(request);
    kube::Result<kube::Object> result = served ? kube::Result<kube::Object>(delivered(**served, request.projection))
                                               : std::unexpected(fault_of(served.error(), request));
    body->travel(random, [ticket, answer = std::move(answer), result = std::move(result)]() mutable {
      if (ticket->is_wanted) answer(std::move(result));
    });
  });
  return kube::Call(ticket);
}

// Lists.

struct StoreApi::Body::Listing {
  std::shared_ptr<Ticket> ticket = std::make_shared<Ticket>();
  kube::ListRequest request;
  kube::ListSink sink;
  std::string continue_token;
};

void StoreApi::Body::ask_for_page(const std::shared_ptr<Listing>& listing) {
  travel(random_of_reads(listing->request.range.resource), [this, listing] {
    const kube::ListRequest& request = listing->request;
    const std::string version = listing->continue_token.empty() ? request.resource_version : std::string();
    auto page = server.list(request.range, request.page, listing->continue_token, version);
    travel(random_of_reads(request.range.resource), [this, listing, page = std::move(page)]() mutable {
      if (!listing->ticket->is_wanted) return;
      if (!page) {
        listing->sink.done(std::unexpected(fault_of_range(page.error(), listing->request.range, "list")));
        return;
      }
      for (const Kept& item : page->items) {
        listing->sink.item(delivered(*item.open(), listing->request.projection));
        if (!listing->ticket->is_wanted) return;
      }
      if (page->continue_token.empty()) {
        listing->sink.done(kube::ListEnd{page->resource_version});
      } else {
        listing->continue_token = page->continue_token;
        ask_for_page(listing);
      }
    });
  });
}

kube::Call StoreApi::list(kube::ListRequest request, kube::ListSink sink) {
  auto listing = std::make_shared<Body::Listing>();
  listing->request = std::move(request);
  listing->sink = std::move(sink);
  body_->ask_for_page(listing);
  return kube::Call(listing->ticket);
}

// Watches.

struct StoreApi::Body::Watching {
  std::shared_ptr<Ticket> ticket = std::make_shared<Ticket>();
  kube::WatchRequest request;
  kube::WatchSink sink;
  std::optional<int> id;            // the server's, while it runs
  base::Instant last_sent_at = {};  // nothing overtakes
  std::deque<Deliver> outbox = {};  // they do not hold what holds them
  base::Timer bookmark;
  base::Timer timeout;
};

// Events leave in order: each arrives after its own way, but not before the one ahead of it.
void StoreApi::Body::send(const std::shared_ptr<Watching>& watching, Deliver deliver) {
  const base::Span takes = way(random_of_reads(watching->request.range.resource));
  watching->last_sent_at = std::max(watching->last_sent_at, loop.now() + takes);
  // Real clocks move between two readings, so the timers of two events may end in the other order: whichever ends
  // first takes the event that waits longest.
  watching->outbox.push_back(std::move(deliver));
  loop.after(watching->last_sent_at - loop.now(),
             [weak = weak_from_this(), watching] {
               const auto next = std::move(watching->outbox.front());
               watching->outbox.pop_front();
               const auto alive = weak.lock();
               if (alive && watching->ticket->is_wanted) next(*watching);
             })
      .let_go();
}

// The server tells it nothing more.
void StoreApi::Body::stop(Watching& watching) {
  if (const auto id = std::exchange(watching.id, std::nullopt)) server.unwatch(*id);
  watching.bookmark.cancel();
  watching.timeout.cancel();
  std::erase_if(watches, [&watching](const auto& one) { return one.get() == &watching; });
}

StoreApi::Body::~Body() {
  for (const auto& watching : watches) {
    if (watching->id) server.unwatch(*watching->id);
  }
}

void StoreApi::Body::end(const std::shared_ptr<Watching>& watching, std::optional<kube::Fault> fault) {
  stop(*watching);
  send(watching, [fault = std::move(fault)](Watching& ended) {
    ended.ticket->is_wanted = false;
    ended.ticket->on_cancel = nullptr;
    ended.sink.ended(fault);
  });
}

void StoreApi::Body::bookmark_later(const std::shared_ptr<Watching>& watching) {
  if (timing.bookmark_every <= base::Span::zero()) return;
  watching->bookmark =
      loop.after(timing.bookmark_every, [weak = weak_from_this(), weak_watching = std::weak_ptr(watching)] {
        const auto body = weak.lock();
        const auto watching = weak_watching.lock();
        if (!body || !watching || !watching->id) return;
        const kube::Resource& resource = watching->request.range.resource;
        kube::Object mark = {
            {"kind", resource.kind},
            {"apiVersion", resource.api_version()},
            {"metadata", json::Members{{"resourceVersion", std::to_string(body->server.store().version())}}}};
        body->send(watching, [mark = std::move(mark)](Watching& heard) {
          heard.sink.event({kube::WatchEvent::Kind::Bookmark, mark});
        });
        body->bookmark_later(watching);
      });
}

void StoreApi::Body::begin(const std::shared_ptr<Watching>& watching) {
  const kube::WatchRequest& request = watching->request;
  std::optional<std::int64_t> since = 0;
  if (!request.resource_version.empty()) since = base::parse_int(request.resource_version);
  if (!since || *since < 0) {
    end(watching,
        kube::Fault{kube::Fault::Kind::Refused,
                    fmt::format("watch {}: invalid resourceVersion \"{}\"; begin with a list",
                                request.range.resource.qualified(), base::one_line(request.resource_version, 40))});
    return;
  }
  auto id = server.watch(
      request.range, static_cast<std::uint64_t>(*since),
      [this, weak_watching = std::weak_ptr(watching)](kube::WatchEvent::Kind kind, const Kept& object) {
        const auto watching = weak_watching.lock();
        if (!watching || !watching->ticket->is_wanted) return;
        send(watching, [kind, object](Watching& heard) {
          heard.sink.event({kind, delivered(*object.open(), heard.request.projection)});
        });
      },
      [this, weak_watching = std::weak_ptr(watching)] {
        if (const auto watching = weak_watching.lock()) end(watching, std::nullopt);
      });
  if (!id) {
    end(watching, fault_of_range(id.error(), request.range, "watch"));
    return;
  }
  watching->id = *id;
  watches.push_back(watching);
  bookmark_later(watching);
  watching->timeout = loop.after(request.timeout, [weak = weak_from_this(), weak_watching = std::weak_ptr(watching)] {
    const auto body = weak.lock();
    const auto watching = weak_watching.lock();
    if (body && watching) body->end(watching, std::nullopt);
  });
}

kube::Call StoreApi::watch(kube::WatchRequest request, kube::WatchSink sink) {
  auto watching = std::make_shared<Body::Watching>();
  watching->request = std::move(request);
  watching->sink = std::move(sink);
  Body* body = body_.get();
  watching->ticket->on_cancel = [weak = std::weak_ptr(body_), weak_watching = std::weak_ptr(watching)] {
    const auto alive = weak.lock();
    const auto watching = weak_watching.lock();
    if (alive && watching) alive->stop(*watching);
  };
  body->travel(body->random_of_reads(watching->request.range.resource), [body, watching] {
    if (watching->ticket->is_wanted) body->begin(watching);
  });
  return kube::Call(watching->ticket);
}

}  // namespace drover::sim
