// Lists from the API in rounds: several at once, and when all of them have come, the next round.
//
// What `status`, `explain` and `plan` have in common. The first list that fails ends it.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kube/api.h"

namespace drover::cli {

class ListBatch {
 public:
  using Item = std::function<void(const kube::Object&)>;
  using Done = std::function<void(base::Result<void>)>;

  explicit ListBatch(kube::Api& api) : api_(api) {}
  ListBatch(const ListBatch&) = delete;
  ListBatch& operator=(const ListBatch&) = delete;

  // `done` is called once, by `finish` or with the first thing that went wrong.
  void begin(Done done) { done_ = std::move(done); }
  // A kind that the server does not know is a failure, unless `unknown` is there to hear of it.
  void list(kube::Range range, kube::Projection projection, Item item, std::function<void()> unknown = nullptr);
  // What is done when everything listed so far has come.
  void then(std::function<void()> next);
  void finish(base::Result<void> outcome);

 private:
  kube::Api& api_;
  Done done_;
  std::function<void()> next_;
  std::vector<kube::Call> calls_;
  int awaited_ = 0;
};

}  // namespace drover::cli
