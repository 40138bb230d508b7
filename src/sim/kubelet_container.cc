#include "sim/kubelet_container.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace drover::sim {
namespace {

using base::Span;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Type = kube::Event::Type;

constexpr Span kCheckOfCachedImage = milliseconds(100);  // pull policy Always asks the registry even so
constexpr Span kSecondLook = seconds(2);                 // ErrImagePull turns into ImagePullBackOff at the next sync
constexpr Span kFirstPullWait = seconds(10);
constexpr Span kMostPullWait = minutes(5);
constexpr Span kHealthyRun = minutes(10);  // a run this long forgives the crashes before it
constexpr int kKilled = 137;
constexpr int kLostWithTheMachine = 255;

}  // namespace

struct ContainerLife::Alive {
  ContainerLife* self;
};

ContainerLife::ContainerLife(KubeletContext& context, const PodSpec& pod, const ContainerSpec& spec,
                             std::function<void()> changed)
    : context_(context),
      pod_(pod),
      spec_(spec),
      changed_(std::move(changed)),
      probes_(context.loop(), spec, [this](Probes::Verdict verdict) {
        if (verdict == Probes::Verdict::Changed) return changed_();
        const bool startup = verdict == Probes::Verdict::StartupFailed;
        record(Type::Warning, "Unhealthy", startup ? "Startup probe failed" : "Liveness probe failed");
        record(Type::Normal, "Killing",
               fmt::format("Container {} failed {} probe, will be restarted", spec_.name(),
                           startup ? "startup" : "liveness"));
        note("unhealthy", {{"probe", startup ? "startup" : "liveness"}});
        stop(pod_.grace);
        is_stopping_ = false;  // it will be restarted: the pod does not end
      }) {}

ContainerLife::~ContainerLife() {
  if (alive_) alive_->self = nullptr;
  for (const int pid : processes_) context_.host.close(pid);
}

void ContainerLife::record(Type type, std::string reason, std::string message) {
  if (!context_.recorder) return;
  context_.recorder->record({kube::kPods, pod_.ns, pod_.name, pod_.uid, type, std::move(reason), std::move(message)});
}

void ContainerLife::note(std::string_view event, Journal::More more) {
  const std::string key = pod_.key();
  context_.note(event, {.node = {}, .pod = key, .uid = pod_.uid, .container = spec_.name()}, more);
}

void ContainerLife::say(std::string_view line) {
  if (spec_.failure_says_why) last_words_ = line;
  if (context_.shared.logs != nullptr) context_.shared.logs->append(log_key(), context_.loop().wall(), line);
}

void ContainerLife::set_waiting(std::string reason, std::string message) {
  stage_ = Stage::Waiting;
  waiting_reason_ = std::move(reason);
  waiting_message_ = std::move(message);
  if (end_) last_ = std::exchange(end_, std::nullopt);
}

// ---- to life

void ContainerLife::launch() {
  is_untouched_ = false;
  is_stopping_ = false;
  // After a back-off the reason stays until it runs, as the kubelet's does.
  set_waiting(stage_ == Stage::Waiting ? waiting_reason_ : "ContainerCreating", waiting_message_);
  pull();
}

void ContainerLife::back_off(Span span) {
  set_waiting("CrashLoopBackOff", fmt::format("back-off {} restarting failed container={} pod={}_{}({})",
                                              base::human(span), spec_.name(), pod_.name, pod_.ns, pod_.uid));
  record(Type::Warning, "BackOff",
         fmt::format("Back-off restarting failed container {} in pod {}_{}({})", spec_.name(), pod_.name, pod_.ns,
                     pod_.uid));
  timer_ = context_.loop().after(span, [this] {
    launch();
    changed_();
  });
}

void ContainerLife::pull() {
  auto script = context_.shared.images.script_for(spec_.invocation);
  if (!script) {
    set_waiting("CreateContainerConfigError", script.error().message);
    return;
  }
  script_ = std::move(*script);
  const std::string& image = spec_.image();
  const bool cached = context_.images.contains(image);
  if (cached && spec_.pull_policy != "Always") {
    record(Type::Normal, "Pulled", fmt::format("Container image \"{}\" already present on machine", image));
    stage_ = Stage::Starting;
    timer_ = context_.loop().after(context_.about(script_.start.value_or(context_.shared.plan.tempo.start)),
                                   [this] { started(false); });
    return;
  }
  if (!cached && spec_.pull_policy == "Never") {
    set_waiting("ErrImageNeverPull",
                fmt::format("Container image \"{}\" is not present with pull policy of Never", image));
    return;
  }
  stage_ = Stage::Pulling;
  note("pull-began", {{"image", image}});
  record(Type::Normal, "Pulling", fmt::format("Pulling image \"{}\"", image));
  const Span takes =
      cached ? kCheckOfCachedImage : context_.about(script_.pull.value_or(context_.shared.plan.tempo.pull));
  timer_ = context_.loop().after(takes, [this, takes] {
    if (script_.image_is_missing) return pull_failed();
    failed_pulls_ = 0;
    context_.images.insert(spec_.image());
    note("pulled", {{"image", spec_.image()}});
    record(Type::Normal, "Pulled",
           fmt::format("Successfully pulled image \"{}\" in {}", spec_.image(), base::human(takes)));
    stage_ = Stage::Starting;
    timer_ = context_.loop().after(context_.about(script_.start.value_or(context_.shared.plan.tempo.start)),
                                   [this] { started(false); });
  });
}

void ContainerLife::pull_failed() {
  const std::string why = fmt::format("failed to pull and unpack image \"{}\": not found", spec_.image());
  const Span span = std::min(kFirstPullWait * (1 << std::min(failed_pulls_++, 10)), kMostPullWait);
  note("pull-failed", {{"image", spec_.image()}});
  record(Type::Warning, "Failed", fmt::format("Failed to pull image \"{}\": {}", spec_.image(), why));
  set_waiting("ErrImagePull", why);
  changed_();
  timer_ = context_.loop().after(kSecondLook, [this, span] {
    set_waiting("ImagePullBackOff", fmt::format("Back-off pulling image \"{}\"", spec_.image()));
    record(Type::Normal, "BackOff", fmt::format("Back-off pulling image \"{}\"", spec_.image()));
    changed_();
    timer_ = context_.loop().after(span - kSecondLook, [this] {
      pull();
      changed_();
    });
  });
}

void ContainerLife::started(bool before_us) {
  stage_ = Stage::Running;
  started_at_ = context_.loop().wall();
  running_since_ = context_.loop().now();
  id_ = "sim://" + context_.shared.random.uuid();
  if (last_) ++restarts_;
  if (context_.shared.logs != nullptr) context_.shared.logs->begin_run(log_key());
  if (!before_us) {
    record(Type::Normal, "Created", fmt::format("Container created: {}", spec_.name()));
    record(Type::Normal, "Started", fmt::format("Container started: {}", spec_.name()));
  }
  note(before_us ? "adopted" : "started", {{"image", spec_.image()}, {"restarts", restarts_}});
  open_devices();
  next_step_ = 0;
  is_awaiting_ = false;
  probes_.container_started(script_.program.empty() && !script_.says_when_ready());
  changed_();
  if (script_.program.empty()) {
    run_steps();
  } else {
    start_program();
  }
}

// A container that asks for the vendor's resource, or mounts its device files, holds a device for as long as it runs.
void ContainerLife::open_devices() {
  std::string path;
  for (const auto& device : context_.host.makeup().devices) {
    const bool mounted = std::any_of(pod_.device_paths.begin(), pod_.device_paths.end(), [&](const std::string& mount) {
      return device.path == mount || device.path.starts_with(mount + "/");
    });
    if (mounted || !spec_.resources.empty()) {
      path = device.path;
      break;
    }
  }
  if (path.empty()) return;
  if (auto pid = context_.host.open(path, pod_.uid, spec_.name())) processes_.push_back(*pid);
}

void ContainerLife::start_program() {
  const auto make = context_.shared.programs.find(script_.program);
  if (make == context_.shared.programs.end()) {
    say(fmt::format("exec {}: no such program in this simulator", script_.program));
    return ended(127);
  }
  alive_ = std::make_shared<Alive>(Alive{this});
  auto alive = alive_;
  program_ = make->second(ProgramStart{
      .ns = pod_.ns,
      .pod = pod_.name,
      .pod_uid = pod_.uid,
      .container = spec_.name(),
      .node = context_.node,
      .argv = spec_.invocation.argv,
      .env = spec_.invocation.env,
      .host = context_.host,
      .api = context_.shared.api,
      .loop = context_.loop(),
      .random = context_.shared.random.fork(id_),
      .log =
          [alive](std::string_view line) {
            if (alive->self != nullptr) alive->self->say(line);
          },
      .ready =
          [alive](bool ready) {
            if (alive->self != nullptr) alive->self->probes_.answer_ready(ready);
          },
      .exit =
          [alive](int code) {
            if (alive->self != nullptr) alive->self->ended(code);
          },
  });
  // It may have exited while it was being created.
  if (stage_ != Stage::Running) program_.reset();
}

void ContainerLife::adopt(const json::Value& status) {
  auto script = context_.shared.images.script_for(spec_.invocation);
  if (!script) return set_waiting("CreateContainerConfigError", script.error().message);
  script_ = std::move(*script);
  restarts_ = static_cast<int>(json::int_at(status, {"restartCount"}));
  context_.images.insert(spec_.image());
  const int restarts_before = restarts_;
  is_untouched_ = false;
  is_adopted_ = json::flag_at(status, {"ready"}) && script_.says_when_ready();
  const auto began = base::parse_rfc3339(json::text_at(status, {"state", "running", "startedAt"}));
  started(true);
  restarts_ = restarts_before;
  if (began) started_at_ = *began;
  if (const auto id = json::text_at(status, {"containerID"}); !id.empty()) id_ = id;
  if (json::flag_at(status, {"ready"}) && stage_ == Stage::Running) probes_.passed_before();
}

bool ContainerLife::process_killed(int pid) {
  if (std::erase(processes_, pid) == 0) return false;
  if (stage_ == Stage::Running) ended(kKilled);
  return true;
}

bool ContainerLife::killed(std::string_view name) {
  if (stage_ != Stage::Running || spec_.name() != name) return false;
  ended(kKilled);
  return true;
}

// ---- and to its end

void ContainerLife::stop(Span grace) {
  if (stage_ != Stage::Running) {
    timer_.cancel();
    is_stopping_ = true;
    if (stage_ != Stage::Ended) set_waiting("ContainerCreating");
    return;
  }
  const auto now = context_.loop().now();
  const bool again = std::exchange(is_stopping_, true);
  if (again && now + grace >= stop_due_) return;
  if (!again) {
    record(Type::Normal, "Killing", fmt::format("Stopping container {}", spec_.name()));
    if (program_) program_->terminate();
    if (stage_ != Stage::Running) return;
    next_stop_step_ = 0;
    const bool listens = !script_.is_deaf && script_.program.empty();
    const Span stop = context_.about(script_.stop.value_or(context_.shared.plan.tempo.stop));
    if (listens) stop_timer_ = context_.loop().after(stop, [this] { run_stop_steps(); });
  }
  stop_due_ = now + grace;
  kill_timer_ = context_.loop().after(grace, [this] { ended(kKilled); });
}

void ContainerLife::ended(int code) {
  if (stage_ != Stage::Running) return;
  stage_ = Stage::Ended;
  end_ = End{code, code == 0 ? "Completed" : "Error", started_at_, context_.loop().wall(), id_};
  if (code != 0) end_->message = std::exchange(last_words_, {});
  if (context_.loop().now() - running_since_ >= kHealthyRun) crashes_ = 0;
  ++crashes_;
  timer_.cancel();
  stop_timer_.cancel();
  kill_timer_.cancel();
  probes_.container_ended();
  is_awaiting_ = false;
  is_adopted_ = false;
  for (const int pid : std::exchange(processes_, {})) context_.host.close(pid);
  if (alive_) alive_->self = nullptr;
  alive_.reset();
  if (program_)
    bury_ = context_.loop().after(Span::zero(), [corpse = std::shared_ptr<ContainerProgram>(std::move(program_))] {});
  if (context_.shared.logs != nullptr) context_.shared.logs->end_run(log_key());
  note("exited", {{"code", code}});
  changed_();
}

void ContainerLife::power_failed(bool runs_again) {
  timer_.cancel();
  stop_timer_.cancel();
  kill_timer_.cancel();
  probes_.container_ended();
  processes_.clear();
  if (alive_) alive_->self = nullptr;
  alive_.reset();
  program_.reset();
  is_awaiting_ = is_adopted_ = false;
  if (stage_ == Stage::Running) {
    stage_ = Stage::Ended;
    end_ = End{kLostWithTheMachine, "Unknown", started_at_, context_.loop().wall(), id_};
    if (context_.shared.logs != nullptr) context_.shared.logs->end_run(log_key());
  }
  if (stage_ == Stage::Ended && !runs_again) return;
  set_waiting("ContainerCreating");
  is_untouched_ = true;
  crashes_ = 0;
}

}  // namespace drover::sim
