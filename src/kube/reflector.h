// Follows a range of objects for ever: list, then watch, again and again.
//
// Promises, whatever the network does: the listener sees every object that exists, is told of each change at least once
// and in order, and never sees time run backwards (a list older than what was seen is dropped and asked for again, an
// old event is dropped). A watch that spoke and falls silent for longer than bookmarks come is taken for dead (one that
// never spoke may be about a range in which nothing happens: the server ends it in time). 410 means list
// again; everything else goes on from the last version seen. Waits between tries grow, with jitter.
//
// Two exceptions to "never backwards", because the alternative is to be wrong for ever: after 410 the server's word
// counts, and a server whose lists stay older for ten tries (its database was restored from a backup) is believed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/loop.h"
#include "base/random.h"
#include "kube/api.h"

namespace drover::kube {

// What a Reflector tells. A sweep is a whole new list: what was not named between `sweep_began` and `sweep_ended` is
// gone. `sweep_ended` is called only for a complete list; a broken one is followed by another `sweep_began`. Any of
// these may destroy the Reflector.
struct Listener {
  std::function<void()> sweep_began;
  std::function<void(const Object&)> put;  // new or changed; also the same object again
  std::function<void(const Object&)> drop;
  std::function<void()> sweep_ended;
  std::function<void(const Fault&)> trouble = [](const Fault&) {};  // one call per failed try; for logs and health
};

// The listener that feeds a Cache, then calls `changed` (if any) after each change outside a sweep and at the end of
// one.
template <class CacheT>
Listener feed(CacheT& cache, const std::function<void()>& changed) {
  auto tell = [&cache, changed](bool something_changed) {
    if (something_changed && !cache.is_sweeping() && changed) changed();
  };
  return {.sweep_began = [&cache] { cache.sweep_began(); },
          .put = [&cache, tell](const Object& object) { tell(cache.put(object)); },
          .drop = [&cache, tell](const Object& object) { tell(cache.drop(object)); },
          .sweep_ended =
              [&cache, tell] {
                cache.sweep_ended();
                tell(true);
              }};
}

struct ReflectorTuning {
  base::Span first_wait = std::chrono::milliseconds(200);
  base::Span most_wait = std::chrono::seconds(30);
  base::Span silence = std::chrono::seconds(90);    // bookmarks come about every minute
  base::Span first_word = std::chrono::minutes(5);  // a server may send none: then it has so long, and is asked again
  base::Span watch_for = std::chrono::minutes(30);  // asked of the server, with jitter
  // A server that forgot to tell us something; nothing = never.
  std::optional<base::Span> relist_every = std::chrono::hours(1);
};

class Reflector {
 public:
  Reflector(Api& api, base::Loop& loop, base::Random random, Range range, Projection projection, Listener listener,
            ReflectorTuning tuning = {});
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void start();

  bool is_synced() const;  // a whole list was delivered at least once
  // Of the newest event, bookmark or list; "" before the first.
  const std::string& resource_version() const;
  // When we last heard anything from the server about this range.
  std::optional<base::Instant> heard_at() const;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace drover::kube
