// What a write of the operator to a Node must respect.
#include <fmt/format.h>

#include <algorithm>

#include "base/same.h"

#include "checker.h"

namespace drover::proof {
namespace {

constexpr std::string_view kOurAnnotations[] = {kRecord, kScaleDown};

bool is_one_of(std::span<const std::string_view> keys, std::string_view key) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](std::string_view ours) { return ours.ends_with('.') ? key.starts_with(ours) : key == ours; });
}

// Keys whose values differ.
std::vector<std::string> differing(const json::Members& before, const json::Members& after) {
  std::vector<std::string> keys;
  for (const auto& one : after) {
    const json::Value* was = before.if_contains(one.key());
    if (was == nullptr || !json::same(*was, one.value())) keys.emplace_back(one.key());
  }
  for (const auto& one : before) {
    if (!after.contains(one.key())) keys.emplace_back(one.key());
  }
  return keys;
}

json::Array taints_without_ours(const kube::Object& node) {
  json::Array taints;
  for (const json::Value& taint : json::array_at(node, {"spec", "taints"})) {
    const std::string_view key = json::text_at(taint, {"key"});
    // The cordon's own taint follows spec.unschedulable.
    if (key != kTaint && key != "node.kubernetes.io/unschedulable") taints.push_back(taint);
  }
  return taints;
}

// What keeps drover from going on with a node is a condition of it.
json::Value status_without_ours(const kube::Object& node) {
  json::Members status = json::members_at(node, {"status"});
  json::Array conditions;
  for (const json::Value& one : json::array_at(node, {"status", "conditions"})) {
    if (!json::text_at(one, {"type"}).ends_with("Blocked")) conditions.push_back(one);
  }
  status["conditions"] = std::move(conditions);
  return status;
}

}  // namespace

void Checker::check_node_write(const kube::Object& before, const kube::Object& after, Tracked& node,
                               const NodeMarks& now) {
  const NodeMarks& was = node.marks;
  check_fields(before, after, was, now);
  // A condition says nothing of the node's state, and a person may have changed that a moment before.
  if (!json::same(json::members_at(before, {"status"}), json::members_at(after, {"status"}))) return;
  check_cordon(node, now);
  check_admission(was, now);
  check_done(before, was, now);
  check_sticky(node, now);
  check_way_back(node, now);
  const bool was_unknown = !was.state.empty() && !vendor_.knows(was.state);
  if (was_unknown && !was.claim_is_ours() && now.claim_is_ours()) {
    blame("I22 unknown is inert", fmt::format("{} said \"{}\" and was taken", now.name, was.state));
  }
  if (was.claim && !was.claim_is_ours() && (!now.claim || now.claim->id != was.claim->id)) {
    blame("I17 single owner", fmt::format("{} was claimed for {} and is not any more", now.name, was.claim->kind));
  }
  if (now.is_cordoned && !was.is_cordoned) ++effects_[now.name].cordons;
  if (options_.counts_writes) count_writes(node, now);
}

void Checker::count_writes(Tracked& node, const NodeMarks& now) {
  // While a node stays where it is, what it has waited for is written down: three times for each limit, and three
  // times that pods came back.
  const NodeMarks& was = node.marks;
  const bool stays = was.claim && now.claim && was.claim->id == now.claim->id && was.claim->phase == now.claim->phase &&
                     was.state == now.state && was.is_cordoned == now.is_cordoned;
  node.writes_in_phase = stays ? node.writes_in_phase + 1 : 0;
  if (node.writes_in_phase > 6)
    blame("I24 bounded writes", fmt::format("{} got {} writes in one phase", now.name, node.writes_in_phase));
  if (stays) return;
  ++node.writes;
  const bool waits_and_drains = !no_terms([](const Terms& terms) { return terms.waits && terms.drains; });
  if (node.writes > (waits_and_drains ? 7 : 6)) {
    blame("I24 bounded writes", fmt::format("{} got {} writes in one upgrade", now.name, node.writes));
  }
  const bool is_without_controller = now.next == "alone" || (now.claim_is_ours() && now.claim->serves);
  if (now.state == vendor_.done() || now.state == vendor_.failed() || (now.state.empty() && !is_without_controller)) {
    node.writes = 0;
    node.events.clear();
  }
}

void Checker::check_fields(const kube::Object& before, const kube::Object& after, const NodeMarks& was,
                           const NodeMarks& now) {
  const auto foreign = [&](std::string_view what) {
    blame("I23 foreign mutation", fmt::format("the operator changed {} of {}", what, now.name));
  };
  for (const std::string& key : differing(kube::labels_of(before), kube::labels_of(after))) {
    if (!is_one_of(vendor_.our_labels, key)) foreign("label " + key);
  }
  for (const std::string& key : differing(json::members_at(before, {"metadata", "annotations"}),
                                          json::members_at(after, {"metadata", "annotations"}))) {
    if (!is_one_of(kOurAnnotations, key) && !is_one_of(vendor_.our_annotations, key) && key != vendor_.order)
      foreign("annotation " + key);
    const bool goes = key == kScaleDown && kube::annotation_of(after, key).empty();
    if (goes && !(was.claim_is_ours() && was.claim->autoscaler_told)) foreign("the autoscaler's annotation");
  }
  for (const std::string& key : differing(json::members_at(before, {"spec"}), json::members_at(after, {"spec"}))) {
    if (key != "unschedulable" && key != "taints") foreign("spec." + key);
  }
  if (!json::same(taints_without_ours(before), taints_without_ours(after))) foreign("a foreign taint");
  for (const std::string& key :
       differing(json::members_at(before, {"metadata"}), json::members_at(after, {"metadata"}))) {
    if (key != "labels" && key != "annotations" && key != "resourceVersion" && key != "managedFields" &&
        key != "generation") {
      foreign("metadata." + key);
    }
  }
  if (!json::same(status_without_ours(before), status_without_ours(after))) foreign("the status");
}

void Checker::check_cordon(const Tracked& node, const NodeMarks& now) {
  const NodeMarks& was = node.marks;
  if (was.is_cordoned && !now.is_cordoned) {
    const bool is_foreign = options_.knows_owners ? !node.cordon_was_set_by_us : !node.cordon_is_unsure;
    if (!node.cordon_is_ours && is_foreign)
      blame("I3 foreign cordon", now.name + " was cordoned by others and is uncordoned");
    if (was.is_held) blame("I3 foreign cordon", now.name + " is held by a person and is uncordoned");
  }
  if (!was.is_cordoned && now.is_cordoned) {
    if (!now.claim_is_ours() || !now.claim->cordon_is_ours) {
      blame("I5 atomic ownership", now.name + " is cordoned, and its record does not say that it is by us");
    }
    if (vendor_.gates_close_with_cordon && !now.has_paused_gates && !node.claim_is_others)
      blame("I5 atomic ownership", now.name + " is cordoned, and its gates are open");
    if (no_terms([](const Terms& terms) { return terms.cordons; }))
      blame("I5 atomic ownership", now.name + " is cordoned, and the policy cordons no node");
    // Without the controller nodes that ask are served, and no others.
    const bool is_served = now.claim_is_ours() && now.claim->serves && (was.asks_for_room() || is_news(node.wished_at));
    if (!is_served && no_terms([](const Terms& terms) { return terms.is_there && terms.is_on; })) {
      blame("I16 pause", now.name + " is cordoned although upgrades are off");
    }
  }
}

void Checker::check_way_back(const Tracked& node, const NodeMarks& now) {
  const NodeMarks& was = node.marks;
  if (was.is_cordoned && !now.is_cordoned && now.is_in_flight())
    blame("I4 no lost cordon", now.name + " is uncordoned in flight");
  // Giving up a node gives back what was taken, in the same write.
  const bool gives_up = was.claim_is_ours() && !now.claim_is_ours();
  if (gives_up && was.claim->cordon_is_ours && was.is_cordoned && now.is_cordoned && !was.is_held &&
      node.cordon_is_ours && !node.cordon_is_unsure) {
    blame("I4 no lost cordon", now.name + " is given up and stays cordoned");
  }
  // A taint belongs to the claim of the node, of whatever kind.
  if (!now.claim && now.is_tainted) blame("I4 no lost cordon", now.name + " is given up and stays tainted");
  if (!now.claim_is_ours() && has_closed_gates(node, now) && was.claim_is_ours() && !now.agent_has_paused) {
    blame("I4 no lost cordon", now.name + " is given up and its gates stay closed");
  }
}

// A node is newly taken: is there room, and was its image proven?
void Checker::check_admission(const NodeMarks& was, const NodeMarks& now) {
  const bool admits = now.claim_is_ours() && now.is_in_flight() && !now.claim->id.starts_with("adopted-") &&
                      (!was.claim_is_ours() || was.claim->id != now.claim->id);
  if (!admits || was.is_in_flight()) return;
  if (!was.is_down()) {
    std::int64_t away = 1;
    for (const auto& [name, node] : nodes_) {
      if (name == now.name || !node.marks.is_selected || !node.marks.is_down()) continue;
      if (!is_news(node.down_by_others_at)) ++away;
    }
    const std::int64_t nodes = managed_nodes();
    if (no_terms([&](const Terms& terms) { return terms.is_there && away <= terms.max_unavailable(nodes); })) {
      blame("I1 budget", fmt::format("{} is taken, and {} of {} nodes are away", now.name, away, nodes));
    }
  }
  std::int64_t in_flight = 1;
  for (const auto& [name, node] : nodes_) {
    if (name != now.name && node.marks.is_in_flight() && !is_news(node.touched_at)) ++in_flight;
  }
  if (no_terms([&](const Terms& terms) {
        return terms.is_there && (terms.max_parallel == 0 || in_flight <= terms.max_parallel);
      })) {
    blame("I2 parallelism", fmt::format("{} is taken, and {} nodes are in flight", now.name, in_flight));
  }
  // Without a preflight pod the agent says what it has built, or loaded already. On a node that is held since an
  // earlier try the next pod builds it.
  const auto is_built = [&](const Terms& terms) { return terms.version == was.prepared; };
  const auto is_loaded = [&](const Terms& terms) { return terms.version == was.loaded; };
  const bool is_proven = vendor_.preflight_role.empty()
                             ? was.claim_is_ours() || was.loaded == terms_.back().terms.version ||
                                   !no_terms(is_built) || (was.next == "asked" && !no_terms(is_loaded))
                             : nodes_[now.name].proven.contains(now.claim->target);
  if (!is_proven) {
    blame("I19 preflight", now.name + " is taken before its new image was proven");
  }
}

bool Checker::has_pod(const std::string& node, std::string_view uid) const {
  const auto pods = world_.store().pods_on(node);
  return std::any_of(pods.begin(), pods.end(), [uid](const sim::Stored& pod) {
    return kube::uid_of(*pod) == uid && !kube::is_being_deleted(*pod);
  });
}

void Checker::check_done(const kube::Object& before, const NodeMarks& was, const NodeMarks& now) {
  if (now.state != vendor_.done() || was.state == now.state || !now.is_selected) return;
  const bool is_repaired = !was.claim_is_ours() && was.record_is_good && was.result == "done" && was.next.empty();
  if (is_repaired) return;  // it was done before, and only its label was lost
  // Without a label the state is the record's. Where a person wrote there that the swap is over, so is the outcome; and
  // what is given back because upgrades are off keeps the one that it had.
  const std::string_view phase = was.claim_is_ours() ? std::string_view(was.claim->phase) : "";
  const bool is_forged =
      nodes_[now.name].claim_is_others && (phase == "idle" || phase == "done" || phase == "uncordon");
  const bool may_be_swapped = phase == "uncordon" || (phase == "restart" && !has_pod(now.name, was.claim->pod));
  const bool is_put_back = !terms_.back().terms.is_on && !may_be_swapped;
  if (vendor_.state_label.empty() && (is_forged || is_put_back)) return;
  const std::string loaded = loaded_on(now.name);
  const auto down = down_at_.find(now.name);
  if (down != down_at_.end() && world_.loop.now() - down->second < std::chrono::minutes(3)) return;
  if (is_news(nodes_[now.name].driver_deleted_at)) return;  // the operator may not have heard of it
  // Of a machine that is out of reach its agent's last word counts.
  if (!was.is_ready && was.loaded == terms_.back().terms.version) return;
  if (no_terms([&](const Terms& terms) { return terms.is_there && terms.version == loaded; })) {
    blame("I20 truthful done", fmt::format("{} says done with driver \"{}\"; before: {}", now.name, loaded,
                                           kube::annotation_of(before, kRecord)));
  }
  const bool was_swapped = was.claim_is_ours() && (was.claim->phase == "restart" || was.claim->phase == "validate");
  if (!was_swapped || vendor_.validator_role.empty()) return;
  // A person uncordoned it in time: what serves is what served before.
  if (has_pod(now.name, was.claim->pod)) return;
  bool is_validated = false;
  for (const sim::Stored& pod : world_.store().pods_on(now.name)) {
    is_validated = is_validated || (our_role(vendor_, *pod) == vendor_.validator_role && is_ready(*pod) &&
                                    !kube::is_being_deleted(*pod));
  }
  if (!is_validated && !is_news(terms_.back().since)) {
    blame("I20 truthful done", now.name + " says done without a validator that is ready");
  }
}

// What keeps a node from being emptied may be there for ever; its new driver has nothing in its way.
void Checker::check_cause(Tracked& node, const NodeMarks& now) {
  const bool is_first = !std::exchange(node.has_failed, true);
  const std::string_view phase = node.marks.claim ? std::string_view(node.marks.claim->phase) : "";
  const bool is_swapped = phase == "restart" || phase == "validate";
  if (!calm_since_ || !is_first || !is_swapped || node.claimed_at - *calm_since_ < std::chrono::minutes(1)) return;
  blame("I25 failures have a cause", now.name + " failed in " + std::string(phase) + " although nothing was wrong");
}

void Checker::check_sticky(const Tracked& node, const NodeMarks& now) {
  const NodeMarks& was = node.marks;
  if (!was.is_failed() || now.is_failed()) return;
  if (node.touched_since_failed || node.policy_since_failed || !now.is_selected) return;
  blame("I21 failed is sticky", fmt::format("{} left the failed state by itself for {}", now.name, now.state));
}

}  // namespace drover::proof
