// What of a claim is believed. The record is a memory and not an authority: whoever may patch a Node can write it. So
// what it says that drover set counts only where the API server says that drover set it (metadata.managedFields).
#pragma once

#include <string>
#include <string_view>

#include "observe/node_facts.h"
#include "protocol/record.h"
#include "vendors/work_profile.h"

namespace drover::observe {

// Whether the cordon that is on the node was set by drover, or by the vendor's own operator before it. True where the
// server does not say who set what.
bool cordon_is_trusted(const NodeFacts& facts, const vendors::WorkProfile& profile);

// Takes out of the claim what is not believed; `gates` are the labels that are configured besides the vendor's. What
// that was, for people; "" when it is believed whole.
std::string distrust(protocol::ClaimRecord& held, const NodeFacts& facts, const vendors::WorkProfile& profile,
                     std::string_view gates);

}  // namespace drover::observe
