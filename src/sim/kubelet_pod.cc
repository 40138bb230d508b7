#include "sim/kubelet_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace drover::sim {
namespace {

using base::Span;
using Kind = base::Fault::Kind;
using Stage = ContainerLife::Stage;

constexpr Span kFirstCrashWait = std::chrono::seconds(10);
constexpr Span kMostCrashWait = std::chrono::minutes(5);
// What every pod gets to end in, also one that was deleted by force: the kubelet never kills at once.
constexpr Span kLeastGrace = std::chrono::seconds(2);

std::string address(std::uint32_t number) {
  return fmt::format("10.{}.{}.{}", (number >> 16) & 0xff, (number >> 8) & 0xff, number & 0xff);
}

const json::Value* status_named(const kube::Object& pod, std::string_view list, std::string_view name) {
  for (const auto& status : json::array_at(pod, {"status", list})) {
    if (json::text_at(status, {"name"}) == name) return &status;
  }
  return nullptr;
}

bool was_evicted(const kube::Object& pod) {
  for (const auto& condition : json::array_at(pod, {"status", "conditions"})) {
    if (json::text_at(condition, {"type"}) == "DisruptionTarget") return json::text_at(condition, {"status"}) == "True";
  }
  return false;
}

}  // namespace

PodLife::PodLife(KubeletContext& context, const kube::Object& pod, std::function<void()> gone)
    : context_(context), spec_(pod_spec_of(pod)), gone_(std::move(gone)) {
  facts_.started_at = context_.loop().wall();
  facts_.is_initialized = spec_.init.empty();
  const auto changed = [this] { ask_for_sync(); };
  for (const auto& one : spec_.init) init_.push_back(std::make_unique<ContainerLife>(context_, spec_, one, changed));
  for (const auto& one : spec_.main) main_.push_back(std::make_unique<ContainerLife>(context_, spec_, one, changed));
  const auto phase = json::text_at(pod, {"status", "phase"});
  if (phase == "Succeeded" || phase == "Failed") {
    facts_.final_phase = phase;
    was_over_before_us_ = true;
  } else if (!json::text_at(pod, {"status", "startTime"}).empty()) {
    adopt(pod);
  } else {
    note("admitted");
  }
  saw(pod);
  ask_for_sync();
}

// The pod was here before this kubelet began (its process was restarted): what ran goes on running.
void PodLife::adopt(const kube::Object& pod) {
  if (auto at = base::parse_rfc3339(json::text_at(pod, {"status", "startTime"}))) facts_.started_at = *at;
  facts_.pod_ip = json::text_at(pod, {"status", "podIP"});
  for (const auto& condition : json::array_at(pod, {"status", "conditions"})) {
    const auto since = base::parse_rfc3339(json::text_at(condition, {"lastTransitionTime"}));
    if (since)
      times_.of[std::string(json::text_at(condition, {"type"}))] = {json::text_at(condition, {"status"}) == "True",
                                                                    *since};
  }
  if (std::any_of(init_.begin(), init_.end(), [](const auto& life) { return !life->spec().is_sidecar; }) ||
      init_.empty()) {
    facts_.is_initialized = init_.empty() || times_.of["Initialized"].holds;
  }
  is_ready_ = times_.of["Ready"].holds;
  if (!facts_.is_initialized) return;
  for (auto* list : {&init_, &main_}) {
    for (auto& life : *list) {
      const auto* status =
          status_named(pod, list == &init_ ? "initContainerStatuses" : "containerStatuses", life->spec().name());
      if (status != nullptr && json::find(*status, {"state", "running"}) != nullptr) life->adopt(*status);
    }
  }
}

void PodLife::note(std::string_view event, Journal::More more) {
  const std::string key = spec_.key();
  context_.note(event, {.node = {}, .pod = key, .uid = spec_.uid, .container = {}}, more);
}

void PodLife::saw(const kube::Object& pod) {
  if (!kube::is_being_deleted(pod)) return;
  const auto usual = std::chrono::duration_cast<std::chrono::seconds>(spec_.grace).count();
  const Span asked = std::chrono::seconds(
      std::clamp<std::int64_t>(json::int_at(pod, {"metadata", "deletionGracePeriodSeconds"}, usual), 0, INT32_MAX));
  const Span grace = std::max(asked, kLeastGrace);
  if (is_terminating_ && grace >= grace_) return;
  grace_ = grace;
  if (!is_terminating_) {
    is_terminating_ = true;
    terminating_since_ = context_.loop().now();
    note(was_evicted(pod) ? "evicted" : "deleted-seen", {{"grace", asked.count() / 1'000'000'000}});
  }
  if (context_.is_up) terminate();
  ask_for_sync();
}

void PodLife::vanished() {
  if (is_forgotten_by_api_) return;
  is_forgotten_by_api_ = true;
  writing_.cancel();
  is_writing_ = false;
  retry_.cancel();
  if (!is_terminating_) {
    is_terminating_ = true;
    terminating_since_ = context_.loop().now();
    note("deleted-seen", {{"grace", 0}});
  }
  grace_ = kLeastGrace;
  if (context_.is_up) terminate();
  ask_for_sync();
}

void PodLife::power_failed() {
  writing_.cancel();
  is_writing_ = false;
  retry_.cancel();
  is_ready_ = false;
  if (!facts_.final_phase.empty()) return;
  // After the boot everything runs again that the restart policy allows, the init containers too.
  const bool always = spec_.restart == RestartPolicy::Always;
  const bool never = spec_.restart == RestartPolicy::Never;
  for (auto& life : init_) life->power_failed(!never);
  for (auto& life : main_) life->power_failed(always || (!never && !life->has_succeeded()));
  if (!never) facts_.is_initialized = spec_.init.empty();
}

void PodLife::powered_on() {
  sent_.reset();  // a write that was under way when the power went may or may not have arrived
  ask_for_sync();
}

void PodLife::host_changed() {
  for (auto* list : {&init_, &main_}) {
    for (auto& life : *list) life->host_changed();
  }
}

bool PodLife::kill_container(std::string_view name) {
  for (auto* list : {&init_, &main_}) {
    for (auto& life : *list) {
      if (life->killed(name)) return true;
    }
  }
  return false;
}

void PodLife::process_killed(int pid) {
  for (auto* list : {&init_, &main_}) {
    for (auto& life : *list) {
      if (life->process_killed(pid)) return;
    }
  }
}

// ---- the next thing to do

void PodLife::ask_for_sync() {
  if (std::exchange(sync_asked_, true)) return;
  sync_ = context_.loop().after(Span::zero(), [this] {
    sync_asked_ = false;
    sync();
  });
}

void PodLife::sync() {
  if (!context_.is_up || is_gone_) return;
  if (is_terminating_) {
    terminate();
    if (all_stopped() && !std::exchange(said_stopped_, true)) note("stopped");
  } else if (facts_.final_phase.empty()) {
    facts_.is_initialized = init_done();
    if (facts_.is_initialized && facts_.final_phase.empty()) run_main();
  }
  if (facts_.pod_ip.empty()) facts_.pod_ip = address(context_.shared.next_address++);
  const bool ready = facts_.final_phase.empty() && facts_.is_initialized && all_ready(init_, main_);
  if (ready != is_ready_) note(ready ? "ready" : "unready");
  is_ready_ = ready;
  publish();
}

bool PodLife::init_done() {
  return std::all_of(init_.begin(), init_.end(), [this](auto& life) { return run_init(*life); });
}

// True when the next container may begin.
bool PodLife::run_init(ContainerLife& life) {
  if (life.spec().is_sidecar) {
    if (life.has_ended()) restart(life);
    if (life.is_untouched()) life.launch();
    return life.is_started() || facts_.is_initialized;
  }
  if (life.has_succeeded() || facts_.is_initialized) return true;
  if (life.is_untouched()) {
    life.launch();
  } else if (life.has_ended()) {
    if (spec_.restart == RestartPolicy::Never) {
      finish("Failed");
    } else {
      restart(life);
    }
  }
  return false;
}

void PodLife::run_main() {
  bool all_over = true;
  bool all_well = true;
  for (auto& life : main_) {
    if (life->is_untouched()) life->launch();
    const bool again = life->has_ended() && (spec_.restart == RestartPolicy::Always ||
                                             (spec_.restart == RestartPolicy::OnFailure && !life->has_succeeded()));
    if (again) restart(*life);
    all_over = all_over && life->has_ended();
    all_well = all_well && life->has_succeeded();
  }
  if (all_over) finish(all_well ? "Succeeded" : "Failed");
}

void PodLife::restart(ContainerLife& life) {
  // The first restart is immediate; from then on each waits twice as long.
  if (life.crashes() <= 1) return life.launch();
  life.back_off(std::min(kFirstCrashWait * (1 << std::min(life.crashes() - 2, 10)), kMostCrashWait));
}

void PodLife::finish(std::string phase) {
  facts_.final_phase = std::move(phase);
  note(facts_.final_phase == "Succeeded" ? "succeeded" : "failed");
  for (auto& life : init_) life->stop(spec_.grace);
  for (auto& life : main_) life->stop(spec_.grace);
}

// ---- the end

void PodLife::terminate() {
  const Span left = std::max(Span::zero(), grace_ - (context_.loop().now() - terminating_since_));
  // Sidecars outlive what they serve.
  bool main_runs = false;
  for (auto& life : main_) {
    if (!life->is_stopping() || life->is_running()) life->stop(left);
    main_runs = main_runs || life->is_running();
  }
  for (auto& life : init_) {
    if (!main_runs || !life->spec().is_sidecar) life->stop(left);
  }
}

bool PodLife::all_stopped() const {
  const auto stopped = [](const auto& life) { return !life->is_running(); };
  return std::all_of(init_.begin(), init_.end(), stopped) && std::all_of(main_.begin(), main_.end(), stopped);
}

void PodLife::be_gone() {
  if (std::exchange(is_gone_, true)) return;
  if (!is_done_) note("gone");
  if (context_.shared.logs != nullptr) context_.shared.logs->forget_pod(spec_.key());
  gone_();
}

// ---- what the API server hears

void PodLife::publish() {
  if (is_writing_ || !context_.is_up) return;
  const bool over = is_terminating_ && all_stopped();
  if (is_forgotten_by_api_ && over) return be_gone();
  if (is_forgotten_by_api_ || is_done_) return;
  if (over && facts_.final_phase.empty()) {
    const bool well = std::all_of(main_.begin(), main_.end(), [](const auto& life) { return life->has_succeeded(); });
    facts_.final_phase = well ? "Succeeded" : "Failed";
  }
  if (was_over_before_us_) {
    if (over) send_delete();
    return;
  }
  json::Value status = render_status(spec_, facts_, init_, main_, times_, context_.loop().wall());
  const std::uint64_t digest = base::fnv1a(json::text_of(status));
  if (digest != sent_) return send_status(std::move(status), digest);
  if (over) send_delete();
}

void PodLife::send_status(json::Value status, std::uint64_t digest) {
  is_writing_ = true;
  ++context_.shared.writes;
  json::Value body = json::Members{{"metadata", json::Members{{"uid", spec_.uid}}}, {"status", std::move(status)}};
  auto request = kube::patch(kube::kPods, spec_.ns, spec_.name, kube::PatchKind::Strategic, std::move(body), "status");
  request.field_manager = "kubelet";
  request.projection = only_the_uid();
  writing_ = context_.shared.api.call(
      std::move(request), [this, digest](base::Result<kube::Object> answer) { status_answered(answer, digest); });
}

void PodLife::status_answered(const base::Result<kube::Object>& answer, std::uint64_t digest) {
  is_writing_ = false;
  if (answer) {
    sent_ = digest;
    backoff_.reset();
    return ask_for_sync();
  }
  ++context_.shared.failed_writes;
  // Another pod has the name now, or none: this one was deleted behind our back, and the watch will say so too.
  if (answer.error().kind == Kind::NotFound || answer.error().kind == Kind::Conflict) return vanished();
  retry_later();
}

void PodLife::send_delete() {
  is_writing_ = true;
  ++context_.shared.writes;
  auto request = kube::remove(kube::kPods, spec_.ns, spec_.name, spec_.uid);
  request.grace = Span::zero();
  request.projection = only_the_uid();
  writing_ = context_.shared.api.call(std::move(request), [this](base::Result<kube::Object> answer) {
    is_writing_ = false;
    if (answer) {
      // Finalizers may keep the object for a while; the watch tells when it is gone.
      is_done_ = true;
      return note("gone");
    }
    if (answer.error().kind == Kind::NotFound || answer.error().kind == Kind::Conflict) return vanished();
    ++context_.shared.failed_writes;
    retry_later();
  });
}

void PodLife::retry_later() {
  retry_ = context_.loop().after(backoff_.next(context_.shared.random), [this] { publish(); });
}

}  // namespace drover::sim
