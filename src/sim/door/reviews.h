// Review resources, which are created and never stored: SelfSubjectReview, access reviews, rules reviews, TokenReview;
// and the making of tokens.
#pragma once

#include "sim/door/context.h"

namespace drover::sim::door {

// One of review_resources(); answers the review with its status filled in.
Answer<json::Value> answer_review(const DoorContext& context, const Visit& visit, const kube::Resource& resource);

// POST serviceaccounts/NAME/token.
Answer<json::Value> answer_token_request(const DoorContext& context, const Visit& visit);

}  // namespace drover::sim::door
