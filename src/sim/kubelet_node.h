// One simulated node: its machine, its pods, its lease and its status.
//
// Up: says so, runs pods. Down (rebooting or powered off): says nothing at all, as a machine without power does; what
// was written before stays until another client changes it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/loop.h"
#include "base/random.h"
#include "sim/kubelet_context.h"
#include "sim/kubelet_pod.h"
#include "sim/nodes.h"

namespace drover::sim {

class NodeLife {
 public:
  NodeLife(KubeletShared& shared, const kube::Object& node);
  ~NodeLife();

  void saw(const kube::Object& node);
  // A pod of this node, new or changed.
  void saw_pod(const kube::Object& pod);
  void pod_vanished(const std::string& uid);
  // Pods that were known before a sweep and not named in it are gone.
  void keep_only(const std::function<bool(const std::string& uid)>& still_there);

  void reboot();
  bool kill_container(std::string_view name);
  void power_off();
  void power_on();

  SimHost& host() { return context_.host; }
  bool is_up() const { return context_.is_up; }
  int pods() const { return static_cast<int>(pods_.size()); }
  int pods_ready() const;
  bool has_pod(const std::string& uid) const { return pods_.contains(uid); }

 private:
  void go_down(std::string_view why);
  void come_up();
  void settled();
  void obey(std::string_view order);
  void write_status();
  void status_answered(const base::Result<kube::Object>& answer);
  json::Value status();
  void renew_lease();
  void create_lease();
  void lease_answered(const base::Result<kube::Object>& answer);

  KubeletContext context_;
  std::string uid_;
  const NodeTemplate& kind_;
  bool has_capacity_ = false;  // its resources are set already
  bool is_settled_ = true;     // Ready, not only up
  bool is_powered_ = true;
  std::string order_;
  base::WallTime ready_since_;

  kube::Call writing_;
  bool is_writing_ = false;
  bool status_wanted_ = false;
  base::Backoff backoff_{std::chrono::milliseconds(500), std::chrono::seconds(30)};
  base::Timer heartbeat_;
  kube::Call leasing_;
  base::Timer lease_timer_;
  base::Timer boot_;
  std::map<std::string, std::unique_ptr<PodLife>> pods_;
  std::map<std::string, kube::Object> unseen_;  // pods that changed while the machine was down
  base::Timer bury_;
  std::vector<std::string> buried_;
};

}  // namespace drover::sim
