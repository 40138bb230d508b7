#include "agent/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "base/text.h"

namespace drover::agent {
namespace {

constexpr std::string_view kBus = "/sys/bus/pci/devices";
constexpr std::string_view kPodLogs = "/var/log/pods";
constexpr std::size_t kMostNamed = 3;  // holders in one line

// "0x10de\n" -> "10de"
std::string hex_in(host::Host& host, const std::string& path) {
  const std::string text = host.read(path).value_or("");
  const std::string_view word = base::trim(text);
  return base::lower(word.starts_with("0x") ? word.substr(2) : word);
}

// "Model: 		 ACME 200" among the lines of the kind's model file.
std::string model_of(host::Host& host, const DeviceKind& kind, const std::string& address) {
  if (kind.model_file.empty()) return {};
  const std::string text = host.read(fmt::format(fmt::runtime(kind.model_file), address)).value_or("");
  for (const auto line : base::split(text, '\n')) {
    if (line.starts_with("Model:")) return base::one_line(base::trim(line.substr(6)), 80);
  }
  return {};
}

std::string last_part(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

std::vector<BusDevice> bus_devices(host::Host& host, const std::vector<const DeviceKind*>& kinds) {
  std::vector<BusDevice> devices;
  for (const auto& address : host.list(std::string(kBus)).value_or(std::vector<std::string>{})) {
    const std::string folder = fmt::format("{}/{}/", kBus, address);
    const std::string vendor = hex_in(host, folder + "vendor");
    for (const DeviceKind* one : kinds) {
      const DeviceKind& kind = *one;
      if (kind.pci != vendor) continue;
      BusDevice device{.address = address,
                       .vendor = std::string(kind.vendor),
                       .id = vendor + ":" + hex_in(host, folder + "device"),
                       .cls = hex_in(host, folder + "class")};
      for (const auto cls : base::split(kind.classes, ',')) device.is_accelerator |= device.cls.starts_with(cls);
      device.driver = last_part(host.link(folder + "driver").value_or(""));
      device.model = model_of(host, kind, address);
      devices.push_back(std::move(device));
    }
  }
  return devices;
}

// The vendors' modules, whatever stands on them, and what keeps a vendor's driver off the devices.
std::vector<host::Module> worth_telling(const std::vector<host::Module>& all,
                                        const std::vector<const DeviceKind*>& kinds) {
  std::vector<std::string> wanted;
  for (const DeviceKind* kind : kinds) {
    for (const auto rival : base::split(kind->rivals, ',')) wanted.emplace_back(rival);
  }
  for (const host::Module& module : all) {
    if (std::none_of(kinds.begin(), kinds.end(), [&](const auto* kind) { return is_module_of(*kind, module.name); }))
      continue;
    wanted.push_back(module.name);
    wanted.insert(wanted.end(), module.used_by.begin(), module.used_by.end());
  }
  std::vector<host::Module> told;
  std::copy_if(all.begin(), all.end(), std::back_inserter(told), [&](const host::Module& module) {
    return std::find(wanted.begin(), wanted.end(), module.name) != wanted.end();
  });
  return told;
}

std::string whose(const Holding& holder) {
  if (!holder.pod.empty()) return "pod " + holder.pod;
  return holder.pod_uid.empty() ? std::string("no pod") : "pod " + holder.pod_uid;
}

// As the driver itself counts them: a file that was passed on to another process still names the one that opened it.
std::vector<int> openers_of(host::Host& host, const DeviceKind& kind) {
  std::vector<int> pids;
  if (kind.openers.empty()) return pids;
  const std::string folder(kind.openers);
  for (const auto& device : host.list(folder).value_or(std::vector<std::string>{})) {
    const std::string text = host.read(fmt::format("{}/{}/pids", folder, device)).value_or("");
    for (const auto line : base::split(text, '\n')) {
      const auto pid = base::parse_int(base::trim(line));
      if (pid && *pid > 0 && *pid < 1 << 30) pids.push_back(static_cast<int>(*pid));
    }
  }
  return pids;
}

std::string plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : (what.ends_with('s') ? "es" : "s"));
}

std::string_view word(host::Module::State state) {
  switch (state) {
    case host::Module::State::Loading: return "loading";
    case host::Module::State::Unloading: return "unloading";
    case host::Module::State::Live: break;
  }
  return "live";
}

void tell_devices(const Inspection& seen, std::string& text) {
  if (seen.devices.empty()) text += "devices   none of a known vendor on the PCI bus\n";
  for (const BusDevice& device : seen.devices) {
    text += fmt::format("device    {}  {:<11} {}  {}{}{}\n", device.address, device.vendor, device.id,
                        device.is_accelerator ? "accelerator" : "another function (class " + device.cls + ")",
                        device.driver.empty() ? ", no driver bound" : ", driver " + device.driver,
                        device.model.empty() ? "" : ", " + device.model);
  }
}

void tell_modules(const Inspection& seen, std::string& text) {
  if (seen.modules.empty()) text += "modules   none of a known vendor is loaded\n";
  for (const host::Module& module : seen.modules) {
    text += fmt::format("module    {:<16} {:<12} {}{}{}\n", module.name, module.version.empty() ? "-" : module.version,
                        module.references ? plural(static_cast<std::size_t>(*module.references), "reference")
                                          : std::string("references unknown"),
                        module.used_by.empty() ? "" : ", under " + base::join(module.used_by, ", "),
                        module.state == host::Module::State::Live ? "" : fmt::format(", {}", word(module.state)));
  }
  for (const DeviceKind* kind : seen.kinds) {
    const host::Module* driver = seen.driver(kind->vendor);
    const std::string told = seen.told_version(kind->vendor);
    if (told.empty() || driver == nullptr || driver->version == told) continue;
    text += fmt::format("warning   {} says {}, the module says {}: they must not differ\n", kind->version_file, told,
                        driver->version.empty() ? "nothing" : driver->version);
  }
}

void tell_holders(const Inspection& seen, std::string& text) {
  for (const Holding& holder : seen.holders) {
    text += fmt::format("holder    pid {} ({}) of {}: {}\n", holder.pid, base::one_line(holder.command, 32),
                        whose(holder), base::join(holder.paths, ", "));
  }
  if (seen.hidden > 0) {
    text += fmt::format("warning   the files of {} could not be looked at: run as root, with hostPID in a pod\n",
                        plural(static_cast<std::size_t>(seen.hidden), "process"));
  }
  if (seen.holders.empty()) text += "holders   none that can be seen\n";
}

}  // namespace

int Inspection::accelerators(std::string_view vendor) const {
  return static_cast<int>(std::count_if(devices.begin(), devices.end(), [&](const BusDevice& device) {
    return device.vendor == vendor && device.is_accelerator;
  }));
}

const host::Module* Inspection::driver(std::string_view vendor) const {
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto* one) { return one->vendor == vendor; });
  if (kind == kinds.end()) return nullptr;
  const std::string_view name = driver_module(**kind);
  const auto found =
      std::find_if(modules.begin(), modules.end(), [&](const host::Module& module) { return module.name == name; });
  return found == modules.end() ? nullptr : &*found;
}

std::string Inspection::told_version(std::string_view vendor) const {
  const auto found = told_versions.find(std::string(vendor));
  return found == told_versions.end() ? std::string() : found->second;
}

std::string version_in(std::string_view text) {
  const auto is_version = [](std::string_view word) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return word.find('.') != std::string_view::npos && is_digit(word.front()) && is_digit(word.back()) &&
           std::all_of(word.begin(), word.end(), [&](char c) { return is_digit(c) || c == '.'; });
  };
  // NVRM version: … Open Kernel Module for x86_64  580.159.04  Release Build  (…)
  const std::string_view line = text.substr(0, text.find('\n'));
  for (const auto word : base::split(line, ' ')) {
    if (!word.empty() && is_version(word)) return std::string(word);
  }
  return {};
}

std::string pod_named(host::Host& host, std::string_view uid) {
  if (uid.empty()) return {};
  for (const auto& name : host.list(std::string(kPodLogs)).value_or(std::vector<std::string>{})) {
    // NAMESPACE_NAME_UID: neither of the first two can hold an underscore.
    const auto parts = base::split(name, '_');
    if (parts.size() == 3 && parts[2] == uid) return fmt::format("{}/{}", parts[0], parts[1]);
  }
  return {};
}

base::Result<std::vector<Holding>> holders_of(host::Host& host, const DeviceKind& kind) {
  TRY(const auto all, host.holders(std::string(kind.device)));
  std::map<int, Holding> by_pid;
  for (const host::Holder& holder : all) {
    Holding& holding = by_pid[holder.pid];
    holding.pid = holder.pid;
    holding.command = holder.command;
    holding.pod_uid = holder.pod_uid;
    holding.paths.push_back(holder.path);
  }
  for (const int pid : openers_of(host, kind)) {
    if (by_pid.contains(pid)) continue;
    const auto process = host.process(pid);
    if (!process) continue;  // gone since
    by_pid[pid] = {pid, process->command, {std::string(kind.device)}, process->pod_uid};
  }
  std::vector<Holding> holdings;
  for (auto& [pid, holding] : by_pid) {
    holding.pod = pod_named(host, holding.pod_uid);
    holdings.push_back(std::move(holding));
  }
  return holdings;
}

base::Result<Inspection> inspect(host::Host& host, std::vector<const DeviceKind*> kinds) {
  if (!host.exists("/proc/modules") && !host.exists("/sys/module")) {
    return base::fault(base::Fault::Kind::NotFound,
                       "there is neither /proc/modules nor /sys/module here: is this the root of a Linux machine?");
  }
  Inspection seen;
  seen.boot = host.boot_id();
  seen.kernel = host.kernel_release();
  seen.can_unload = host.can_unload_modules();
  seen.kinds = std::move(kinds);
  seen.devices = bus_devices(host, seen.kinds);
  if (const auto modules = host.modules()) seen.modules = worth_telling(*modules, seen.kinds);
  for (const DeviceKind* kind : seen.kinds) {
    if (kind->version_file.empty()) continue;
    seen.told_versions[std::string(kind->vendor)] = version_in(host.read(std::string(kind->version_file)).value_or(""));
  }
  for (const DeviceKind* kind : seen.kinds) {
    auto holders = holders_of(host, *kind);
    if (!holders) {
      seen.trouble = holders.error().message;
      break;
    }
    seen.holders.insert(seen.holders.end(), holders->begin(), holders->end());
  }
  seen.hidden = host.hidden_processes();
  return seen;
}

std::string names_of(const std::vector<Holding>& holders, std::size_t most) {
  std::vector<std::string> named;
  for (const Holding& holder : holders) {
    if (named.size() == most) break;
    named.push_back(fmt::format("pid {} ({}) of {}", holder.pid, base::one_line(holder.command, 32), whose(holder)));
  }
  const std::size_t more = holders.size() - named.size();
  return base::join(named, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string in_the_way(const Inspection& seen, const DeviceKind& kind) {
  const host::Module* driver = seen.driver(kind.vendor);
  if (!seen.can_unload) return "this kernel cannot unload modules: a driver changes by a reboot only";
  std::vector<Holding> holders;
  std::copy_if(seen.holders.begin(), seen.holders.end(), std::back_inserter(holders), [&](const Holding& holder) {
    return std::any_of(holder.paths.begin(), holder.paths.end(),
                       [&](const std::string& path) { return path.starts_with(kind.device); });
  });
  if (!holders.empty()) return "held by " + names_of(holders, kMostNamed);
  if (!seen.trouble.empty()) return "its holders cannot be determined: " + seen.trouble;
  for (const std::string& user : driver != nullptr ? driver->used_by : std::vector<std::string>{}) {
    if (!is_module_of(kind, user)) return fmt::format("module {} stands on it", user);
  }
  const int stood_on = driver != nullptr ? static_cast<int>(driver->used_by.size()) : 0;
  if (driver != nullptr && driver->references.value_or(0) > stood_on) {
    return fmt::format("{} that no process explains (the kernel itself, or a process that could not be looked at)",
                       plural(static_cast<std::size_t>(*driver->references - stood_on), "reference"));
  }
  return {};
}

std::string text_of(const Inspection& seen) {
  std::string text =
      fmt::format("kernel    {}{}\nboot      {}\n", seen.kernel.empty() ? "(unknown)" : seen.kernel,
                  seen.can_unload ? "" : ", cannot unload modules", seen.boot.empty() ? "(unknown)" : seen.boot);
  tell_devices(seen, text);
  tell_modules(seen, text);
  if (seen.trouble.empty())
    tell_holders(seen, text);
  else
    text += "warning   " + base::one_line(seen.trouble, 300) + "\n";
  for (const DeviceKind* one : seen.kinds) {
    const DeviceKind& kind = *one;
    const host::Module* driver = seen.driver(kind.vendor);
    const int count = seen.accelerators(kind.vendor);
    if (driver == nullptr && count == 0) continue;
    if (driver == nullptr) {
      text += fmt::format("=> {}: {}, and no driver is loaded\n", kind.vendor,
                          plural(static_cast<std::size_t>(count), "accelerator"));
      continue;
    }
    const std::string why = in_the_way(seen, kind);
    text += fmt::format("=> {}: {}, driver {} is loaded and {}\n", kind.vendor,
                        plural(static_cast<std::size_t>(count), "accelerator"),
                        driver->version.empty() ? "(of unknown version)" : driver->version,
                        why.empty() ? "can be unloaded" : "cannot be unloaded now: " + why);
  }
  return text;
}

json::Value json_of(const Inspection& seen) {
  json::Array devices;
  for (const BusDevice& device : seen.devices) {
    devices.push_back(json::Members{{"address", device.address},
                                    {"vendor", device.vendor},
                                    {"id", device.id},
                                    {"class", device.cls},
                                    {"isAccelerator", device.is_accelerator},
                                    {"driver", device.driver},
                                    {"model", device.model}});
  }
  json::Array modules;
  for (const host::Module& module : seen.modules) {
    json::Array users;
    for (const std::string& user : module.used_by) users.emplace_back(user);
    modules.push_back(
        json::Members{{"name", module.name},
                      {"version", module.version},
                      {"references", module.references ? json::Value(*module.references) : json::Value(nullptr)},
                      {"usedBy", std::move(users)},
                      {"state", word(module.state)}});
  }
  json::Array holders;
  for (const Holding& holder : seen.holders) {
    json::Array paths;
    for (const std::string& path : holder.paths) paths.emplace_back(path);
    holders.push_back(json::Members{{"pid", holder.pid},
                                    {"command", holder.command},
                                    {"paths", std::move(paths)},
                                    {"podUid", holder.pod_uid},
                                    {"pod", holder.pod}});
  }
  json::Members drivers;
  for (const DeviceKind* one : seen.kinds) {
    const DeviceKind& kind = *one;
    const host::Module* driver = seen.driver(kind.vendor);
    if (driver == nullptr && seen.accelerators(kind.vendor) == 0) continue;
    drivers[kind.vendor] = json::Members{{"accelerators", seen.accelerators(kind.vendor)},
                                         {"loaded", driver != nullptr},
                                         {"version", driver != nullptr ? driver->version : std::string()},
                                         {"inTheWay", driver != nullptr ? in_the_way(seen, kind) : std::string()}};
  }
  json::Members all = {{"boot", seen.boot},
                       {"kernel", seen.kernel},
                       {"canUnload", seen.can_unload},
                       {"devices", std::move(devices)},
                       {"modules", std::move(modules)},
                       {"holders", std::move(holders)},
                       {"hiddenProcesses", seen.hidden}};
  for (const auto& [vendor, version] : seen.told_versions) all[vendor + "ProcVersion"] = version;
  all["drivers"] = std::move(drivers);
  all["trouble"] = seen.trouble;
  return all;
}

}  // namespace drover::agent
