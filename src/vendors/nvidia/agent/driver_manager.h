// The driver manager: the init container of a driver's pod, which takes the old driver out so that the new one can
// load.
//
// Watches its own Node, looks at the machine now and then, and does what the flow (manager_step.h) says: writes labels
// and report, unloads, or ends. It changes nothing in the cluster but labels and report of its own Node, and nothing on
// the machine but modules and two files in /run/nvidia.
#pragma once

#include <memory>

#include "agent/program.h"
#include "vendors/nvidia/agent/manager_settings.h"

namespace drover::agent {

class DriverManager final : public Program {
 public:
  DriverManager(ManagerSettings settings, ProgramContext surroundings);
  ~DriverManager() override;
  DriverManager(const DriverManager&) = delete;
  DriverManager& operator=(const DriverManager&) = delete;

  void start() override;
  // Puts the labels back, then ends.
  void terminate() override;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace drover::agent
