#include "host/linux_host.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "base/text.h"

namespace drover::host {
namespace {

using base::fault;
using base::Fault;

constexpr std::string_view kUnknownModule = "drover_no_such_module";
constexpr int kCompressedModule = 4;  // MODULE_INIT_COMPRESSED_FILE

Fault::Kind kind_of(int error) {
  switch (error) {
    case ENOENT:
    case ESRCH:
    case ENOTDIR: return Fault::Kind::NotFound;
    case EPERM:
    case EACCES: return Fault::Kind::Forbidden;
    case EEXIST: return Fault::Kind::AlreadyExists;
    case ENOEXEC: return Fault::Kind::Malformed;
    case ENOSPC:
    case EIO:
    case EROFS: return Fault::Kind::Failed;
    default: return Fault::Kind::Refused;
  }
}

std::unexpected<Fault> host_call_failed(std::string_view what, int error, std::string_view next = {}) {
  return fault(kind_of(error),
               fmt::format("cannot {}: {}{}{}", what, std::strerror(error), next.empty() ? "" : "; ", next));
}

// A name that can be a part of a path and nothing else.
bool is_module_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string read_link(const std::string& path) {
  char target[4096];
  const auto size = readlink(path.c_str(), target, sizeof target);
  return size < 0 ? std::string() : std::string(target, static_cast<std::size_t>(size));
}

struct OpenDescriptor {
  int fd;
  ~OpenDescriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

Kernel Kernel::real() {
  return {
      .load_module =
          [](int fd, const std::string& parameters, int flags) {
            return syscall(SYS_finit_module, fd, parameters.c_str(), flags) == 0 ? 0 : errno;
          },
      .unload_module =
          [](const std::string& name) { return syscall(SYS_delete_module, name.c_str(), O_NONBLOCK) == 0 ? 0 : errno; },
      .signal = [](int pid, int signal) { return ::kill(pid, signal) == 0 ? 0 : errno; },
      .restart =
          [] {
            sync();
            return ::reboot(RB_AUTOBOOT) == 0 ? 0 : errno;
          }};
}

LinuxHost::LinuxHost(std::string root, Kernel kernel, std::vector<std::string> mounted)
    : root_(std::move(root)), kernel_(std::move(kernel)), mounted_(std::move(mounted)) {
  while (root_.ends_with('/')) root_.pop_back();
}

// ---- files

Result<std::string> LinuxHost::place(const std::string& path) const {
  const auto parts = base::split(path, '/');
  const bool climbs = std::find(parts.begin(), parts.end(), "..") != parts.end();
  if (!path.starts_with('/') || climbs || path.find('\0') != std::string::npos) {
    return fault(Fault::Kind::Refused,
                 fmt::format("\"{}\" is not a path of the host: it must begin with / and hold no ..",
                             base::one_line(path, 120)));
  }
  const bool is_mounted = std::any_of(mounted_.begin(), mounted_.end(), [&](const std::string& folder) {
    return path == folder || path.starts_with(folder + "/");
  });
  return is_mounted ? path : root_ + path;
}

Result<std::string> LinuxHost::read(const std::string& path) {
  TRY(const auto place, place(path));
  return base::read_file(place);
}

Result<void> LinuxHost::write(const std::string& path, std::string_view text) {
  TRY(const auto place, place(path));
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(place).parent_path(), error);
  if (error) return host_call_failed("make the folder of " + place, error.value());
  return base::write_file(place, text, 0644);
}

Result<void> LinuxHost::remove(const std::string& path) {
  TRY(const auto place, place(path));
  if (::unlink(place.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return {};
  return host_call_failed("remove " + place, errno);
}

Result<std::vector<std::string>> LinuxHost::list(const std::string& directory) {
  TRY(const auto place, place(directory));
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(place.c_str()), closedir);
  if (!dir) return host_call_failed("list " + place, errno);
  std::vector<std::string> names;
  while (const dirent* entry = readdir(dir.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> LinuxHost::names_in(const std::string& directory) {
  return list(directory).value_or(std::vector<std::string>{});
}

bool LinuxHost::exists(const std::string& path) {
  const auto where = place(path);
  struct stat facts{};
  return where && ::lstat(where->c_str(), &facts) == 0;
}

Result<std::string> LinuxHost::link(const std::string& path) {
  TRY(const auto place, place(path));
  auto target = read_link(place);
  if (target.empty()) return fault(Fault::Kind::NotFound, fmt::format("cannot read the link {}: there is none", place));
  return target;
}

// ---- kernel

std::string LinuxHost::boot_id() {
  return std::string(base::trim(read("/proc/sys/kernel/random/boot_id").value_or("")));
}

std::string LinuxHost::kernel_release() {
  return std::string(base::trim(read("/proc/sys/kernel/osrelease").value_or("")));
}

std::optional<Module> parse_module_line(std::string_view line) {
  // acme_uvm 1540096 2 acme_a,acme_b, Live 0x0000000000000000 (POE); "-" where the kernel does not count
  std::vector<std::string_view> words;
  for (const auto word : base::split(line, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  if (words.size() < 5 || !is_module_name(words[0])) return std::nullopt;
  Module module;
  module.name = words[0];
  if (const auto count = base::parse_int(words[2]); count && *count >= 0) module.references = static_cast<int>(*count);
  for (const auto user : base::split(words[3], ',')) {
    // "[permanent]" stands among the users of modules that cannot be removed.
    if (is_module_name(user) && user != "-") module.used_by.emplace_back(user);
  }
  module.state = words[4] == "Loading"     ? Module::State::Loading
                 : words[4] == "Unloading" ? Module::State::Unloading
                                           : Module::State::Live;
  return module;
}

Result<std::vector<Module>> LinuxHost::modules() {
  std::vector<Module> all;
  std::set<std::string> seen;
  const auto text = read("/proc/modules");
  const std::string lines = text.value_or("");
  for (const auto line : base::split(lines, '\n')) {
    if (auto module = parse_module_line(line)) {
      seen.insert(module->name);
      all.push_back(std::move(*module));
    }
  }
  // Only loadable modules have an initstate; what is built into the kernel has not.
  const auto in_sys = list("/sys/module");
  if (!text && !in_sys) return base::with_context(text.error(), "cannot tell which modules are loaded");
  for (const auto& name : in_sys.value_or(std::vector<std::string>{})) {
    if (seen.contains(name) || !exists("/sys/module/" + name + "/initstate")) continue;
    Module module;
    module.name = name;
    const auto count = base::parse_int(base::trim(read("/sys/module/" + name + "/refcnt").value_or("")));
    if (count) module.references = static_cast<int>(*count);
    all.push_back(std::move(module));
  }
  for (auto& module : all) module.version = base::trim(read("/sys/module/" + module.name + "/version").value_or(""));
  std::sort(all.begin(), all.end(), [](const Module& a, const Module& b) { return a.name < b.name; });
  return all;
}

bool LinuxHost::can_unload_modules() {
  const auto loaded = modules();
  if (loaded && !loaded->empty()) {
    return std::any_of(loaded->begin(), loaded->end(),
                       [](const Module& module) { return module.references.has_value(); });
  }
  // Nothing is loaded that could show it: the kernel's build configuration says it, where it is installed.
  const auto config = read("/boot/config-" + kernel_release()).value_or("");
  if (config.find("# CONFIG_MODULE_UNLOAD is not set") != std::string::npos) return false;
  // Asked for a module that does not exist, a kernel that could unload says that it is not there, or that we may not.
  return kernel_.unload_module(std::string(kUnknownModule)) != ENOSYS;
}

Result<void> LinuxHost::unload(const std::string& module) {
  if (!is_module_name(module)) {
    return fault(Fault::Kind::Refused, fmt::format("\"{}\" is not a name of a module", base::one_line(module, 60)));
  }
  const int error = kernel_.unload_module(module);
  switch (error) {
    case 0: return {};
    case ENOENT: return fault(Fault::Kind::NotFound, fmt::format("cannot unload {}: it is not loaded", module));
    case EAGAIN:
    case EBUSY:
      return fault(Fault::Kind::Refused,
                   fmt::format("cannot unload {}: it is in use; end what holds it first", module));
    case ENOSYS:
      return fault(
          Fault::Kind::Refused,
          fmt::format("cannot unload {}: this kernel cannot unload modules; only a reboot removes it", module));
    default:
      return host_call_failed("unload " + module, error,
                              error == EPERM ? "run with CAP_SYS_MODULE" : "see the kernel log");
  }
}

Result<void> LinuxHost::load(const std::string& file, const std::string& parameters) {
  TRY(const auto place, place(file));
  const OpenDescriptor descriptor{::open(place.c_str(), O_RDONLY | O_CLOEXEC)};
  if (descriptor.fd < 0) return host_call_failed("load " + place, errno);
  return give_to_kernel(descriptor.fd, place, parameters);
}

Result<void> LinuxHost::give_to_kernel(int fd, const std::string& place, const std::string& parameters) {
  const bool compressed = place.ends_with(".xz") || place.ends_with(".gz") || place.ends_with(".zst");
  const int error = kernel_.load_module(fd, parameters, compressed ? kCompressedModule : 0);
  switch (error) {
    case 0: return {};
    case EEXIST:
      return fault(Fault::Kind::AlreadyExists,
                   fmt::format("cannot load {}: a module of that name is loaded; unload it first", place));
    case ENOEXEC:
      return fault(Fault::Kind::Malformed,
                   fmt::format("cannot load {}: it is not a module for kernel {}; build it for this kernel", place,
                               kernel_release()));
    case EKEYREJECTED:
    case ENOKEY:
      return fault(
          Fault::Kind::Refused,
          fmt::format("cannot load {}: the kernel does not trust its signature; sign it or enrol its key", place));
    default:
      return host_call_failed("load " + place, error,
                              error == EPERM ? "run with CAP_SYS_MODULE" : "see the kernel log");
  }
}

// ---- processes and boots

std::string pod_uid_in(std::string_view cgroup) {
  for (const auto line : base::split(cgroup, '\n')) {
    if (line.find("kubepods") == std::string_view::npos) continue;
    for (auto part : base::split(line, '/')) {
      // cgroupfs: "pod1234-…"; systemd: "kubepods-burstable-pod1234_….slice"
      if (part.ends_with(".slice")) {
        part.remove_suffix(6);
        const auto at = part.rfind("-pod");
        if (at == std::string_view::npos) continue;
        part.remove_prefix(at + 1);
      }
      if (!part.starts_with("pod") || part.size() < 3 + 32) continue;
      std::string uid(part.substr(3));
      std::replace(uid.begin(), uid.end(), '_', '-');
      return uid;
    }
  }
  return {};
}

std::string LinuxHost::pod_of(const std::string& pid) {
  return pod_uid_in(read("/proc/" + pid + "/cgroup").value_or(""));
}

std::vector<std::string> LinuxHost::held_by(const std::string& pid, const std::string& prefix) {
  std::set<std::string> held;
  const std::string folder = "/proc/" + pid + "/fd";
  for (const auto& fd : names_in(folder)) {
    auto target = read_link(root_ + folder + "/" + fd);
    if (target.starts_with(prefix)) held.insert(std::move(target));
  }
  // A device that was mapped and closed is held too: 7f00-7f01 rw-s 00000000 00:06 1 /dev/acme0
  const std::string maps = read("/proc/" + pid + "/maps").value_or("");
  for (const auto line : base::split(maps, '\n')) {
    const auto at = line.find(" /");
    if (at != std::string_view::npos && line.substr(at + 1).starts_with(prefix)) held.emplace(line.substr(at + 1));
  }
  return {held.begin(), held.end()};
}

Result<std::vector<int>> LinuxHost::pids() {
  TRY(auto names, list("/proc"));
  std::vector<int> pids;
  for (const auto& name : names) {
    if (is_number(name) && name.size() < 10) pids.push_back(std::stoi(name));
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

Result<std::vector<Holder>> LinuxHost::holders(const std::string& path_prefix) {
  TRY(const auto all_pids, pids());
  std::vector<Holder> all;
  for (const int pid : all_pids) {
    const std::string name = std::to_string(pid);
    for (auto& path : held_by(name, path_prefix)) {
      all.push_back(
          {pid, std::string(base::trim(read("/proc/" + name + "/comm").value_or(""))), std::move(path), pod_of(name)});
    }
  }
  return all;
}

int LinuxHost::hidden_processes() {
  int hidden = 0;
  for (const int pid : pids().value_or(std::vector<int>{})) {
    const auto files = list(fmt::format("/proc/{}/fd", pid));
    hidden += !files && files.error().kind == Fault::Kind::Forbidden ? 1 : 0;
  }
  return hidden;
}

Result<std::vector<std::string>> LinuxHost::pods_with_processes() {
  TRY(const auto all_pids, pids());
  std::set<std::string> uids;
  for (const int pid : all_pids) {
    if (auto uid = pod_of(std::to_string(pid)); !uid.empty()) uids.insert(std::move(uid));
  }
  return std::vector<std::string>(uids.begin(), uids.end());
}

Result<void> LinuxHost::kill(int pid) {
  if (pid <= 1)
    return fault(Fault::Kind::Refused, fmt::format("will not kill process {}: that would be the machine itself", pid));
  if (const int error = kernel_.signal(pid, SIGKILL); error != 0)
    return host_call_failed(fmt::format("kill process {}", pid), error);
  return {};
}

Result<Holder> LinuxHost::process(int pid) {
  const std::string folder = fmt::format("/proc/{}", pid);
  TRY(const std::string command, read(folder + "/comm"));
  return Holder{pid, std::string(base::trim(command)), "", pod_of(std::to_string(pid))};
}

Result<void> LinuxHost::reboot(std::string_view expected_boot_id) {
  const auto running = boot_id();
  if (running.empty() || running != expected_boot_id) {
    return fault(Fault::Kind::Conflict,
                 fmt::format("will not reboot: the machine runs boot {}, not {}; it has rebooted since that was read",
                             running.empty() ? "(unknown)" : running, base::one_line(expected_boot_id, 60)));
  }
  const bool systemd = base::trim(read("/proc/1/comm").value_or("")) == "systemd";
  // systemd takes SIGRTMIN+5 as "start reboot.target".
  const int error = systemd ? kernel_.signal(1, SIGRTMIN + 5) : kernel_.restart();
  if (error != 0) return host_call_failed("reboot", error, "run privileged, with hostPID");
  return {};
}

}  // namespace drover::host
