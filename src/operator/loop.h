// The corridor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "operator/herd.h"

namespace drover::operate {

// What happened since the last walk, beside what each herd watches itself.
struct News {
  std::vector<std::string> changed_nodes;
  bool api_is_there = true;
};

// From what changed to what is sent, once, for every policy of every vendor. `room` says how many nodes may be taken
// beside what each policy allows; it is asked when all have been looked at. When to walk again if nothing happens
// before.
base::Span walk_the_corridor(const std::vector<std::unique_ptr<Herd>>& herds, const News& news,
                             const std::function<int()>& room, base::Span at_most);

}  // namespace drover::operate
