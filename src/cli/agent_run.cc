// `drover agent driver-manager` and `drover agent validate`: the agent's programs on a real machine, against a real API
// server. They run in pods whose templates drover renders; by hand they do the same to the machine they run on.
#include <unistd.h>

#include <memory>
#include <string>

#include "cli/agent.h"
#include "cli/agent_session.h"
#include "cli/flags.h"
#include "host/linux_host.h"
#include "vendors/nvidia/agent/driver_manager.h"
#include "vendors/nvidia/agent/validate.h"

namespace drover::cli {
namespace {

// Where a pod sees the machine's files. There is no flag for it: what is unloaded is the running kernel's in any case.
std::string machine_root() { return ::access("/host/proc/modules", R_OK) == 0 ? "/host" : ""; }

int manage_driver(const TargetFlags& flags) {
  const auto settings = agent::read_manager_settings(environment_of_this_process());
  if (!settings) return complain(settings.error());
  AgentSession<agent::DriverManager> session(machine_root(), {"/run/nvidia"});
  return session.run(flags, [&](agent::Surroundings around) {
    return std::make_unique<agent::DriverManager>(*settings, std::move(around));
  });
}

int validate(const TargetFlags& flags) {
  const auto settings = agent::read_validator_settings(environment_of_this_process());
  if (!settings) return complain(settings.error());
  AgentSession<agent::Validator> session(machine_root(), {"/run/drover"});
  return session.run(flags, [&](agent::Surroundings around) {
    return std::make_unique<agent::Validator>(*settings, std::move(around), [](bool) {});
  });
}

int ask_whether_passed() {
  host::LinuxHost host(machine_root(), host::Kernel::real(), {"/run/drover"});
  return agent::has_passed(host) ? 0 : 1;
}

}  // namespace

void add_agent_driver_manager(Command agent) {
  Command command =
      agent.add("driver-manager",
                "Take the old driver out, with permission, so that the one beside it can load (init container)");
  auto flags = std::make_shared<TargetFlags>();
  add_target_flags(command, *flags);
  command.run([flags] { return manage_driver(*flags); });
}

void add_agent_validate(Command agent) {
  Command command = agent.add("validate", "See that the wanted driver is loaded and works; runs until it is ended");
  auto flags = std::make_shared<TargetFlags>();
  auto asks = std::make_shared<bool>(false);
  add_target_flags(command, *flags);
  command.flag("--passed", *asks, "only say, by the exit code, whether the validator in this pod has passed");
  command.run([flags, asks] { return *asks ? ask_whether_passed() : validate(*flags); });
}

}  // namespace drover::cli
