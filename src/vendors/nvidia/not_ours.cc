#include "vendors/nvidia/not_ours.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace drover::vendors {
namespace {

// Rendered or read, as a whole; below these nothing is looked at here.
constexpr std::string_view kReadOfDriver[] = {
    "args",
    "enabled",
    "env",
    "hostNetwork",
    "image",
    "imagePullPolicy",
    "imagePullSecrets",
    "kernelModuleType",
    "livenessProbe",
    "readinessProbe",
    "repository",
    "resources",
    "secretEnv",
    "startupProbe",
    "upgradePolicy",
    "useNvidiaDriverCRD",
    "useOpenKernelModules",
    "usePrecompiled",
    "version",
};
constexpr std::string_view kReadOfDaemonSets[] = {
    "annotations", "labels", "priorityClassName", "rollingUpdate", "tolerations", "updateStrategy",
};
// By the name of the variable.
constexpr std::string_view kReadOfManagerEnv[] = {
    "DRAIN_DELETE_EMPTYDIR_DATA", "DRAIN_POD_SELECTOR_LABEL", "DRAIN_TIMEOUT_SECONDS", "DRAIN_USE_FORCE",
    "ENABLE_AUTO_DRAIN",          "ENABLE_GPU_POD_EVICTION",
};
// Labels and variables that are ours: a request for another value has no effect.
constexpr std::string_view kOurLabels[] = {"app", "app.kubernetes.io/component"};

struct Operand {
  std::string_view key;
  bool unless_said;  // what an absent `enabled` means in the vendor's operator
};
constexpr Operand kOperands[] = {
    {"ccManager", false},
    {"cdi", false},
    {"dcgm", true},
    {"dcgmExporter", true},
    {"devicePlugin", true},
    {"gdrcopy", false},
    {"gds", false},
    {"gfd", true},
    {"kataManager", false},
    {"kataSandboxDevicePlugin", false},
    {"migManager", true},
    {"nodeStatusExporter", false},
    {"sandboxDevicePlugin", false},
    {"sandboxWorkloads", false},
    {"toolkit", true},
    {"vfioManager", false},
    {"vgpuDeviceManager", false},
    {"vgpuManager", false},
};

template <std::size_t N>
bool is_listed(const std::string_view (&list)[N], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool asks_for_something(const json::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null: return false;
    case boost::json::kind::bool_: return value.get_bool();
    case boost::json::kind::int64: return value.get_int64() != 0;
    case boost::json::kind::string: return !value.get_string().empty();
    case boost::json::kind::array: return !value.get_array().empty();
    case boost::json::kind::object:
      return std::any_of(value.get_object().begin(), value.get_object().end(),
                         [](const auto& member) { return asks_for_something(member.value()); });
    default: return true;
  }
}

// A licence server is switched on in every manifest, also where no licence is configured.
bool is_the_switch_of_nothing(const std::string& path) { return path == "spec.driver.licensingConfig.nlsEnabled"; }

// Every field below that asks for something, by its own path; lists and deeper objects are named as one.
void name_all(const json::Members& members, const std::string& at, int levels, std::vector<std::string>& into) {
  for (const auto& member : members) {
    const std::string path = fmt::format("{}.{}", at, base::one_line(std::string_view(member.key()), 80));
    if (!asks_for_something(member.value()) || is_the_switch_of_nothing(path)) continue;
    if (levels > 0 && member.value().is_object()) {
      name_all(member.value().get_object(), path, levels - 1, into);
    } else {
      into.push_back(path);
    }
  }
}

template <std::size_t N>
json::Members without(const json::Members& members, const std::string_view (&read)[N]) {
  json::Members rest;
  for (const auto& member : members) {
    if (!is_listed(read, member.key())) rest[member.key()] = member.value();
  }
  return rest;
}

void name_env(const json::Value& policy, std::vector<std::string>& into) {
  for (const json::Value& variable : json::array_at(policy, {"spec", "driver", "manager", "env"})) {
    const std::string_view name = json::text_at(variable, {"name"});
    if (!is_listed(kReadOfManagerEnv, name))
      into.push_back(fmt::format("spec.driver.manager.env[{}]", base::one_line(name, 80)));
  }
  for (const json::Value& variable : json::array_at(policy, {"spec", "driver", "env"})) {
    if (json::find(variable, {"valueFrom"}) != nullptr)
      into.push_back(
          fmt::format("spec.driver.env[{}].valueFrom", base::one_line(json::text_at(variable, {"name"}), 80)));
  }
}

void name_labels(const json::Value& policy, std::vector<std::string>& into) {
  for (const std::string_view kind : {"labels", "annotations"}) {
    for (const auto& member : json::members_at(policy, {"spec", "daemonsets", kind})) {
      const std::string_view key = member.key();
      if (is_listed(kOurLabels, key) || key.starts_with("drover.dev/"))
        into.push_back(fmt::format("spec.daemonsets.{}[{}]", kind, base::one_line(key, 80)));
    }
  }
}

}  // namespace

std::vector<std::string> ignored_fields(const json::Value& policy) {
  std::vector<std::string> ignored;
  json::Members driver = without(json::members_at(policy, {"spec", "driver"}), kReadOfDriver);
  if (json::Value* manager = driver.if_contains("manager"); manager != nullptr && manager->is_object())
    manager->get_object().erase("env");
  name_all(driver, "spec.driver", 1, ignored);
  if (const json::Value* claims = json::find(policy, {"spec", "driver", "resources", "claims"}))
    if (asks_for_something(*claims)) ignored.emplace_back("spec.driver.resources.claims");
  name_all(without(json::members_at(policy, {"spec", "daemonsets"}), kReadOfDaemonSets), "spec.daemonsets", 0, ignored);
  const std::string_view install = json::text_at(policy, {"spec", "hostPaths", "driverInstallDir"});
  if (!install.empty() && install != "/run/nvidia/driver") ignored.emplace_back("spec.hostPaths.driverInstallDir");
  if (const json::Value* validator = json::find(policy, {"spec", "validator"}))
    if (asks_for_something(*validator)) ignored.emplace_back("spec.validator");
  name_env(policy, ignored);
  name_labels(policy, ignored);
  std::sort(ignored.begin(), ignored.end());
  ignored.erase(std::unique(ignored.begin(), ignored.end()), ignored.end());
  return ignored;
}

std::vector<std::string> unmanaged_operands(const json::Value& policy) {
  std::vector<std::string> unmanaged;
  for (const Operand& operand : kOperands) {
    const json::Value* section = json::find(policy, {"spec", operand.key});
    if (section == nullptr || !section->is_object()) continue;
    if (json::flag_at(*section, {"enabled"}, operand.unless_said)) unmanaged.emplace_back(operand.key);
  }
  return unmanaged;
}

}  // namespace drover::vendors
