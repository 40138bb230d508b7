#include "act/writes_of.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "act/events.h"
#include "act/node_patch.h"
#include "act/probe_order.h"
#include "core/drain.h"
#include "protocol/order_for.h"

namespace drover::act {
namespace {

using core::Action;
using core::Phase;

NodeNow node_now(const core::NodeView& seen, const observe::NodeFacts& facts, const vendors::WorkProfile& profile) {
  NodeNow now{.seen = seen, .version = facts.version, .boot = facts.boot};
  now.taints = facts.taints;
  if (facts.record) now.record = *facts.record;
  now.autoscaler_is_told = !facts.annotation(protocol::kScaleDownAnnotation).empty();
  now.order = facts.annotation(profile.channel.order);
  return now;
}

class Writer {
 public:
  Writer(const Decided& decided, const observe::RuntimeFacts& runtime, const PendingWrites& pending, base::WallTime now)
      : in_(decided), runtime_(runtime), pending_(pending), now_(now) {}

  Writes write() {
    std::vector<std::size_t> low_priority;
    std::vector<std::size_t> probes;
    for (std::size_t i = 0; i < in_.plan.decisions.size(); ++i) sort(i, low_priority, probes);
    for (const std::size_t i :
         probes_in_turn(std::move(probes), low_priority, in_.view, in_.plan, runtime_, pending_)) {
      const core::Decision& decision = in_.plan.decisions[i];
      const observe::NodeFacts* facts = facts_of(decision);
      if (facts != nullptr) work(decision, *facts);
    }
    write_low_priority(low_priority);
    return std::move(out_);
  }

 private:
  // A node that moves or works is written at once; one that only joins the queue, leaves it or gets its labels, later.
  void sort(std::size_t i, std::vector<std::size_t>& low_priority, std::vector<std::size_t>& probes) {
    const core::Decision& decision = in_.plan.decisions[i];
    const Phase phase = in_.view.nodes[decision.node].phase;
    const bool metadata_is_missing = in_.fleet.metadata_is_missing(decision.node);
    if (!decision.change && decision.action == Action::None && !metadata_is_missing)
      return;  // most of them, most of the time
    const bool writes = decision.change || metadata_is_missing;
    if (writes && !core::is_in_flight(phase) && !(decision.change && core::is_in_flight(decision.change->after.phase)))
      return low_priority.push_back(i);
    if (!writes && decision.action == Action::ProveImage) return probes.push_back(i);
    const observe::NodeFacts* facts = facts_of(decision);
    if (facts == nullptr) return;
    if (writes) {
      change(decision, *facts);
    } else if (!pending_.is_under_way("node/" + facts->name)) {
      // What is being written may end the phase that this work belongs to.
      work(decision, *facts);
    }
  }

  // Nodes for which a moment more or less is nothing, a few at a time; first those that disturb least. They can be
  // thousands at once, and all together they would stand before the few that are out of service.
  void write_low_priority(const std::vector<std::size_t>& low_priority) {
    std::vector<std::pair<int, std::size_t>> queue;
    if (pending_.low_priority() >= kMostLowPriority) return;
    queue.reserve(low_priority.size());
    for (const std::size_t i : low_priority) {
      const core::Decision& decision = in_.plan.decisions[i];
      const bool joins = decision.change && decision.change->after.phase == Phase::Required;
      if (joins && in_.view.policy.is_on && !in_.view.pods_are_counted) continue;
      const std::string& name = in_.view.nodes[decision.node].name;
      queue.emplace_back(joins ? runtime_.device_pods_on(name).value_or(0) : 0, i);
    }
    // A heap: only the first few of thousands are looked at, and how many of those cannot be served is not known.
    std::make_heap(queue.begin(), queue.end(), std::greater<>());
    for (std::size_t places = kMostLowPriority - pending_.low_priority(); !queue.empty() && places > 0;) {
      std::pop_heap(queue.begin(), queue.end(), std::greater<>());
      const core::Decision& decision = in_.plan.decisions[queue.back().second];
      queue.pop_back();
      const observe::NodeFacts* facts = facts_of(decision);
      if (facts == nullptr || !change(decision, *facts)) continue;
      out_.writes.back().subject.is_low_priority = true;
      --places;
    }
  }

  // Nothing while the watch is behind what we wrote.
  const observe::NodeFacts* facts_of(const core::Decision& decision) const {
    const observe::NodeFacts* facts = in_.fleet.facts(decision.node);
    return facts == nullptr || pending_.is_behind(*facts) ? nullptr : facts;
  }

  bool has_room() const { return pending_.room() > leaving_; }

  // One that has to wait is passed on too: the executor remembers that it was wanted.
  Write& add(std::string key, kube::Request request, Purpose purpose, const std::string& node, base::Span rest) {
    if (purpose == Purpose::Node || pending_.is_free(key)) ++leaving_;
    return out_.writes.emplace_back(Write{.key = std::move(key),
                                          .request = std::move(request),
                                          .purpose = purpose,
                                          .subject = {.policy = in_.fleet.policy_ref(), .node = node},
                                          .rest = rest});
  }

  bool change(const core::Decision& decision, const observe::NodeFacts& facts) {
    const Phase phase = decision.change ? decision.change->after.phase : in_.view.nodes[decision.node].phase;
    return change(decision, facts, in_.fleet.metadata(decision.node, phase));
  }

  // One PATCH for the decision and for the labels and annotations that the node is to have.
  bool change(const core::Decision& decision, const observe::NodeFacts& facts, const vendors::NodeMetadata& metadata,
              bool is_to_prepare = false) {
    const core::NodeView& node = in_.view.nodes[decision.node];
    const core::Change* change = decision.change ? &*decision.change : nullptr;
    const bool gives_back = change != nullptr && core::uncordons(node, change->after);
    // A pod that goes after its node was given back would have gone for nothing, or under others.
    const bool gives_up = change != nullptr && node.claim && !change->after.claim;
    if ((gives_back || gives_up) && pending_.has_pending_evictions(node.name)) return false;
    const std::string key = "node/" + facts.name;
    if (!has_room() || (!pending_.is_free(key) && !pending_.may_overtake(facts))) return false;
    NodeNow now = node_now(node, facts, in_.profile);
    now.driver_version = in_.fleet.desired(decision.node).version;
    now.policy = in_.view.policy.name;
    now.is_paused = node.is_selected && !in_.view.policy.is_on;
    now.is_to_prepare = is_to_prepare || protocol::asked_to_prepare(now.order) == now.driver_version;
    now.has_cordon_note = !facts.annotation(in_.profile.cordon_annotation).empty();
    Write& write = add(key, node_patch(now, change, metadata, in_.profile, now_), Purpose::Node, facts.name, {});
    write.subject.decided_on = facts.version;
    write.subject.gives_back = gives_back;
    if (change != nullptr) {
      write.events = events_of(node, *change, in_.view.policy, in_.profile);
      write.path = path_of(*change, in_.profile);
      write.repairs = repairs_of(*change);
      write.subject.takes = std::any_of(change->path.begin(), change->path.end(),
                                        [](const core::Step& step) { return step.to == Phase::Cordon; });
      if (write.subject.takes && change->after.claim) write.subject.claim = change->after.claim->id;
    }
    if (const std::string& what = in_.fleet.recorded(decision.node).distrust; !what.empty())
      write.events.push_back(distrust_event({.name = node.name, .uid = node.uid}, what, in_.profile));
    if (!facts.record_trouble.empty())
      write.events.push_back(odd_record_event({.name = node.name, .uid = node.uid}, facts.record_trouble, in_.profile));
    return true;
  }

  void work(const core::Decision& decision, const observe::NodeFacts& facts) {
    const core::NodeView& node = in_.view.nodes[decision.node];
    const core::Policy& policy = in_.view.policy;
    const auto clearing = [&](core::Scope scope, const std::optional<core::Removal>& removal) {
      return clearing_of(*node.pods, scope, removal.value_or(core::Removal{}));
    };
    switch (decision.action) {
      case Action::None: break;
      case Action::ProveImage: prove_image(decision, facts); break;
      case Action::EvictDevicePods:
        evict(node, clearing(core::Scope::DevicePods, policy.device_pods), Purpose::Evict);
        break;
      case Action::EvictAll: evict(node, clearing(core::Scope::AllPods, policy.drain), Purpose::EvictInDrain); break;
      case Action::DeleteDevicePods:
        force_delete(node, clearing(core::Scope::DevicePods, policy.device_pods ? policy.device_pods : policy.drain));
        break;
      case Action::ReplaceDriverPod: replace_driver(decision, facts); break;
      case Action::ReplaceValidator:
        for (const observe::PodFacts* pod : in_.fleet.operand_pods().on(node.name)) {
          if (pod->label(in_.profile.role_label) == in_.profile.validator_role && !pod->is_going)
            add("delete/" + pod->uid, kube::remove(kube::kPods, pod->ns.str(), pod->name, pod->uid), Purpose::RemovePod,
                node.name, kDeleteAgain);
        }
        break;
    }
  }

  void replace_driver(const core::Decision& decision, const observe::NodeFacts& facts) {
    const core::NodeView& node = in_.view.nodes[decision.node];
    const observe::PodFacts* pod = in_.fleet.driver_pod(decision.node);
    if (pod == nullptr) return;
    // Without a claim no PATCH has begun the swap yet. Where another DaemonSet is to bring the new driver, that is said
    // first: the one that brought the old driver would only bring it again.
    const vendors::NodeMetadata metadata = in_.fleet.metadata(decision.node, Phase::Restart);
    if (!core::is_in_flight(node.phase) && !metadata.empty()) {
      change(decision, facts, metadata);
      return;
    }
    kube::Request request = kube::remove(kube::kPods, pod->ns.str(), pod->name, pod->uid);
    // No pod was asked to leave the node: the driver's goes as it was seen, and not when it serves by now.
    if (!core::is_in_flight(node.phase)) request.version_precondition = pod->version;
    Write& write = add("delete/" + pod->uid, std::move(request), Purpose::ReplaceDriver, node.name, kDeleteAgain);
    write.subject.pod = pod->uid;
    write.subject.ends_driver = in_.profile.flow.has(core::Trait::Container);
  }

  void evict(const core::NodeView& node, const core::Clearing& clearing, Purpose purpose) {
    bool all_were_asked = true;
    for (const core::PodView* pod : clearing.to_evict) {
      const std::string key = "evict/" + pod->uid;
      Write& write = add(key, kube::evict(pod->ns, pod->name, pod->uid), purpose, node.name, kAskAgain);
      write.subject.ns = pod->ns;
      write.subject.pod = pod->uid;
      all_were_asked = all_were_asked && pending_.answers(key) > 0;
    }
    if (all_were_asked && node.claim)
      out_.attempts.emplace_back(node.name, observe::Attempt{.claim = node.claim->id, .phase = node.claim->phase});
  }

  void force_delete(const core::NodeView& node, const core::Clearing& clearing) {
    for (const core::PodView* pod : clearing.to_evict) {
      Write& write = add("delete/" + pod->uid, kube::remove(kube::kPods, pod->ns, pod->name, pod->uid),
                         Purpose::ForceDelete, node.name, kAskAgain);
      write.subject.pod = pod->uid;
      write.subject.pod_name = pod->full_name();
      write.subject.budget = pod->held_by;
      write.events = forced_events({.name = node.name, .uid = node.uid}, *pod, in_.profile);
    }
  }

  void prove_image(const core::Decision& decision, const observe::NodeFacts& facts) {
    const core::NodeView& node = in_.view.nodes[decision.node];
    const vendors::DesiredNode& desired = in_.fleet.desired(decision.node);
    if (in_.fleet.wants() == nullptr || node.preflight.state == core::PreflightView::State::Running) return;
    if (in_.profile.flow.has(core::Trait::ResidentAgent)) {
      // Once asked, it tries again by itself.
      const bool is_asked = node.preflight.state != core::PreflightView::State::Unasked;
      if (!is_asked) change(decision, facts, in_.fleet.metadata(decision.node, node.phase), true);
      return;
    }
    for (const observe::PodFacts* pod : in_.fleet.operand_pods().on(node.name)) {
      // One that is there is waited for while it may still succeed, and replaced when it has given up.
      if (pod->label(in_.profile.role_label) == in_.profile.preflight_role && pod->digest == desired.digest) return;
    }
    json::Value pod = in_.fleet.wants()->preflight(node.name, desired);
    if (pod.is_null()) return;
    const std::string name(json::text_at(pod, {"metadata", "name"}));
    add("preflight/" + name, kube::create(kube::kPods, in_.ns, std::move(pod)), Purpose::ProveImage, node.name,
        kDeleteAgain);
  }

  const Decided& in_;
  const observe::RuntimeFacts& runtime_;
  const PendingWrites& pending_;
  base::WallTime now_;
  int leaving_ = 0;
  Writes out_;
};

}  // namespace

Writes writes_of(const Decided& decided, const observe::RuntimeFacts& runtime, const PendingWrites& pending,
                 base::WallTime now) {
  return Writer(decided, runtime, pending, now).write();
}

}  // namespace drover::act
