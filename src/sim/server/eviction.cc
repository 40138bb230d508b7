// The eviction subresource: a delete that asks the pod's disruption budget first, and spends from it in the same act.
#include <fmt/format.h>

#include <algorithm>

#include "base/selector.h"
#include "sim/draft.h"
#include "sim/same.h"
#include "sim/server/context.h"
#include "sim/server/kinds.h"
#include "sim/server/managed_fields.h"

namespace drover::sim {
namespace {

constexpr std::size_t kMostDisruptedPods = 2000;

// Evicting a pod that is pending, finished or terminating disrupts nothing: no budget is checked.
bool budget_does_not_matter(const kube::Object& pod) {
  const std::string_view phase = json::text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" || kube::is_being_deleted(pod);
}

const json::Value* condition(const kube::Object& object, std::string_view type) {
  const json::Array& conditions = json::array_at(object, {"status", "conditions"});
  const auto at = std::find_if(conditions.begin(), conditions.end(),
                               [&](const json::Value& one) { return json::text_at(one, {"type"}) == type; });
  return at == conditions.end() ? nullptr : &*at;
}

bool is_ready(const kube::Object& pod) {
  const json::Value* ready = condition(pod, "Ready");
  return ready != nullptr && json::text_at(*ready, {"status"}) == "True";
}

std::vector<Stored> budgets_of(const Store& store, const kube::Object& pod) {
  std::vector<Stored> budgets;
  store.each("poddisruptionbudgets.policy", kube::namespace_of(pod), [&](const Stored& budget) {
    // No selector selects nothing, an empty one everything.
    const json::Value* selector = json::find(*budget, {"spec", "selector"});
    if (selector == nullptr || !selector->is_object()) return;
    const auto parsed = base::Selector::from_json(*selector);
    if (parsed && parsed->matches(kube::labels_of(pod))) budgets.push_back(budget);
  });
  return budgets;
}

std::string why_none_is_allowed(const kube::Object& budget) {
  const std::string_view name = kube::name_of(budget);
  const std::int64_t needs = json::int_at(budget, {"status", "desiredHealthy"});
  const std::int64_t has = json::int_at(budget, {"status", "currentHealthy"});
  const json::Value* allowed = condition(budget, "DisruptionAllowed");
  const bool says_no = allowed != nullptr && json::text_at(*allowed, {"status"}) == "False" &&
                       !json::text_at(*allowed, {"message"}).empty();
  if (says_no && json::text_at(*allowed, {"reason"}) == "SyncFailed") {
    return fmt::format("The disruption budget {} does not allow evicting pods currently because it failed sync: {}",
                       name, json::text_at(*allowed, {"message"}));
  }
  if (has <= needs)
    return fmt::format("The disruption budget {} needs {} healthy pods and has {} currently", name, needs, has);
  if (says_no) {
    return fmt::format("The disruption budget {} does not allow evicting pods currently ({}): {}", name,
                       json::text_at(*allowed, {"reason"}), json::text_at(*allowed, {"message"}));
  }
  return fmt::format("The disruption budget {} does not allow evicting pods currently", name);
}

std::string still_being_counted(const kube::Object& budget) {
  return fmt::format("The disruption budget {} is still being processed by the server.", kube::name_of(budget));
}

// Sets or adds a condition; its transition time changes with its status only.
void set_condition(const Context& context, kube::Object& object, std::string_view type, std::string_view status,
                   std::string_view reason, std::string_view message) {
  json::Value& conditions = json::ensure(object, {"status", "conditions"});
  if (!conditions.is_array()) conditions.emplace_array();
  json::Array& array = conditions.get_array();
  auto at = std::find_if(array.begin(), array.end(),
                         [&](const json::Value& one) { return json::text_at(one, {"type"}) == type; });
  if (at == array.end()) {
    array.push_back(json::Members{{"type", type}});
    at = array.end() - 1;
  }
  json::Members& members = at->get_object();
  if (json::text_at(*at, {"status"}) != status) members["lastTransitionTime"] = context.now();
  members["status"] = status;
  members["reason"] = reason;
  members["message"] = message;
}

// One disruption less, remembered under the pod's name until the controller has counted it.
Answer<void> spend(Context& context, const kube::Request& request, const Stored& budget) {
  kube::Resource quoted_so = kube::kDisruptionBudgets;
  quoted_so.plural = "poddisruptionbudget";
  const std::string_view name = kube::name_of(*budget);
  if (json::int_at(*budget, {"status", "observedGeneration"}) < json::int_at(*budget, {"metadata", "generation"})) {
    return held_by_budget(still_being_counted(*budget), 10);
  }
  const std::int64_t allowed = json::int_at(*budget, {"status", "disruptionsAllowed"});
  if (allowed < 0) return forbidden(quoted_so, name, "pdb disruptions allowed is negative");
  if (json::members_at(*budget, {"status", "disruptedPods"}).size() > kMostDisruptedPods) {
    return forbidden(quoted_so, name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (allowed == 0) return held_by_budget(why_none_is_allowed(*budget), 0);
  if (request.dry_run) return {};

  Draft fresh(*budget, 512);
  json::ensure(*fresh, {"status", "disruptionsAllowed"}) = allowed - 1;
  if (allowed == 1) {
    set_condition(context, *fresh, "DisruptionAllowed", "False", "InsufficientPods", "");
    for (json::Value& one : json::find(*fresh, {"status", "conditions"})->get_array()) {
      if (json::text_at(one, {"type"}) == "DisruptionAllowed") {
        one.get_object()["observedGeneration"] = json::int_at(*fresh, {"status", "observedGeneration"});
      }
    }
  }
  json::ensure(*fresh, {"status", "disruptedPods", request.name}) = context.now();
  kube::Request by_server;
  by_server.verb = kube::Verb::Replace;
  by_server.resource = kube::kDisruptionBudgets;
  by_server.subresource = "status";
  by_server.field_manager = "kube-apiserver";
  track_update(context, *context.catalog.find("policy", "poddisruptionbudgets"), by_server, *budget, *fresh);
  context.store.put("poddisruptionbudgets.policy", std::move(fresh));
  return {};
}

// Marks the pod as evicted, then deletes it by the rules of any delete.
Answer<Stored> mark_and_delete(Context& context, const ResourceRules& rules, kube::Request request) {
  TRY(const Stored pod, look_up(context, rules, request));
  kube::Resource by_kind = rules.resource;
  by_kind.plural = "Pod";
  if (!request.uid_precondition.empty() && request.uid_precondition != kube::uid_of(*pod)) {
    return conflict(
        by_kind, request.name,
        fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The object might "
                    "have been deleted and then recreated",
                    request.uid_precondition, kube::uid_of(*pod)));
  }
  if (!request.version_precondition.empty() && request.version_precondition != kube::version_of(*pod)) {
    return conflict(
        by_kind, request.name,
        fmt::format("the ResourceVersion in the precondition ({}) does not match the ResourceVersion in record "
                    "({}). The object might have been modified",
                    request.version_precondition, kube::version_of(*pod)));
  }
  if (!request.dry_run) {
    Draft fresh(*pod, 512);
    set_condition(context, *fresh, "DisruptionTarget", "True", "EvictionByEvictionAPI", "Eviction API: evicting");
    fill_in_conditions(*fresh, {"lastProbeTime", "lastTransitionTime"});
    const Stored marked = same(*fresh, *pod) ? pod : context.store.put(rules.shelf, std::move(fresh));
    if (!request.version_precondition.empty()) request.version_precondition = kube::version_of(*marked);
  }
  TRY_VOID(delete_object(context, rules, request));
  return success();
}

// The delete that an Eviction asks for: preconditions and grace stand in its deleteOptions.
kube::Request as_delete(const kube::Request& eviction) {
  kube::Request request;
  request.verb = kube::Verb::Delete;
  request.resource = eviction.resource;
  request.ns = eviction.ns;
  request.name = eviction.name;
  request.dry_run = eviction.dry_run;
  request.uid_precondition = json::text_at(eviction.body, {"deleteOptions", "preconditions", "uid"});
  request.version_precondition = json::text_at(eviction.body, {"deleteOptions", "preconditions", "resourceVersion"});
  if (const json::Value* grace = json::find(eviction.body, {"deleteOptions", "gracePeriodSeconds"});
      grace != nullptr && grace->is_int64()) {
    // Clamped: it may be too long for a span.
    request.grace = std::chrono::seconds(std::clamp<std::int64_t>(grace->get_int64(), -1, INT32_MAX));
  }
  const std::string_view propagation = json::text_at(eviction.body, {"deleteOptions", "propagationPolicy"});
  if (propagation == "Background") request.propagation = kube::Propagation::Background;
  if (propagation == "Foreground") request.propagation = kube::Propagation::Foreground;
  if (propagation == "Orphan") request.propagation = kube::Propagation::Orphan;
  if (!json::array_at(eviction.body, {"deleteOptions", "dryRun"}).empty()) request.dry_run = true;
  return request;
}

}  // namespace

Answer<Stored> evict_pod(Context& context, const ResourceRules& rules, const kube::Request& request) {
  if (request.verb != kube::Verb::Create) return method_not_supported(rules.resource, "get");
  if (const std::string_view name = kube::name_of(request.body); !name.empty() && name != request.name) {
    return bad_request("name in URL does not match name in Eviction object");
  }
  kube::Request removal = as_delete(request);
  TRY(const Stored pod, look_up(context, rules, request));
  if (budget_does_not_matter(*pod) || context.bugs.has(Bug::EvictionIgnoresBudget))
    return mark_and_delete(context, rules, std::move(removal));

  const std::vector<Stored> budgets = budgets_of(context.store, *pod);
  if (budgets.size() > 1) {
    return Refusal(
        Rejection{500,
                  "",
                  "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
                  {}});
  }
  if (budgets.empty()) return mark_and_delete(context, rules, std::move(removal));

  const Stored& budget = budgets.front();
  if (!is_ready(*pod)) {
    // An unready pod is not counted as healthy: its going may be free.
    const std::int64_t needs = json::int_at(*budget, {"status", "desiredHealthy"});
    const bool enough = json::int_at(*budget, {"status", "currentHealthy"}) >= needs && needs > 0;
    if (enough || json::text_at(*budget, {"spec", "unhealthyPodEvictionPolicy"}) == "AlwaysAllow") {
      return mark_and_delete(context, rules, std::move(removal));
    }
  }
  TRY_VOID(spend(context, removal, budget));
  return mark_and_delete(context, rules, std::move(removal));
}

}  // namespace drover::sim
