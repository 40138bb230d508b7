// Requests under way, each known by a key, so that nothing is asked twice at a time or too soon again.
//
// An errand that fails may be tried again after a wait that grows; the server's own wish (Retry-After) and a disruption
// budget make it longer. Nothing is repeated by itself: whoever decides anew asks again, and is told "not yet". Time
// comes from the loop only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/loop.h"
#include "base/random.h"
#include "kube/api.h"

namespace drover::act {

// How long a pod is left alone that a budget has held so many times before: soon at first, then twice a minute. Each
// pod waits a little differently, or all would ask at the same moments; always the same pod alike, so that it can be
// foreseen.
base::Span wait_for_budget(std::string_view pod_uid, int refusals);

class Errands {
 public:
  // `permission` is asked right before each request leaves (are we still the leader?); `told` is called after each
  // answer.
  Errands(kube::Api& api, base::Loop& loop, base::Random random, std::function<bool()> permission,
          std::function<void()> told);
  ~Errands();
  Errands(const Errands&) = delete;
  Errands& operator=(const Errands&) = delete;

  using Then = std::function<void(const kube::Result<kube::Object>&)>;

  // Sends, unless the same errand is under way, rests or waits, or too many others are under way. After a success it
  // rests for `rest`, so that the world has time to show what was done.
  bool run(const std::string& key, kube::Request request, base::Span rest, Then then = {});

  // Whether run would send it now: asked by whoever would have to make a costly request first.
  bool is_free(std::string_view key);
  bool is_under_way(std::string_view key) const;
  // Answers that this errand has had since it was first run or forgotten.
  int answers(std::string_view key) const;
  void forget(std::string_view key);
  // Requests that failed for a reason that people should know; conflicts and budgets are everyday life.
  std::uint64_t failures() const;
  // When the next one that was put off may be tried; nothing when none was.
  std::optional<base::Span> next_in() const;

 private:
  struct Errand;
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace drover::act
