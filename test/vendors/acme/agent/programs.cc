#include "vendors/acme/agent/programs.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace drover::agent {
namespace {

constexpr base::Span kLookEvery = std::chrono::seconds(1);

bool is_loaded(host::Host& host, const Environment& /*environment*/) {
  const auto modules = host.modules();
  return modules && std::any_of(modules->begin(), modules->end(), [](const host::Module& module) {
           return module.name == "acme" && module.state == host::Module::State::Live;
         });
}

// Says whether the driver is loaded.
class Check final : public Program {
 public:
  Check(ProgramContext around, std::function<void(bool)> ready)
      : around_(std::move(around)), ready_(std::move(ready)) {}

  void start() override {
    ready_(is_loaded(around_.host, {}));
    next_ = around_.loop.after(kLookEvery, [this] { start(); });
  }
  void terminate() override {
    next_.cancel();
    around_.exit(0);
  }

 private:
  ProgramContext around_;
  std::function<void(bool)> ready_;
  base::Timer next_;
};

base::Result<MakeProgram> make_check(const Environment& /*environment*/) {
  return [](ProgramContext around, std::function<void(bool)> ready) {
    return std::make_unique<Check>(std::move(around), std::move(ready));
  };
}

constexpr ProgramRow kAcmePrograms[] = {{.name = "acme-check",
                                         .help = "Say whether the driver is loaded; runs until it is ended",
                                         .read = make_check,
                                         .is_ready = is_loaded,
                                         .unready_text = "the module acme is not loaded"}};

}  // namespace

const VendorAgent& acme() {
  static constexpr VendorAgent kAcme = {
      .device = {.vendor = "acme", .pci = "acac", .classes = "1200", .modules = "acme", .device = "/dev/acme"},
      .programs = kAcmePrograms};
  return kAcme;
}

}  // namespace drover::agent
