#include "sim/sim_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace drover::sim {
namespace {

using base::fault;
using base::Fault;

constexpr std::array<std::pair<HostFault, std::string_view>, 8> kHostFaultNames{{
    {HostFault::DiskFull, "disk-full"},
    {HostFault::TornWrite, "torn-write"},
    {HostFault::ModuleStuck, "module-stuck"},
    {HostFault::CannotUnload, "cannot-unload"},
    {HostFault::LoadFails, "load-fails"},
    {HostFault::RebootIgnored, "reboot-ignored"},
    {HostFault::SourceAway, "source-away"},
    {HostFault::MakeFails, "make-fails"},
}};

bool is_volatile(std::string_view path) {
  return path.starts_with("/run/") || path.starts_with("/tmp/") || path.starts_with("/dev/");
}

bool belongs_to_the_kernel(std::string_view path) { return path.starts_with("/proc/") || path.starts_with("/sys/"); }

}  // namespace

std::string_view name(HostFault fault) {
  for (const auto& [which, name] : kHostFaultNames) {
    if (which == fault) return name;
  }
  return "";
}

Result<HostFault> parse_host_fault(std::string_view name) {
  std::string known;
  for (const auto& [which, known_name] : kHostFaultNames) {
    if (known_name == name) return which;
    known += (known.empty() ? "" : ", ") + std::string(known_name);
  }
  return fault(Fault::Kind::Refused,
               fmt::format("unknown host fault \"{}\": choose one of {}", base::one_line(name, 60), known));
}

SimHost::SimHost(HostMakeup makeup, base::Random& random, std::string boot_id)
    : makeup_(std::move(makeup)), random_(random), boot_id_(std::move(boot_id)), files_(makeup_.files) {
  if (boot_id_.empty()) boot_id_ = random_.uuid();
}

// ---- files

std::optional<std::string> SimHost::kernel_file(const std::string& path) const {
  if (path == "/proc/sys/kernel/random/boot_id") return boot_id_ + "\n";
  if (path == "/proc/sys/kernel/osrelease") return makeup_.kernel_release + "\n";
  if (path == "/proc/modules") return proc_modules();
  for (const auto& device : makeup_.devices) {
    if (device.openers != path || path.empty() || !modules_.contains(device.module)) continue;
    std::string pids;
    for (const auto& [pid, holder] : processes_) pids += holder.path == device.path ? fmt::format("{}\n", pid) : "";
    return pids;
  }
  constexpr std::string_view kModules = "/sys/module/";
  if (!path.starts_with(kModules)) return std::nullopt;
  const auto parts = base::split(std::string_view(path).substr(kModules.size()), '/');
  const auto at = modules_.find(std::string(parts.front()));
  if (parts.size() != 2 || at == modules_.end()) return std::nullopt;
  if (parts[1] == "version" && !at->second.version.empty()) return at->second.version + "\n";
  if (parts[1] == "initstate") return "live\n";
  if (parts[1] == "refcnt" && !has(HostFault::CannotUnload)) return fmt::format("{}\n", references(at->first));
  return std::nullopt;
}

std::string SimHost::proc_modules() const {
  std::string text;
  for (const auto& [name, loaded] : modules_) {
    std::string users;
    for (const auto& user : users_of(name)) users += user + ",";
    const bool counted = !has(HostFault::CannotUnload);
    text += fmt::format("{} 65536 {} {} Live 0x0000000000000000\n", name,
                        counted ? std::to_string(references(name)) : "-", counted && !users.empty() ? users : "-");
  }
  return text;
}

std::vector<std::string> SimHost::all_paths() const {
  std::vector<std::string> paths{"/proc/sys/kernel/random/boot_id", "/proc/sys/kernel/osrelease", "/proc/modules"};
  for (const auto& [path, text] : files_) paths.push_back(path);
  for (const auto& device : makeup_.devices) {
    if (!modules_.contains(device.module)) continue;
    paths.push_back(device.path);
    if (!device.openers.empty()) paths.push_back(device.openers);
  }
  for (const auto& [name, loaded] : modules_) {
    for (std::string_view file : {"version", "initstate", "refcnt"}) {
      auto path = fmt::format("/sys/module/{}/{}", name, file);
      if (kernel_file(path)) paths.push_back(std::move(path));
    }
  }
  return paths;
}

Result<std::string> SimHost::read(const std::string& path) {
  if (auto text = kernel_file(path)) return *text;
  if (auto at = files_.find(path); at != files_.end()) return at->second;
  return fault(Fault::Kind::NotFound, fmt::format("cannot read {}: no such file", path));
}

Result<void> SimHost::write(const std::string& path, std::string_view text) {
  if (belongs_to_the_kernel(path)) {
    return fault(Fault::Kind::Refused, fmt::format("cannot write {}: the kernel does not take it", path));
  }
  if (has(HostFault::DiskFull) && !is_volatile(path)) {
    return fault(Fault::Kind::Failed,
                 fmt::format("cannot write {}: no space left on device; free some and try again", path));
  }
  files_[path] = std::string(text);
  if (!is_volatile(path)) written_last_ = path;
  return {};
}

Result<void> SimHost::remove(const std::string& path) {
  files_.erase(path);
  return {};
}

Result<std::vector<std::string>> SimHost::list(const std::string& directory) {
  const std::string prefix = directory.ends_with('/') ? directory : directory + "/";
  std::set<std::string> names;
  for (const auto& path : all_paths()) {
    if (!path.starts_with(prefix)) continue;
    const std::string rest = path.substr(prefix.size());
    names.insert(rest.substr(0, rest.find('/')));
  }
  if (names.empty()) return fault(Fault::Kind::NotFound, fmt::format("cannot list {}: no such directory", directory));
  return std::vector<std::string>(names.begin(), names.end());
}

bool SimHost::exists(const std::string& path) {
  const std::string inside = path + "/";
  const auto paths = all_paths();
  return std::any_of(paths.begin(), paths.end(),
                     [&](const std::string& one) { return one == path || one.starts_with(inside); });
}

// ---- kernel

int SimHost::references(const std::string& module) const {
  int count = static_cast<int>(users_of(module).size()) + (has(HostFault::ModuleStuck) ? 1 : 0);
  for (const auto& [pid, holder] : processes_) {
    for (const auto& device : makeup_.devices) {
      if (device.module == module && device.path == holder.path) ++count;
    }
  }
  return count;
}

std::vector<std::string> SimHost::users_of(const std::string& module) const {
  std::vector<std::string> users;
  for (const auto& [name, loaded] : modules_) {
    if (loaded.stands_on == module) users.push_back(name);
  }
  return users;
}

Result<std::vector<host::Module>> SimHost::modules() {
  std::vector<host::Module> all;
  const bool counted = !has(HostFault::CannotUnload);
  for (const auto& [name, loaded] : modules_) {
    host::Module module;
    module.name = name;
    module.version = loaded.version;
    if (counted) {
      module.references = references(name);
      module.used_by = users_of(name);
    }
    all.push_back(std::move(module));
  }
  return all;
}

Result<void> SimHost::unload(const std::string& module) {
  const auto at = modules_.find(module);
  if (at == modules_.end()) {
    return fault(Fault::Kind::NotFound, fmt::format("cannot unload {}: it is not loaded", module));
  }
  if (has(HostFault::CannotUnload)) {
    return fault(Fault::Kind::Refused,
                 fmt::format("cannot unload {}: this kernel cannot unload modules; only a reboot removes it", module));
  }
  if (const int held = references(module); held > 0) {
    return fault(Fault::Kind::Refused,
                 fmt::format("cannot unload {}: it is in use ({} references); end what holds it first", module, held));
  }
  const std::string version = at->second.version;
  modules_.erase(at);
  if (on_module) on_module(module, version, false);
  return {};
}

std::string SimHost::module_text(std::string_view name, std::string_view version, std::string_view stands_on,
                                 std::string_view kernel) {
  return fmt::format("module {} {}{}{}{}{}\n", name, version, stands_on.empty() ? "" : " ", stands_on,
                     kernel.empty() ? "" : " for ", kernel);
}

Result<void> SimHost::load(const std::string& file, const std::string& parameters) {
  static_cast<void>(parameters);
  TRY(const std::string text, read(file));
  auto words = base::split(base::trim(text), ' ');
  const bool names_kernel = words.size() >= 5 && words[words.size() - 2] == "for";
  const bool is_ours = !names_kernel || words.back() == makeup_.kernel_release;
  if (names_kernel) words.resize(words.size() - 2);
  if (words.size() < 3 || words.size() > 4 || words[0] != "module" || words[1].empty() || !is_ours) {
    return fault(Fault::Kind::Malformed,
                 fmt::format("cannot load {}: it is not a kernel module (exec format error)", file));
  }
  return insert(std::string(words[1]), std::string(words[2]), words.size() == 4 ? std::string(words[3]) : "");
}

Result<void> SimHost::insert(const std::string& name, const std::string& version, const std::string& stands_on) {
  if (modules_.contains(name)) {
    return fault(
        Fault::Kind::AlreadyExists,
        fmt::format("cannot load {}: version {} of it is loaded; unload that first", name, modules_.at(name).version));
  }
  if (has(HostFault::LoadFails) || (!stands_on.empty() && !modules_.contains(stands_on))) {
    return fault(
        Fault::Kind::Refused,
        fmt::format("cannot load {} {}: the kernel refuses it ({}); see the kernel log", name, version,
                    has(HostFault::LoadFails) ? "key was rejected by service" : "unknown symbol of " + stands_on));
  }
  modules_[name] = {version, stands_on};
  if (on_module) on_module(name, version, true);
  return {};
}

std::optional<std::string> SimHost::loaded_version(const std::string& module) const {
  const auto at = modules_.find(module);
  if (at == modules_.end()) return std::nullopt;
  return at->second.version;
}

std::vector<std::string> SimHost::devices_of(std::string_view module) const {
  std::vector<std::string> paths;
  for (const auto& device : makeup_.devices) {
    if (device.module == module) paths.push_back(device.path);
  }
  return paths;
}

// ---- processes and boots

Result<int> SimHost::open(const std::string& path, const std::string& pod_uid, const std::string& command) {
  if (!exists(path)) return fault(Fault::Kind::NotFound, fmt::format("cannot open {}: no such device", path));
  const int pid = next_pid_++;
  processes_[pid] = {pid, command, path, pod_uid};
  return pid;
}

Result<std::vector<host::Holder>> SimHost::holders(const std::string& path_prefix) {
  std::vector<host::Holder> all;
  for (const auto& [pid, holder] : processes_) {
    if (holder.path.starts_with(path_prefix)) all.push_back(holder);
  }
  return all;
}

Result<void> SimHost::kill(int pid) {
  const auto at = processes_.find(pid);
  if (at == processes_.end())
    return fault(Fault::Kind::NotFound, fmt::format("cannot kill process {}: there is none", pid));
  const host::Holder victim = at->second;
  processes_.erase(at);
  if (on_kill) on_kill(victim);
  return {};
}

Result<host::Holder> SimHost::process(int pid) {
  const auto at = processes_.find(pid);
  if (at == processes_.end()) return fault(Fault::Kind::NotFound, fmt::format("there is no process {}", pid));
  return at->second;
}

Result<void> SimHost::reboot(std::string_view expected_boot_id) {
  if (expected_boot_id != boot_id_) {
    return fault(Fault::Kind::Conflict,
                 fmt::format("will not reboot: the machine runs boot {}, not {}; it has rebooted since that was read",
                             boot_id_, base::one_line(expected_boot_id, 60)));
  }
  if (!has(HostFault::RebootIgnored) && on_reboot) on_reboot();
  return {};
}

void SimHost::power_cycle() {
  boot_id_ = random_.uuid();
  if (!next_kernel_.empty()) makeup_.kernel_release = std::exchange(next_kernel_, {});
  running_.clear();
  modules_.clear();
  processes_.clear();
  std::erase_if(files_, [](const auto& file) { return is_volatile(file.first); });
  if (auto at = files_.find(written_last_); has(HostFault::TornWrite) && at != files_.end()) {
    at->second.resize(at->second.size() / 2);
  }
  written_last_.clear();
}

void SimHost::set_fault(HostFault fault, bool on) {
  if (on) {
    faults_.insert(fault);
  } else {
    faults_.erase(fault);
  }
}

}  // namespace drover::sim
