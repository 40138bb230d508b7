#include "sim/agent_programs.h"

#include <memory>
#include <ranges>
#include <string>
#include <utility>

namespace drover::sim {
namespace {

agent::ProgramContext surroundings_of(const ProgramStart& start, base::Random random) {
  return {.host = start.host,
          .api = start.api,
          .loop = start.loop,
          .random = std::move(random),
          .say = start.log,
          .exit = start.exit};
}

class AgentProgram final : public ContainerProgram {
 public:
  AgentProgram(ProgramStart start, const agent::ProgramRow& row) : start_(std::move(start)) {
    auto make = row.read(start_.env);
    if (!make) {
      start_.log(make.error().message);
      start_.exit(2);
      return;
    }
    agent_ = (*make)(surroundings_of(start_, start_.random), start_.ready);
    agent_->start();
  }
  void terminate() override {
    if (agent_) agent_->terminate();
  }

 private:
  ProgramStart start_;
  std::unique_ptr<agent::Program> agent_;
};

// What is done once to a machine, and ends.
class DeedProgram final : public ContainerProgram {
 public:
  DeedProgram(ProgramStart start, const agent::ProgramRow& row) : start_(std::move(start)) {
    deed_ = row.begin(start_.host, start_.loop, start_.log, [this](const base::Result<void>& result) {
      if (!result) start_.log(result.error().message);
      start_.exit(result ? 0 : 1);
    });
  }
  void terminate() override { start_.exit(143); }

 private:
  ProgramStart start_;
  std::shared_ptr<void> deed_;
};

}  // namespace

Programs agent_programs(SimVendors vendors) {
  Programs programs;
  for (const SimVendor* vendor : vendors) {
    for (const agent::ProgramRow& row : vendor->programs) {
      programs[std::string(row.name)] = [&row](ProgramStart start) -> std::unique_ptr<ContainerProgram> {
        if (row.begin != nullptr) return std::make_unique<DeedProgram>(std::move(start), row);
        return std::make_unique<AgentProgram>(std::move(start), row);
      };
    }
  }
  return programs;
}

base::Result<void> prefer_driver_manager(ImageTable& images, SimVendors vendors) {
  for (const SimVendor* vendor : vendors) {
    for (const ImageRow& row : std::views::reverse(vendor->agent_images))
      TRY_VOID(images.prefer(row.image, row.container, row.script));
  }
  return {};
}

}  // namespace drover::sim
