#include "vendors/profile.h"

namespace drover::vendors {

std::optional<core::Phase> Profile::phase(std::string_view word) const {
  if (word.empty()) return {};
  for (const core::PhaseRow& row : core::kPhaseTable) {
    if (state(row.phase) == word) return row.phase;
  }
  return {};
}

}  // namespace drover::vendors
