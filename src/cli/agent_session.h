// One run of an agent's program on a real machine, against a real API server.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/program.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "host/linux_host.h"
#include "host/program_text.h"
#include "kube/config.h"
#include "kube/http_api.h"

namespace drover::cli {

agent::Environment environment_of_this_process();
std::uint64_t seed_of_the_system();

// One run of a program. Members are destroyed from the last to the first: the program goes before its doors.
class AgentSession {
 public:
  explicit AgentSession(std::string root, std::vector<std::string> mounted = {})
      : host_(std::move(root), host::Kernel::real(), std::move(mounted)) {}

  kube::AsioLoop& loop() { return loop_; }
  host::LinuxHost& host() { return host_; }

  int run(const TargetFlags& flags, const agent::MakeProgram& make) {
    auto target = kube::find_target(flags.kubeconfig, flags.context);
    if (!target) return complain(target.error());
    target->user_agent = "drover-agent";
    auto api = kube::HttpApi::open(loop_, std::move(*target));
    if (!api) return complain(api.error());
    api_ = std::move(*api);
    program_ = make(agent::ProgramContext{.host = host_,
                                          .api = *api_,
                                          .loop = loop_,
                                          .random = base::Random(seed_of_the_system()),
                                          .say = [](std::string_view line) { log::info(line); },
                                          .exit =
                                              [this](int code) {
                                                code_ = code;
                                                loop_.stop();
                                              }},
                    [](bool) {});  // the machine is asked at each request
    loop_.on_signal([this](int) { program_->terminate(); });
    stay_small();
    program_->start();
    loop_.run();
    return code_;
  }

 private:
  static constexpr base::Span kGiveBackEvery = std::chrono::seconds(30);

  // Again and again, as every new connection brings back what a handshake needs.
  void stay_small() {
    timer_ = loop_.after(kGiveBackEvery, [this] {
      host::give_back_program_text();
      stay_small();
    });
  }

  kube::AsioLoop loop_;
  host::LinuxHost host_;
  std::unique_ptr<kube::HttpApi> api_;
  std::unique_ptr<agent::Program> program_;
  base::Timer timer_;
  int code_ = 1;
};

}  // namespace drover::cli
