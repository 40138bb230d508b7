// `drover-sim kubelet`: the simulated kubelets against any API server, in real time, until SIGINT or SIGTERM.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/flags.h"
#include "kube/config.h"
#include "kube/http_api.h"
#include "sim/journal.h"
#include "sim/kubelet.h"
#include "sim/node_registration.h"
#include "sim/nodes.h"
#include "sim/serve/log_server.h"
#include "sim_cli/commands.h"
#include "sim_cli/simulation.h"

namespace drover::sim_cli {
namespace {

struct KubeletFlags {
  cli::TargetFlags target;
  SimulationFlags simulation;
  int log_port = 0;
  bool remove_nodes_at_exit = false;
};

constexpr int kConnections = 16;

// One run of the command: everything that lives from the first request to the last.
class Session {
 public:
  explicit Session(KubeletFlags flags) : flags_(std::move(flags)), random_(flags_.simulation.seed) {}

  base::Result<void> open() {
    TRY(fleet_, sim::parse_fleet(flags_.simulation.nodes, flags_.simulation.vendors));
    TRY(images_, flags_.simulation.images());
    TRY(auto target, kube::find_target(flags_.target.kubeconfig, flags_.target.context));
    target.user_agent = "drover-sim-kubelet";
    kube::HttpLimits limits;
    limits.pool = kConnections;
    TRY(api_, kube::HttpApi::open(loop_, std::move(target), limits));
    if (!flags_.simulation.journal.empty()) {
      TRY(journal_, sim::Journal::open(loop_, flags_.simulation.journal));
    }
    TRY(log_server_, sim::LogServer::open(loop_, logs_, flags_.log_port));
    return {};
  }

  int run() {
    enrolment_ = std::make_unique<sim::NodeRegistration>(*api_, loop_, random_.fork("enrolment"));
    loop_.on_signal([this](int) { leave(); });
    enrolment_->enrol(sim::make_nodes(fleet_, flags_.simulation.vendors),
                      [this](base::Result<sim::NodeRegistration::Count> count) {
                        if (!count) {
                          exit_code_ = cli::complain(count.error());
                          return loop_.stop();
                        }
                        if (count->made + count->found > 0)
                          say(fmt::format("{} nodes made, {} found", count->made, count->found));
                        play();
                      });
    loop_.run();
    return exit_code_;
  }

 private:
  void play() {
    auto plan = flags_.simulation.plan();
    plan.log_port = log_server_->port();
    kubelets_ = std::make_unique<sim::Kubelets>(*api_, loop_, random_, std::move(plan), std::move(images_),
                                                sim::agent_programs(flags_.simulation.vendors));
    kubelets_->write_journal(journal_.get());
    kubelets_->keep_logs(&logs_);
    kubelets_->tell(say);
    kubelets_->start();
    say(fmt::format("kubelets run; logs on https://127.0.0.1:{}; SIGINT or SIGTERM ends it", log_server_->port()));
    status();
  }

  // One line when something changed, at most every ten seconds.
  void status() {
    const auto count = kubelets_->count();
    auto line = status_line(count);
    if (line != status_ && count.nodes > 0) {
      say(fmt::format("{}; {} writes, {} failed", line, count.writes, count.failed_writes));
      status_ = std::move(line);
    }
    status_timer_ = loop_.after(kStatusEvery, [this] { status(); });
  }

  void leave() {
    status_timer_.cancel();
    kubelets_.reset();
    if (!flags_.remove_nodes_at_exit || fleet_.empty()) {
      say("ended; the nodes stay and will turn NotReady");
      return loop_.stop();
    }
    // A second signal ends the process at once.
    loop_.on_signal([this](int) { loop_.stop(); });
    std::vector<std::string> names;
    for (const auto& node : sim::make_nodes(fleet_, flags_.simulation.vendors)) names.emplace_back(kube::name_of(node));
    enrolment_->dismiss(std::move(names), [this](base::Result<int> gone) {
      if (gone) {
        say(fmt::format("ended; {} nodes removed", *gone));
      } else {
        exit_code_ = cli::complain(gone.error());
      }
      loop_.stop();
    });
  }

  KubeletFlags flags_;
  kube::AsioLoop loop_;
  base::Random random_;
  std::vector<sim::FleetPart> fleet_;
  sim::ImageTable images_;
  sim::LogBook logs_;
  std::unique_ptr<kube::HttpApi> api_;
  std::unique_ptr<sim::Journal> journal_;
  std::unique_ptr<sim::LogServer> log_server_;
  std::unique_ptr<sim::NodeRegistration> enrolment_;
  std::unique_ptr<sim::Kubelets> kubelets_;
  std::string status_;
  base::Timer status_timer_;
  int exit_code_ = 0;
};

int run_kubelets(const KubeletFlags& flags) {
  Session session(flags);
  if (auto opened = session.open(); !opened) return cli::complain(opened.error());
  return session.run();
}

void add_flags(cli::Command command, KubeletFlags& flags) {
  cli::add_target_flags(command, flags.target);
  add_simulation_flags(command, flags.simulation);
  command.option("--log-port", flags.log_port, "port on 127.0.0.1 for container logs; 0 picks one",
                 {.shows_default = true, .range = cli::Option::Range{0, 65535}});
  command.flag("--remove-nodes-at-exit", flags.remove_nodes_at_exit, "delete the nodes of --nodes at the end");
}

}  // namespace

void add_kubelet(cli::Command app, sim::SimVendors vendors) {
  cli::Command command = app.add("kubelet", "Play the kubelets of all nodes labelled drover.dev/simulated=true");
  command.footer(
      "A pod says what its containers do in the annotation sim.drover.dev/script, for example\n"
      "  say hello; wait 5s; ready; wait forever\n"
      "A node is rebooted by: kubectl annotate node NAME sim.drover.dev/order=reboot --overwrite");
  auto flags = std::make_shared<KubeletFlags>();
  flags->simulation.vendors = vendors;
  add_flags(command, *flags);
  command.run([flags] { return run_kubelets(*flags); });
}

}  // namespace drover::sim_cli
