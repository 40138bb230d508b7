// One simulated machine: the same facts that Linux shows in /proc, /sys and /dev, kept in memory.
//
// At rest: files (those under /run, /tmp and /dev do not survive a boot), the loaded modules, and the processes that
// hold a device. /sys/module, /proc/modules and the device files are not stored: they are read off the modules, so they
// cannot disagree with them. A module is referenced by the holders of its devices and by the modules that depend on it,
// as in the kernel. The machine does not know Kubernetes; a pod is a uid to it. A reboot is requested here and carried
// out by the owner (sim/kubelet), which calls `power_cycle` when the machine goes down.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "host/host.h"

namespace drover::sim {

using base::Result;

// A machine's faults, each with its name in stories and commands.
enum class HostFault {
  DiskFull,       // "disk-full": nothing can be written
  TornWrite,      // "torn-write": the file written last before a power cycle comes back cut in half
  ModuleStuck,    // "module-stuck": every loaded module has a reference without a holder
  CannotUnload,   // "cannot-unload": a kernel built without module unloading
  LoadFails,      // "load-fails": the kernel refuses new modules (wrong signature, missing symbol)
  RebootIgnored,  // "reboot-ignored": a reboot is accepted and does not happen
  SourceAway,     // "source-away": git cannot reach its server
  MakeFails,      // "make-fails": the driver does not compile
};
std::string_view name(HostFault fault);
// Refused, with the names there are, when it is none of them.
Result<HostFault> parse_host_fault(std::string_view name);

// What the machine is made of.
struct HostMakeup {
  struct Device {
    std::string path;    // "/dev/acme0"
    std::string module;  // there while this module is loaded
    std::string openers =
        {};  // the file in /proc in which the driver lists the processes that have it open; "" for none
  };
  std::string kernel_release = "6.8.0-90-generic";
  std::vector<Device> devices;
  std::map<std::string, std::string> files;
  std::string builds = {};  // the module that make makes of a clone
  // How long git and make take (see run).
  base::Span clone = std::chrono::seconds(5);
  base::Span make = std::chrono::seconds(30);
};

class SimHost final : public host::Host {
 public:
  // An empty boot id draws one. The source of chance must outlive the machine.
  SimHost(HostMakeup makeup, base::Random& random, std::string boot_id = {});

  Result<std::string> read(const std::string& path) override;
  Result<void> write(const std::string& path, std::string_view text) override;
  Result<void> remove(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& directory) override;
  bool exists(const std::string& path) override;

  // Folders are there while something is in them.
  Result<void> make_folder(const std::string& path) override;
  Result<void> rename(const std::string& from, const std::string& to) override;
  Result<void> remove_tree(const std::string& path) override;
  Result<void> copy(const std::string& from, const std::string& to, unsigned mode) override;
  Result<std::vector<std::string>> find(const std::string& folder, const std::string& name) override;
  Result<std::uint64_t> free_bytes(const std::string& path) override;
  Result<std::string> fingerprint(const host::Inside& file) override;

  std::string boot_id() override { return boot_id_; }
  std::string kernel_release() override { return makeup_.kernel_release; }
  Result<std::vector<host::Module>> modules() override;
  bool can_unload_modules() override { return !has(HostFault::CannotUnload); }
  Result<void> unload(const std::string& module) override;
  // A module file's text is "module NAME VERSION [stands on NAME] [for KERNEL]" (see module_text).
  Result<void> load(const std::string& file, const std::string& parameters) override;
  Result<void> load_verified(const host::Inside& file, const std::string& sha256) override;
  Result<host::ModuleFile> module_file(const std::string& path) override;

  Result<std::vector<host::Holder>> holders(const std::string& path_prefix) override;
  Result<void> kill(int pid) override;
  Result<host::Holder> process(int pid) override;
  // git clone of a tag NAME-VERSION, make modules of what was cloned, depmod and modprobe --dry-run; nothing else is
  // installed. What is running when the power goes never ends.
  void run(const host::Command& command, base::Loop& loop, std::function<void(Result<host::Ran>)> done) override;
  Result<void> reboot(std::string_view expected_boot_id) override;

  // The text of a module file that `load` accepts.
  static std::string module_text(std::string_view name, std::string_view version, std::string_view stands_on = {},
                                 std::string_view kernel = {});
  // Loads a module without a file, as a vendor's driver container does; AlreadyExists when some version of it is
  // loaded.
  Result<void> insert(const std::string& name, const std::string& version, const std::string& stands_on = {});
  // The loaded module's version; nothing when it is not loaded.
  std::optional<std::string> loaded_version(const std::string& module) const;

  // A process of this pod opens a device; its pid, or NotFound when the device is not there.
  Result<int> open(const std::string& path, const std::string& pod_uid, const std::string& command);
  // That process ends by itself (no `on_kill`).
  void close(int pid) { processes_.erase(pid); }
  // Device paths of a module, in the makeup's order.
  std::vector<std::string> devices_of(std::string_view module) const;
  const HostMakeup& makeup() const { return makeup_; }

  // The power goes and comes back: a new boot id, no modules, no processes, nothing in /run, /tmp and /dev.
  void power_cycle();
  // The kernel that the next boot starts.
  void set_kernel(std::string release) { next_kernel_ = std::move(release); }

  void set_fault(HostFault fault, bool on);
  bool has(HostFault fault) const { return faults_.contains(fault); }

  // What the owner wants to hear of.
  std::function<void(const std::string& module, const std::string& version, bool loaded)> on_module = {};
  std::function<void(const host::Holder&)> on_kill = {};
  std::function<void()> on_reboot = {};
  std::function<void(const host::Command&)> on_run = {};

 private:
  struct Loaded {
    std::string version;
    std::string stands_on;
  };
  int references(const std::string& module) const;
  std::vector<std::string> users_of(const std::string& module) const;
  std::optional<std::string> kernel_file(const std::string& path) const;
  std::string proc_modules() const;
  std::vector<std::string> all_paths() const;
  host::Ran clone(const host::Command& command);
  host::Ran make(const host::Command& command);

  HostMakeup makeup_;
  base::Random& random_;
  std::string boot_id_;
  std::map<std::string, std::string> files_;
  std::string written_last_;
  std::map<std::string, Loaded> modules_;
  std::map<int, host::Holder> processes_;
  int next_pid_ = 1000;
  std::string next_kernel_ = {};
  std::map<int, base::Timer> running_;  // programs
  int next_program_ = 0;
  std::set<HostFault> faults_;
};

}  // namespace drover::sim
