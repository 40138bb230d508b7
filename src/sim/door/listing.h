// Answers to list requests. Short lists are one answer; long lists are streamed in pieces, so that they neither fill
// the memory nor block the loop.
#pragma once

#include "sim/door/context.h"
#include "sim/door/showing.h"

namespace drover::sim::door {

// GET of a collection.
void answer_list(DoorContext& context, const Visit& visit, const kube::Resource& resource);

// Objects that are at hand already, as a list (what a DELETE of a collection answers).
void send_page(DoorContext& context, const Visit& visit, Showing showing, ListPage page);

}  // namespace drover::sim::door
