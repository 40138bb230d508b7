#include "operator/hands.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "act/node_patch.h"
#include "act/texts.h"
#include "base/log.h"
#include "base/text.h"
#include "kube/version_order.h"
#include "operator/image_line.h"
#include "protocol/keys.h"
#include "protocol/order_for.h"

namespace drover::operate {
namespace {

using core::Phase;
using core::Work;
using vendors::Deed;

// A pod that was asked to go is not asked again before it could have gone.
constexpr base::Span kAskAgain = std::chrono::seconds(30);
constexpr base::Span kDeleteAgain = std::chrono::seconds(10);
// A write that perhaps happened is seen by then, or did not.
constexpr base::Span kPerhaps = std::chrono::seconds(30);
constexpr base::Span kApplyAgain = std::chrono::seconds(2);
// No more than there are connections, so that whoever cannot wait stands behind one of them at most.
constexpr std::size_t kMostPatient = 8;

act::NodeNow node_now(const observe::NodeFacts& facts) {
  act::NodeNow now{.name = facts.name, .uid = facts.uid, .version = facts.version, .boot = facts.boot};
  now.taints = facts.taints;
  if (facts.record) now.record = *facts.record;
  now.autoscaler_is_told = !facts.annotation(protocol::kScaleDownAnnotation).empty();
  now.order = facts.annotation(protocol::kOrderAnnotation);
  return now;
}

}  // namespace

Hands::Hands(act::Errands& errands, kube::EventRecorder& events, const base::Loop& loop, Company& company, Tally& tally,
             const vendors::Profile& profile, std::string ns)
    : errands_(errands),
      events_(events),
      loop_(loop),
      company_(company),
      tally_(tally),
      profile_(profile),
      ns_(std::move(ns)) {}

// The watch has not shown yet what we wrote last.
bool Hands::is_behind(const observe::NodeFacts& facts) const {
  const auto at = written_.find(facts.name);
  return at != written_.end() && kube::is_older(facts.version, at->second);
}

void Hands::apply(const observe::Fleet& fleet, const core::FleetView& view, const core::Plan& plan) {
  std::vector<std::size_t> patient;
  std::vector<std::size_t> proofs;
  for (std::size_t i = 0; i < plan.decisions.size(); ++i) {
    const core::Decision& decision = plan.decisions[i];
    const core::Phase phase = view.nodes[decision.node].phase;
    const bool is_undressed = fleet.is_undressed(decision.node);
    if (!decision.change && decision.work == Work::None && !is_undressed) continue;  // most of them, most of the time
    const bool writes = decision.change || is_undressed;
    if (writes && !core::is_in_flight(phase) && !(decision.change && core::is_in_flight(decision.change->phase))) {
      patient.push_back(i);
      continue;
    }
    if (!writes && decision.work == Work::ProveImage) {
      proofs.push_back(i);
      continue;
    }
    const observe::NodeFacts* facts = fleet.facts(decision.node);
    if (facts == nullptr || is_behind(*facts)) continue;
    if (writes) {
      change(fleet, view, decision, *facts);
    } else if (!errands_.is_under_way("node/" + facts->name)) {
      // What is being written may end the phase that this work belongs to.
      work(fleet, view, decision);
    }
  }
  for (const std::size_t i : images_in_turn(std::move(proofs), patient, view, plan, company_, errands_)) {
    const observe::NodeFacts* facts = fleet.facts(plan.decisions[i].node);
    if (facts != nullptr && !is_behind(*facts)) work(fleet, view, plan.decisions[i]);
  }
  apply_patiently(fleet, view, plan, patient);
}

// Who joins the line, leaves it or only gets his labels: they can be thousands at once, and all together they would
// stand before the few whose node is out of service.
void Hands::apply_patiently(const observe::Fleet& fleet, const core::FleetView& view, const core::Plan& plan,
                            const std::vector<std::size_t>& patient) {
  std::erase_if(patient_, [&](const std::string& node) { return !errands_.is_under_way("node/" + node); });
  if (patient_.size() >= kMostPatient) return;
  std::vector<std::pair<int, std::size_t>> line;
  line.reserve(patient.size());
  for (const std::size_t i : patient) {
    const core::Decision& decision = plan.decisions[i];
    const bool joins = decision.change && decision.change->phase == Phase::Required;
    if (joins && view.policy.is_on && !view.pods_are_counted) continue;
    line.emplace_back(joins ? company_.device_pods(view.nodes[decision.node].name) : 0, i);
  }
  // A heap, since only the first few of thousands are looked at, and nobody knows how many of those cannot be served.
  std::make_heap(line.begin(), line.end(), std::greater<>());
  while (!line.empty() && patient_.size() < kMostPatient) {
    std::pop_heap(line.begin(), line.end(), std::greater<>());
    const core::Decision& decision = plan.decisions[line.back().second];
    line.pop_back();
    const observe::NodeFacts* facts = fleet.facts(decision.node);
    if (facts == nullptr || is_behind(*facts)) continue;
    change(fleet, view, decision, *facts);
    if (errands_.is_under_way("node/" + facts->name)) patient_.insert(facts->name);
  }
}

void Hands::change(const observe::Fleet& fleet, const core::FleetView& view, const core::Decision& decision,
                   const observe::NodeFacts& facts) {
  const Phase phase = decision.change ? decision.change->phase : view.nodes[decision.node].phase;
  change(fleet, view, decision, facts, fleet.dress(decision.node, phase));
}

void Hands::change(const observe::Fleet& fleet, const core::FleetView& view, const core::Decision& decision,
                   const observe::NodeFacts& facts, const vendors::Dress& dress, bool is_to_prepare) {
  const core::NodeView& node = view.nodes[decision.node];
  const core::Change* change = decision.change ? &*decision.change : nullptr;
  const bool gives_back = change != nullptr && change->cordoned == false;
  // A pod that is evicted after its node was given back would have gone for nothing.
  if (gives_back && takes_off_.contains(node.name)) return;
  // Somebody was faster, and we have seen what he wrote: there is nothing to wait for.
  if (const auto at = overtaken_.find(facts.name);
      at != overtaken_.end() && kube::is_older(at->second, facts.version)) {
    errands_.forget("node/" + facts.name);
    overtaken_.erase(at);
  }
  if (!errands_.is_free("node/" + facts.name)) return;
  act::NodeNow now = node_now(facts);
  now.driver_version = fleet.wish(decision.node).version;
  now.driver_pod = node.driver.pod;
  now.phase = node.phase;
  now.policy = view.policy.name;
  now.is_paused = node.is_selected && !view.policy.is_on;
  now.is_to_prepare = is_to_prepare || protocol::asked_to_prepare(now.order) == now.driver_version;
  now.has_cordon_note = !facts.annotation(profile_.cordon_annotation).empty();
  if (facts.record && facts.record->held) now.excluded = company_.excluded(facts.name, *facts.record->held);
  kube::Request request = act::node_patch(now, change, dress, profile_, loop_.wall());
  const act::NodeName about{.name = node.name, .uid = node.uid};
  std::vector<kube::Event> events =
      change == nullptr ? std::vector<kube::Event>{} : act::events_of(about, *change, profile_);
  if (!facts.record_trouble.empty()) events.push_back(act::odd_record_event(about, facts.record_trouble, profile_));
  const std::string path = change == nullptr ? std::string() : act::path_of(*change, profile_);
  const bool takes = change != nullptr && std::any_of(change->path.begin(), change->path.end(),
                                                      [](const auto& step) { return step.to == Phase::Cordon; });
  const bool sent = errands_.run(
      "node/" + facts.name, std::move(request), base::Span::zero(),
      [this, name = facts.name, sent = facts.version, events, path, takes, gives_back, policy = fleet.policy_ref(),
       taken = takes && change->claim ? change->claim->id : std::string()](const kube::Result<kube::Object>& answer) {
        answered(name, answer);
        if (takes) tally_.count(policy, Deed::TakeNode, answer);
        if (gives_back) tally_.count(policy, Deed::GiveBack, answer);
        if (!answer && answer.error().kind == base::Fault::Kind::Conflict) overtaken_[name] = sent;
        if (!answer) return;
        written_[name] = kube::version_of(*answer);
        if (!taken.empty()) company_.took(name, taken);
        for (const kube::Event& event : events) events_.record(event);
        if (!path.empty()) {
          log::info("node moved", {{"logger", "controllers.Upgrade"}, {"node", name}, {"path", path}});
        }
      });
  if (sent && takes) takings_[facts.name] = {.sent = facts.version};
}

void Hands::answered(const std::string& node, const kube::Result<kube::Object>& answer) {
  const auto at = takings_.find(node);
  if (at == takings_.end()) return;
  if (answer) {
    at->second.written = kube::version_of(*answer);
  } else if (answer.error().kind == base::Fault::Kind::Unknown) {
    at->second.until = loop_.now() + kPerhaps;
  } else {
    takings_.erase(at);
  }
}

bool Hands::has_taken_unseen(const kube::Cache<observe::NodeFacts>& nodes) {
  std::erase_if(takings_, [&](const auto& one) {
    const auto& [name, taking] = one;
    const observe::NodeFacts* facts = nodes.find(name);
    if (facts == nullptr || (taking.until && loop_.now() >= *taking.until)) return true;
    if (!taking.written.empty()) return !kube::is_older(facts->version, taking.written);
    return taking.until && kube::is_older(taking.sent, facts->version);
  });
  return !takings_.empty();
}

void Hands::work(const observe::Fleet& fleet, const core::FleetView& view, const core::Decision& decision) {
  const core::NodeView& node = view.nodes[decision.node];
  const core::Policy& policy = view.policy;
  switch (decision.work) {
    case Work::None: break;
    case Work::ProveImage: prove_image(fleet, view, decision); break;
    case Work::EvictDevicePods:
      evict(fleet, node, clearing_of(*node.pods, core::Scope::DevicePods, policy.device_pods.value_or(core::Removal{})),
            Deed::EvictHolder);
      break;
    case Work::EvictAll:
      evict(fleet, node, clearing_of(*node.pods, core::Scope::AllPods, policy.drain.value_or(core::Removal{})),
            Deed::EvictOther);
      break;
    case Work::DeleteDevicePods:
      remove(node, clearing_of(*node.pods, core::Scope::DevicePods,
                               (policy.device_pods ? policy.device_pods : policy.drain).value_or(core::Removal{})));
      break;
    case Work::ReplaceDriverPod: replace_driver(fleet, view, decision); break;
    case Work::ReplaceValidator:
      for (const observe::PodFacts* pod : fleet.operand_pods().on(node.name)) {
        if (pod->label(profile_.role_label) != profile_.validator_role || pod->is_going) continue;
        remove(*pod, kDeleteAgain);
      }
      break;
  }
}

void Hands::replace_driver(const observe::Fleet& fleet, const core::FleetView& view, const core::Decision& decision) {
  const core::NodeView& node = view.nodes[decision.node];
  const observe::NodeFacts* facts = fleet.facts(decision.node);
  const observe::PodFacts* pod = fleet.driver_pod(decision.node);
  if (facts == nullptr || pod == nullptr) return;
  // Without a claim no PATCH has begun the swap yet. Where another DaemonSet is to bring the new driver, that is said
  // first: the one that brought the old driver would only bring it again.
  const vendors::Dress dress = fleet.dress(decision.node, Phase::Restart);
  if (!core::is_in_flight(node.phase) && !dress.empty()) return change(fleet, view, decision, *facts, dress);
  kube::Request request = kube::remove(kube::kPods, pod->ns.str(), pod->name, pod->uid);
  // Nobody was asked to leave the node: the pod goes as it was seen, and not when it serves somebody by now.
  if (!core::is_in_flight(node.phase)) request.version_precondition = pod->version;
  errands_.run("delete/" + pod->uid, std::move(request), kDeleteAgain,
               [this, on = node.name, uid = pod->uid](const kube::Result<kube::Object>& answer) {
                 const bool is_gone = answer || answer.error().kind == base::Fault::Kind::NotFound;
                 if (is_gone) company_.deleted_driver(on, uid);
               });
}

void Hands::evict(const observe::Fleet& fleet, const core::NodeView& node, const core::Clearing& clearing, Deed deed) {
  bool everybody_was_asked = true;
  for (const core::PodView* pod : clearing.to_evict) {
    const std::string key = "evict/" + pod->uid;
    take_off(node.name, key, kube::evict(pod->ns, pod->name, pod->uid),
             [this, on = node.name, ns = pod->ns, uid = pod->uid, policy = fleet.policy_ref(),
              deed](const kube::Result<kube::Object>& answer) {
               tally_.count(policy, deed, answer);
               if (answer || answer.error().kind == base::Fault::Kind::Unknown) company_.touched(on);
               const bool is_held = !answer && answer.error().kind == base::Fault::Kind::Blocked;
               company_.held(uid, is_held ? budget_in(answer.error().message, ns) : std::string());
             });
    everybody_was_asked = everybody_was_asked && errands_.answers(key) > 0;
  }
  if (everybody_was_asked && node.claim) company_.tried(node.name, *node.claim);
}

void Hands::remove(const core::NodeView& node, const core::Clearing& clearing) {
  for (const core::PodView* pod : clearing.to_evict) {
    const act::NodeName about{.name = node.name, .uid = node.uid};
    const kube::Event warning = act::forced_event(about, *pod, profile_);
    take_off(node.name, "delete/" + pod->uid, kube::remove(kube::kPods, pod->ns, pod->name, pod->uid),
             [this, on = node.name, warning](const kube::Result<kube::Object>& answer) {
               company_.touched(on);
               if (answer) events_.record(warning);
             });
  }
}

void Hands::take_off(const std::string& node, const std::string& key, kube::Request request, act::Errands::Then then) {
  const bool sent = errands_.run(key, std::move(request), kAskAgain,
                                 [this, node, then = std::move(then)](const kube::Result<kube::Object>& answer) {
                                   if (--takes_off_[node] == 0) takes_off_.erase(node);
                                   then(answer);
                                 });
  if (sent) ++takes_off_[node];
}

// A pod of our own.
void Hands::remove(const observe::PodFacts& pod, base::Span rest) {
  errands_.run("delete/" + pod.uid, kube::remove(kube::kPods, pod.ns.str(), pod.name, pod.uid), rest);
}

void Hands::prove_image(const observe::Fleet& fleet, const core::FleetView& view, const core::Decision& decision) {
  const core::NodeView& node = view.nodes[decision.node];
  const vendors::NodeWish& wish = fleet.wish(decision.node);
  if (fleet.wants() == nullptr || node.preflight.state == core::PreflightView::State::Running) return;
  if (profile_.agent_prepares) {
    // Once asked, it tries again by itself.
    const observe::NodeFacts* facts = fleet.facts(decision.node);
    const bool is_asked = node.preflight.state != core::PreflightView::State::Unasked;
    if (!is_asked && facts != nullptr)
      change(fleet, view, decision, *facts, fleet.dress(decision.node, node.phase), true);
    return;
  }
  for (const observe::PodFacts* pod : fleet.operand_pods().on(node.name)) {
    // One that is there is waited for while it may still succeed, and replaced when it has given up.
    if (pod->label(profile_.role_label) == profile_.preflight_role && pod->digest == wish.digest) return;
  }
  json::Value pod = fleet.wants()->preflight(node.name, wish);
  if (pod.is_null()) return;
  const std::string name(json::text_at(pod, {"metadata", "name"}));
  errands_.run("preflight/" + name, kube::create(kube::kPods, ns_, std::move(pod)), kDeleteAgain,
               [this, on = node.name](const kube::Result<kube::Object>& answer) {
                 const bool may_never_be = !answer && (answer.error().kind == base::Fault::Kind::Forbidden ||
                                                       answer.error().kind == base::Fault::Kind::Refused);
                 company_.proof_refused(on, may_never_be ? answer.error().message : std::string());
               });
}

void Hands::detach(const observe::DaemonSetFacts& set) {
  const json::Value body = {{"metadata", {{"uid", set.uid}, {"ownerReferences", nullptr}}}};
  errands_.run("detach/" + set.name, kube::patch(kube::kDaemonSets, ns_, set.name, kube::PatchKind::Merge, body),
               kApplyAgain);
}

void Hands::bring_operands(const observe::Fleet& fleet, const kube::Cache<observe::DaemonSetFacts>& sets,
                           bool only_missing) {
  if (fleet.wants() == nullptr) return;
  const std::vector<json::Value>& all = fleet.wants()->daemon_sets();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const json::Value& wanted = all[i];
    const std::string name(json::text_at(wanted, {"metadata", "name"}));
    const observe::DaemonSetFacts* set = sets.find(ns_ + "/" + name);
    if (set != nullptr && only_missing) continue;
    if (set != nullptr && set->set.has_owner) {
      detach(*set);
      continue;
    }
    // Applied once for each text and each generation that somebody else made of it.
    const std::uint64_t text = fleet.wanted_texts()[i];
    const std::string mark = fmt::format("{:x}/{}", text, set == nullptr ? 0 : set->generation);
    if (applied_[name] == mark) continue;
    kube::Request request = kube::patch(kube::kDaemonSets, ns_, name, kube::PatchKind::Apply, wanted);
    request.force = true;
    errands_.run("apply/" + name, std::move(request), kApplyAgain,
                 [this, name, text, policy = fleet.policy_ref(),
                  was = set == nullptr ? 0 : set->generation](const kube::Result<kube::Object>& answer) {
                   const std::int64_t now = answer ? json::int_at(*answer, {"metadata", "generation"}) : 0;
                   if (now != was || !answer) tally_.count(policy, was == 0 ? Deed::MakeSet : Deed::ChangeSet, answer);
                   if (answer) applied_[name] = fmt::format("{:x}/{}", text, now);
                 });
  }
  for (const std::string& name : fleet.wants()->leftovers()) {
    kube::Request request = kube::remove(kube::kDaemonSets, ns_, name, "");
    request.propagation = kube::Propagation::Orphan;
    errands_.run("leftover/" + name, std::move(request), kDeleteAgain);
  }
}

void Hands::tidy(const std::vector<const observe::Fleet*>& fleets, const observe::OperandPods& index,
                 const kube::Cache<observe::PodFacts>& operand_pods) {
  if (index.preflights().empty()) return;
  std::map<std::string_view, std::string_view> proving;  // by node: the digest that is being proven
  for (const observe::Fleet* fleet : fleets) {
    const core::FleetView& view = fleet->seen();
    for (std::size_t i = 0; i < view.nodes.size(); ++i) {
      const core::NodeView& node = view.nodes[i];
      const bool goes_on = view.policy.is_on || core::goes_alone(node, view.policy);
      if (node.phase == Phase::Required && goes_on) proving[node.name] = fleet->wish(i).digest;
    }
  }
  for (const auto& [key, since] : index.preflights()) {
    const observe::PodFacts* pod = operand_pods.find(key);
    if (pod == nullptr || pod->is_going) continue;
    const auto at = proving.find(pod->node);
    const bool is_needed = at != proving.end() && at->second == pod->digest && !pod->has_failed;
    if (is_needed) continue;
    remove(*pod, kAskAgain);
  }
}

void Hands::withdraw(const std::set<std::string>& wanted, const kube::Cache<observe::DaemonSetFacts>& sets) {
  sets.each([&](const std::string&, const observe::DaemonSetFacts& set) {
    if (set.role != profile_.validator_role || set.is_going || !set.is_ours || wanted.contains(set.name)) return;
    errands_.run("withdraw/" + set.name, kube::remove(kube::kDaemonSets, ns_, set.name, set.uid), kDeleteAgain);
  });
}

}  // namespace drover::operate
