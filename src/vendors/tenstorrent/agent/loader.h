// The loader: the builder container of Tenstorrent's driver pods. Builds tt-kmd, loads it, and watches over it.
//
// Watches its own Node, looks at the machine every ten seconds and when the Node changes, and does what the flow
// (load_step.h) says. In the cluster it changes three labels and the report of its own Node; on the machine one module,
// its cache, and tt-smi.
#pragma once

#include <functional>
#include <memory>

#include "agent/program.h"
#include "vendors/tenstorrent/agent/load_settings.h"

namespace drover::agent {

class Loader final : public Program {
 public:
  // `ready` is told at every look; code that can ask instead asks `serves`.
  Loader(LoadSettings settings, ProgramContext surroundings, std::function<void(bool)> ready);
  ~Loader() override;
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  void start() override;
  // The driver stays loaded.
  void terminate() override;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

// Whether a node with this machine is served: the host manages the driver, or this version of it is loaded.
bool serves(host::Host& host, const std::string& version);

}  // namespace drover::agent
