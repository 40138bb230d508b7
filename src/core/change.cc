#include "core/change.h"

namespace drover::core {
namespace {

const std::map<std::string, std::string>& closed_gates(const NodeMarks& marks) {
  static const std::map<std::string, std::string> none;
  return marks.claim ? marks.claim->gates : none;
}

}  // namespace

bool label_was_wrong(const NodeView& before, const NodeMarks& after) {
  return (before.label && before.label != after.label) || !before.odd_label.empty();
}

bool gives_back_to_person(const NodeView& before, const NodeMarks& after) {
  // After a takeover it is not known who uncordoned the node.
  const bool was_open = before.claim && before.claim_is_written && !before.is_cordoned;
  const bool was_unswapped = kBeforeSwap.has(before.phase) || before.phase == Phase::Restart;
  return was_open && was_unswapped && !after.claim && after.phase == Phase::Required;
}

std::vector<std::string> gates_to_pause(const NodeView& before, const NodeMarks& after) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : closed_gates(after)) {
    if (!closed_gates(before).contains(key) && !before.lost_gates.contains(key)) keys.push_back(key);
  }
  return keys;
}

std::map<std::string, std::string> gates_to_restore(const NodeView& before, const NodeMarks& after) {
  std::map<std::string, std::string> gates;
  for (const auto* closed : {&closed_gates(before), &before.lost_gates}) {
    for (const auto& [key, value] : *closed) {
      if (!closed_gates(after).contains(key)) gates[key] = value;
    }
  }
  return gates;
}

bool is_without_controller(const NodeMarks& marks, const Policy& policy) {
  return !policy.is_on && (!marks.claim || marks.claim->requested_scope);
}

std::optional<Phase> label_of(const NodeMarks& marks, const Policy& policy) {
  if (marks.phase == Phase::Idle || is_without_controller(marks, policy)) return {};
  return marks.phase;
}

void read_back(NodeView& node, const NodeMarks& after) {
  for (const std::string& gate : gates_to_pause(node, after)) {
    std::erase_if(node.gates, [&](const auto& one) { return one.first == gate; });
  }
  for (const auto& [gate, value] : gates_to_restore(node, after)) node.gates.emplace_back(gate, value);
  static_cast<NodeMarks&>(node) = after;
  node.odd_label = {};
  node.record_is_odd = false;
  node.claim_is_written = true;
  node.lost_gates.clear();
}

}  // namespace drover::core
