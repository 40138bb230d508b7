// Simulated kubelets: one object plays all nodes labelled drover.dev/simulated=true.
//
// Written against kube::Api and base::Loop only, so the same code runs on the embedded cluster in virtual time and on a
// real API server in real time. Each node has a simulated machine (sim_host.h); each container follows a script
// (images.h). What a real kubelet writes is written here, and no more: node status and lease, pod status when it
// changed, the last delete of a pod that has ended, Events. Decides nothing about drivers.
//
// A person (or a test) speaks to a simulated machine through the Node's annotation sim.drover.dev/order: "reboot",
// "power-off", "power-on", "fault NAME", "no-fault NAME" (names in sim_host.h); a "#anything" after it makes the same
// order new.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/loop.h"
#include "base/random.h"
#include "kube/api.h"
#include "sim/agent_programs.h"
#include "sim/images.h"
#include "sim/journal.h"
#include "sim/kubelet_logs.h"
#include "sim/program.h"
#include "sim/sim_host.h"
#include "sim/vendor.h"

namespace drover::sim {

inline constexpr std::string_view kOrderAnnotation = "sim.drover.dev/order";

struct KubeletPlan {
  Tempo tempo = {};
  bool leases = true;  // off for runs of many thousand nodes without node lifecycle controller
  base::Span lease_every = std::chrono::seconds(10);
  base::Span heartbeat_every = std::chrono::minutes(5);  // node status without a change
  bool events = true;
  base::Span boot_takes = std::chrono::seconds(40);    // from going down to the kubelet's first word
  base::Span settle_takes = std::chrono::seconds(10);  // from there to Ready
  int log_port = 0;                                    // of the log server; 0: logs are not served
  std::string kubelet_version = "v1.36.3";
  SimVendors vendors = all();  // whose machines there are
};

class Kubelets {
 public:
  Kubelets(kube::Api& api, base::Loop& loop, base::Random random, KubeletPlan plan,
           ImageTable images = ImageTable::with_vendors(), Programs programs = agent_programs());
  ~Kubelets();
  Kubelets(const Kubelets&) = delete;
  Kubelets& operator=(const Kubelets&) = delete;

  // Optional, before `start`: a journal, container logs, and a callback for notable events (one line each).
  void write_journal(Journal* journal);
  void keep_logs(LogBook* logs);
  void tell(std::function<void(std::string_view line)> notable);

  void start();
  // Nodes and pods were both listed once.
  bool is_synced() const;

  ImageTable& images();
  // The machine under a node; nullptr when the node is not ours.
  SimHost* host(const std::string& node);

  // Reboots and power failures; false when the node is not ours.
  bool reboot(const std::string& node);
  bool power_off(const std::string& node);  // does not come back by itself
  bool power_on(const std::string& node);   // after power_off
  // SIGKILL to a container by its name; false when none of that name runs there.
  bool kill_container(const std::string& node, std::string_view container);

  struct Count {
    int nodes = 0;
    int nodes_up = 0;
    int pods = 0;
    int pods_ready = 0;
    std::uint64_t writes = 0;         // requests that change something
    std::uint64_t failed_writes = 0;  // tries that did not succeed (each is tried again or was overtaken)
  };
  Count count() const;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace drover::sim
