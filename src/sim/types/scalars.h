// Text that is more than text: what the decoders of quantities, times and bytes say when it is not.
#pragma once

#include <string>
#include <string_view>

namespace drover::sim::types {

// What is wrong with a quantity; "" when it is one.
std::string quantity_error(std::string_view text);
// What is wrong with a time; "" when it is one. `micro`: with six digits after the point.
std::string time_error(std::string_view text, bool micro);
// What is wrong with base64; "" when nothing is.
std::string base64_error(std::string_view text);
// A text between quotation marks, with what is inside escaped.
std::string quoted(std::string_view text);

}  // namespace drover::sim::types
