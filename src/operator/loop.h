// The corridor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "operator/herd.h"

namespace drover::operate {

// From what changed to what is sent, once, for one policy and its nodes. When to walk again if nothing happens before.
std::optional<base::Span> walk_the_corridor(Herd& herd, const std::vector<std::string>& changed_nodes,
                                            bool api_is_there);

}  // namespace drover::operate
