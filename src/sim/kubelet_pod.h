// One pod's life on its node: admitted, initialised, run, restarted, ended, deleted.
//
// Level-triggered: `sync` looks at the containers and does the next thing; whatever changes only asks for another sync.
// The status goes out through one patch at a time, guarded by the pod's uid, and only when it differs from the one sent
// before.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/loop.h"
#include "base/random.h"
#include "sim/kubelet_container.h"
#include "sim/kubelet_context.h"
#include "sim/kubelet_status.h"

namespace drover::sim {

class PodLife {
 public:
  // `pod` as first seen; `gone` is called once, later, when nothing of the pod is left on the node or in the API.
  PodLife(KubeletContext& context, const kube::Object& pod, std::function<void()> gone);

  // A newer version of the pod.
  void saw(const kube::Object& pod);
  // The object is gone: deleted by force, or by our own delete.
  void vanished();
  void power_failed();
  void powered_on();
  void host_changed();
  void process_killed(int pid);
  bool kill_container(std::string_view name);

  const PodSpec& spec() const { return spec_; }
  bool is_ready() const { return is_ready_; }

 private:
  void ask_for_sync();
  void sync();
  bool init_done();
  bool run_init(ContainerLife& life);
  void run_main();
  void restart(ContainerLife& life);
  void finish(std::string phase);
  void terminate();
  bool all_stopped() const;
  void publish();
  void send_status(json::Value status, std::uint64_t digest);
  void status_answered(const base::Result<kube::Object>& answer, std::uint64_t digest);
  void send_delete();
  void retry_later();
  void be_gone();
  void adopt(const kube::Object& pod);
  void note(std::string_view event, Journal::More more = {});

  KubeletContext& context_;
  PodSpec spec_;
  std::function<void()> gone_;
  PodFacts facts_;
  ConditionTimes times_;
  Containers init_;
  Containers main_;

  bool is_terminating_ = false;
  bool is_forgotten_by_api_ = false;
  bool is_done_ = false;  // our delete was accepted
  bool is_gone_ = false;
  bool was_over_before_us_ = false;  // it had ended before we saw it: its status stays
  bool is_ready_ = false;
  bool said_stopped_ = false;
  base::Span grace_ = {};
  base::Instant terminating_since_;

  std::optional<std::uint64_t> sent_;  // the status that the API server has from us: a digest of its text
  kube::Call writing_;                 // one at a time
  bool is_writing_ = false;
  base::Backoff backoff_{std::chrono::milliseconds(200), std::chrono::seconds(30)};
  base::Timer retry_;
  base::Timer sync_;
  bool sync_asked_ = false;
};

}  // namespace drover::sim
