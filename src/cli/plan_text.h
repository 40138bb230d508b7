// A forecast in words and as JSON. Pure: what was foreseen comes in, text comes out.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "forecast/forecast.h"

namespace drover::cli {

// The nodes in their order, which pods go from each, what is in the way, and a last line that says whether it gets
// through.
std::vector<std::string> plan_lines(const forecast::Forecast& forecast);
// The same for programs.
json::Value plan_json(const forecast::Forecast& forecast);

}  // namespace drover::cli
