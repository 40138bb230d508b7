#include "cli/list_batch.h"

#include <utility>

namespace drover::cli {

void ListBatch::ask(kube::Range range, kube::Projection projection, Item item, bool may_be_unknown) {
  ++awaited_;
  kube::ListSink sink;
  sink.item = [item = std::move(item)](const kube::Object& object) { item(object); };
  sink.done = [this, may_be_unknown](const kube::Result<kube::ListEnd>& end) {
    --awaited_;
    const bool is_unknown = !end && end.error().kind == base::Fault::Kind::NotFound;
    if (!end && !(is_unknown && may_be_unknown)) return finish(std::unexpected(end.error()));
    if (awaited_ > 0) return;
    if (const auto next = std::exchange(next_, nullptr)) next();
  };
  calls_.push_back(api_.list({.range = std::move(range), .resource_version = {}, .projection = std::move(projection)},
                             std::move(sink)));
}

void ListBatch::finish(base::Result<void> outcome) {
  next_ = nullptr;
  if (const auto done = std::exchange(done_, nullptr)) done(std::move(outcome));
}

}  // namespace drover::cli
