#include "vendors/nvidia/agent/driver_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/own_node.h"
#include "base/text.h"
#include "protocol/report.h"
#include "vendors/nvidia/agent/manager_step.h"
#include "vendors/nvidia/agent/programs.h"
#include "vendors/nvidia/words.h"

namespace drover::agent {
namespace {

using base::Fault;
using ManagerDo = ManagerStep::Do;

constexpr std::string_view kDigestFile = "/run/nvidia/nvidia-driver.state";
constexpr std::string_view kPidFile = "/run/nvidia/nvidia-driver.pid";
constexpr base::Span kTellEvery = std::chrono::seconds(10);  // when only the message has changed
constexpr base::Span kFirstWait = std::chrono::seconds(1);
constexpr base::Span kMostWait = std::chrono::seconds(30);

// Beginnings of the names of the pods that the gates send away, as the vendor's manifests call them.
constexpr std::array<std::string_view, 10> kOperandPods{"nvidia-operator-validator",
                                                        "nvidia-container-toolkit-daemonset",
                                                        "nvidia-device-plugin-daemonset",
                                                        "gpu-feature-discovery",
                                                        "nvidia-dcgm-exporter",
                                                        "nvidia-dcgm",
                                                        "nvidia-mig-manager",
                                                        "nvidia-nvsm",
                                                        "nvidia-dra-driver",
                                                        "nvidia-sandbox"};

NodeSight sight_of(const kube::Object& node) {
  NodeSight sight;
  for (const auto gate : base::split(vendors::kNvidiaGates, ',')) {
    if (json::find(node, {"metadata", "labels", gate}) != nullptr)
      sight.gates[std::string(gate)] = kube::label_of(node, gate);
  }
  sight.deploy = kube::label_of(node, vendors::kNvidiaDeployLabel);
  sight.is_managed = kube::annotation_of(node, vendors::kNvidiaManagedAnnotation) == "true";
  sight.claim = open_claim(node);
  read_order(node, vendors::kNvidiaDriverChannel.order, sight.order, sight.order_trouble);
  const auto report = protocol::parse_report(kube::annotation_of(node, vendors::kNvidiaDriverChannel.report));
  sight.has_paused = report && report->has_paused;
  return sight;
}

bool is_operand(std::string_view pod, std::string_view ns) {
  const std::size_t slash = pod.find('/');
  if (slash == std::string_view::npos || pod.substr(0, slash) != ns) return false;
  const std::string_view name = pod.substr(slash + 1);
  return std::any_of(kOperandPods.begin(), kOperandPods.end(),
                     [&](std::string_view operand) { return name.starts_with(operand); });
}

}  // namespace

struct DriverManager::Body {
  Body(ManagerSettings given, ProgramContext surroundings)
      : settings(std::move(given)),
        around(std::move(surroundings)),
        node(around.api, around.loop, around.random, settings.node, [this] { look_soon(); }) {}

  void look_soon(base::Span in = {}) {
    if (!is_over) timer = around.loop.after(in, [this] { look(); });
  }

  void look() {
    if (is_over || node.is_patching()) return;
    const auto sight = see();
    if (!sight) {
      say(sight.error().message);
      return look_soon(kMostWait / 10);
    }
    ManagerStep step = agent::step(settings, *sight, memory);
    say(step.report.message);
    if (must_tell(step, *sight)) return tell(std::move(step), sight->loaded);
    act(step, sight->loaded);
  }

  base::Result<Sight> see() {
    host::Host& host = around.host;
    const DeviceKind& kind = nvidia().device;
    Sight sight;
    sight.now = around.loop.now();
    sight.boot = host.boot_id();
    sight.can_unload = host.can_unload_modules();
    TRY(const auto modules, host.modules());
    for (const auto name : base::split(kind.modules, ',')) {
      const bool is_there =
          std::any_of(modules.begin(), modules.end(), [&](const host::Module& module) { return module.name == name; });
      if (is_there) sight.loaded.emplace_back(name);
    }
    sight.has_host_driver = !sight.loaded.empty() && host.exists("/usr/bin/nvidia-smi") &&
                            !host.exists("/run/nvidia/driver/usr/bin/nvidia-smi") &&
                            !host.exists(std::string(kPidFile));
    sight.stored_digest = base::trim(host.read(std::string(kDigestFile)).value_or(""));
    if (!sight.loaded.empty()) {
      TRY(sight.holders, holders_of(host, kind));
      std::erase_if(sight.holders, [&](const Holding& holder) { return holder.pod_uid == settings.pod_uid; });
      for (const auto& uid : host.pods_with_processes().value_or(std::vector<std::string>{})) {
        std::string pod = uid == settings.pod_uid ? std::string() : pod_named(host, uid);
        if (is_operand(pod, settings.ns)) sight.operands.push_back(std::move(pod));
      }
    }
    if (node.seen()) sight.node = sight_of(*node.seen());
    return sight;
  }

  // ---- telling

  bool must_tell(const ManagerStep& step, const Sight& sight) {
    if (!sight.node) return false;
    if (!step.labels.empty()) return true;
    if (step.what == ManagerDo::Unload) return false;
    const std::string_view there = kube::annotation_of(*node.seen(), vendors::kNvidiaDriverChannel.report);
    if (there == protocol::text_of(step.report)) return false;
    const auto before = protocol::parse_report(there);
    // After success a message is written only if there is something to take back.
    // A kernel that cannot unload is to be known before the node is emptied for nothing.
    if (step.what == ManagerDo::Leave && step.code == 0) {
      const bool is_known = before && before->boot == step.report.boot && !before->can_unload;
      if (!step.report.can_unload)
        return !is_known || before->wants != protocol::AgentRequest::Nothing || before->has_paused;
      return before && (before->wants != protocol::AgentRequest::Nothing || before->has_paused || !before->can_unload);
    }
    if (!before) return true;
    protocol::Report same = step.report;
    same.message = before->message;
    if (*before != same || step.what == ManagerDo::Leave) return true;
    return !told_at || around.loop.now() - *told_at >= kTellEvery;
  }

  void tell(ManagerStep step, const std::vector<std::string>& loaded) {
    told_at = around.loop.now();
    const std::string text = protocol::text_of(step.report);
    const LabelChanges labels(step.labels.begin(), step.labels.end());
    node.patch(labels, vendors::kNvidiaDriverChannel.report, text,
               [this, step = std::move(step), loaded](const std::optional<Fault>& fault) {
                 if (is_over) return;
                 if (!fault) {
                   wait = kFirstWait;
                   if (step.what == ManagerDo::Leave) return act(step, loaded);
                   return look_soon();
                 }
                 not_told(step, loaded, *fault);
               });
  }

  void not_told(const ManagerStep& step, const std::vector<std::string>& loaded, const Fault& fault) {
    if (fault.kind == Fault::Kind::Conflict) return look_soon(std::chrono::milliseconds(200));
    say("cannot write to our own Node: " + fault.message);
    const bool is_final = fault.kind == Fault::Kind::Forbidden || fault.kind == Fault::Kind::Refused;
    // A report is a courtesy at the end; labels that stay paused are not.
    if (step.what == ManagerDo::Leave && step.labels.empty()) return act(step, loaded);
    if (is_final && !step.labels.empty()) {
      say("the agent must be allowed to change the deploy labels of its own Node: see the admission policy of the "
          "chart");
      return end(1);
    }
    look_soon(wait);
    wait = std::min(wait * 2, kMostWait);
  }

  // ---- doing

  void act(const ManagerStep& step, const std::vector<std::string>& loaded) {
    switch (step.what) {
      case ManagerDo::Wait: return look_soon(step.again);
      case ManagerDo::Unload: return unload(step, loaded);
      case ManagerDo::Leave:
        if (step.code == 0 && loaded.empty()) tidy();
        return end(step.code);
    }
  }

  void unload(const ManagerStep& step, const std::vector<std::string>& loaded) {
    // Before the first module goes: from here on the note must not be believed.
    for (const auto file : {kDigestFile, kPidFile}) static_cast<void>(around.host.remove(std::string(file)));
    memory.unload_trouble.clear();
    for (const std::string& module : loaded) {
      const auto gone = around.host.unload(module);
      if (gone) say("unloaded " + module);
      if (gone || gone.error().kind == Fault::Kind::NotFound) continue;
      memory.unload_trouble = gone.error().message;
      break;
    }
    look_soon(memory.unload_trouble.empty() ? base::Span{} : step.again);
  }

  // Nothing is loaded: what the last driver left behind, and what would keep the next one off the devices, goes.
  void tidy() {
    for (const auto file : {kDigestFile, kPidFile}) static_cast<void>(around.host.remove(std::string(file)));
    const auto modules = around.host.modules().value_or(std::vector<host::Module>{});
    if (std::none_of(modules.begin(), modules.end(), [](const auto& module) { return module.name == "nouveau"; }))
      return;
    const auto gone = around.host.unload("nouveau");
    if (gone) say("unloaded nouveau");
    if (!gone) say(gone.error().message);
  }

  void end(int code) {
    is_over = true;
    timer.cancel();
    around.exit(code);
  }

  // The same line once.
  void say(const std::string& line) {
    if (line == said) return;
    said = line;
    around.say(line);
  }

  const ManagerSettings settings;
  ProgramContext around;
  ManagerMemory memory;
  OwnNode node;
  base::Timer timer;
  std::optional<base::Instant> told_at;
  base::Span wait = kFirstWait;
  std::string said;
  bool is_over = false;
};

DriverManager::DriverManager(ManagerSettings settings, ProgramContext surroundings)
    : body_(std::make_unique<Body>(std::move(settings), std::move(surroundings))) {}
DriverManager::~DriverManager() = default;

void DriverManager::start() {
  body_->node.start();
  body_->look_soon();
}

void DriverManager::terminate() {
  body_->memory.is_ending = true;
  body_->look_soon();
}

}  // namespace drover::agent
