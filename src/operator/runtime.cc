#include "operator/runtime.h"

#include <fmt/format.h>

#include <algorithm>

namespace drover::operate {

using act::Purpose;

// "The disruption budget train needs 5 healthy pods and has 5 currently" names it without its namespace.
std::string budget_in(std::string_view message, const std::string& ns) {
  constexpr std::string_view kBefore = "disruption budget ";
  const std::size_t at = message.find(kBefore);
  if (at == std::string_view::npos) return ns + "/?";
  const std::string_view rest = message.substr(at + kBefore.size());
  return fmt::format("{}/{}", ns, rest.substr(0, rest.find(' ')));
}

Runtime::Runtime(const base::Loop& loop, NodePods& pods, const DevicePodCounter& device_pod_counter)
    : loop_(loop), pods_(pods), device_pod_counter_(device_pod_counter) {}

std::set<std::string> Runtime::absorb(const std::vector<act::WriteResult>& results) {
  using Kind = base::Fault::Kind;
  std::set<std::string> changed;
  for (const act::WriteResult& result : results) {
    const act::Subject& subject = result.subject;
    if (!subject.node.empty()) changed.insert(subject.node);
    const auto failed_by = [&](Kind kind) { return result.fault && result.fault->kind == kind; };
    switch (result.purpose) {
      case Purpose::Node:
        if (!result.fault && !subject.claim.empty()) facts_.untouched[subject.node] = subject.claim;
        break;
      case Purpose::Evict:
      case Purpose::EvictInDrain:
        if (!result.fault || failed_by(Kind::Unknown)) {
          facts_.untouched.erase(subject.node);
          facts_.generations.evicted(subject.node, subject.pod);
        }
        if (failed_by(Kind::Blocked)) {
          facts_.blocked_by[subject.pod] = budget_in(result.fault->message, subject.ns);
        } else {
          facts_.blocked_by.erase(subject.pod);
        }
        break;
      case Purpose::ForceDelete:
        facts_.untouched.erase(subject.node);
        facts_.generations.evicted(subject.node, subject.pod);
        break;
      case Purpose::ReplaceDriver:
        if (!result.fault || failed_by(Kind::NotFound)) facts_.deleted_drivers[subject.node] = subject.pod;
        break;
      case Purpose::ProveImage:
        if (failed_by(Kind::Forbidden) || failed_by(Kind::Refused)) {
          facts_.probe_refused[subject.node] = result.fault->message;
        } else {
          facts_.probe_refused.erase(subject.node);
        }
        break;
      default: break;
    }
  }
  return changed;
}

void Runtime::absorb(std::vector<std::pair<std::string, observe::Attempt>> attempts) {
  for (auto& [node, attempt] : attempts) facts_.attempts[node] = std::move(attempt);
}

void Runtime::see_pods(const std::string& node, int returns) {
  if (const NodePods::Pods* pods = pods_.of(node)) facts_.generations.see(node, returns, *pods);
}

const observe::RuntimeFacts& Runtime::look(const Heard& heard, base::Instant operands_at,
                                           const std::map<std::string, base::Instant>& asked_at) {
  facts_.pods = pods_.known();
  facts_.device_pods = device_pod_counter_.counts();
  facts_.pods_are_counted = device_pod_counter_.is_over();
  facts_.heard = heard.time;
  facts_.leader_before_until = heard.leader_before_until;
  facts_.pods_heard_at = pods_.heard_at();
  facts_.operands_heard_at = std::min(operands_at, heard.nodes_at);
  facts_.asked_at = asked_at;
  facts_.now = loop_.now();
  return facts_;
}

void Runtime::want_pods(const std::set<std::string>& nodes) {
  pods_.want(nodes);
  facts_.generations.keep(nodes);
  const bool some_left = !std::includes(nodes.begin(), nodes.end(), watched_.begin(), watched_.end());
  watched_ = nodes;
  if (!some_left) return;
  // What budgets said of pods on nodes that are no longer in flight is forgotten.
  std::set<std::string> there;
  for (const auto& [node, pods] : pods_.known())
    pods->each([&](const std::string&, const observe::PodFacts& pod) { there.insert(pod.uid); });
  std::erase_if(facts_.blocked_by, [&](const auto& one) { return !there.contains(one.first); });
}

}  // namespace drover::operate
