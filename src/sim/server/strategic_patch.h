// Strategic merge patch: a merge patch that knows which lists are keyed, with directives ($patch, $retainKeys,
// $setElementOrder/LIST, $deleteFromPrimitiveList/LIST).
#pragma once

#include "base/json.h"
#include "sim/server.h"
#include "sim/server/field_types.h"

namespace drover::sim {

// Changes `target` in place. Unless it succeeds, `target` is not to be used.
Answer<void> strategic_patch(json::Value& target, const json::Value& patch, const FieldTypes& types);

}  // namespace drover::sim
