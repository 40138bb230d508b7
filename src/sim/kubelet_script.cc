// A container follows its script: ContainerLife's steps.
#include <fmt/format.h>

#include <algorithm>

#include "sim/kubelet_container.h"

namespace drover::sim {
namespace {

using base::Span;

constexpr Span kShortestRound =
    std::chrono::milliseconds(10);  // a script that repeats without waiting must not stop time

constexpr int kTerminated = 143;  // 128 + SIGTERM: it did nothing about the signal but end

}  // namespace

void ContainerLife::run_steps() {
  while (stage_ == Stage::Running && next_step_ < script_.steps.size()) {
    if (!step_done(script_.steps[next_step_++])) return;
  }
  if (stage_ == Stage::Running) ended(0);
}

void ContainerLife::wait(std::optional<Span> span) {
  const bool ran_before =
      is_adopted_ && std::any_of(script_.steps.begin() + static_cast<std::ptrdiff_t>(next_step_), script_.steps.end(),
                                 [](const Step& step) { return step.kind == Step::Kind::Ready; });
  if (ran_before) span = Span::zero();
  if (!span) return;
  timer_ = context_.loop().after(context_.about(*span), [this] { run_steps(); });
}

// The script ends the container as a failure, and says why.
bool ContainerLife::fail(std::string_view why) {
  say(why);
  ended(1);
  return false;
}

// False when the script does not go on now: it waits, or the container has ended.
bool ContainerLife::step_done(const Step& step) {
  switch (step.kind) {
    case Step::Kind::Say: say(step.what); return true;
    case Step::Kind::Wait: wait(span_of(step, context_.shared.plan.tempo)); return false;
    case Step::Kind::Ready:
      is_adopted_ = false;
      probes_.answer_ready(true);
      return true;
    case Step::Kind::Unready: probes_.answer_ready(false); return true;
    case Step::Kind::Sick: probes_.answer_sick(); return true;
    case Step::Kind::Exit: ended(step.code); return false;
    case Step::Kind::Repeat:
      next_step_ = 0;
      timer_ = context_.loop().after(kShortestRound, [this] { run_steps(); });
      return false;
    case Step::Kind::Hold:
    case Step::Kind::Write:
    case Step::Kind::Remove:
    case Step::Kind::Reboot: return host_step_done(step);
    default: return module_step_done(step);
  }
}

bool ContainerLife::host_step_done(const Step& step) {
  SimHost& host = context_.host;
  base::Result<void> outcome;
  if (step.kind == Step::Kind::Hold) {
    const auto pid = host.open(step.what, pod_.uid, spec_.name());
    if (!pid) return fail(pid.error().message);
    processes_.push_back(*pid);
  } else if (step.kind == Step::Kind::Write) {
    outcome = host.write(step.what, step.with);
  } else if (step.kind == Step::Kind::Remove) {
    outcome = host.remove(step.what);
  } else {
    outcome = host.reboot(host.boot_id());
  }
  return outcome || fail(outcome.error().message);
}

bool ContainerLife::module_step_done(const Step& step) {
  SimHost& host = context_.host;
  const auto version = host.loaded_version(step.what);
  const bool is_loaded = version && (step.with.empty() || step.with == *version);
  switch (step.kind) {
    case Step::Kind::LoadOrMark:
      if (!version || is_loaded) return load(step);
      say(fmt::format("{} {} is loaded; {} needs a reboot", step.what, *version, step.with));
      if (auto marked = host.write(step.on, "upgrade\n"); !marked) return fail(marked.error().message);
      return false;
    case Step::Kind::Need: return is_loaded || fail(fmt::format("{} {} is not loaded", step.what, step.with));
    case Step::Kind::Await:
      if (is_loaded) return true;
      is_awaiting_ = true;
      --next_step_;
      return false;
    case Step::Kind::Unload:
    case Step::Kind::TryUnload: {
      if (!version) return true;
      const auto gone = host.unload(step.what);
      if (!gone && step.kind == Step::Kind::Unload) return fail(gone.error().message);
      if (!gone) say(gone.error().message);
      return true;
    }
    default: return load(step);
  }
}

bool ContainerLife::load(const Step& step) {
  SimHost& host = context_.host;
  if (const auto version = host.loaded_version(step.what)) {
    if (*version == step.with) return true;
    // As the vendors' installers do: the old one is unloaded first, with the modules that depend on it.
    const auto modules = host.modules();
    for (const auto& module : *modules) {
      if (module.name != step.what) continue;
      for (const auto& user : module.used_by) static_cast<void>(host.unload(user));
    }
    if (auto gone = host.unload(step.what); !gone) return fail(gone.error().message);
  }
  const std::string on = step.kind == Step::Kind::Load ? step.on : "";
  if (auto loaded = host.insert(step.what, step.with, on); !loaded) return fail(loaded.error().message);
  say(fmt::format("loaded {} {}", step.what, step.with));
  return true;
}

// What the container does between SIGTERM and its end. Steps that would make no sense there are passed over.
void ContainerLife::run_stop_steps() {
  while (stage_ == Stage::Running && next_stop_step_ < script_.when_stopped.size()) {
    const Step& step = script_.when_stopped[next_stop_step_++];
    switch (step.kind) {
      case Step::Kind::Wait:
        if (const auto span = span_of(step, context_.shared.plan.tempo)) {
          stop_timer_ = context_.loop().after(context_.about(*span), [this] { run_stop_steps(); });
        }
        return;
      case Step::Kind::Say:
      case Step::Kind::Unload:
      case Step::Kind::TryUnload:
      case Step::Kind::Write:
      case Step::Kind::Remove:
      case Step::Kind::Exit: step_done(step); break;
      default: break;
    }
  }
  if (stage_ == Stage::Running) ended(script_.when_stopped.empty() ? kTerminated : 0);
}

void ContainerLife::host_changed() {
  if (!is_awaiting_) return;
  is_awaiting_ = false;
  timer_ = context_.loop().after(Span::zero(), [this] { run_steps(); });
}

}  // namespace drover::sim
