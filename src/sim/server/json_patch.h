// RFC 6902: a list of operations on paths, all or none.
#pragma once

#include "base/json.h"

namespace drover::sim {

enum class JsonPatched {
  Done,
  Malformed,   // the patch is not a list of operations
  DoesNotFit,  // a path is not there, or a test failed
};

// Applies `patch` to `target` in place. Unless Done, `target` is not to be used.
JsonPatched json_patch(json::Value& target, const json::Value& patch);

}  // namespace drover::sim
