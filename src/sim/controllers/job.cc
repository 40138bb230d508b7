// What the Job controller hears, and one look at a Job: verdicts, pods to create and to delete. Counting is in
// job_status.cc.
#include "sim/controllers/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "sim/controllers/objects.h"

namespace drover::sim {

namespace {

constexpr std::string_view kJobSource = "job-controller";
constexpr std::string_view kFinalizer = "batch.kubernetes.io/job-tracking";
// Keys of pods whose Job is gone stand beside those of Jobs; no namespace holds a bar.
constexpr std::string_view kOrphanPrefix = "pod|";
constexpr base::Span kFirstBackoff = std::chrono::seconds(10);
constexpr base::Span kLongestBackoff = std::chrono::minutes(10);

bool is_finished(const kube::Object& job) {
  return condition_status(job, "Complete") == "True" || condition_status(job, "Failed") == "True";
}

bool is_uncounted(const kube::Object& job, std::string_view list, std::string_view uid) {
  return std::ranges::any_of(json::array_at(job, {"status", "uncountedTerminatedPods", list}),
                             [&](const json::Value& value) { return value == json::Value(uid); });
}

}  // namespace

bool is_tracked_by_job(const kube::Object& pod) {
  return std::ranges::any_of(json::array_at(pod, {"metadata", "finalizers"}),
                             [](const json::Value& finalizer) { return finalizer == json::Value(kFinalizer); });
}

JobController::JobController(ControlPlane plane) : Controller(plane, "kube-controller-manager") {}

std::int64_t JobController::Look::active() const {
  return std::ranges::count_if(pods, [](const Stored& pod) { return pod_is_active(*pod); });
}

bool JobController::Look::suspended() const { return json::flag_at(*seen, {"spec", "suspend"}); }

bool JobController::Look::replaces_only_failed() const {
  return json::text_at(*seen, {"spec", "podReplacementPolicy"}) == "Failed";
}

void JobController::heard(const Commit& commit) {
  if (commit.resource == "jobs.batch") {
    const std::string key = kube::key_of(*commit.after);
    if (commit.kind != Commit::Kind::Removed) {
      enqueue(key);
      return;
    }
    forget(key);
    failures_.erase(key);
    for (const auto& [resource, pod] : store().owned_by(kube::uid_of(*commit.after))) {
      if (resource == "pods" && is_tracked_by_job(*pod)) enqueue(std::string(kOrphanPrefix) + kube::key_of(*pod));
    }
    return;
  }
  const kube::Object& pod = *commit.after;
  const std::string_view name = controller_name(pod, "Job");
  if (!name.empty()) enqueue(key_in(kube::namespace_of(pod), name));
  if (commit.kind == Commit::Kind::Removed || !is_tracked_by_job(pod)) return;
  const Stored job = name.empty() ? nullptr : store().find("jobs.batch", key_in(kube::namespace_of(pod), name));
  if (!job || kube::uid_of(*job) != controller_uid(pod) || is_finished(*job)) {
    enqueue(std::string(kOrphanPrefix) + kube::key_of(pod));
  }
}

JobController::Look JobController::gather(const std::string& key, const Stored& job) const {
  Look look;
  look.key = key;
  look.seen = job;
  look.job = copy_to_change(*job);
  for (const auto& [resource, pod] : store().owned_by(kube::uid_of(*job))) {
    if (resource == "pods" && controller_uid(*pod) == kube::uid_of(*job)) look.pods.push_back(pod);
  }
  const auto uncounted = [&](std::string_view list) {
    return static_cast<std::int64_t>(json::array_at(*job, {"status", "uncountedTerminatedPods", list}).size());
  };
  look.succeeded = count_at(*job, {"status", "succeeded"}) + uncounted("succeeded");
  look.failed = count_at(*job, {"status", "failed"}) + uncounted("failed");
  for (const Stored& pod : look.pods) {
    const std::string_view uid = kube::uid_of(*pod);
    if (!is_tracked_by_job(*pod) || is_uncounted(*job, "succeeded", uid) || is_uncounted(*job, "failed", uid)) continue;
    // A pod that is going counts as failed at once, unless its replacement is to wait until it is over.
    const bool going = kube::is_being_deleted(*pod) && !look.replaces_only_failed();
    if (phase_of(*pod) == "Succeeded") {
      look.just_succeeded.push_back(pod);
    } else if (phase_of(*pod) == "Failed" || going) {
      look.just_failed.push_back(pod);
    }
  }
  look.succeeded += static_cast<std::int64_t>(look.just_succeeded.size());
  look.failed += static_cast<std::int64_t>(look.just_failed.size());
  return look;
}

Done JobController::sync(const std::string& key) {
  if (key.starts_with(kOrphanPrefix)) return release_orphan(key.substr(kOrphanPrefix.size()));
  const Stored job = store().find("jobs.batch", key);
  if (!job) return {};
  if (is_finished(*job)) {
    failures_.erase(key);
    return retire(key, *job);
  }
  Look look = gather(key, job);
  json::Value& uncounted = json::ensure(look.job, {"status", "uncountedTerminatedPods"});
  if (!uncounted.is_object()) uncounted.emplace_object();
  if (!look.suspended() && !json::find(look.job, {"status", "startTime"})) {
    json::ensure(look.job, {"status", "startTime"}) = now_text();
  }
  remember_failures(look);

  Done managed;
  look.verdict = failure(look);
  if (look.verdict) {
    managed = delete_pods(look, look.pods);
  } else if (!kube::is_being_deleted(*job)) {
    managed = manage(look);
  }
  if (!look.verdict) {
    // Seen again: manage may have created or deleted.
    const Look after = gather(key, job);
    const json::Value* completions = json::find(*job, {"spec", "completions"});
    const bool enough = completions && !completions->is_null()
                            ? look.succeeded >= count_at(*job, {"spec", "completions"})
                            : look.succeeded > 0;
    if (enough && after.active() == 0) {
      look.verdict = Verdict{true, "CompletionsReached", "Reached expected number of succeeded pods"};
    } else if (!kube::is_being_deleted(*job)) {
      note_suspension(look);
    }
  }
  ASK_VOID(count(look));
  return managed;
}

void JobController::remember_failures(const Look& look) {
  if (look.just_succeeded.empty() && look.just_failed.empty()) return;
  Failures& failures = failures_[look.key];
  if (!look.just_succeeded.empty()) failures = {};
  if (look.just_failed.empty()) return;
  failures.in_a_row += static_cast<int>(look.just_failed.size());
  failures.last_at = loop().now();
}

std::optional<JobController::Verdict> JobController::failure(Look& look) {
  const kube::Object& job = *look.seen;
  // A verdict that was announced stands.
  if (const json::Value* met = find_condition(job, "SuccessCriteriaMet");
      met && json::text_at(*met, {"status"}) == "True") {
    return Verdict{true, std::string(json::text_at(*met, {"reason"})), std::string(json::text_at(*met, {"message"}))};
  }
  if (const json::Value* target = find_condition(job, "FailureTarget");
      target && json::text_at(*target, {"status"}) == "True") {
    return Verdict{false, std::string(json::text_at(*target, {"reason"})),
                   std::string(json::text_at(*target, {"message"}))};
  }
  const std::int64_t limit = count_at(job, {"spec", "backoffLimit"}, 6);
  bool too_often = look.failed > limit;
  if (json::text_at(job, {"spec", "template", "spec", "restartPolicy"}) == "OnFailure") {
    std::int64_t restarts = 0;
    for (const Stored& pod : look.pods) {
      if (phase_of(*pod) != "Running" && phase_of(*pod) != "Pending") continue;
      for (std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
        for (const json::Value& container : json::array_at(*pod, {"status", list})) {
          restarts += count_at(container, {"restartCount"});
        }
      }
    }
    too_often |= limit == 0 ? restarts > 0 : restarts >= limit;
  }
  if (too_often) return Verdict{false, "BackoffLimitExceeded", "Job has reached the specified backoff limit"};

  const json::Value* deadline = json::find(job, {"spec", "activeDeadlineSeconds"});
  const auto started_at = time_at(look.job, {"status", "startTime"});
  if (!deadline || deadline->is_null() || look.suspended() || !started_at) return std::nullopt;
  const base::Span left = *started_at + seconds_at(job, {"spec", "activeDeadlineSeconds"}) - loop().wall();
  if (left <= base::Span::zero())
    return Verdict{false, "DeadlineExceeded", "Job was active longer than specified deadline"};
  enqueue_after(look.key, left);
  return std::nullopt;
}

Done JobController::manage(Look& look) {
  std::vector<Stored> active;
  std::ranges::copy_if(look.pods, std::back_inserter(active), [](const Stored& pod) { return pod_is_active(*pod); });
  if (look.suspended()) return delete_pods(look, active);

  const kube::Object& job = *look.seen;
  const std::int64_t parallelism = count_at(job, {"spec", "parallelism"}, 1);
  const auto have = static_cast<std::int64_t>(active.size());
  const json::Value* completions = json::find(job, {"spec", "completions"});
  std::int64_t wanted = look.succeeded > 0 ? have : parallelism;
  if (completions && !completions->is_null()) {
    wanted = std::clamp<std::int64_t>(count_at(job, {"spec", "completions"}) - look.succeeded, 0, parallelism);
  }
  if (have > wanted) {
    // Those that are not ready first, then the youngest.
    std::ranges::sort(active, [](const Stored& a, const Stored& b) {
      const bool ready_a = pod_is_ready(*a);
      const bool ready_b = pod_is_ready(*b);
      if (ready_a != ready_b) return !ready_a;
      return std::pair(json::text_at(*b, {"metadata", "creationTimestamp"}), kube::name_of(*b)) <
             std::pair(json::text_at(*a, {"metadata", "creationTimestamp"}), kube::name_of(*a));
    });
    active.resize(static_cast<std::size_t>(have - wanted));
    return delete_pods(look, active);
  }
  const std::int64_t terminating =
      look.replaces_only_failed()
          ? std::ranges::count_if(
                look.pods, [](const Stored& pod) { return kube::is_being_deleted(*pod) && !pod_is_terminal(*pod); })
          : 0;
  const std::int64_t missing = wanted - terminating - have;
  if (missing <= 0) return {};
  if (const Failures& failures = failures_[look.key]; failures.last_at) {
    const base::Span wait =
        std::min(kLongestBackoff, kFirstBackoff * (std::int64_t{1} << std::clamp(failures.in_a_row - 1, 0, 20)));
    const base::Span left = *failures.last_at + wait - loop().now();
    if (left > base::Span::zero()) {
      enqueue_after(look.key, left);
      return {};
    }
  }
  if (missing > kBurst) enqueue(look.key);
  return create_pods(look, std::min(missing, kBurst));
}

Done JobController::create_pods(Look& look, std::int64_t count) {
  const kube::Object& job = *look.seen;
  const About about = About::object(kube::kJobs, job);
  kube::Object pod = pod_from_template(kube::kJobs, job, json::Value(json::members_at(job, {"spec", "template"})));
  json::Value& finalizers = json::ensure(pod, {"metadata", "finalizers"});
  if (!finalizers.is_array()) finalizers = json::Array();
  finalizers.as_array().emplace_back(kFinalizer);
  for (std::int64_t i = 0; i < count; ++i) {
    auto created = ask(kube::create(kube::kPods, std::string(kube::namespace_of(job)), pod));
    if (!created) {
      events().warning(about, kJobSource, "FailedCreate", fmt::format("Error creating: {}", created.error().message));
      return std::unexpected(std::move(created).error());
    }
    look.pods.push_back(*created);
    events().normal(about, kJobSource, "SuccessfulCreate", fmt::format("Created pod: {}", kube::name_of(**created)));
  }
  return {};
}

Done JobController::delete_pods(Look& look, const std::vector<Stored>& pods) {
  for (const Stored& pod : pods) {
    if (!pod_is_active(*pod)) continue;
    ASK_VOID(ask_unless_gone(kube::remove(kube::kPods, std::string(kube::namespace_of(*pod)),
                                          std::string(kube::name_of(*pod)), std::string(kube::uid_of(*pod)))));
    events().normal(About::object(kube::kJobs, *look.seen), kJobSource, "SuccessfulDelete",
                    fmt::format("Deleted pod: {}", kube::name_of(*pod)));
  }
  return {};
}

void JobController::note_suspension(Look& look) {
  const About about = About::object(kube::kJobs, *look.seen);
  const bool was_suspended = condition_status(look.job, "Suspended") == "True";
  if (look.suspended() && !was_suspended) {
    set_condition(look.job, {"Suspended", "True", "JobSuspended", "Job suspended"}, now_text(), "lastProbeTime");
    events().normal(about, kJobSource, "Suspended", "Job suspended");
    json::remove(look.job, {"status", "startTime"});
  } else if (!look.suspended() && was_suspended) {
    set_condition(look.job, {"Suspended", "False", "JobResumed", "Job resumed"}, now_text(), "lastProbeTime");
    events().normal(about, kJobSource, "Resumed", "Job resumed");
    json::ensure(look.job, {"status", "startTime"}) = now_text();
  }
}

}  // namespace drover::sim
