// C++ code that plays a container: how our own agent runs inside the simulated cluster.
//
// A script says `program NAME`; the kubelet looks the name up and starts what it finds. Everything the program may
// touch is handed to it; it calls back through functions that are safe to call at any time (they do nothing once the
// container has ended).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/loop.h"
#include "base/random.h"
#include "host/host.h"
#include "kube/api.h"

namespace drover::sim {

// A running program. Destroying it is SIGKILL.
class ContainerProgram {
 public:
  virtual ~ContainerProgram() = default;
  // SIGTERM: end soon by calling `exit`.
  virtual void terminate() = 0;
};

struct ProgramStart {
  std::string ns;
  std::string pod;
  std::string pod_uid;
  std::string container;
  std::string node;
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> env;

  host::Host& host;
  kube::Api& api;
  base::Loop& loop;
  base::Random random;

  std::function<void(std::string_view line)> log;
  std::function<void(bool is_ready)> ready;
  std::function<void(int code)> exit;  // the program is destroyed soon after, not inside this call
};

using MakeProgram = std::function<std::unique_ptr<ContainerProgram>(ProgramStart)>;
using Programs = std::map<std::string, MakeProgram>;

}  // namespace drover::sim
