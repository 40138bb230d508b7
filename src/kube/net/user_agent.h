// Who we say we are to servers. The build gives DROVER_VERSION (the project's version in CMakeLists.txt).
#pragma once

#include <string_view>

#ifndef DROVER_VERSION
#define DROVER_VERSION "dev"
#endif

namespace drover::kube::net {

inline constexpr std::string_view kUserAgent = "drover/" DROVER_VERSION;

}  // namespace drover::kube::net
