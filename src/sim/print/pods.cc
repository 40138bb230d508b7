// Pods: the one word that says how a pod is, found in its containers' states.
#include <fmt/format.h>

#include <string>

#include "sim/print/cells.h"

namespace drover::sim::print {
namespace {

constexpr Column kPodColumns[] = {
    kName,
    {"Ready", "string", "", 0, "containers that are ready, of all that should be"},
    {"Status", "string", "", 0, "how the pod is, in one word"},
    {"Restarts", "string", "", 0, "how often containers were started again, and when last"},
    kAge,
    {"IP", "string", "", 1, "the pod's first address"},
    {"Node", "string", "", 1, "where the pod runs"},
    {"Nominated Node", "string", "", 1, "where room is being made for the pod"},
    {"Readiness Gates", "string", "", 1, "outside conditions that are true, of all that the pod waits for"},
};

// What the walk over the containers adds up.
struct Tally {
  std::string reason;
  std::int64_t ready = 0;
  std::int64_t total = 0;
  std::int64_t restarts = 0;
  std::string_view restarted_at;

  void count(const json::Value& status) {
    restarts += json::int_at(status, {"restartCount"});
    // RFC 3339 in UTC with whole seconds: text order is time order.
    const std::string_view at = json::text_at(status, {"lastState", "terminated", "finishedAt"});
    if (at > restarted_at) restarted_at = at;
  }
};

std::string end_of(const json::Value& terminated) {
  if (const std::string_view reason = json::text_at(terminated, {"reason"}); !reason.empty())
    return std::string(reason);
  if (const auto signal = json::int_at(terminated, {"signal"}); signal != 0) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", json::int_at(terminated, {"exitCode"}));
}

bool runs_beside(const json::Value& pod, std::string_view init_container) {
  for (const json::Value& container : json::array_at(pod, {"spec", "initContainers"})) {
    if (json::text_at(container, {"name"}) == init_container)
      return json::text_at(container, {"restartPolicy"}) == "Always";
  }
  return false;
}

// Walks the init containers up to the one that is still at work; true when there is one. `beside` adds up those that go
// on running beside the others.
bool is_initializing(const json::Value& pod, Tally& all, Tally& beside) {
  std::size_t at = 0;
  for (const json::Value& status : json::array_at(pod, {"status", "initContainerStatuses"})) {
    const std::size_t index = at++;
    const bool stays = runs_beside(pod, json::text_at(status, {"name"}));
    all.count(status);
    if (stays) beside.count(status);
    const json::Value* terminated = json::find(status, {"state", "terminated"});
    const std::string_view waiting = json::text_at(status, {"state", "waiting", "reason"});
    if (terminated != nullptr && json::int_at(*terminated, {"exitCode"}) == 0) continue;
    if (stays && json::flag_at(status, {"started"})) {
      if (json::flag_at(status, {"ready"})) ++all.ready;
      continue;
    }
    if (terminated != nullptr) {
      all.reason = "Init:" + end_of(*terminated);
    } else if (!waiting.empty() && waiting != "PodInitializing") {
      all.reason = fmt::format("Init:{}", waiting);
    } else {
      all.reason = fmt::format("Init:{}/{}", index, json::array_at(pod, {"spec", "initContainers"}).size());
    }
    return true;
  }
  return false;
}

// Walks the containers from the last to the first, so that the first has the last word.
void look_at_containers(const json::Value& pod, Tally& tally) {
  bool running = false;
  std::string failure;
  const json::Array& statuses = json::array_at(pod, {"status", "containerStatuses"});
  for (std::size_t i = statuses.size(); i-- > 0;) {
    const json::Value& status = statuses[i];
    tally.count(status);
    const std::string_view waiting = json::text_at(status, {"state", "waiting", "reason"});
    const json::Value* terminated = json::find(status, {"state", "terminated"});
    if (!waiting.empty()) {
      tally.reason = waiting;
    } else if (terminated != nullptr) {
      tally.reason = end_of(*terminated);
      if (json::int_at(*terminated, {"exitCode"}) != 0) failure = tally.reason;
    } else if (json::flag_at(status, {"ready"}) && json::find(status, {"state", "running"}) != nullptr) {
      running = true;
      ++tally.ready;
    }
  }
  // One container that has done its work does not make a pod completed.
  if (tally.reason != "Completed") return;
  if (running && condition_of(pod, "Ready") == "True") {
    tally.reason = "Running";
  } else if (!failure.empty()) {
    tally.reason = failure;
  } else if (running) {
    tally.reason = "NotReady";
  }
}

Tally look_at(const json::Value& pod) {
  Tally all;
  Tally beside;
  const std::string_view phase = json::text_at(pod, {"status", "phase"});
  all.reason = text_or(pod, {"status", "reason"}, phase);
  for (const json::Value& condition : json::array_at(pod, {"status", "conditions"})) {
    if (json::text_at(condition, {"type"}) == "PodScheduled" &&
        json::text_at(condition, {"reason"}) == "SchedulingGated")
      all.reason = "SchedulingGated";
  }
  all.total = static_cast<std::int64_t>(json::array_at(pod, {"spec", "containers"}).size());
  for (const json::Value& container : json::array_at(pod, {"spec", "initContainers"})) {
    if (json::text_at(container, {"restartPolicy"}) == "Always") ++all.total;
  }

  if (!is_initializing(pod, all, beside) || condition_of(pod, "Initialized") == "True") {
    all.restarts = beside.restarts;
    all.restarted_at = beside.restarted_at;
    look_at_containers(pod, all);
  }

  const bool over = phase == "Succeeded" || phase == "Failed";
  if (kube::is_being_deleted(pod) && json::text_at(pod, {"status", "reason"}) == "NodeLost") {
    all.reason = "Unknown";
  } else if (kube::is_being_deleted(pod) && !over) {
    all.reason = "Terminating";
  }
  return all;
}

std::string gates_of(const json::Value& pod) {
  const json::Array& gates = json::array_at(pod, {"spec", "readinessGates"});
  if (gates.empty()) return "<none>";
  int open = 0;
  for (const json::Value& gate : gates) {
    if (condition_of(pod, json::text_at(gate, {"conditionType"})) == "True") ++open;
  }
  return fmt::format("{}/{}", open, gates.size());
}

std::string address_of(const json::Value& pod) {
  const json::Array& addresses = json::array_at(pod, {"status", "podIPs"});
  const std::string_view first = addresses.empty() ? std::string_view() : json::text_at(addresses[0], {"ip"});
  return first.empty() ? text_or(pod, {"status", "podIP"}, "<none>") : std::string(first);
}

json::Array pod_cells(const kube::Object& pod, base::WallTime now) {
  const Tally tally = look_at(pod);
  std::string restarts = fmt::format("{}", tally.restarts);
  if (tally.restarts != 0 && !tally.restarted_at.empty())
    restarts += fmt::format(" ({} ago)", since(tally.restarted_at, now));
  return {name_cell(pod),
          fmt::format("{}/{}", tally.ready, tally.total),
          tally.reason,
          restarts,
          age_of(pod, now),
          address_of(pod),
          text_or(pod, {"spec", "nodeName"}, "<none>"),
          text_or(pod, {"status", "nominatedNodeName"}, "<none>"),
          gates_of(pod)};
}

constexpr SheetRow kPodSheets[] = {{"", "pods", kPodColumns, pod_cells}};

}  // namespace

std::span<const SheetRow> pod_sheets() { return kPodSheets; }

}  // namespace drover::sim::print
