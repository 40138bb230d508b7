// RFC 7386: a patch that looks like the object, with null for "remove".
#pragma once

#include "base/json.h"

namespace drover::sim {

// Changes `target` in place.
void merge_patch(json::Value& target, const json::Value& patch);

}  // namespace drover::sim
