// The driver manager: the init container of a driver's pod, which takes the old driver out so that the new one can
// load.
//
// Watches its own Node, looks at the machine now and then, and does what the flow (manager_step.h) says: writes labels
// and report, unloads, or ends. It changes nothing in the cluster but labels and report of its own Node, and nothing on
// the machine but modules and two files in /run/nvidia.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/loop.h"
#include "base/random.h"
#include "host/host.h"
#include "kube/api.h"
#include "vendors/nvidia/agent/manager_settings.h"

namespace drover::agent {

// What a program of the agent may touch. `exit` is called once; the program does nothing after it.
struct Surroundings {
  host::Host& host;
  kube::Api& api;
  base::Loop& loop;
  base::Random random;
  std::function<void(std::string_view line)> say;
  std::function<void(int code)> exit;
};

class DriverManager {
 public:
  DriverManager(ManagerSettings settings, Surroundings surroundings);
  ~DriverManager();
  DriverManager(const DriverManager&) = delete;
  DriverManager& operator=(const DriverManager&) = delete;

  void start();
  // Puts the labels back, then ends.
  void terminate();

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace drover::agent
