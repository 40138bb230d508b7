// Which drover this is: the project's version in CMakeLists.txt.
#pragma once

#include <string_view>

namespace drover::base {

std::string_view version();

}  // namespace drover::base
