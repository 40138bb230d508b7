#include "base/version.h"

#ifndef DROVER_VERSION
#define DROVER_VERSION "unknown"
#endif

namespace drover::base {

std::string_view version() { return DROVER_VERSION; }

}  // namespace drover::base
