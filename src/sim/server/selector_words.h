// What a real API server says about a label selector that makes no sense.
#pragma once

#include <string>
#include <string_view>

namespace drover::sim {

// The message for a selector that does not parse; "" when nothing is wrong with it.
std::string complaint_about_selector(std::string_view text);

}  // namespace drover::sim
