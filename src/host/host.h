// One Linux machine, as the agent sees it: files, kernel modules, who holds a device, boots.
//
// The real one (linux_host.h) reads /proc and /sys under an injectable root; the simulated one (sim/sim_host.h) keeps
// the same facts in memory and can have bad luck. Nothing here blocks for long and nothing knows Kubernetes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop.h"
#include "base/result.h"

namespace drover::host {

using base::Result;

// A program to run: by its path, without a shell, with nothing of our environment.
struct Command {
  std::string path;  // absolute, under `root`
  std::vector<std::string> args = {};
  std::string root = {};  // on the host; becomes the program's own "/" (a driver's container keeps its files there)
  base::Span within = std::chrono::seconds(30);  // killed after that
};
struct Ran {
  int code = 0;          // 128 + the signal that ended it
  std::string output;    // the beginning of what it wrote, both streams
  bool ran_out = false;  // of time
};

struct Module {
  enum class State { Live, Loading, Unloading };
  std::string name;
  std::string version;               // /sys/module/NAME/version; "" when the module gives none
  std::optional<int> references;     // nothing on kernels that cannot unload modules
  std::vector<std::string> used_by;  // modules that stand on this one
  State state = State::Live;
};

// A process that has a device file open (or mapped).
struct Holder {
  int pid = 0;
  std::string command;  // /proc/PID/comm
  std::string path;     // what it holds
  std::string pod_uid;  // from its cgroup; "" outside pods
};

class Host {
 public:
  virtual ~Host() = default;

  // Files. Paths are absolute on the host.
  virtual Result<std::string> read(const std::string& path) = 0;
  virtual Result<void> write(const std::string& path, std::string_view text) = 0;   // atomic: old or new, never half
  virtual Result<void> remove(const std::string& path) = 0;                         // no error when absent
  virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;  // names, sorted
  virtual bool exists(const std::string& path) = 0;

  // Where a symbolic link points; NotFound when there is none.
  virtual Result<std::string> link(const std::string& path) {
    return base::fault(base::Fault::Kind::NotFound, "cannot read the link " + path + ": this machine shows none");
  }

  // Kernel.
  virtual std::string boot_id() = 0;
  virtual std::string kernel_release() = 0;
  virtual Result<std::vector<Module>> modules() = 0;
  // False on kernels built without module unloading (seen in the field): a driver changes there only by a reboot.
  virtual bool can_unload_modules() = 0;
  virtual Result<void> unload(const std::string& module) = 0;  // never waits, never forces; Refused while in use
  virtual Result<void> load(const std::string& file, const std::string& parameters) = 0;

  // Processes that hold something under this path, lowest pid first.
  virtual Result<std::vector<Holder>> holders(const std::string& path_prefix) = 0;
  virtual Result<void> kill(int pid) = 0;
  // Processes whose open files we may not see: with any of them, "nobody holds it" is not known.
  virtual int hidden_processes() { return 0; }
  // Uids of the pods that have a process here, each once, in order.
  virtual Result<std::vector<std::string>> pods_with_processes() {
    return base::fault(base::Fault::Kind::NotFound, "cannot tell which pods run: this machine does not show it");
  }

  // Runs a program beside us; `done` is called once, later, on the loop.
  virtual void run(const Command& command, base::Loop& loop, std::function<void(Result<Ran>)> done) {
    auto answer = base::fault(base::Fault::Kind::NotFound, "cannot run " + command.path + ": no such program");
    loop.post([done = std::move(done), answer = std::move(answer)] { done(answer); });
  }

  // Asks the machine to reboot, only if it still runs the boot that the caller saw.
  virtual Result<void> reboot(std::string_view expected_boot_id) = 0;
};

}  // namespace drover::host
