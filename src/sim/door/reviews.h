// Questions that are asked by creating an object which is never kept: who am I, may I, what may I, whose token is this;
// and the making of tokens.
#pragma once

#include "sim/door/context.h"

namespace drover::sim::door {

// One of review_resources(); answers the review with its status filled in.
Answer<json::Value> answer_review(const DoorContext& ground, const Visit& visit, const kube::Resource& resource);

// POST serviceaccounts/NAME/token.
Answer<json::Value> answer_token_request(const DoorContext& ground, const Visit& visit);

}  // namespace drover::sim::door
