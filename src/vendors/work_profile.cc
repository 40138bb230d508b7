#include "vendors/work_profile.h"

namespace drover::vendors {

std::optional<core::Phase> WorkProfile::phase(std::string_view word) const {
  if (word.empty()) return {};
  for (const core::PhaseRow& row : core::kPhaseTable) {
    if (state(row.phase) == word) return row.phase;
  }
  return {};
}

std::vector<const WorkProfile*> works_of(std::span<const VendorModule* const> modules) {
  std::vector<const WorkProfile*> works;
  for (const VendorModule* module : modules) works.insert(works.end(), module->works.begin(), module->works.end());
  return works;
}

}  // namespace drover::vendors
