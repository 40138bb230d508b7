#include "sim_cli/time_left.h"

#include <algorithm>
#include <utility>

#include "cli/snapshot_reader.h"
#include "forecast/forecast.h"

namespace drover::sim_cli {

std::optional<base::Span> TimeLeft::look() {
  if (world_.loop.now() >= foresee_at_) foresee();
  if (!ends_at_) return {};
  return std::max(base::Span::zero(), base::Span(*ends_at_ - world_.loop.now()));
}

void TimeLeft::foresee() {
  foresee_at_ = world_.loop.now() + std::chrono::seconds(30);
  ends_at_.reset();
  const vendors::WorkProfile* const only[] = {&profile_};
  cli::SnapshotReader reader(api_, world_.loop, only, {});
  std::optional<base::Result<void>> read;
  reader.begin([&](base::Result<void> result) { read = std::move(result); });
  if (!world_.run_until([&] { return read.has_value(); }, std::chrono::seconds(5)) || !*read) return;
  const forecast::Forecast foreseen = forecast::forecast(reader.input(), {});
  if (foreseen.gets_through) ends_at_ = world_.loop.now() + foreseen.takes;
}

}  // namespace drover::sim_cli
