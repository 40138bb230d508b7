// Faults between a client and the API server.
#include "sim/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kube/status.h"

namespace drover::sim {
namespace {

using kube::Fault;

bool is_write(std::string_view verb) { return verb != "get" && verb != "list" && verb != "watch"; }

std::string_view verb_of(const kube::Request& request) {
  switch (request.verb) {
    case kube::Verb::Get: return "get";
    case kube::Verb::Create: return request.subresource == "eviction" ? "evict" : "create";
    case kube::Verb::Replace: return "replace";
    case kube::Verb::Patch: return "patch";
    case kube::Verb::Delete: return "delete";
  }
  return "get";
}

// What a rule is asked about.
struct Occurrence {
  std::string_view verb;
  std::string resource;
  std::string_view ns;
  std::string_view name;
};
using What = std::function<std::string()>;  // made only when it is reported

Fault made(int code, std::string_view reason, std::string_view message, const std::string& what,
           std::optional<base::Span> wait = {}) {
  std::string after;
  if (wait) after = std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*wait).count());
  return kube::fault_from(code, kube::make_status(code, reason, message), after, what);
}

Fault lost(const std::string& what) {
  return {Fault::Kind::Unknown,
          what + ": the answer was lost on the way, so it may have happened; look before trying again"};
}

Fault unreachable(const std::string& what) {
  return {Fault::Kind::Unreachable, what + ": nothing was sent, the connection failed; try again"};
}

// Holds the call behind the one that the client holds.
struct FaultyTicket final : kube::Call::Ticket {
  bool is_wanted = true;
  kube::Call inner;
  base::Timer timer;

  void cancel() override {
    is_wanted = false;
    timer.cancel();
    // Moved out first: cancelling may end in the destruction of what holds us.
    kube::Call gone = std::move(inner);
    gone.cancel();
  }
};

}  // namespace

struct FaultyApi::Body : std::enable_shared_from_this<FaultyApi::Body> {
  struct ActiveRule {
    int id;
    FaultRule rule;
    int seen = 0;
  };

  kube::Api& inner;
  base::Loop& loop;
  base::Random random;
  Server* server;
  std::vector<ActiveRule> rules;
  int next_id = 1;
  std::map<FaultKind, std::uint64_t> counts;
  std::uint64_t writes = 0;
  std::function<void(FaultKind, const std::string&)> told;

  Body(kube::Api& inner, base::Loop& loop, base::Random random, Server* server)
      : inner(inner), loop(loop), random(std::move(random)), server(server) {}

  static bool fits(const FaultRule& rule, const Occurrence& it) {
    const bool verb = rule.verb.empty() || rule.verb == it.verb || (rule.verb == "write" && is_write(it.verb));
    return verb && (rule.resource.empty() || rule.resource == it.resource) && (rule.ns.empty() || rule.ns == it.ns) &&
           (rule.name.empty() || rule.name == it.name);
  }

  // The rule that applies here, among those whose fault is possible.
  std::optional<FaultRule> stroke(const Occurrence& it, std::initializer_list<FaultKind> possible, const What& what) {
    std::optional<FaultRule> struck;
    for (ActiveRule& active : rules) {
      const FaultRule& rule = active.rule;
      if (std::find(possible.begin(), possible.end(), rule.fault) == possible.end() || !fits(rule, it)) continue;
      ++active.seen;  // counted also when another rule was first, so that "the third" does not depend on the others
      if (struck) continue;
      const bool now = rule.nth > 0 ? active.seen == rule.nth : random.chance(rule.probability);
      if (now) struck = rule;
    }
    if (!struck) return {};
    ++counts[struck->fault];
    if (told) told(struck->fault, what());
    return struck;
  }

  // Runs `then` later unless the ticket was given back or the FaultyApi is gone.
  void later(const std::shared_ptr<FaultyTicket>& ticket, base::Span span, std::function<void()> then) {
    ticket->timer = loop.after(span, [weak = weak_from_this(), ticket, then = std::move(then)] {
      const auto alive = weak.lock();
      if (alive && ticket->is_wanted) then();
    });
  }

  struct Watching;
  std::vector<std::shared_ptr<Watching>> watches;  // those whose Call was let go still get events
  void forget(const Watching* watching);
  void hear(const std::shared_ptr<Watching>& watching, kube::WatchEvent event);
  void deliver(const std::shared_ptr<Watching>& watching, base::Span delay, std::function<void()> then);
  void end(const std::shared_ptr<Watching>& watching, Fault fault);
};

FaultyApi::FaultyApi(kube::Api& inner, base::Loop& loop, base::Random random, Server* server)
    : body_(std::make_shared<Body>(inner, loop, std::move(random), server)) {}

FaultyApi::~FaultyApi() = default;

int FaultyApi::add(FaultRule rule) {
  body_->rules.push_back({.id = body_->next_id, .rule = std::move(rule)});
  return body_->next_id++;
}

void FaultyApi::remove(int id) {
  std::erase_if(body_->rules, [id](const Body::ActiveRule& active) { return active.id == id; });
}

void FaultyApi::clear() { body_->rules.clear(); }

void FaultyApi::on_stroke(std::function<void(FaultKind, const std::string&)> told) { body_->told = std::move(told); }

std::uint64_t FaultyApi::strokes(FaultKind kind) const {
  const auto at = body_->counts.find(kind);
  return at == body_->counts.end() ? 0 : at->second;
}

std::uint64_t FaultyApi::writes() const { return body_->writes; }

// Single requests.

kube::Call FaultyApi::call(kube::Request request, Answer answer) {
  Body& body = *body_;
  const Occurrence it{
      .verb = verb_of(request), .resource = request.resource.qualified(), .ns = request.ns, .name = request.name};
  const auto sentence = [&request] { return kube::sentence(request); };
  std::optional<FaultRule> struck;
  if (is_write(it.verb)) {
    ++body.writes;
    struck = body.stroke(it,
                         {FaultKind::LostAnswer, FaultKind::NeverSent, FaultKind::Conflict, FaultKind::Throttled,
                          FaultKind::ServerError, FaultKind::Slow},
                         sentence);
  } else {
    struck = body.stroke(
        it,
        {FaultKind::LostAnswer, FaultKind::NeverSent, FaultKind::Throttled, FaultKind::ServerError, FaultKind::Slow},
        sentence);
  }
  if (!struck) return body.inner.call(std::move(request), std::move(answer));

  auto ticket = std::make_shared<FaultyTicket>();
  const std::string what = sentence();
  const auto refuse = [&](Fault fault) {
    body.later(ticket, base::Span::zero(),
               [answer = std::move(answer), fault = std::move(fault)] { answer(std::unexpected(fault)); });
    return kube::Call(ticket);
  };
  switch (struck->fault) {
    case FaultKind::NeverSent: return refuse(unreachable(what));
    case FaultKind::Throttled:
      return refuse(made(429, "TooManyRequests", "Too many requests, please try again later.", what, struck->span));
    case FaultKind::ServerError:
      return refuse(made(500, "InternalError", "Internal error occurred: etcdserver: request timed out", what));
    case FaultKind::Conflict:
      return refuse(
          made(409, "Conflict",
               fmt::format("Operation cannot be fulfilled on {} \"{}\": the object has been modified; please apply "
                           "your changes to the latest version and try again",
                           it.resource, request.name),
               what));
    case FaultKind::Slow: {
      const base::Span span = struck->span;
      ticket->inner =
          body.inner.call(std::move(request), [weak = std::weak_ptr(body_), ticket, span,
                                               answer = std::move(answer)](kube::Result<kube::Object> result) mutable {
            const auto alive = weak.lock();
            if (!alive) return;
            alive->later(ticket, span, [answer = std::move(answer), result = std::move(result)] { answer(result); });
          });
      return kube::Call(ticket);
    }
    default: break;
  }
  // lost-answer: carried out, whatever it said.
  ticket->inner = body.inner.call(std::move(request),
                                  [ticket, what, answer = std::move(answer)](const kube::Result<kube::Object>&) {
                                    if (ticket->is_wanted) answer(std::unexpected(lost(what)));
                                  });
  return kube::Call(ticket);
}

// Lists.

kube::Call FaultyApi::list(kube::ListRequest request, kube::ListSink sink) {
  Body& body = *body_;
  const std::string what = fmt::format("list {}", request.range.resource.qualified());
  const Occurrence it{
      .verb = "list", .resource = request.range.resource.qualified(), .ns = request.range.ns, .name = {}};
  const auto struck = body.stroke(it,
                                  {FaultKind::LostAnswer, FaultKind::NeverSent, FaultKind::Throttled,
                                   FaultKind::ServerError, FaultKind::Slow, FaultKind::Gone410},
                                  [&what] { return what; });
  if (!struck) return body.inner.list(std::move(request), std::move(sink));

  auto ticket = std::make_shared<FaultyTicket>();
  const auto refuse = [&](Fault fault) {
    body.later(ticket, base::Span::zero(),
               [done = std::move(sink.done), fault = std::move(fault)] { done(std::unexpected(fault)); });
    return kube::Call(ticket);
  };
  switch (struck->fault) {
    case FaultKind::NeverSent: return refuse(unreachable(what));
    case FaultKind::Throttled:
      return refuse(made(429, "TooManyRequests", "Too many requests, please try again later.", what, struck->span));
    case FaultKind::ServerError:
      return refuse(made(500, "InternalError", "Internal error occurred: etcdserver: request timed out", what));
    case FaultKind::Gone410:
      return refuse(made(410, "Expired",
                         "The provided continue parameter is too old to display a consistent list result.", what));
    case FaultKind::Slow:
      body.later(ticket, struck->span,
                 [this_body = &body, ticket, request = std::move(request), sink = std::move(sink)] {
                   ticket->inner = this_body->inner.list(request, sink);
                 });
      return kube::Call(ticket);
    default: break;
  }
  // lost-answer: what has come has come, the end does not.
  kube::ListSink cut;
  cut.item = sink.item;
  cut.done = [what, done = sink.done](const kube::Result<kube::ListEnd>&) { done(std::unexpected(lost(what))); };
  ticket->inner = body.inner.list(std::move(request), std::move(cut));
  return kube::Call(ticket);
}

// Watches.

struct FaultyApi::Body::Watching final : kube::Call::Ticket {
  std::weak_ptr<Body> body;
  bool is_wanted = true;
  kube::Call inner;
  kube::WatchRequest request;
  kube::WatchSink sink;
  bool silent = false;
  base::Instant last_at = {};  // events keep their order, late or not

  void cancel() override {
    is_wanted = false;
    kube::Call gone = std::move(inner);
    gone.cancel();
    if (const auto alive = body.lock()) alive->forget(this);
  }
};

void FaultyApi::Body::forget(const Watching* watching) {
  std::erase_if(watches, [watching](const auto& one) { return one.get() == watching; });
}

void FaultyApi::Body::deliver(const std::shared_ptr<Watching>& watching, base::Span delay, std::function<void()> then) {
  watching->last_at = std::max(watching->last_at, loop.now() + delay);
  if (watching->last_at <= loop.now()) {
    then();
    return;
  }
  loop.after(watching->last_at - loop.now(),
             [weak = weak_from_this(), watching, then = std::move(then)] {
               const auto alive = weak.lock();
               if (alive && watching->is_wanted && !watching->silent) then();
             })
      .let_go();
}

void FaultyApi::Body::end(const std::shared_ptr<Watching>& watching, Fault fault) {
  kube::Call gone = std::move(watching->inner);
  gone.cancel();
  deliver(watching, base::Span::zero(), [this, watching, fault = std::move(fault)] {
    if (!std::exchange(watching->is_wanted, false)) return;
    forget(watching.get());
    watching->sink.ended(fault);
  });
}

void FaultyApi::Body::hear(const std::shared_ptr<Watching>& watching, kube::WatchEvent event) {
  if (watching->silent || !watching->is_wanted) return;
  const Occurrence it{.verb = "watch",
                      .resource = watching->request.range.resource.qualified(),
                      .ns = watching->request.range.ns,
                      .name = kube::name_of(event.object)};
  const auto what = [&it] { return fmt::format("watch {}", it.resource); };
  const bool bookmark = event.kind == kube::WatchEvent::Kind::Bookmark;
  std::optional<FaultRule> struck;
  if (!bookmark) {
    struck = stroke(it,
                    {FaultKind::StaleWatch, FaultKind::WatchStall, FaultKind::WatchCut, FaultKind::Gone410,
                     FaultKind::DuplicateEvent},
                    what);
  }
  if (struck && struck->fault == FaultKind::WatchStall) {
    watching->silent = true;
    return;
  }
  if (struck && struck->fault == FaultKind::WatchCut) {
    end(watching, {Fault::Kind::Unreachable, what() + ": the connection broke; go on from the last version seen"});
    return;
  }
  if (struck && struck->fault == FaultKind::Gone410) {
    if (server != nullptr) server->store().compact(server->store().version());
    end(watching, made(410, "Expired", "too old resource version", what()));
    return;
  }
  const base::Span delay = struck && struck->fault == FaultKind::StaleWatch ? struck->span : base::Span::zero();
  const bool twice = struck && struck->fault == FaultKind::DuplicateEvent;
  deliver(watching, delay, [watching, event = std::move(event), twice]() mutable {
    if (twice) watching->sink.event(event);
    if (watching->is_wanted) watching->sink.event(std::move(event));
  });
}

kube::Call FaultyApi::watch(kube::WatchRequest request, kube::WatchSink sink) {
  Body& body = *body_;
  auto watching = std::make_shared<Body::Watching>();
  watching->body = body_;
  watching->request = request;
  watching->sink = std::move(sink);
  const std::string what = fmt::format("watch {}", request.range.resource.qualified());
  const Occurrence it{
      .verb = "watch", .resource = request.range.resource.qualified(), .ns = request.range.ns, .name = {}};
  if (const auto struck = body.stroke(it, {FaultKind::NeverSent, FaultKind::Throttled, FaultKind::ServerError},
                                      [&what] { return what; })) {
    Fault fault = unreachable(what);
    if (struck->fault == FaultKind::Throttled) {
      fault = made(429, "TooManyRequests", "Too many requests, please try again later.", what, struck->span);
    } else if (struck->fault == FaultKind::ServerError) {
      fault = made(500, "InternalError", "Internal error occurred: etcdserver: request timed out", what);
    }
    body.loop.post([watching, fault = std::move(fault)] {
      if (std::exchange(watching->is_wanted, false)) watching->sink.ended(fault);
    });
    return kube::Call(watching);
  }

  // The ticket holds the inner call, whose callbacks must not hold the ticket: they would keep each other alive for
  // ever.
  kube::WatchSink heard;
  heard.event = [weak = std::weak_ptr(body_), weak_watching = std::weak_ptr(watching)](kube::WatchEvent event) {
    const auto alive = weak.lock();
    const auto watching = weak_watching.lock();
    if (alive && watching) alive->hear(watching, std::move(event));
  };
  heard.ended = [weak = std::weak_ptr(body_), weak_watching = std::weak_ptr(watching)](std::optional<Fault> fault) {
    const auto alive = weak.lock();
    const auto watching = weak_watching.lock();
    if (!alive || !watching || watching->silent) return;
    alive->deliver(watching, base::Span::zero(), [body = alive.get(), watching, fault = std::move(fault)] {
      if (!std::exchange(watching->is_wanted, false)) return;
      body->forget(watching.get());
      watching->sink.ended(fault);
    });
  };
  body.watches.push_back(watching);
  watching->inner = body.inner.watch(std::move(request), std::move(heard));
  return kube::Call(watching);
}

}  // namespace drover::sim
