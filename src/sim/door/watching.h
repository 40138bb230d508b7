// Answers to watch requests: JSON lines, one per event, until the client closes or the timeout ends.
//
// What waits to be sent is kept as shared objects, not as text; a reader that takes nothing for a while although much
// waits is hung up, and may come back with the last version it saw.
#pragma once

#include "sim/door/context.h"
#include "sim/door/showing.h"

namespace drover::sim::door {

// GET of a collection with watch=true, or of a legacy /watch/ path.
void answer_watch(DoorContext& context, const Visit& visit, const kube::Resource& resource);

}  // namespace drover::sim::door
