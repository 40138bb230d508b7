#include "sim/controllers/replicaset.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "sim/controllers/objects.h"
#include "sim/same.h"

namespace drover::sim {

namespace {

constexpr std::string_view kReplicaSetSource = "replicaset-controller";
// A sync writes a status, so large sets gather more news before the next one.
constexpr base::Span kPerReplica = std::chrono::microseconds(500);

std::int64_t restarts_of(const kube::Object& pod) {
  std::int64_t most = 0;
  for (const json::Value& container : json::array_at(pod, {"status", "containerStatuses"})) {
    most = std::max(most, count_at(container, {"restartCount"}));
  }
  return most;
}

// Which pod is missed least: the smaller goes first. Waiting before placed, pending before running, not ready before
// ready, cheap by its own word before dear, crowded before alone, young before old.
auto deletion_rank(const kube::Object& pod, const std::map<std::string, int>& pods_on_node) {
  const std::string node(node_of(pod));
  const std::string_view phase = phase_of(pod);
  const auto neighbours = pods_on_node.find(node);
  const auto since = ready_since(pod);
  return std::tuple(!node.empty(),
                    phase == "Running"                    ? 2
                    : phase == "Pending" || phase.empty() ? 0
                                                          : 1,
                    since.has_value(),
                    base::parse_int(kube::annotation_of(pod, "controller.kubernetes.io/pod-deletion-cost")).value_or(0),
                    neighbours == pods_on_node.end() ? 0 : -neighbours->second,
                    since ? -since->time_since_epoch().count() : 0, -restarts_of(pod));
}

}  // namespace

ReplicaSetController::ReplicaSetController(ControlPlane plane) : Controller(plane, "kube-controller-manager") {}

void ReplicaSetController::remember(const kube::Object& pod) {
  Members& members = members_[std::string(controller_uid(pod))];
  const json::Members& labels = kube::labels_of(pod);
  Member member;
  member.is_active = pod_is_active(pod);
  member.is_terminal = pod_is_terminal(pod);
  member.is_being_deleted = kube::is_being_deleted(pod);
  member.ready_since = ready_since(pod);
  Member& known = members[kube::key_of(pod)];
  for (const Member* like : {&known, &members.begin()->second}) {
    if (!member.labels && like->labels && same(like->labels->get_object(), labels)) member.labels = like->labels;
  }
  if (!member.labels) member.labels = std::make_shared<const json::Value>(labels, boost::json::storage_ptr());
  known = std::move(member);
}

void ReplicaSetController::forget_pod(const kube::Object& pod) {
  const auto members = members_.find(std::string(controller_uid(pod)));
  if (members == members_.end()) return;
  members->second.erase(kube::key_of(pod));
  if (members->second.empty()) members_.erase(members);
}

const ReplicaSetController::Members& ReplicaSetController::members_of(const kube::Object& set) const {
  static const Members kNone;
  const auto members = members_.find(std::string(kube::uid_of(set)));
  return members == members_.end() ? kNone : members->second;
}

void ReplicaSetController::enqueue_owner(const kube::Object& pod) {
  const std::string_view name = controller_name(pod, "ReplicaSet");
  if (name.empty()) return;
  const auto members = members_.find(std::string(controller_uid(pod)));
  const auto size = static_cast<std::int64_t>(members == members_.end() ? 0 : members->second.size());
  enqueue_after(key_in(kube::namespace_of(pod), name), std::max(reaction(), kPerReplica * size));
}

void ReplicaSetController::offer_orphan(const kube::Object& pod) {
  store().each("replicasets.apps", kube::namespace_of(pod), [&](const Stored& set) {
    auto selector = base::Selector::from_json(json::Value(json::members_at(*set, {"spec", "selector"})));
    if (selector && !selector->selects_everything() && selector->matches(kube::labels_of(pod))) {
      may_adopt_.insert(kube::key_of(*set));
      enqueue(kube::key_of(*set));
    }
  });
}

void ReplicaSetController::heard(const Commit& commit) {
  if (commit.resource == "replicasets.apps") {
    const std::string key = kube::key_of(*commit.after);
    if (commit.kind == Commit::Kind::Created) may_adopt_.insert(key);
    if (commit.kind == Commit::Kind::Removed) may_adopt_.erase(key);
    commit.kind == Commit::Kind::Removed ? forget(key) : enqueue(key);
    return;
  }
  const bool is_gone = commit.kind == Commit::Kind::Removed;
  if (commit.before && (is_gone || controller_uid(*commit.before) != controller_uid(*commit.after))) {
    forget_pod(*commit.before);
  }
  if (!is_gone && !controller_name(*commit.after, "ReplicaSet").empty()) remember(*commit.after);
  if (commit.before) enqueue_owner(*commit.before);
  enqueue_owner(*commit.after);
  const bool may_be_adopted = commit.kind != Commit::Kind::Removed && controller_uid(*commit.after).empty() &&
                              pod_is_active(*commit.after) && !kube::labels_of(*commit.after).empty();
  const bool is_news = !commit.before || !same(kube::labels_of(*commit.before), kube::labels_of(*commit.after)) ||
                       !controller_uid(*commit.before).empty();
  if (may_be_adopted && is_news) offer_orphan(*commit.after);
}

Done ReplicaSetController::claim(const kube::Object& set, const base::Selector& selector) {
  const std::string ns(kube::namespace_of(set));
  const std::string_view uid = kube::uid_of(set);
  std::vector<std::pair<Stored, bool>> changes;  // adopt or release
  std::map<const json::Value*, bool> matches;
  for (const auto& [key, member] : members_of(set)) {
    const auto [judged, is_new] = matches.try_emplace(member.labels.get());
    if (is_new) judged->second = selector.matches(member.labels->get_object());
    if (judged->second || member.is_being_deleted) continue;
    if (Stored pod = store().find("pods", key)) changes.emplace_back(std::move(pod), false);
  }
  if (may_adopt_.erase(kube::key_of(set)) > 0 && !kube::is_being_deleted(set)) {
    store().each("pods", ns, [&](const Stored& pod) {
      if (controller_uid(*pod).empty() && pod_is_active(*pod) && selector.matches(kube::labels_of(*pod))) {
        changes.emplace_back(pod, true);
      }
    });
  }
  for (const auto& [pod, adopts] : changes) {
    json::Array owners;
    for (const json::Value& owner : json::array_at(*pod, {"metadata", "ownerReferences"})) {
      if (json::text_at(owner, {"uid"}) != uid) owners.push_back(owner);
    }
    if (adopts) owners.push_back(controller_reference(kube::kReplicaSets, set));
    json::Value body = {{"metadata", {{"uid", kube::uid_of(*pod)}, {"ownerReferences", std::move(owners)}}}};
    ASK_VOID(ask_unless_gone(
        kube::patch(kube::kPods, ns, std::string(kube::name_of(*pod)), kube::PatchKind::Merge, std::move(body))));
  }
  return {};
}

Done ReplicaSetController::sync(const std::string& key) {
  const Stored set = store().find("replicasets.apps", key);
  if (!set) return {};
  auto selector = base::Selector::from_json(json::Value(json::members_at(*set, {"spec", "selector"})));
  if (!selector || selector->selects_everything()) return {};
  ASK_VOID(claim(*set, *selector));
  Done resized = kube::is_being_deleted(*set) ? Done{} : resize(*set);
  Done told = write_status(*set, resized);
  return resized ? told : resized;
}

Done ReplicaSetController::resize(const kube::Object& set) {
  const auto wanted = count_at(set, {"spec", "replicas"}, 1);
  const auto have = std::ranges::count_if(members_of(set), [](const auto& entry) { return entry.second.is_active; });
  if (have > wanted) return remove_pods(set, have - wanted);
  if (wanted - have > kBurst) enqueue(kube::key_of(set));
  return create_pods(set, std::min(wanted - have, kBurst));
}

Done ReplicaSetController::remove_pods(const kube::Object& set, std::int64_t count) {
  std::map<std::string, int> pods_on_node;
  std::vector<Stored> sorted;
  for (const auto& [key, member] : members_of(set)) {
    const Stored pod = member.is_active ? store().find("pods", key) : nullptr;
    if (!pod) continue;
    ++pods_on_node[std::string(node_of(*pod))];
    sorted.push_back(pod);
  }
  std::ranges::sort(sorted, [&](const Stored& a, const Stored& b) {
    const auto rank_a = deletion_rank(*a, pods_on_node);
    const auto rank_b = deletion_rank(*b, pods_on_node);
    if (rank_a != rank_b) return rank_a < rank_b;
    // The youngest first; the name decides between twins.
    return std::pair(json::text_at(*b, {"metadata", "creationTimestamp"}), kube::name_of(*b)) <
           std::pair(json::text_at(*a, {"metadata", "creationTimestamp"}), kube::name_of(*a));
  });
  sorted.resize(std::min(sorted.size(), static_cast<std::size_t>(count)));
  for (const Stored& pod : sorted) {
    ASK_VOID(ask_unless_gone(kube::remove(kube::kPods, std::string(kube::namespace_of(*pod)),
                                          std::string(kube::name_of(*pod)), std::string(kube::uid_of(*pod)))));
    events().normal(About::object(kube::kReplicaSets, set), kReplicaSetSource, "SuccessfulDelete",
                    fmt::format("Deleted pod: {}", kube::name_of(*pod)));
  }
  return {};
}

Done ReplicaSetController::create_pods(const kube::Object& set, std::int64_t count) {
  const About about = About::object(kube::kReplicaSets, set);
  const kube::Object pod =
      pod_from_template(kube::kReplicaSets, set, json::Value(json::members_at(set, {"spec", "template"})));
  for (std::int64_t i = 0; i < count; ++i) {
    auto created = ask(kube::create(kube::kPods, std::string(kube::namespace_of(set)), pod));
    if (!created) {
      events().warning(about, kReplicaSetSource, "FailedCreate",
                       fmt::format("Error creating: {}", created.error().message));
      return std::unexpected(std::move(created).error());
    }
    events().normal(about, kReplicaSetSource, "SuccessfulCreate",
                    fmt::format("Created pod: {}", kube::name_of(**created)));
  }
  return {};
}

Done ReplicaSetController::write_status(const kube::Object& set, const Done& resized) {
  // Counted again: what was created and deleted a moment ago is in the store already.
  const base::Span min_ready = seconds_at(set, {"spec", "minReadySeconds"});
  const auto template_labels = base::Selector::from_json(
      json::Value{{"matchLabels", json::members_at(set, {"spec", "template", "metadata", "labels"})}});
  std::int64_t replicas = 0;
  std::int64_t labeled = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  std::int64_t terminating = 0;
  std::optional<base::Span> look_again;
  std::map<const json::Value*, bool> like_template;
  for (const auto& [key, member] : members_of(set)) {
    if (!member.is_active) {
      terminating += !member.is_terminal;
      continue;
    }
    ++replicas;
    const auto [judged, is_new] = like_template.try_emplace(member.labels.get());
    if (is_new) judged->second = template_labels && template_labels->matches(member.labels->get_object());
    labeled += judged->second;
    if (!member.ready_since) continue;
    ++ready;
    const base::Span in =
        min_ready > base::Span::zero() ? *member.ready_since + min_ready - loop().wall() : base::Span();
    available += in <= base::Span::zero();
    if (in > base::Span::zero()) look_again = look_again ? std::min(*look_again, in) : in;
  }
  if (look_again) enqueue_after(kube::key_of(set), *look_again);

  kube::Object changed = copy_to_change(set);
  json::Members& status = json::ensure(changed, {"status"}).emplace_object();
  status["replicas"] = replicas;
  const auto show = [&](std::string_view field, std::int64_t value) {
    if (value != 0) status[field] = value;
  };
  show("fullyLabeledReplicas", labeled);
  show("readyReplicas", ready);
  show("availableReplicas", available);
  status["terminatingReplicas"] = terminating;
  show("observedGeneration", json::int_at(set, {"metadata", "generation"}));
  if (const json::Value* conditions = json::find(set, {"status", "conditions"})) status["conditions"] = *conditions;
  if (!resized) {
    set_condition(changed, {"ReplicaFailure", "True", "FailedCreate", resized.error().message}, now_text());
  } else if (remove_condition(changed, "ReplicaFailure") && json::array_at(changed, {"status", "conditions"}).empty()) {
    json::remove(changed, {"status", "conditions"});
  }
  if (same(json::members_at(changed, {"status"}), json::members_at(set, {"status"}))) return {};
  return ask_unless_gone(kube::replace(kube::kReplicaSets, std::move(changed), "status"));
}

}  // namespace drover::sim
