// The operator's pages: /healthz, /readyz and /metrics. How they are served is not known here.
//
// Alive: the loop turns. Ready: everything watched has been listed, or we stand by and see who leads. Neither asks the
// API server, so that a lost server does not make kubelets restart us.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/loop.h"
#include "operator/operator.h"

namespace drover::operate {

struct Page {
  int code = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

class Health {
 public:
  // `api_requests`: how many were sent so far. The operator and the loop must outlive it.
  Health(base::Loop& loop, const Operator& drover, std::function<std::uint64_t()> api_requests);

  // For a method and a target as they came ("GET", "/metrics?x=1").
  Page page(std::string_view method, std::string_view target) const;

 private:
  void beat();
  Page alive() const;
  Page ready() const;

  base::Loop& loop_;
  const Operator& operator_;
  std::function<std::uint64_t()> api_requests_;
  base::Instant beaten_at_;
  base::Timer next_beat_;
};

}  // namespace drover::operate
