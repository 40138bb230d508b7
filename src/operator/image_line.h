// The line for images: whose are fetched now.
#pragma once

#include <cstddef>
#include <vector>

#include "act/errands.h"
#include "core/decide.h"
#include "operator/company.h"

namespace drover::operate {

// Of the decisions `proofs`, by index into the plan: those whose image is fetched now, from the head of the line on.
// `patient` are the decisions whose labels are still to be written.
std::vector<std::size_t> images_in_turn(std::vector<std::size_t> proofs, const std::vector<std::size_t>& patient,
                                        const core::FleetView& view, const core::Plan& plan, const Company& company,
                                        act::Errands& errands);

}  // namespace drover::operate
