#include "observe/operand_pods.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace drover::observe {

std::vector<std::string> OperandPods::changed(const std::string& key) {
  const PodFacts* pod = pods_.find(key);
  if (pod != nullptr && pod->label(profile_.role_label) == profile_.preflight_role) {
    preflights_.try_emplace(key);
  } else if (!preflights_.empty()) {
    preflights_.erase(key);
  }
  std::vector<std::string> nodes;
  const std::uint64_t hash = base::fnv1a(key);
  const auto before = node_of_.find(hash);
  if (before != node_of_.end()) {
    const std::string node = before->second.str();
    nodes.push_back(node);
    if (pod != nullptr && pod->node == node) return nodes;
    auto& keys = pods_of_[node];
    std::erase(keys, key);
    if (keys.empty()) pods_of_.erase(node);
    node_of_.erase(before);
  }
  if (pod == nullptr || pod->node.empty()) return nodes;
  node_of_[hash] = pod->node;
  auto& keys = pods_of_[pod->node];
  keys.insert(std::lower_bound(keys.begin(), keys.end(), key), key);
  nodes.push_back(pod->node);
  return nodes;
}

const PodFacts* OperandPods::with_role(const std::string& node, std::string_view role) const {
  const auto keys = pods_of_.find(node);
  if (role.empty() || keys == pods_of_.end()) return nullptr;
  const PodFacts* found = nullptr;
  for (const std::string& key : keys->second) {
    const PodFacts* pod = pods_.find(key);
    if (pod == nullptr || pod->label(profile_.role_label) != role) continue;
    if (found == nullptr || found->is_going) found = pod;
  }
  return found;
}

std::vector<const PodFacts*> OperandPods::on(const std::string& node) const {
  std::vector<const PodFacts*> pods;
  const auto keys = pods_of_.find(node);
  if (keys == pods_of_.end()) return pods;
  for (const std::string& key : keys->second) {
    if (const PodFacts* pod = pods_.find(key)) pods.push_back(pod);
  }
  return pods;
}

base::Span OperandPods::proving_for(const PodFacts& preflight, base::Instant now) {
  std::optional<base::Instant>& since = preflights_[fmt::format("{}/{}", preflight.ns, preflight.name)];
  if (!since) since = now;
  return now - *since;
}

}  // namespace drover::observe
