#include "operator/pass.h"

#include <algorithm>

#include "core/decide.h"

namespace drover::operate {

base::Span run_pass(const std::vector<std::unique_ptr<Herd>>& herds, const PassInput& input, base::Span at_most) {
  std::vector<core::Rollout> rollouts;
  for (const auto& herd : herds) {
    herd->absorb(input.changed_nodes);
    if (!herd->knows_its_policies()) continue;
    herd->observe(input.api_is_there);
    for (const auto& flock : herd->flocks())
      rollouts.push_back({.flow = &herd->flow(),
                          .fleet = &flock->fleet.to_decide(),
                          .is_of_policy = flock->fleet.policy_ref().has_value(),
                          .has_unseen_takes = herd->has_taken_unseen()});
  }
  const std::vector<core::Plan> plans = core::decide(rollouts, input.max_unavailable);
  std::size_t at = 0;
  for (const auto& herd : herds) {
    if (!herd->knows_its_policies()) continue;
    for (const auto& flock : herd->flocks()) {
      const core::Plan& plan = plans[at++];
      herd->apply(*flock, flock->fleet.seen(), plan);
      at_most = std::min(at_most, herd->record(*flock, flock->fleet.seen(), plan).value_or(at_most));
    }
    herd->tidy();
  }
  return at_most;
}

}  // namespace drover::operate
