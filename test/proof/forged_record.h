// A record that no operator wrote: garbled, of another machine, of other work, with gates that are not the vendor's.
#pragma once

#include <string_view>

#include "base/random.h"
#include "base/time.h"
#include "vendor.h"

namespace drover::proof {

// The value of a node's annotation; null takes it away. `uid`: of the node, "" where there is none.
json::Value any_forged_record(base::Random& random, const Vendor& vendor, std::string_view uid, base::WallTime now);

}  // namespace drover::proof
