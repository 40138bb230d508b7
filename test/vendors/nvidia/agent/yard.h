// Three nodes with GPUs, the driver's DaemonSet without a controller, and the agent's programs as its containers.
//
// The operator's side of ruling "agents ask, the operator evicts" is played by a clerk of a few lines, so that what is
// tested is the agent alone: it cordons, evicts what the report asks for, answers with an order, and uncordons.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/yard.h"
#include "protocol/order.h"
#include "protocol/report.h"
#include "vendors/nvidia/agent/driver_manager.h"
#include "vendors/nvidia/agent/validate.h"

namespace drover::agent::testing {

// The simulated machine, with what it does not have by itself: a PCI bus and the driver's nvidia-smi.
class Machine final : public host::Host {
 public:
  Machine(host::Host& real, std::function<bool()> may_go_on) : real_(real), may_go_on_(std::move(may_go_on)) {}

  host::Result<std::string> read(const std::string& path) override {
    if (path.starts_with(kBus))
      return path.ends_with("/vendor") ? "0x10de\n" : path.ends_with("/class") ? "0x030200\n" : "0x2330\n";
    return real_.read(path);
  }
  host::Result<void> write(const std::string& path, std::string_view text) override { return real_.write(path, text); }
  host::Result<void> remove(const std::string& path) override { return real_.remove(path); }
  host::Result<std::vector<std::string>> list(const std::string& directory) override {
    if (directory == kBus) return std::vector<std::string>{"0000:18:00.0", "0000:2a:00.0"};
    return real_.list(directory);
  }
  bool exists(const std::string& path) override { return path == "/proc/modules" || real_.exists(path); }
  std::string boot_id() override { return real_.boot_id(); }
  std::string kernel_release() override { return real_.kernel_release(); }
  host::Result<std::vector<host::Module>> modules() override { return real_.modules(); }
  bool can_unload_modules() override { return real_.can_unload_modules(); }
  host::Result<void> unload(const std::string& module) override {
    if (module == "nouveau") return real_.unload(module);
    if (!may_go_on_()) return base::fault(base::Fault::Kind::Refused, "dead");
    return real_.unload(module);
  }
  host::Result<void> load(const std::string& file, const std::string& with) override { return real_.load(file, with); }
  host::Result<std::vector<host::Holder>> holders(const std::string& prefix) override { return real_.holders(prefix); }
  host::Result<void> kill(int pid) override { return real_.kill(pid); }
  host::Result<void> reboot(std::string_view boot) override { return real_.reboot(boot); }
  void run(const host::Command& command, base::Loop& loop, std::function<void(host::Result<host::Ran>)> done) override {
    EXPECT_EQ(command.path, "/usr/bin/nvidia-smi");
    later_ = loop.after(1s, [this, done = std::move(done)] {
      host::Ran ran;
      for (const host::Module& module : real_.modules().value_or(std::vector<host::Module>{})) {
        if (module.name == "nvidia")
          ran.output = fmt::format("00000000:18:00.0, {0}\n00000000:2A:00.0, {0}\n", module.version);
      }
      ran.code = ran.output.empty() ? 9 : 0;
      done(ran);
    });
  }

 private:
  static constexpr const char* kBus = "/sys/bus/pci/devices";
  host::Host& real_;
  std::function<bool()> may_go_on_;
  base::Timer later_;
};

// One container of ours.
template <class Agent>
class Container final : public sim::ContainerProgram {
 public:
  using Make = std::function<std::unique_ptr<Agent>(const sim::ProgramStart&, ProgramContext)>;
  Container(sim::ProgramStart start, PolicyCounters& counters, const Make& make)
      : start_(std::move(start)),
        counters_(counters),
        machine_(start_.host, [this] { return lives_on(); }),
        door_(start_.api, start_.node, counters, [this] { return lives_on(); }) {
    agent_ = make(start_, ProgramContext{machine_, door_, start_.loop, start_.random, start_.log, start_.exit});
    if (agent_)
      agent_->start();
    else
      start_.exit(2);
  }
  void terminate() override {
    if (agent_) agent_->terminate();
  }

 private:
  // Counts a deed; false when we die before it.
  bool lives_on() {
    if (is_dying_) return false;
    if (++counters_.count != counters_.death.at) return true;
    ++counters_.deaths;
    is_dying_ = true;
    dies_ = start_.loop.after({}, [this] {
      agent_.reset();
      start_.exit(137);
    });
    return counters_.death.after;
  }

  sim::ProgramStart start_;
  PolicyCounters& counters_;
  Machine machine_;
  AgentDoor door_;
  std::unique_ptr<Agent> agent_;
  bool is_dying_ = false;
  base::Timer dies_;
};

}  // namespace drover::agent::testing
