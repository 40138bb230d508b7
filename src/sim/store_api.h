// The embedded server as a kube::Api, by function calls, in virtual (or real) time.
//
// An answer takes `latency` (jittered by the seed), a watch event too; order is kept. Faults on the way are
// injected by faults.h, which wraps this one.
#pragma once

#include "base/loop.h"
#include "base/random.h"
#include "kube/api.h"
#include "sim/server.h"

namespace drover::sim {

struct DoorTiming {
  base::Span latency = std::chrono::milliseconds(2);
  base::Span bookmark_every = std::chrono::seconds(60);
};

class StoreApi final : public kube::Api {
 public:
  StoreApi(Server& server, base::Loop& loop, base::Random random, DoorTiming timing = {});
  ~StoreApi() override;

  [[nodiscard]] kube::Call call(kube::Request request, Answer answer) override;
  [[nodiscard]] kube::Call list(kube::ListRequest request, kube::ListSink sink) override;
  [[nodiscard]] kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

// The Fault a client makes of a Rejection: by way of kube::fault_from, as over HTTP.
base::Fault fault_of(const Rejection& rejection, const kube::Request& request);

}  // namespace drover::sim
