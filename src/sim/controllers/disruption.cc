#include "sim/controllers/disruption.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "sim/controllers/objects.h"
#include "sim/same.h"

namespace drover::sim {

namespace {

constexpr std::string_view kDisruptionSource = "controllermanager";
// A pod that was promised to go and is still here after this long counts again.
constexpr base::Span kDeletionTimeout = std::chrono::minutes(2);

// An entry of conditions as metav1.Condition has it: the message is there even if it is empty.
void set_allowed_condition(json::Members& status, std::string_view state, std::string_view reason,
                           std::string_view message, std::int64_t generation, const std::string& now) {
  json::Array conditions;
  std::string turned_at = now;
  const json::Value* known = status.if_contains("conditions");
  for (const json::Value& condition : known && known->is_array() ? known->get_array() : json::Array()) {
    if (json::text_at(condition, {"type"}) != "DisruptionAllowed") {
      conditions.push_back(condition);
    } else if (json::text_at(condition, {"status"}) == state) {
      turned_at = json::text_at(condition, {"lastTransitionTime"});
    }
  }
  json::Members condition{{"type", "DisruptionAllowed"}, {"status", state}};
  if (generation > 0) condition["observedGeneration"] = generation;
  condition["lastTransitionTime"] = turned_at;
  condition["reason"] = reason;
  condition["message"] = message;
  conditions.push_back(std::move(condition));
  status["conditions"] = std::move(conditions);
}

}  // namespace

DisruptionController::DisruptionController(ControlPlane plane) : Controller(plane, "kube-controller-manager") {}

void DisruptionController::heard(const Commit& commit) {
  if (commit.resource == "pods") return heard_pod(commit);
  const std::string key = kube::key_of(*commit.after);
  if (commit.kind == Commit::Kind::Removed) {
    budgets_.erase(key);
    forget(key);
    return;
  }
  Budget& budget = budgets_[key];
  const std::int64_t generation = json::int_at(*commit.after, {"metadata", "generation"});
  if (budget.uid != kube::uid_of(*commit.after) || budget.generation != generation) {
    budget = Budget{};
    budget.uid = kube::uid_of(*commit.after);
    budget.generation = generation;
  }
  enqueue(key);
}

void DisruptionController::heard_pod(const Commit& commit) {
  const kube::Object& pod = *commit.after;
  const std::string name(kube::name_of(pod));
  const std::string prefix = std::string(kube::namespace_of(pod)) + "/";
  for (auto at = budgets_.lower_bound(prefix); at != budgets_.end() && at->first.starts_with(prefix); ++at) {
    Budget& budget = at->second;
    if (budget.unread) continue;
    const bool was_member = budget.members.contains(name);
    if (was_member) drop_pod(budget, name);
    const bool is_member =
        commit.kind != Commit::Kind::Removed && budget.selector && budget.selector->matches(kube::labels_of(pod));
    if (is_member) put_pod(budget, pod);
    if (was_member || is_member) enqueue(at->first);
  }
}

void DisruptionController::put_pod(Budget& budget, const kube::Object& pod) {
  std::string name(kube::name_of(pod));
  Member member{std::string(controller_uid(pod)), pod_is_ready(pod) && !kube::is_being_deleted(pod)};
  budget.healthy += member.healthy;
  if (budget.controllers[member.controller]++ == 0) budget.sample[member.controller] = name;
  budget.members.insert_or_assign(std::move(name), std::move(member));
}

void DisruptionController::drop_pod(Budget& budget, const std::string& name) {
  auto found = budget.members.find(name);
  if (found == budget.members.end()) return;
  const Member member = std::move(found->second);
  budget.members.erase(found);
  budget.healthy -= member.healthy;
  if (--budget.controllers[member.controller] == 0) {
    budget.controllers.erase(member.controller);
    budget.sample.erase(member.controller);
  } else if (budget.sample[member.controller] == name) {
    // Any other member will do; the first by name, so that every run takes the same.
    for (const auto& [other, its] : budget.members) {
      if (its.controller != member.controller) continue;
      budget.sample[member.controller] = other;
      break;
    }
  }
}

void DisruptionController::read_everything(Budget& budget, const kube::Object& object) {
  budget.unread = false;
  const json::Value* selector = json::find(object, {"spec", "selector"});
  if (selector && !selector->is_null()) {
    if (auto parsed = base::Selector::from_json(*selector)) budget.selector = std::move(*parsed);
  }
  if (!budget.selector) return;
  store().each("pods", kube::namespace_of(object), [&](const Stored& pod) {
    if (budget.selector->matches(kube::labels_of(*pod))) put_pod(budget, *pod);
  });
}

Done DisruptionController::sync(const std::string& key) {
  const Stored object = store().find("poddisruptionbudgets.policy", key);
  auto found = budgets_.find(key);
  if (!object || found == budgets_.end()) return {};
  Budget& budget = found->second;
  if (budget.unread) read_everything(budget, *object);
  if (budget.members.empty()) {
    events().normal(About::object(kube::kDisruptionBudgets, *object), kDisruptionSource, "NoPods",
                    "No matching pods found");
  }
  return write_status(budget, *object);
}

// The sum of what the controllers of the members want; the controllers that can be scaled are the ones that have such a
// wish.
std::expected<std::int64_t, std::string> DisruptionController::scale_of_all(const Budget& budget,
                                                                            std::string_view ns) const {
  std::map<std::string, std::int64_t> scale_of;  // by uid of the topmost controller
  for (const auto& [uid, pod_name] : budget.sample) {
    if (uid.empty()) continue;
    const Stored pod = store().find("pods", key_in(ns, pod_name));
    const json::Value* reference = pod ? kube::controller_of(*pod) : nullptr;
    if (!reference) continue;
    const std::string_view kind = json::text_at(*reference, {"kind"});
    if (kind == "DaemonSet" || kind == "Job") {
      return std::unexpected(
          fmt::format("{} does not implement the scale subresource", kind == "Job" ? "jobs.batch" : "daemonsets.apps"));
    }
    const std::string shelf = kind == "ReplicaSet"   ? "replicasets.apps"
                              : kind == "Deployment" ? "deployments.apps"
                                                     : "";
    Stored owner = shelf.empty() ? nullptr : store().find(shelf, key_in(ns, json::text_at(*reference, {"name"})));
    if (!owner || kube::uid_of(*owner) != uid) {
      return std::unexpected(fmt::format("found no controllers for pod \"{}\"", pod_name));
    }
    if (const std::string_view deployment = controller_name(*owner, "Deployment"); !deployment.empty()) {
      if (Stored above = store().find("deployments.apps", key_in(ns, deployment))) owner = above;
    }
    scale_of[std::string(kube::uid_of(*owner))] = count_at(*owner, {"spec", "replicas"}, 1);
  }
  std::int64_t total = 0;
  for (const auto& [uid, scale] : scale_of) total += scale;
  return total;
}

std::expected<DisruptionController::Expectation, std::string> DisruptionController::expectation(
    const Budget& budget, const kube::Object& object) const {
  const json::Value* most = json::find(object, {"spec", "maxUnavailable"});
  const json::Value* least = json::find(object, {"spec", "minAvailable"});
  const auto members = static_cast<std::int64_t>(budget.members.size());
  Expectation expected;
  if (!most && least && !least->is_string()) {
    expected.pods = members;
    expected.healthy = scaled(least, members, true).value_or(0);
    return expected;
  }
  if (!most && !least) return expected;
  auto total = scale_of_all(budget, kube::namespace_of(object));
  if (!total) return std::unexpected(std::move(total).error());
  auto amount = scaled(most ? most : least, *total, true);
  if (!amount)
    return std::unexpected(
        std::string("invalid value for IntOrString: the value is neither a number nor a percentage"));
  expected.pods = *total;
  expected.healthy = most ? std::max<std::int64_t>(0, *total - *amount) : *amount;
  expected.some_unmanaged = budget.controllers.contains("");
  return expected;
}

json::Members DisruptionController::still_disrupted(const Budget& budget, const kube::Object& object,
                                                    const std::string& key) {
  json::Members kept;
  for (const auto& entry : json::members_at(object, {"status", "disruptedPods"})) {
    const std::string name(entry.key());
    const Stored pod = store().find("pods", key_in(kube::namespace_of(object), name));
    if (!pod || kube::is_being_deleted(*pod) || !budget.members.contains(name)) continue;
    auto promised_at = entry.value().is_string() ? base::parse_rfc3339(entry.value().get_string())
                                                 : base::Result<base::WallTime>(base::WallTime{});
    const base::Span left = (promised_at ? *promised_at : base::WallTime{}) + kDeletionTimeout - loop().wall();
    if (left < base::Span::zero()) {
      events().warning(About::object(kube::kPods, *pod), kDisruptionSource, "NotDeleted",
                       fmt::format("Pod was expected by PDB {} to be deleted but it wasn't", key));
      continue;
    }
    kept[entry.key()] = entry.value();
    // A moment later: at the very end it still counts.
    enqueue_after(key, left + std::chrono::milliseconds(1));
  }
  return kept;
}

Done DisruptionController::write_status(const Budget& budget, const kube::Object& object) {
  const About about = About::object(kube::kDisruptionBudgets, object);
  auto expected = expectation(budget, object);
  if (!expected) {
    events().warning(about, kDisruptionSource, "CalculateExpectedPodCountFailed",
                     fmt::format("Failed to calculate the number of expected pods: {}", expected.error()));
    return fail_safe(object, expected.error());
  }
  if (expected->some_unmanaged) {
    events().warning(
        about, kDisruptionSource, "UnmanagedPods",
        fmt::format("Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged; their "
                    "number is unknown, so give .spec.minAvailable as an integer",
                    budget.selector ? budget.selector->text() : ""));
  }

  json::Members disrupted = still_disrupted(budget, object, kube::key_of(object));
  std::int64_t healthy = budget.healthy;
  for (const auto& entry : disrupted) {
    auto member = budget.members.find(std::string(entry.key()));
    healthy -= member != budget.members.end() && member->second.healthy;
  }
  const std::int64_t spare = healthy - expected->healthy;
  const std::int64_t allowed = expected->pods <= 0 || spare <= 0 ? 0 : spare;

  const json::Members& before = json::members_at(object, {"status"});
  const std::int64_t generation = json::int_at(object, {"metadata", "generation"});
  json::Members status;
  if (const json::Value* conditions = before.if_contains("conditions")) status["conditions"] = *conditions;
  if (!disrupted.empty()) status["disruptedPods"] = std::move(disrupted);
  status["observedGeneration"] = generation;
  status["disruptionsAllowed"] = allowed;
  status["currentHealthy"] = healthy;
  status["desiredHealthy"] = expected->healthy;
  status["expectedPods"] = expected->pods;
  set_allowed_condition(status, allowed > 0 ? "True" : "False", allowed > 0 ? "SufficientPods" : "InsufficientPods", "",
                        generation, now_text());
  if (same(status, before)) return {};
  // A replace with the version we looked at: an eviction granted meanwhile must not be forgotten.
  kube::Object changed = copy_to_change(object);
  changed.as_object()["status"] = std::move(status);
  return ask_unless_gone(kube::replace(kube::kDisruptionBudgets, std::move(changed), "status"));
}

Done DisruptionController::fail_safe(const kube::Object& object, const std::string& why) {
  json::Members status = json::members_at(object, {"status"});
  status["disruptionsAllowed"] = 0;
  set_allowed_condition(status, "False", "SyncFailed", why, json::int_at(object, {"status", "observedGeneration"}),
                        now_text());
  if (same(status, json::members_at(object, {"status"}))) return {};
  kube::Object changed = copy_to_change(object);
  changed.as_object()["status"] = std::move(status);
  return ask_unless_gone(kube::replace(kube::kDisruptionBudgets, std::move(changed), "status"));
}

}  // namespace drover::sim
