// What is wrong with a JSON text, in the words of Go's decoder, which API servers pass on to their users.
#pragma once

#include <string>
#include <string_view>

namespace drover::sim::door {

// "invalid character 'x' looking for beginning of value", "unexpected end of JSON input"; "" when nothing is wrong.
std::string go_json_complaint(std::string_view text);

}  // namespace drover::sim::door
