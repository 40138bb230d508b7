// An Api that never asks for more than the server wants to give.
//
// Calls, lists and the beginnings of watches pass a token bucket whose rate adapts: Throttled halves it and holds
// everything back for the time that the server named; a server that breaks (5xx) slows it a little; quiet successes
// raise it again, up to the ceiling. Lane::Lease passes by. Nothing is repeated here: a Throttled outcome goes to the
// caller, whose next try waits in line like any other.
#pragma once

#include <cstddef>
#include <memory>

#include "base/loop.h"
#include "base/random.h"
#include "kube/api.h"

namespace drover::kube {

struct Pace {
  double ceiling = 200;  // requests a second
  double floor = 1;
  int burst = 200;
};

class PacedApi final : public Api {
 public:
  PacedApi(Api& api, base::Loop& loop, base::Random random, Pace pace = {});
  ~PacedApi() override;

  [[nodiscard]] Call call(Request request, Answer answer) override;
  [[nodiscard]] Call list(ListRequest request, ListSink sink) override;
  [[nodiscard]] Call watch(WatchRequest request, WatchSink sink) override;

  double rate() const;          // requests a second allowed now
  std::size_t waiting() const;  // in line

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace drover::kube
