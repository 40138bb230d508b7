// One container of one pod: pulled, started, probed, stopped.
//
// It knows how to live once; whether it lives again (restart policy, back-off, order among containers) is its pod's
// decision. Stages: Waiting (with a reason) -> Pulling -> Starting -> Running -> Ended, and from any of them back to
// Waiting.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/loop.h"
#include "sim/kubelet_context.h"
#include "sim/kubelet_probes.h"
#include "sim/kubelet_spec.h"

namespace drover::sim {

class ContainerLife {
 public:
  enum class Stage { Waiting, Pulling, Starting, Running, Ended };
  struct End {
    int code = 0;
    std::string reason;  // "Completed", "Error"
    base::WallTime started_at;
    base::WallTime finished_at;
    std::string id;
    std::string message = {};
  };

  // `changed` is called after every change that a status shows, also from inside the calls below.
  ContainerLife(KubeletContext& context, const PodSpec& pod, const ContainerSpec& spec, std::function<void()> changed);
  ~ContainerLife();

  // Begins: pulls when needed, starts, runs. Counts as a restart when it ran before.
  void launch();
  // Stays down for `span` ("CrashLoopBackOff"), then launches as a restart.
  void back_off(base::Span span);
  // SIGTERM now, SIGKILL after `grace`. A container that does not run yet just does not.
  void stop(base::Span grace);
  // The machine went down under it: nothing is running, nothing was told. It waits for `launch` if it is to run again.
  void power_failed(bool runs_again);
  // It was running before this kubelet began: its script goes on after its last `ready`.
  void adopt(const json::Value& status);
  // A module came or went.
  void host_changed();
  // A process of it was killed from outside; true when it was ours.
  bool process_killed(int pid);
  // All of it was killed, if that is its name and it runs.
  bool killed(std::string_view name);

  const ContainerSpec& spec() const { return spec_; }
  Stage stage() const { return stage_; }
  bool is_untouched() const { return is_untouched_; }  // never launched since the node's boot
  bool is_running() const { return stage_ == Stage::Running; }
  bool is_stopping() const { return is_stopping_; }
  bool has_ended() const { return stage_ == Stage::Ended; }
  bool has_succeeded() const { return has_ended() && end_->code == 0; }
  bool is_started() const { return is_running() && probes_.is_started(); }
  bool is_ready() const { return is_running() && probes_.is_ready(); }
  int restarts() const { return restarts_; }
  // Crashes in a row that did not come after a long healthy run, as the back-off counts them.
  int crashes() const { return crashes_; }
  const std::string& waiting_reason() const { return waiting_reason_; }
  const std::string& waiting_message() const { return waiting_message_; }
  base::WallTime started_at() const { return started_at_; }
  const std::string& id() const { return id_; }
  const std::optional<End>& end() const { return end_; }    // of the run that is over, while Ended
  const std::optional<End>& last() const { return last_; }  // of the run before

 private:
  struct Alive;  // what a program's callbacks check before they touch us

  void set_waiting(std::string reason, std::string message = {});
  void pull();
  void pull_failed();
  void started(bool before_us);
  void start_program();
  void run_steps();
  // The script, in kubelet_script.cc.
  bool step_done(const Step& step);
  bool host_step_done(const Step& step);
  bool module_step_done(const Step& step);
  bool fail(std::string_view why);
  void run_stop_steps();
  bool load(const Step& step);
  void open_devices();
  void wait(std::optional<base::Span> span);
  void ended(int code);
  void say(std::string_view line);
  void record(kube::Event::Type type, std::string reason, std::string message);
  void note(std::string_view event, Journal::More more = {});
  std::string log_key() const { return pod_.key() + "/" + spec_.name(); }

  KubeletContext& context_;
  const PodSpec& pod_;
  const ContainerSpec& spec_;
  std::function<void()> changed_;
  Script script_;

  Stage stage_ = Stage::Waiting;
  std::string waiting_reason_ = "ContainerCreating";
  std::string waiting_message_;
  base::WallTime started_at_;
  base::Instant running_since_;
  std::string id_;
  std::string last_words_;  // where its failure is to say why
  std::optional<End> end_;
  std::optional<End> last_;
  int restarts_ = 0;
  int crashes_ = 0;
  int failed_pulls_ = 0;
  bool is_stopping_ = false;
  bool is_untouched_ = true;
  bool is_adopted_ = false;

  std::size_t next_step_ = 0;
  std::size_t next_stop_step_ = 0;
  bool is_awaiting_ = false;
  std::vector<int> processes_;
  Probes probes_;
  base::Timer timer_;       // pull, start, wait
  base::Timer stop_timer_;  // what it does about SIGTERM
  base::Timer kill_timer_;  // SIGKILL
  base::Instant stop_due_;
  std::unique_ptr<ContainerProgram> program_;
  std::shared_ptr<Alive> alive_;
  base::Timer bury_;  // destroys an exited program outside its own call
};

}  // namespace drover::sim
