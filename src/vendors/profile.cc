#include "vendors/profile.h"

namespace drover::vendors {

std::optional<core::Phase> Profile::phase(std::string_view word) const {
  if (word.empty()) return {};
  for (const core::PhaseRow& row : core::kPhaseTable) {
    if (state(row.phase) == word) return row.phase;
  }
  return {};
}

std::span<const Profile* const> all() {
  static const Profile* const kAll[] = {&nvidia(), &tenstorrent()};
  return kAll;
}

}  // namespace drover::vendors
