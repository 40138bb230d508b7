// The chart's CustomResourceDefinitions, as they were when this binary was built (cmake/embed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace drover::sim_cli {

// The YAML text of each file of charts/drover/crds.
std::span<const std::string_view> embedded_crds();

}  // namespace drover::sim_cli
