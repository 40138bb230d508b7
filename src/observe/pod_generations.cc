#include "observe/pod_generations.h"

#include <fmt/format.h>

#include <algorithm>

namespace drover::observe {
namespace {

// What recreates a bare pod gives it the same name.
std::string owner_of(const PodFacts& pod) {
  return pod.owner_uid.empty() ? fmt::format("{}/{}", pod.ns, pod.name) : pod.owner_uid.str();
}

}  // namespace

void PodGenerations::see(const std::string& node, int returns, const kube::Cache<PodFacts>& pods) {
  OnNode& here = nodes_.try_emplace(node, OnNode{.first = std::max(1, returns)}).first->second;
  pods.each([&](const std::string&, const PodFacts& pod) {
    if (here.pods.contains(pod.uid)) return;
    std::string owner = owner_of(pod);
    const auto lost = here.evicted.find(owner);
    const int generation = lost == here.evicted.end() ? here.first : lost->second + 1;
    here.pods.emplace(pod.uid, Pod{.owner = std::move(owner), .generation = generation});
  });
}

void PodGenerations::evicted(const std::string& node, const std::string& pod_uid) {
  const auto here = nodes_.find(node);
  if (here == nodes_.end()) return;
  const auto pod = here->second.pods.find(pod_uid);
  if (pod == here->second.pods.end()) return;
  int& highest = here->second.evicted[pod->second.owner];
  highest = std::max(highest, pod->second.generation);
}

void PodGenerations::keep(const std::set<std::string>& nodes) {
  std::erase_if(nodes_, [&](const auto& one) { return !nodes.contains(one.first); });
}

int PodGenerations::of(const std::string& node, const std::string& pod_uid) const {
  const auto here = nodes_.find(node);
  if (here == nodes_.end()) return 1;
  const auto pod = here->second.pods.find(pod_uid);
  return pod == here->second.pods.end() ? 1 : pod->second.generation;
}

}  // namespace drover::observe
