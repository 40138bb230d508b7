// How the Job controller counts: uids first, finalizers second, numbers last; then conditions, and the end of finished
// Jobs.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "sim/controllers/job.h"
#include "sim/controllers/objects.h"
#include "sim/same.h"

namespace drover::sim {

namespace {

constexpr std::string_view kTrackingFinalizer = "batch.kubernetes.io/job-tracking";

void append_uid(kube::Object& job, std::string_view list, std::string_view uid) {
  json::Value& uids = json::ensure(job, {"status", "uncountedTerminatedPods", list});
  if (!uids.is_array()) uids = json::Array();
  uids.as_array().emplace_back(uid);
}

bool on_record(const kube::Object& job, std::string_view list, std::string_view uid) {
  const json::Array& uids = json::array_at(job, {"status", "uncountedTerminatedPods", list});
  return std::ranges::any_of(uids, [&](const json::Value& one) { return one.is_string() && one.get_string() == uid; });
}

}  // namespace

// First the uids, then the finalizers, then the numbers; see the header for why in this order.
Done JobController::count(Look& look) {
  put_on_record(look);
  if (look.verdict) {
    const Verdict& verdict = *look.verdict;
    set_condition(look.job,
                  {verdict.success ? "SuccessCriteriaMet" : "FailureTarget", "True", verdict.reason, verdict.message},
                  now_text(), "lastProbeTime");
  }
  refresh_numbers(look);
  ASK_VOID(write_status(look));

  // Beyond this point every finished pod is on record, and may go.
  ASK_VOID(release_finished(look));
  move_released(look);
  refresh_numbers(look);
  const bool ended = enact(look);
  ASK_VOID(write_status(look));
  if (!ended) return {};
  const About about = About::object(kube::kJobs, *look.seen);
  if (look.verdict->success) {
    events().normal(about, "job-controller", "Completed", "Job completed");
  } else {
    events().warning(about, "job-controller", look.verdict->reason, look.verdict->message);
  }
  return {};
}

void JobController::put_on_record(Look& look) const {
  for (const Stored& pod : look.just_succeeded) append_uid(look.job, "succeeded", kube::uid_of(*pod));
  for (const Stored& pod : look.just_failed) append_uid(look.job, "failed", kube::uid_of(*pod));
  if (!look.verdict || look.verdict->success) return;
  // What still runs is taken down with the Job and counts as failed.
  for (const Stored& pod : look.pods) {
    const std::string_view uid = kube::uid_of(*pod);
    if (is_tracked_by_job(*pod) && phase_of(*pod) != "Succeeded" && !on_record(look.job, "failed", uid)) {
      append_uid(look.job, "failed", uid);
    }
  }
}

Done JobController::release_finished(Look& look) {
  const bool ending = kube::is_being_deleted(*look.seen);
  const bool counts = !ending && !(look.verdict && look.verdict->success);
  for (const Stored& pod : look.pods) {
    const Stored latest = store().find("pods", kube::key_of(*pod));
    const std::string_view uid = kube::uid_of(*pod);
    if (!latest || kube::uid_of(*latest) != uid || !is_tracked_by_job(*latest)) continue;
    const bool going = kube::is_being_deleted(*latest) && !look.replaces_only_failed();
    const bool over = pod_is_terminal(*latest) || look.verdict || going || ending;
    // A pod that ended while we looked is not on record yet.
    const bool is_counted = on_record(look.job, "succeeded", uid) || on_record(look.job, "failed", uid);
    if (over && (!counts || is_counted)) ASK_VOID(release(*latest));
  }
  return {};
}

void JobController::move_released(Look& look) const {
  std::set<std::string> held;
  for (const auto& [resource, pod] : store().owned_by(kube::uid_of(*look.seen))) {
    if (resource == "pods" && is_tracked_by_job(*pod)) held.emplace(kube::uid_of(*pod));
  }
  for (std::string_view list : {"succeeded", "failed"}) {
    json::Array waiting;
    std::int64_t counted = 0;
    for (const json::Value& uid : json::array_at(look.job, {"status", "uncountedTerminatedPods", list})) {
      if (uid.is_string() && held.contains(std::string(uid.get_string()))) {
        waiting.push_back(uid);
      } else {
        ++counted;
      }
    }
    if (counted > 0) json::ensure(look.job, {"status", list}) = count_at(look.job, {"status", list}) + counted;
    if (waiting.empty()) {
      json::remove(look.job, {"status", "uncountedTerminatedPods", list});
    } else {
      json::ensure(look.job, {"status", "uncountedTerminatedPods", list}) = std::move(waiting);
    }
  }
}

void JobController::refresh_numbers(Look& look) const {
  std::int64_t active = 0;
  std::int64_t ready = 0;
  std::int64_t terminating = 0;
  for (const auto& [resource, pod] : store().owned_by(kube::uid_of(*look.seen))) {
    if (resource != "pods" || pod_is_terminal(*pod)) continue;
    if (kube::is_being_deleted(*pod)) {
      ++terminating;
    } else {
      ++active;
      ready += pod_is_ready(*pod);
    }
  }
  json::Members& status = members_in(look.job, {"status"});
  if (active > 0) {
    status["active"] = active;
  } else {
    status.erase("active");
  }
  status["ready"] = ready;
  status["terminating"] = terminating;
}

// The last condition, once every pod is counted and gone.
bool JobController::enact(Look& look) {
  if (!look.verdict || !json::members_at(look.job, {"status", "uncountedTerminatedPods"}).empty() ||
      json::int_at(look.job, {"status", "terminating"}) > 0) {
    return false;
  }
  const Verdict& verdict = *look.verdict;
  set_condition(look.job, {verdict.success ? "Complete" : "Failed", "True", verdict.reason, verdict.message},
                now_text(), "lastProbeTime");
  if (verdict.success) json::ensure(look.job, {"status", "completionTime"}) = now_text();
  return true;
}

Done JobController::write_status(Look& look) {
  const Stored latest = store().find("jobs.batch", look.key);
  if (!latest || kube::uid_of(*latest) != kube::uid_of(*look.seen)) return {};
  if (same(json::members_at(*latest, {"status"}), json::members_at(look.job, {"status"}))) return {};
  kube::Object changed = copy_to_change(*latest);
  changed.as_object()["status"] = json::members_at(look.job, {"status"});
  return ask_unless_gone(kube::replace(kube::kJobs, std::move(changed), "status"));
}

Done JobController::release(const kube::Object& pod) {
  json::Array kept;
  for (const json::Value& finalizer : json::array_at(pod, {"metadata", "finalizers"})) {
    if (finalizer != json::Value(kTrackingFinalizer)) kept.push_back(finalizer);
  }
  json::Value finalizers = kept.empty() ? json::Value(nullptr) : json::Value(std::move(kept));
  json::Value body = {{"metadata", {{"uid", kube::uid_of(pod)}, {"finalizers", std::move(finalizers)}}}};
  return ask_unless_gone(kube::patch(kube::kPods, std::string(kube::namespace_of(pod)), std::string(kube::name_of(pod)),
                                     kube::PatchKind::Merge, std::move(body)));
}

Done JobController::release_orphan(const std::string& pod_key) {
  const Stored pod = store().find("pods", pod_key);
  if (!pod || !is_tracked_by_job(*pod)) return {};
  const std::string_view name = controller_name(*pod, "Job");
  const Stored job = name.empty() ? nullptr : store().find("jobs.batch", key_in(kube::namespace_of(*pod), name));
  const bool owned = job && kube::uid_of(*job) == controller_uid(*pod) &&
                     condition_status(*job, "Complete") != "True" && condition_status(*job, "Failed") != "True";
  return owned ? Done{} : release(*pod);
}

Done JobController::retire(const std::string& key, const kube::Object& job) {
  const json::Value* ttl = json::find(job, {"spec", "ttlSecondsAfterFinished"});
  if (!ttl || ttl->is_null() || kube::is_being_deleted(job)) return {};
  const json::Value* end = find_condition(job, condition_status(job, "Complete") == "True" ? "Complete" : "Failed");
  const auto finished_at = time_at(*end, {"lastTransitionTime"});
  if (!finished_at) return {};
  const base::Span left = *finished_at + seconds_at(job, {"spec", "ttlSecondsAfterFinished"}) - loop().wall();
  if (left > base::Span::zero()) {
    enqueue_after(key, left);
    return {};
  }
  kube::Request request = kube::remove(kube::kJobs, std::string(kube::namespace_of(job)),
                                       std::string(kube::name_of(job)), std::string(kube::uid_of(job)));
  request.propagation = kube::Propagation::Foreground;
  return ask_unless_gone(std::move(request));
}

}  // namespace drover::sim
