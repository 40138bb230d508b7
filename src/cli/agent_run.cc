// `drover agent driver-manager` and `drover agent validate`: the agent's programs on a real machine, against a real API
// server. They run in pods whose templates drover renders; by hand they do the same to the machine they run on.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <random>
#include <string>

#include "agent/driver_manager.h"
#include "agent/validate.h"
#include "base/log.h"
#include "cli/agent.h"
#include "host/linux_host.h"
#include "kube/config.h"
#include "kube/http_api.h"

namespace drover::cli {
namespace {

// Where a pod sees the machine's files. There is no flag for it: what is unloaded is the running kernel's in any case.
std::string machine_root() { return ::access("/host/proc/modules", R_OK) == 0 ? "/host" : ""; }

agent::Environment environment_of_this_process() {
  agent::Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

std::uint64_t seed_of_the_system() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

// One run of either program. Members are destroyed from the last to the first: the program goes before its doors.
template <class Program>
class Session {
 public:
  explicit Session(std::vector<std::string> mounted)
      : host_(machine_root(), host::Kernel::real(), std::move(mounted)) {}

  // `make` gets the surroundings and gives the program.
  template <class Make>
  int run(const TargetFlags& flags, const Make& make) {
    auto target = kube::find_target(flags.kubeconfig, flags.context);
    if (!target) return complain(target.error());
    target->user_agent = "drover-agent";
    auto api = kube::HttpApi::open(loop_, std::move(*target));
    if (!api) return complain(api.error());
    api_ = std::move(*api);
    program_ = make(agent::Surroundings{.host = host_,
                                        .api = *api_,
                                        .loop = loop_,
                                        .random = base::Random(seed_of_the_system()),
                                        .say = [](std::string_view line) { log::info(line); },
                                        .exit =
                                            [this](int code) {
                                              code_ = code;
                                              loop_.stop();
                                            }});
    loop_.on_signal([this](int) { program_->terminate(); });
    program_->start();
    loop_.run();
    return code_;
  }

 private:
  kube::AsioLoop loop_;
  host::LinuxHost host_;
  std::unique_ptr<kube::HttpApi> api_;
  std::unique_ptr<Program> program_;
  int code_ = 1;
};

int manage_driver(const TargetFlags& flags) {
  const auto settings = agent::read_manager_settings(environment_of_this_process());
  if (!settings) return complain(settings.error());
  Session<agent::DriverManager> session({"/run/nvidia"});
  return session.run(flags, [&](agent::Surroundings around) {
    return std::make_unique<agent::DriverManager>(*settings, std::move(around));
  });
}

int validate(const TargetFlags& flags) {
  const auto settings = agent::read_validator_settings(environment_of_this_process());
  if (!settings) return complain(settings.error());
  Session<agent::Validator> session({"/run/drover"});
  return session.run(flags, [&](agent::Surroundings around) {
    return std::make_unique<agent::Validator>(*settings, std::move(around), [](bool) {});
  });
}

int ask_whether_passed() {
  host::LinuxHost host(machine_root(), host::Kernel::real(), {"/run/drover"});
  return agent::has_passed(host) ? 0 : 1;
}

}  // namespace

void add_agent_driver_manager(CLI::App& agent, Chosen& chosen) {
  auto* command = agent.add_subcommand(
      "driver-manager",
      "Take the old driver out, with permission, so that the one beside it can load (init container)");
  auto flags = std::make_shared<TargetFlags>();
  add_target_flags(*command, *flags);
  command->callback([&chosen, flags] { chosen = [flags] { return manage_driver(*flags); }; });
}

void add_agent_validate(CLI::App& agent, Chosen& chosen) {
  auto* command =
      agent.add_subcommand("validate", "See that the wanted driver is loaded and works; runs until it is ended");
  auto flags = std::make_shared<TargetFlags>();
  auto asks = std::make_shared<bool>(false);
  add_target_flags(*command, *flags);
  command->add_flag("--passed", *asks, "only say, by the exit code, whether the validator in this pod has passed");
  command->callback(
      [&chosen, flags, asks] { chosen = [flags, asks] { return *asks ? ask_whether_passed() : validate(*flags); }; });
}

}  // namespace drover::cli
