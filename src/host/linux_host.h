// The real machine: /proc, /sys, the module system calls and reboot.
//
// Every path is taken under a root ("" on the machine itself, "/host" in a container that mounts it, a folder of
// fixtures in tests); /proc and /sys are looked for there too. A container may mount single folders of the machine in
// their own place, to be allowed to write there: `mounted` names them, and they are not looked for under the root. What
// is loaded is decided by /proc/modules and /sys/module/NAME/initstate, never by refcnt, which kernels without module
// unloading do not have. The system calls that change the machine stand behind `Kernel`, so that tests can watch them.
#pragma once

#include <functional>
#include <string>

#include "host/host.h"

namespace drover::host {

// Each returns 0 or an errno.
struct Kernel {
  std::function<int(int fd, const std::string& parameters, int flags)> load_module;
  std::function<int(const std::string& name)> unload_module;  // without waiting, without force
  std::function<int(int pid, int signal)> signal;
  std::function<int()> restart;  // at once, after flushing disks

  // The running one.
  static Kernel real();
};

class LinuxHost final : public Host {
 public:
  explicit LinuxHost(std::string root = {}, Kernel kernel = Kernel::real(), std::vector<std::string> mounted = {});

  Result<std::string> read(const std::string& path) override;
  // Makes the folders on the way.
  Result<void> write(const std::string& path, std::string_view text) override;
  Result<void> remove(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& directory) override;
  bool exists(const std::string& path) override;
  Result<std::string> link(const std::string& path) override;

  // Mode 0700, with the folders on the way.
  Result<void> make_folder(const std::string& path) override;
  Result<void> rename(const std::string& from, const std::string& to) override;
  Result<void> remove_tree(const std::string& path) override;
  Result<void> copy(const std::string& from, const std::string& to, unsigned mode) override;
  Result<std::vector<std::string>> find(const std::string& folder, const std::string& name) override;
  Result<std::uint64_t> free_bytes(const std::string& path) override;
  Result<std::string> fingerprint(const Inside& file) override;
  // The file, where it is new, with mode 0600.
  Result<void> append(const std::string& path, std::string_view bytes) override;
  Result<std::uint64_t> size(const std::string& path) override;
  Result<void> read_in_pieces(const Inside& file, const std::function<Result<void>(std::string_view)>& take) override;
  Result<std::shared_ptr<void>> lock(const std::string& path) override;

  std::string machine() override;
  std::string boot_id() override;
  std::string kernel_release() override;
  Result<std::vector<Module>> modules() override;
  bool can_unload_modules() override;
  Result<void> unload(const std::string& module) override;
  Result<void> load(const std::string& file, const std::string& parameters) override;
  Result<void> load_verified(const Inside& file, const std::string& sha256) override;
  Result<ModuleFile> module_file(const std::string& path) override;

  // Seen only where /proc shows the machine's processes (hostPID).
  Result<std::vector<Holder>> holders(const std::string& path_prefix) override;
  Result<void> kill(int pid) override;
  Result<Holder> process(int pid) override;
  int hidden_processes() override;
  Result<std::vector<std::string>> pods_with_processes() override;
  // Looks after the program ten times a second.
  void run(const Command& command, base::Loop& loop, std::function<void(Result<Ran>)> done) override;
  // Through systemd when it is process 1 (services stop in order), else at once.
  Result<void> reboot(std::string_view expected_boot_id) override;

 private:
  Result<std::string> place(const std::string& path) const;
  std::vector<std::string> names_in(const std::string& directory);
  Result<std::vector<int>> pids();
  std::string pod_of(const std::string& pid);
  Result<void> give_to_kernel(int fd, const std::string& place, const std::string& parameters);
  std::vector<std::string> held_by(const std::string& pid, const std::string& prefix);

  std::string root_;
  Kernel kernel_;
  std::vector<std::string> mounted_;
};

// The pod's uid in the text of /proc/PID/cgroup, for both cgroup drivers; "" outside pods.
std::string pod_uid_in(std::string_view cgroup);
// What stands between NULs in a module's .modinfo: "vermagic=6.1.0 SMP mod_unload" gives "6.1.0 SMP mod_unload" for
// "vermagic"; "" when it is not there.
std::string module_word(std::string_view file, std::string_view key);
// One line of /proc/modules; nothing when it is none.
std::optional<Module> parse_module_line(std::string_view line);

}  // namespace drover::host
