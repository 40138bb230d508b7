#include "sim/kubelet_status.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace drover::sim {
namespace {

using Stage = ContainerLife::Stage;

json::Value terminated(const ContainerLife::End& end) {
  json::Members state;
  state["exitCode"] = end.code;
  state["reason"] = end.reason;
  state["startedAt"] = base::rfc3339(end.started_at);
  state["finishedAt"] = base::rfc3339(end.finished_at);
  state["containerID"] = end.id;
  if (!end.message.empty()) state["message"] = end.message;
  return json::Members{{"terminated", std::move(state)}};
}

json::Value state_of(const ContainerLife& life, bool pod_is_initialized) {
  if (life.stage() == Stage::Ended) return terminated(*life.end());
  if (life.stage() == Stage::Running) {
    return json::Members{{"running", json::Members{{"startedAt", base::rfc3339(life.started_at())}}}};
  }
  json::Members waiting;
  const bool plain = life.waiting_reason() == "ContainerCreating";
  waiting["reason"] = plain && !pod_is_initialized ? "PodInitializing" : life.waiting_reason();
  if (!life.waiting_message().empty()) waiting["message"] = life.waiting_message();
  return json::Members{{"waiting", std::move(waiting)}};
}

json::Array statuses_of(const Containers& containers, bool are_init, bool pod_is_initialized) {
  json::Array all;
  for (const auto& life : containers) {
    json::Members one;
    one["name"] = life->spec().name();
    one["image"] = life->spec().image();
    const bool ran = life->stage() == Stage::Running || life->stage() == Stage::Ended || life->last();
    one["imageID"] =
        ran ? fmt::format("sim://{}@{:016x}", life->spec().image(), base::fnv1a(life->spec().image())) : "";
    if (ran && !life->id().empty()) one["containerID"] = life->id();
    const bool done = are_init && !life->spec().is_sidecar;
    one["ready"] = done ? life->has_succeeded() : life->is_ready();
    one["started"] = life->is_started();
    one["restartCount"] = life->restarts();
    one["state"] = state_of(*life, pod_is_initialized || (are_init && life->stage() != Stage::Waiting));
    one["lastState"] = life->last() ? terminated(*life->last()) : json::Value(json::Members{});
    all.push_back(std::move(one));
  }
  return all;
}

std::string names(const std::vector<std::string>& list) { return "[" + base::join(list, " ") + "]"; }

struct Condition {
  std::string_view type;
  bool holds;
  std::string reason;
  std::string message;
};

void add(json::Array& conditions, const Condition& condition, ConditionTimes& times, base::WallTime now) {
  auto [at, is_new] = times.of.try_emplace(std::string(condition.type));
  if (is_new || at->second.holds != condition.holds) at->second = {condition.holds, now};
  json::Members one;
  one["type"] = condition.type;
  one["status"] = condition.holds ? "True" : "False";
  one["lastTransitionTime"] = base::rfc3339(at->second.at);
  one["lastProbeTime"] = nullptr;
  // Said even when empty: a merge would keep the reason of the time before.
  one["reason"] = condition.reason.empty() ? json::Value(nullptr) : json::Value(condition.reason);
  one["message"] = condition.message.empty() ? json::Value(nullptr) : json::Value(condition.message);
  conditions.push_back(std::move(one));
}

json::Array conditions_of(const PodFacts& facts, const Containers& init, const Containers& main, ConditionTimes& times,
                          base::WallTime now) {
  std::vector<std::string> incomplete;
  std::vector<std::string> unready;
  for (const auto& life : init) {
    const bool fine = life->spec().is_sidecar ? life->is_started() : life->has_succeeded();
    if (!fine) incomplete.push_back(life->spec().name());
    if (life->spec().is_sidecar && !life->is_ready()) unready.push_back(life->spec().name());
  }
  for (const auto& life : main) {
    if (!life->is_ready()) unready.push_back(life->spec().name());
  }
  const bool over = !facts.final_phase.empty();
  const bool completed = facts.final_phase == "Succeeded";
  Condition initialized{"Initialized", facts.is_initialized, {}, {}};
  if (!facts.is_initialized) {
    initialized.reason = "ContainersNotInitialized";
    initialized.message = "containers with incomplete status: " + names(incomplete);
  } else if (completed) {
    initialized.reason = "PodCompleted";
  }
  Condition ready{"Ready", !over && unready.empty(), {}, {}};
  if (over) {
    ready.reason = completed ? "PodCompleted" : "PodFailed";
  } else if (!unready.empty()) {
    ready.reason = "ContainersNotReady";
    ready.message = "containers with unready status: " + names(unready);
  }
  Condition containers_ready = ready;
  containers_ready.type = "ContainersReady";
  json::Array conditions;
  add(conditions, {"PodReadyToStartContainers", !over && !facts.pod_ip.empty(), {}, {}}, times, now);
  add(conditions, initialized, times, now);
  add(conditions, ready, times, now);
  add(conditions, containers_ready, times, now);
  return conditions;
}

}  // namespace

bool all_ready(const Containers& init, const Containers& main) {
  const auto ready = [](const std::unique_ptr<ContainerLife>& life) { return life->is_ready(); };
  return std::all_of(main.begin(), main.end(), ready) && std::all_of(init.begin(), init.end(), [&](const auto& life) {
           return !life->spec().is_sidecar || ready(life);
         });
}

std::string phase_of(const PodFacts& facts, const Containers& main) {
  if (!facts.final_phase.empty()) return facts.final_phase;
  if (!facts.is_initialized) return "Pending";
  const bool some_never_ran = std::any_of(main.begin(), main.end(), [](const std::unique_ptr<ContainerLife>& life) {
    return life->stage() != Stage::Running && life->stage() != Stage::Ended && !life->last();
  });
  return some_never_ran ? "Pending" : "Running";
}

json::Value render_status(const PodSpec& spec, const PodFacts& facts, const Containers& init, const Containers& main,
                          ConditionTimes& times, base::WallTime now) {
  json::Members status;
  status["phase"] = phase_of(facts, main);
  status["startTime"] = base::rfc3339(facts.started_at);
  status["hostIP"] = "127.0.0.1";
  status["hostIPs"] = json::Array{json::Members{{"ip", "127.0.0.1"}}};
  const std::string ip = spec.host_network ? "127.0.0.1" : facts.pod_ip;
  if (!facts.pod_ip.empty()) {
    status["podIP"] = ip;
    status["podIPs"] = json::Array{json::Members{{"ip", ip}}};
  }
  if (!facts.final_reason.empty()) status["reason"] = facts.final_reason;
  if (!facts.final_message.empty()) status["message"] = facts.final_message;
  status["conditions"] = conditions_of(facts, init, main, times, now);
  if (!init.empty()) status["initContainerStatuses"] = statuses_of(init, true, facts.is_initialized);
  status["containerStatuses"] = statuses_of(main, false, facts.is_initialized);
  return status;
}

}  // namespace drover::sim
