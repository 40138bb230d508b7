// A list on its way out. Short ones go as one answer; long ones piece by piece, so that neither their text nor the time
// it takes stands in anybody's way.
#pragma once

#include "sim/door/context.h"
#include "sim/door/showing.h"

namespace drover::sim::door {

// GET of a collection.
void answer_list(DoorContext& ground, const Visit& visit, const kube::Resource& resource);

// Objects that are at hand already, as a list (what a DELETE of a collection answers).
void send_page(DoorContext& ground, const Visit& visit, Showing showing, Page page);

}  // namespace drover::sim::door
