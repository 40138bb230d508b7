// Requests for one object: what the method, the query and the body say, as the Server's own Request; and its answer.
#pragma once

#include "sim/door/context.h"
#include "sim/door/words.h"

namespace drover::sim::door {

// get, create, update, patch or delete of an object or its subresource (log and token are served elsewhere).
void answer_object(DoorContext& context, const Visit& visit, const kube::Resource& resource, const ApiResource& words);

// DELETE of a collection.
void answer_delete_collection(DoorContext& context, const Visit& visit, const kube::Resource& resource);

}  // namespace drover::sim::door
