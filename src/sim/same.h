// Are two JSON values the same? Spelled often here, so without its namespace.
#pragma once

#include "base/same.h"

namespace drover::sim {

using json::same;

}  // namespace drover::sim
