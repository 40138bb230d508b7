#include "observe/operand_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace drover::observe {
namespace {

std::string_view place_of(const PodFacts& pod) { return pod.node.empty() ? pod.meant_for.view() : pod.node; }

}  // namespace

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
    if (pod != nullptr && place_of(*pod) == node) return nodes;
    auto& keys = pods_of_[node];
    std::erase(keys, key);
    if (keys.empty()) pods_of_.erase(node);
    node_of_.erase(before);
  }
  if (pod == nullptr || place_of(*pod).empty()) return nodes;
  const std::string& node = nodes.emplace_back(place_of(*pod));
  node_of_[hash] = node;
  auto& keys = pods_of_[node];
  keys.insert(std::lower_bound(keys.begin(), keys.end(), key), key);
  return nodes;
}

// Made by one of our DaemonSets, and not by another of its name.
bool OperandPods::is_ours(const PodFacts& pod) const {
  const std::string_view owner = pod.owner;  // "DaemonSet acme-system/driver"
  if (!pod.is_daemon) return false;
  const DaemonSetFacts* set = daemon_sets_.find(std::string(owner.substr(owner.find(' ') + 1)));
  return set != nullptr && set->is_ours && pod.owner_uid == set->uid;
}

const PodFacts* OperandPods::with_role(const std::string& node, std::string_view role) const {
  const auto keys = pods_of_.find(node);
  if (role.empty() || keys == pods_of_.end()) return nullptr;
  const PodFacts* found = nullptr;
  for (const std::string& key : keys->second) {
    const PodFacts* pod = pods_.find(key);
    if (pod == nullptr || pod->label(profile_.role_label) != role) continue;
    if (pod->node.empty() && !is_ours(*pod)) continue;
    const auto rank = [](const PodFacts& one) { return std::pair(one.node.empty(), one.is_going); };
    if (found == nullptr || rank(*pod) < rank(*found)) found = pod;
  }
  return found;
}

std::vector<const PodFacts*> OperandPods::on(const std::string& node) const {
  std::vector<const PodFacts*> pods;
  const auto keys = pods_of_.find(node);
  if (keys == pods_of_.end()) return pods;
  for (const std::string& key : keys->second) {
    const PodFacts* pod = pods_.find(key);
    if (pod != nullptr && !pod->node.empty()) pods.push_back(pod);
  }
  return pods;
}

base::Span OperandPods::proving_for(const PodFacts& preflight, base::Instant now) {
  std::optional<base::Instant>& since = preflights_[fmt::format("{}/{}", preflight.ns, preflight.name)];
  if (!since) since = now;
  return now - *since;
}

}  // namespace drover::observe
