#include "sim/agent_programs.h"

#include <memory>
#include <utility>

#include "vendors/nvidia/agent/driver_manager.h"
#include "vendors/nvidia/agent/manager_settings.h"
#include "vendors/tenstorrent/agent/loader.h"
#include "vendors/tenstorrent/agent/return_to_host.h"
#include "vendors/tenstorrent/agent/vacate.h"

namespace drover::sim {
namespace {

// As the table's own row, and with the note by which the agent knows the driver that is loaded.
constexpr std::string_view kNotingDriver =
    "say installing the NVIDIA driver $VERSION; wait driver; load nvidia $VERSION; load nvidia_uvm $VERSION on nvidia; "
    "load nvidia_modeset $VERSION on nvidia; write /run/nvidia/nvidia-driver.state $DRIVER_CONFIG_DIGEST; "
    "say done, now waiting for signal; ready; wait forever; "
    "when-stopped; try-unload nvidia_modeset; try-unload nvidia_uvm; try-unload nvidia";

agent::Surroundings surroundings_of(const ProgramStart& start, base::Random random) {
  return {.host = start.host,
          .api = start.api,
          .loop = start.loop,
          .random = std::move(random),
          .say = start.log,
          .exit = start.exit};
}

base::Result<std::unique_ptr<agent::Loader>> make_loader(const ProgramStart& start) {
  TRY(const auto settings, agent::read_load_settings(start.env));
  return std::make_unique<agent::Loader>(settings, surroundings_of(start, start.random), start.ready);
}

base::Result<std::unique_ptr<agent::DriverManager>> make_driver_manager(const ProgramStart& start) {
  TRY(const auto settings, agent::read_manager_settings(start.env));
  return std::make_unique<agent::DriverManager>(settings, surroundings_of(start, start.random));
}

template <typename Agent>
class AgentProgram final : public Program {
 public:
  using Make = base::Result<std::unique_ptr<Agent>> (*)(const ProgramStart&);

  AgentProgram(ProgramStart start, Make make) : start_(std::move(start)) {
    auto made = make(start_);
    if (!made) {
      start_.log(made.error().message);
      start_.exit(2);
      return;
    }
    agent_ = std::move(*made);
    agent_->start();
  }
  void terminate() override {
    if (agent_) agent_->terminate();
  }

 private:
  ProgramStart start_;
  std::unique_ptr<Agent> agent_;
};

// What is done once to a machine, and ends: Vacate, HandBack.
template <class Work>
class WorkProgram final : public Program {
 public:
  explicit WorkProgram(ProgramStart start)
      : start_(std::move(start)), work_(start_.host, start_.loop, start_.log, [this](const base::Result<void>& result) {
          if (!result) start_.log(result.error().message);
          start_.exit(result ? 0 : 1);
        }) {}
  void terminate() override { start_.exit(143); }

 private:
  ProgramStart start_;
  Work work_;
};

template <typename Agent>
std::unique_ptr<Program> run(ProgramStart start, typename AgentProgram<Agent>::Make make) {
  return std::make_unique<AgentProgram<Agent>>(std::move(start), make);
}

}  // namespace

Programs agent_programs() {
  return {{"load", [](ProgramStart start) { return run<agent::Loader>(std::move(start), make_loader); }},
          {"driver-manager",
           [](ProgramStart start) { return run<agent::DriverManager>(std::move(start), make_driver_manager); }},
          {"vacate", [](ProgramStart start) { return std::make_unique<WorkProgram<agent::Vacate>>(std::move(start)); }},
          {"hand-back",
           [](ProgramStart start) { return std::make_unique<WorkProgram<agent::HandBack>>(std::move(start)); }}};
}

base::Result<void> prefer_driver_manager(ImageTable& images) {
  TRY_VOID(images.prefer("*nvidia*/driver:*", "nvidia-driver-ctr", kNotingDriver));
  return images.prefer("*drover*", "k8s-driver-manager", "program driver-manager");
}

}  // namespace drover::sim
