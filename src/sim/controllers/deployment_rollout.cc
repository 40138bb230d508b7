// The steps of a Deployment's rollout: scaling, growing the new, shrinking the old, history and status.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.h"
#include "sim/controllers/deployment.h"
#include "sim/controllers/objects.h"
#include "sim/same.h"

namespace drover::sim {

namespace {

// The condition that changed last stands last.
void tell(kube::Object& deployment, const Condition& condition, const std::string& now) {
  const json::Value* before = find_condition(deployment, condition.type);
  const bool turns = before == nullptr || json::text_at(*before, {"status"}) != condition.status ||
                     json::text_at(*before, {"reason"}) != condition.reason;
  set_condition(deployment, condition, now, "lastUpdateTime");
  if (!turns) return;
  json::Array& all = json::ensure(deployment, {"status", "conditions"}).as_array();
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const json::Value& one) { return json::text_at(one, {"type"}) == condition.type; });
  std::rotate(at, at + 1, all.end());
}

constexpr std::string_view kDeploymentSource = "deployment-controller";
constexpr std::string_view kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";
constexpr std::string_view kMaxReplicas = "deployment.kubernetes.io/max-replicas";

std::int64_t wanted_by(const Stored& set) { return count_at(*set, {"spec", "replicas"}, 1); }
std::int64_t available_in_set(const Stored& set) { return count_at(*set, {"status", "availableReplicas"}); }

std::int64_t sum(const std::vector<Stored>& sets, std::int64_t (*of)(const Stored&)) {
  std::int64_t total = 0;
  for (const Stored& set : sets) total += of(set);
  return total;
}

std::int64_t status_sum(const std::vector<Stored>& sets, std::string_view field) {
  std::int64_t total = 0;
  for (const Stored& set : sets) total += count_at(*set, {"status", field});
  return total;
}

}  // namespace

// -- scaling ----------------------------------------------------------------------------------------------------------

Done DeploymentController::scale_to(Rollout& rollout, Stored& set, std::int64_t replicas) {
  const std::string desired = fmt::format("{}", rollout.replicas);
  const std::string most = fmt::format("{}", rollout.replicas + rollout.max_surge);
  const std::int64_t before = wanted_by(set);
  const bool keeps_size = before == replicas;
  if (keeps_size && kube::annotation_of(*set, kDesiredReplicas) == desired &&
      kube::annotation_of(*set, kMaxReplicas) == most)
    return {};
  json::Value body = {{"metadata", {{"annotations", {{kDesiredReplicas, desired}, {kMaxReplicas, most}}}}},
                      {"spec", {{"replicas", replicas}}}};
  const std::string name(kube::name_of(*set));
  ASK(set, ask(kube::patch(kube::kReplicaSets, std::string(kube::namespace_of(*set)), name, kube::PatchKind::Merge,
                           std::move(body))));
  if (!keeps_size) {
    events().normal(About::object(kube::kDeployments, *rollout.seen), kDeploymentSource, "ScalingReplicaSet",
                    fmt::format("Scaled {} replica set {} from {} to {}", before < replicas ? "up" : "down", name,
                                before, replicas));
  }
  return {};
}

bool DeploymentController::was_scaled(const Rollout& rollout) const {
  return std::ranges::any_of(rollout.all(), [&](const Stored& set) {
    auto desired = base::parse_int(kube::annotation_of(*set, kDesiredReplicas));
    return wanted_by(set) > 0 && desired && *desired != rollout.replicas;
  });
}

Done DeploymentController::scale_all(Rollout& rollout) {
  std::vector<Stored*> active;
  for (Stored& set : rollout.old) {
    if (wanted_by(set) > 0) active.push_back(&set);
  }
  if (rollout.fresh && wanted_by(rollout.fresh) > 0) active.push_back(&rollout.fresh);
  if (active.size() == 1) return scale_to(rollout, *active.front(), rollout.replicas);
  if (active.empty()) {
    if (rollout.fresh) return scale_to(rollout, rollout.fresh, rollout.replicas);
    return rollout.old.empty() ? Done{} : scale_to(rollout, rollout.old.back(), rollout.replicas);
  }
  const bool saturated = rollout.fresh && wanted_by(rollout.fresh) == rollout.replicas &&
                         base::parse_int(kube::annotation_of(*rollout.fresh, kDesiredReplicas)) == rollout.replicas &&
                         available_in_set(rollout.fresh) == rollout.replicas;
  if (saturated) {
    for (Stored& set : rollout.old) {
      if (wanted_by(set) > 0) ASK_VOID(scale_to(rollout, set, 0));
    }
    return {};
  }
  return rollout.recreates ? Done{} : scale_in_proportion(rollout);
}

// In the middle of a rollout every ReplicaSet grows or shrinks by its share; what rounding leaves goes to the largest.
Done DeploymentController::scale_in_proportion(Rollout& rollout) {
  std::vector<Stored*> sets;
  for (Stored& set : rollout.old) {
    if (wanted_by(set) > 0) sets.push_back(&set);
  }
  if (rollout.fresh && wanted_by(rollout.fresh) > 0) sets.push_back(&rollout.fresh);
  std::int64_t total = 0;
  for (const Stored* set : sets) total += wanted_by(*set);
  const std::int64_t allowed = rollout.replicas > 0 ? rollout.replicas + rollout.max_surge : 0;
  const std::int64_t to_add = allowed - total;
  // Larger first; of equals the newer grows first and the older shrinks first (they stand in order of age).
  if (to_add > 0) std::ranges::reverse(sets);
  std::map<const Stored*, std::size_t> place;
  for (const Stored* set : sets) place.emplace(set, place.size());
  std::ranges::sort(sets, {}, [&](const Stored* set) { return std::pair(-wanted_by(*set), place.at(set)); });

  std::vector<std::int64_t> sizes;
  std::int64_t added = 0;
  for (const Stored* set : sets) {
    std::int64_t share = 0;
    if (to_add != 0 && to_add != added) {
      const std::int64_t most_before = base::parse_int(kube::annotation_of(**set, kMaxReplicas))
                                           .value_or(count_at(*rollout.seen, {"status", "replicas"}));
      if (rollout.replicas == 0) {
        share = -wanted_by(*set);
      } else if (most_before > 0) {
        const double size = static_cast<double>(wanted_by(*set) * allowed) / static_cast<double>(most_before);
        share = std::llround(size) - wanted_by(*set);
      }
      share = to_add > 0 ? std::min(share, to_add - added) : std::max(share, to_add - added);
    }
    added += share;
    sizes.push_back(wanted_by(*set) + share);
  }
  if (!sizes.empty() && to_add != 0) sizes[0] = std::max<std::int64_t>(0, sizes[0] + to_add - added);
  for (std::size_t i = 0; i < sets.size(); ++i) ASK_VOID(scale_to(rollout, *sets[i], sizes[i]));
  return {};
}

// -- rolling ----------------------------------------------------------------------------------------------------------

std::expected<bool, Rejection> DeploymentController::grow_fresh(Rollout& rollout) {
  const std::int64_t have = wanted_by(rollout.fresh);
  if (have == rollout.replicas) return false;
  if (have > rollout.replicas) {
    ASK_VOID(scale_to(rollout, rollout.fresh, rollout.replicas));
    return true;
  }
  const std::int64_t room = rollout.replicas + rollout.max_surge - sum(rollout.all(), wanted_by);
  if (room <= 0) return false;
  ASK_VOID(scale_to(rollout, rollout.fresh, have + std::min(room, rollout.replicas - have)));
  return true;
}

Done DeploymentController::shrink_old(Rollout& rollout) {
  if (sum(rollout.old, wanted_by) == 0) return {};
  const std::int64_t must_stay = rollout.replicas - rollout.max_unavailable;
  const std::int64_t fresh_missing = wanted_by(rollout.fresh) - available_in_set(rollout.fresh);
  std::int64_t may_go = sum(rollout.all(), wanted_by) - must_stay - fresh_missing;
  if (may_go <= 0) return {};
  // Replicas that do not work cost nothing.
  for (Stored& set : rollout.old) {
    const std::int64_t broken = wanted_by(set) - available_in_set(set);
    const std::int64_t goes = std::min(may_go, std::max<std::int64_t>(0, broken));
    if (goes == 0) continue;
    ASK_VOID(scale_to(rollout, set, wanted_by(set) - goes));
    may_go -= goes;
  }
  std::int64_t spare = sum(rollout.all(), available_in_set) - must_stay;
  for (Stored& set : rollout.old) {
    const std::int64_t goes = std::min(wanted_by(set), std::max<std::int64_t>(0, spare));
    if (goes == 0) continue;
    ASK_VOID(scale_to(rollout, set, wanted_by(set) - goes));
    spare -= goes;
  }
  return {};
}

bool DeploymentController::old_pods_run(const Rollout& rollout) const {
  for (const Stored& set : rollout.old) {
    for (const auto& [resource, pod] : store().owned_by(kube::uid_of(*set))) {
      if (resource == "pods" && !pod_is_terminal(*pod)) return true;
    }
  }
  return false;
}

Done DeploymentController::recreate(Rollout& rollout) {
  bool shrunk = false;
  for (Stored& set : rollout.old) {
    if (wanted_by(set) == 0) continue;
    ASK_VOID(scale_to(rollout, set, 0));
    shrunk = true;
  }
  if (shrunk || old_pods_run(rollout)) return {};
  ASK_VOID(find_or_make_fresh(rollout, true));
  return scale_to(rollout, rollout.fresh, rollout.replicas);
}

Done DeploymentController::trim_history(Rollout& rollout) {
  const bool complete = count_at(*rollout.seen, {"status", "updatedReplicas"}) == rollout.replicas &&
                        count_at(*rollout.seen, {"status", "replicas"}) == rollout.replicas &&
                        count_at(*rollout.seen, {"status", "availableReplicas"}) == rollout.replicas &&
                        json::int_at(*rollout.seen, {"status", "observedGeneration"}) >=
                            json::int_at(*rollout.seen, {"metadata", "generation"});
  if (!complete && !json::flag_at(*rollout.seen, {"spec", "paused"})) return {};
  const auto keep = count_at(*rollout.seen, {"spec", "revisionHistoryLimit"}, 10);
  std::vector<Stored> idle;
  for (const Stored& set : rollout.old) {
    if (!kube::is_being_deleted(*set)) idle.push_back(set);
  }
  auto too_many = static_cast<std::int64_t>(idle.size()) - keep;
  for (const Stored& set : idle) {
    if (too_many-- <= 0) break;
    // One that still has pods keeps its place, and so counts.
    if (count_at(*set, {"status", "replicas"}) != 0 || wanted_by(set) != 0) continue;
    ASK_VOID(ask_unless_gone(kube::remove(kube::kReplicaSets, std::string(kube::namespace_of(*set)),
                                          std::string(kube::name_of(*set)), std::string(kube::uid_of(*set)))));
  }
  return {};
}

// -- status -----------------------------------------------------------------------------------------------------------

void DeploymentController::note_pause(Rollout& rollout) {
  if (!json::find(*rollout.seen, {"spec", "progressDeadlineSeconds"})) return;
  const json::Value* progress = find_condition(*rollout.seen, "Progressing");
  const std::string_view reason = progress ? json::text_at(*progress, {"reason"}) : std::string_view{};
  if (reason == "ProgressDeadlineExceeded") return;
  const bool paused = json::flag_at(*rollout.seen, {"spec", "paused"});
  if (paused && reason != "DeploymentPaused") {
    set_condition(rollout.deployment, {"Progressing", "Unknown", "DeploymentPaused", "Deployment is paused"},
                  now_text(), "lastUpdateTime");
  } else if (!paused && reason == "DeploymentPaused") {
    set_condition(rollout.deployment, {"Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed"},
                  now_text(), "lastUpdateTime");
  }
}

void DeploymentController::judge_progress(Rollout& rollout, const kube::Object& before) {
  const json::Value* deadline = json::find(*rollout.seen, {"spec", "progressDeadlineSeconds"});
  kube::Object& now = rollout.deployment;
  if (!deadline) {
    remove_condition(now, "Progressing");
    return;
  }
  const json::Value* current = find_condition(before, "Progressing");
  const std::string_view reason = current ? json::text_at(*current, {"reason"}) : std::string_view{};
  const auto count = [](const kube::Object& object, std::string_view field) {
    return count_at(object, {"status", field});
  };
  if (count(now, "replicas") == count(now, "updatedReplicas") && reason == "NewReplicaSetAvailable") return;

  const std::string who = rollout.fresh ? fmt::format("ReplicaSet \"{}\"", kube::name_of(*rollout.fresh))
                                        : fmt::format("Deployment \"{}\"", kube::name_of(now));
  const bool complete = count(now, "updatedReplicas") == rollout.replicas &&
                        count(now, "replicas") == rollout.replicas &&
                        count(now, "availableReplicas") == rollout.replicas;
  const auto old_replicas = [&](const kube::Object& object) {
    return count(object, "replicas") - count(object, "updatedReplicas");
  };
  const bool moves = count(now, "updatedReplicas") > count(before, "updatedReplicas") ||
                     old_replicas(now) < old_replicas(before) ||
                     count(now, "readyReplicas") > count(before, "readyReplicas") ||
                     count(now, "availableReplicas") > count(before, "availableReplicas");
  // Without a word so far the time runs from now.
  const base::WallTime told_at =
      current ? time_at(*current, {"lastUpdateTime"}).value_or(loop().wall()) : loop().wall();
  const base::Span limit = seconds_at(*rollout.seen, {"spec", "progressDeadlineSeconds"});
  if (complete) {
    tell(now, {"Progressing", "True", "NewReplicaSetAvailable", who + " has successfully progressed."}, now_text());
  } else if (moves) {
    tell(now, {"Progressing", "True", "ReplicaSetUpdated", who + " is progressing."}, now_text());
    // Progress of the same kind moves the time of the last one.
    for (json::Value& condition : json::find(now, {"status", "conditions"})->as_array()) {
      if (json::text_at(condition, {"type"}) == "Progressing") condition.as_object()["lastUpdateTime"] = now_text();
    }
  } else if (reason != "ProgressDeadlineExceeded" && told_at + limit < loop().wall()) {
    tell(now, {"Progressing", "False", "ProgressDeadlineExceeded", who + " has timed out progressing."}, now_text());
  }
  if (!complete && reason != "ProgressDeadlineExceeded") {
    const base::Span left = told_at + limit - loop().wall();
    enqueue_after(kube::key_of(now), std::max<base::Span>(left, base::Span::zero()) + std::chrono::seconds(1));
  }
}

Done DeploymentController::write_status(Rollout& rollout, bool judges_progress) {
  const std::vector<Stored> sets = rollout.all();
  kube::Object& now = rollout.deployment;
  const kube::Object before(*rollout.seen, {});
  json::Members& status = members_in(now, {"status"});
  const std::int64_t available = status_sum(sets, "availableReplicas");
  const struct {
    std::string_view field;
    std::int64_t value;
  } fields[] = {
      {"observedGeneration", json::int_at(before, {"metadata", "generation"})},
      {"replicas", status_sum(sets, "replicas")},
      {"updatedReplicas", rollout.fresh ? count_at(*rollout.fresh, {"status", "replicas"}) : 0},
      {"readyReplicas", status_sum(sets, "readyReplicas")},
      {"availableReplicas", available},
      {"unavailableReplicas", std::max<std::int64_t>(0, sum(sets, wanted_by) - available)},
  };
  for (const auto& [field, value] : fields) {
    if (value != 0) {
      status[field] = value;
    } else {
      status.erase(field);
    }
  }
  status["terminatingReplicas"] = status_sum(sets, "terminatingReplicas");
  const bool enough = available >= rollout.replicas - rollout.max_unavailable;
  tell(now,
       enough ? Condition{"Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability."}
              : Condition{"Available", "False", "MinimumReplicasUnavailable",
                          "Deployment does not have minimum availability."},
       now_text());
  if (judges_progress) judge_progress(rollout, before);
  const json::Value* failure = nullptr;
  for (const Stored& set : sets) {
    if (const json::Value* found = find_condition(*set, "ReplicaFailure")) failure = found;
  }
  if (failure) {
    tell(now,
         {"ReplicaFailure", "True", std::string(json::text_at(*failure, {"reason"})),
          std::string(json::text_at(*failure, {"message"}))},
         now_text());
  } else {
    remove_condition(now, "ReplicaFailure");
  }
  if (same(json::members_at(now, {"status"}), json::members_at(before, {"status"}))) return {};
  json::Value body = {{"status", json::members_at(now, {"status"})}};
  for (const auto& entry : json::members_at(before, {"status"})) {
    if (!json::find(now, {"status", entry.key()})) json::ensure(body, {"status", entry.key()}) = nullptr;
  }
  return ask_unless_gone(kube::patch(kube::kDeployments, std::string(kube::namespace_of(now)),
                                     std::string(kube::name_of(now)), kube::PatchKind::Merge, std::move(body),
                                     "status"));
}

}  // namespace drover::sim
