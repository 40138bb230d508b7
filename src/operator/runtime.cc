#include "operator/runtime.h"

#include <fmt/format.h>

#include <algorithm>

namespace drover::operate {

using act::Purpose;
using observe::Refusal;

namespace {

// What is wanted is tried again within half a minute: a refusal that is not repeated is of a write that is wanted no
// more.
constexpr base::Span kForgetRefusalAfter = std::chrono::minutes(2);

bool is_of_operand(Purpose purpose) {
  return purpose == Purpose::ApplySet || purpose == Purpose::DetachSet || purpose == Purpose::TryPod;
}

// A server that breaks over the same write again and again refuses it: an admission webhook that cannot be reached
// does.
constexpr int kFaultsThatRefuse = 3;

bool is_refused(const act::WriteResult& result) {
  using Kind = base::Fault::Kind;
  if (!result.fault) return false;
  switch (result.fault->kind) {
    case Kind::Forbidden:
    case Kind::Refused:
    case Kind::Malformed: return true;
    case Kind::Failed: return result.faults >= kFaultsThatRefuse;
    case Kind::NotFound:  // the namespace
      return result.purpose == Purpose::ApplySet || result.purpose == Purpose::TryPod;
    default: return false;
  }
}

Refusal::Of what(Purpose purpose) {
  switch (purpose) {
    case Purpose::Node: return Refusal::Of::NodePatch;
    case Purpose::ApplySet:
    case Purpose::DetachSet: return Refusal::Of::DaemonSet;
    case Purpose::TryPod: return Refusal::Of::Pods;
    default: return Refusal::Of::NodeWork;
  }
}

// No code of the API tells a missing account from any other pod that admission forbids.
core::Reason reason_of(const act::WriteResult& result) {
  if (!is_of_operand(result.purpose)) return core::Reason::WriteRefused;
  if (result.fault->kind == base::Fault::Kind::NotFound) return core::Reason::NamespaceMissing;
  const bool lacks_account = result.fault->message.find("error looking up service account") != std::string::npos;
  return lacks_account ? core::Reason::ServiceAccountMissing : core::Reason::OperandRefused;
}

}  // namespace

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

Runtime::News Runtime::absorb(const std::vector<act::WriteResult>& results) {
  using Kind = base::Fault::Kind;
  News news;
  for (const act::WriteResult& result : results) {
    const act::Subject& subject = result.subject;
    if (!subject.node.empty()) news.nodes.insert(subject.node);
    note_refusal(result, news);
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
  forget_refusals(news);
  return news;
}

// That no pod can prove the image is told as that (probe_refused).
void Runtime::note_refusal(const act::WriteResult& result, News& news) {
  const bool is_of_set = is_of_operand(result.purpose);
  const std::string& about = is_of_set ? result.subject.object : result.subject.node;
  if (about.empty() || result.purpose == Purpose::ProveImage || result.purpose == Purpose::NodeStatus) return;
  observe::Refusals& refusals = is_of_set ? facts_.operands_refused : facts_.refused;
  if (is_refused(result)) {
    Refusal& refusal = refusals[about][result.key];
    news.all_nodes = news.all_nodes || (is_of_set && refusal.text != result.fault->message);
    refusal = {
        .of = what(result.purpose), .reason = reason_of(result), .text = result.fault->message, .at = loop_.now()};
    return;
  }
  const auto at = refusals.find(about);
  const bool is_settled = !result.fault || result.fault->kind == base::Fault::Kind::NotFound;
  if (at == refusals.end() || !is_settled) return;
  const bool is_gone = at->second.erase(result.key) > 0;
  news.all_nodes = news.all_nodes || (is_of_set && is_gone);
  // A node that moved on wants something else now.
  if (at->second.empty() || result.purpose == Purpose::Node) refusals.erase(at);
}

void Runtime::forget_refusals(News& news) {
  const auto forget = [this](std::map<std::string, Refusal>& refusals) {
    return std::erase_if(refusals,
                         [this](const auto& one) { return loop_.now() - one.second.at >= kForgetRefusalAfter; }) > 0;
  };
  for (auto& [node, refusals] : facts_.refused) {
    if (!queued_.contains(node) && forget(refusals)) news.nodes.insert(node);
  }
  for (auto& [set, refusals] : facts_.operands_refused) {
    if (forget(refusals)) news.all_nodes = true;
  }
  const auto is_empty = [](const auto& one) { return one.second.empty(); };
  std::erase_if(facts_.refused, is_empty);
  std::erase_if(facts_.operands_refused, is_empty);
}

std::optional<base::Span> Runtime::next_in() const {
  if (facts_.refused.empty() && facts_.operands_refused.empty()) return {};
  return kForgetRefusalAfter;
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
