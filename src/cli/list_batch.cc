#include "cli/list_batch.h"

#include <utility>

namespace drover::cli {

void ListBatch::list(kube::Range range, kube::Projection projection, Item item, std::function<void()> unknown) {
  ++awaited_;
  kube::ListSink sink;
  sink.item = [item = std::move(item)](const kube::Object& object) { item(object); };
  sink.done = [this, unknown = std::move(unknown)](const kube::Result<kube::ListEnd>& end) {
    --awaited_;
    const bool is_unknown = !end && unknown != nullptr && end.error().kind == base::Fault::Kind::NotFound;
    if (!end && !is_unknown) return finish(std::unexpected(end.error()));
    if (is_unknown) unknown();
    if (awaited_ > 0) return;
    if (const auto next = std::exchange(next_, nullptr)) next();
  };
  calls_.push_back(api_.list({.range = std::move(range), .resource_version = {}, .projection = std::move(projection)},
                             std::move(sink)));
}

void ListBatch::then(std::function<void()> next) {
  if (awaited_ == 0) return next();
  next_ = std::move(next);
}

void ListBatch::finish(base::Result<void> outcome) {
  next_ = nullptr;
  if (const auto done = std::exchange(done_, nullptr)) done(std::move(outcome));
}

}  // namespace drover::cli
