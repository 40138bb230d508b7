// One Linux machine, as the agent sees it: files, kernel modules, which processes hold a device, boots.
//
// The real one (linux_host.h) reads /proc and /sys under an injectable root; the simulated one (sim/sim_host.h) keeps
// the same facts in memory and can have bad luck. Nothing here blocks for long and nothing knows Kubernetes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  base::Span within = std::chrono::seconds(30);                       // killed after that
  std::vector<std::pair<std::string, std::string>> environment = {};  // beside PATH and LC_ALL; nothing else is there
  bool offline = false;                                               // sees no network
  bool in_background = false;                                         // whatever else runs goes first
  std::vector<std::string> hidden = {};  // folders that are empty to it and to what it starts
  // Folders that it finds in these places too, unless something is there: where they are, where it looks for them.
  std::vector<std::pair<std::string, std::string>> shown = {};
  // In a session of its own: nothing of ours ends it, neither time nor our own end, and no signal of ours reaches it.
  bool uninterrupted = false;
  std::function<void(std::string_view piece)> heard = {};  // all that it writes, as it comes
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

// A file in a folder that we trust; below that folder no link is followed to it.
struct Inside {
  std::string folder;  // "/var/cache/tt-kmd"
  std::string path;    // from there: "6.8.0-90-generic/2.8.0/acme.ko"

  std::string whole() const { return folder + "/" + path; }
};

// What a module's file says of itself.
struct ModuleFile {
  std::string version;
  std::string kernel;  // for which it was built
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

  // Folders, and files that are too large to carry around as text.
  virtual Result<void> make_folder(const std::string& path) { return not_here("make the folder", path); }  // ours only
  // Within one disk; what was moved is on the disk when it returns, whole.
  virtual Result<void> rename(const std::string& from, const std::string&) { return not_here("rename", from); }
  virtual Result<void> remove_tree(const std::string& path) { return not_here("remove", path); }  // none: no error
  // Atomic, as `write`.
  virtual Result<void> copy(const std::string& from, const std::string&, unsigned /*mode*/) {
    return not_here("copy", from);
  }
  // Files whose names begin so, anywhere below; follows no links.
  virtual Result<std::vector<std::string>> find(const std::string& folder, const std::string& /*name*/) {
    return not_here("search", folder);
  }
  virtual Result<std::uint64_t> free_bytes(const std::string& path) { return not_here("tell the space at", path); }
  // SHA-256 in hexadecimal digits. Refused where others could have written it.
  virtual Result<std::string> fingerprint(const Inside& file) { return not_here("read", file.whole()); }

  // Files that grow by pieces: a machine that keeps files as text does these by reading and writing it.
  // At its end; the file appears with the first piece. Not on the disk when it returns.
  virtual Result<void> append(const std::string& path, std::string_view bytes) {
    return write(path, read(path).value_or("") + std::string(bytes));
  }
  virtual Result<std::uint64_t> size(const std::string& path) {
    TRY(const std::string text, read(path));
    return std::uint64_t(text.size());
  }
  // From the beginning; a fault of `take` ends it. Refused where others could have written it.
  virtual Result<void> read_in_pieces(const Inside& file, const std::function<Result<void>(std::string_view)>& take) {
    TRY(const std::string text, read(file.whole()));
    return take(text);
  }

  // Ours until what this returns is destroyed or this process ends; Conflict while another process has it. Makes the
  // file. A machine with one process at a time needs no more than this.
  virtual Result<std::shared_ptr<void>> lock(const std::string& /*path*/) { return std::shared_ptr<void>(); }

  // Kernel.
  virtual std::string machine() { return "x86_64"; }
  virtual std::string boot_id() = 0;
  virtual std::string kernel_release() = 0;
  virtual Result<std::vector<Module>> modules() = 0;
  // False on kernels built without module unloading (seen in the field): a driver changes there only by a reboot.
  virtual bool can_unload_modules() = 0;
  virtual Result<void> unload(const std::string& module) = 0;  // never waits, never forces; Refused while in use
  virtual Result<void> load(const std::string& file, const std::string& parameters) = 0;
  // Loads exactly the bytes with this fingerprint, whatever happens to the file meanwhile; Malformed when it has
  // another.
  virtual Result<void> load_verified(const Inside& file, const std::string& /*sha256*/) {
    return not_here("load", file.whole());
  }
  virtual Result<ModuleFile> module_file(const std::string& path) { return not_here("read", path); }

  // Processes that hold something under this path, lowest pid first.
  virtual Result<std::vector<Holder>> holders(const std::string& path_prefix) = 0;
  virtual Result<void> kill(int pid) = 0;
  // Its command and pod; NotFound when there is no such process.
  virtual Result<Holder> process(int pid) { return not_here("look at process", std::to_string(pid)); }
  // Processes whose open files we may not see: with any of them, "no process holds it" is not known.
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

 private:
  static std::unexpected<base::Fault> not_here(const std::string& what, const std::string& path) {
    return base::fault(base::Fault::Kind::NotFound, "cannot " + what + " " + path + ": this machine does not do that");
  }
};

}  // namespace drover::host
