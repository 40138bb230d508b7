#include "operator/pass.h"

#include <algorithm>

#include "core/decide.h"

namespace drover::operate {

base::Span run_pass(const std::vector<std::unique_ptr<Controller>>& controllers, const PassInput& input,
                    base::Span at_most) {
  std::vector<core::Rollout> rollouts;
  for (const auto& controller : controllers) {
    controller->absorb(input.changed_nodes);
    if (!controller->knows_its_policies()) continue;
    controller->observe(input.heard);
    for (const auto& state : controller->policy_states())
      rollouts.push_back({.kind = controller->profile().kind,
                          .flow = &controller->flow(),
                          .fleet = &state->fleet.to_decide(),
                          .is_of_policy = state->fleet.policy_ref().has_value(),
                          .has_unseen_takes = controller->has_pending_takes()});
  }
  const std::vector<core::Plan> plans = core::decide(rollouts, input.max_unavailable);
  std::size_t at = 0;
  for (const auto& controller : controllers) {
    if (!controller->knows_its_policies()) continue;
    for (const auto& state : controller->policy_states()) {
      const core::Plan& plan = plans[at++];
      controller->apply(*state, state->fleet.seen(), plan);
      at_most = std::min(at_most, controller->record(*state, state->fleet.seen(), plan).value_or(at_most));
    }
    controller->tidy();
  }
  return at_most;
}

}  // namespace drover::operate
