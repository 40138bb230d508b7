// An Api that measures how long its server was heard: a clock for deadlines, which stands still while the server is
// away.
//
// Time counts up to each answer, on any channel. The time between two answers does not count when a request failed in
// it, or stood open for longer than ten seconds of it: until the second answer came, the server could not be reached.
#pragma once

#include <memory>

#include "base/loop.h"
#include "kube/api.h"

namespace drover::kube {

struct HeardTime {
  base::Span proven = {};    // up to the last answer; it never becomes less
  base::Span unproven = {};  // since then, as long as nothing says that the server is away; the next answer proves it
};

class HeardApi final : public Api {
 public:
  HeardApi(Api& api, base::Loop& loop);
  ~HeardApi() override;

  [[nodiscard]] Call call(Request request, Answer answer) override;
  [[nodiscard]] Call list(ListRequest request, ListSink sink) override;
  [[nodiscard]] Call watch(WatchRequest request, WatchSink sink) override;

  HeardTime heard() const;

 private:
  struct Body;
  Api& api_;
  std::shared_ptr<Body> body_;
};

}  // namespace drover::kube
