#include "core/first_rule.h"

namespace drover::core {

RuleInput input_of(const FleetView& fleet, const Slots& slots, std::size_t index, const NodeView& node) {
  return {.policy = fleet.policy,
          .slots = slots,
          .node = node,
          .is_admitted = slots.is_admitted[index],
          .is_next_in_line = slots.is_next_in_line[index],
          .may_renew = slots.may_renew[index]};
}

const Rule* first_that_applies(const Flow& flow, const RuleInput& input, Explanation& words) {
  for (const Rule& rule : flow.rules()) {
    if (!rule.in.has(input.node.phase)) continue;
    words.forget_text();
    if (rule.when.holds(input, words)) return &rule;
  }
  return nullptr;
}

std::string with_detail(std::string_view because, const std::string& detail) {
  std::string text(because);
  if (!detail.empty()) text += ": " + detail;
  return text;
}

}  // namespace drover::core
