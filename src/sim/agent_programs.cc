#include "sim/agent_programs.h"

#include "agent/loader.h"

namespace drover::sim {
namespace {

class LoadProgram final : public Program {
 public:
  explicit LoadProgram(ProgramStart start) : start_(std::move(start)) {
    const auto settings = agent::read_load_settings(start_.env);
    if (!settings) {
      start_.log(settings.error().message);
      start_.exit(2);
      return;
    }
    loader_ = std::make_unique<agent::Loader>(*settings,
                                              agent::Surroundings{.host = start_.host,
                                                                  .api = start_.api,
                                                                  .loop = start_.loop,
                                                                  .random = start_.random,
                                                                  .say = start_.log,
                                                                  .exit = start_.exit},
                                              start_.ready);
    loader_->start();
  }
  void terminate() override {
    if (loader_) loader_->terminate();
  }

 private:
  ProgramStart start_;
  std::unique_ptr<agent::Loader> loader_;
};

}  // namespace

Programs agent_programs() {
  return {{"load", [](ProgramStart start) { return std::make_unique<LoadProgram>(std::move(start)); }}};
}

}  // namespace drover::sim
