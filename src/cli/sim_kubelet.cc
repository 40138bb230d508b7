// `drover sim kubelet`: the simulated kubelets against any API server, in real time, until SIGINT or SIGTERM.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "kube/config.h"
#include "kube/http_api.h"
#include "sim/enrol.h"
#include "sim/journal.h"
#include "sim/kubelet.h"
#include "sim/nodes.h"
#include "sim/serve/log_server.h"

namespace drover::cli {
namespace {

struct SimKubeletFlags {
  TargetFlags target;
  std::string nodes;
  std::string journal;
  std::string scripts;
  int log_port = 0;
  std::uint64_t seed = 1;
  bool no_events = false;
  bool no_leases = false;
  bool remove_nodes_at_exit = false;
  sim::KubeletPlan plan;
};

constexpr base::Span kStatusEvery = std::chrono::seconds(10);
constexpr int kConnections = 16;

void say(std::string_view line) {
  fmt::print("{}\n", base::one_line(line, 400));
  std::fflush(stdout);
}

// One run of the command: everything that lives from the first request to the last.
class Session {
 public:
  explicit Session(SimKubeletFlags flags) : flags_(std::move(flags)), random_(flags_.seed) {}

  base::Result<void> open() {
    TRY(fleet_, sim::parse_fleet(flags_.nodes));
    if (!flags_.scripts.empty()) {
      TRY(const auto text, base::read_file(flags_.scripts));
      if (auto read = images_.read(text); !read) return base::with_context(read.error(), flags_.scripts);
    }
    TRY(auto target, kube::find_target(flags_.target.kubeconfig, flags_.target.context));
    target.user_agent = "drover-sim-kubelet";
    kube::HttpLimits limits;
    limits.pool = kConnections;
    TRY(api_, kube::HttpApi::open(loop_, std::move(target), limits));
    if (!flags_.journal.empty()) {
      TRY(journal_, sim::Journal::open(loop_, flags_.journal));
    }
    TRY(log_server_, sim::LogServer::open(loop_, logs_, flags_.log_port));
    return {};
  }

  int run() {
    enrolment_ = std::make_unique<sim::Enrolment>(*api_, loop_, random_.fork("enrolment"));
    loop_.on_signal([this](int) { leave(); });
    enrolment_->enrol(sim::make_nodes(fleet_), [this](base::Result<sim::Enrolment::Count> count) {
      if (!count) {
        exit_code_ = complain(count.error());
        return loop_.stop();
      }
      if (count->made + count->found > 0) say(fmt::format("{} nodes made, {} found", count->made, count->found));
      play();
    });
    loop_.run();
    return exit_code_;
  }

 private:
  void play() {
    auto plan = flags_.plan;
    plan.log_port = log_server_->port();
    plan.events = !flags_.no_events;
    plan.leases = !flags_.no_leases;
    kubelets_ = std::make_unique<sim::Kubelets>(*api_, loop_, random_, std::move(plan), std::move(images_));
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
    auto line =
        fmt::format("{} nodes ({} up), {} pods ({} ready)", count.nodes, count.nodes_up, count.pods, count.pods_ready);
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
    // Whoever is in a hurry sends another signal.
    loop_.on_signal([this](int) { loop_.stop(); });
    std::vector<std::string> names;
    for (const auto& node : sim::make_nodes(fleet_)) names.emplace_back(kube::name_of(node));
    enrolment_->dismiss(std::move(names), [this](base::Result<int> gone) {
      if (gone) {
        say(fmt::format("ended; {} nodes removed", *gone));
      } else {
        exit_code_ = complain(gone.error());
      }
      loop_.stop();
    });
  }

  SimKubeletFlags flags_;
  kube::AsioLoop loop_;
  base::Random random_;
  std::vector<sim::FleetPart> fleet_;
  sim::ImageTable images_ = sim::ImageTable::with_vendors();
  sim::LogBook logs_;
  std::unique_ptr<kube::HttpApi> api_;
  std::unique_ptr<sim::Journal> journal_;
  std::unique_ptr<sim::LogServer> log_server_;
  std::unique_ptr<sim::Enrolment> enrolment_;
  std::unique_ptr<sim::Kubelets> kubelets_;
  std::string status_;
  base::Timer status_timer_;
  int exit_code_ = 0;
};

int sim_kubelet(const SimKubeletFlags& flags) {
  Session session(flags);
  if (auto opened = session.open(); !opened) return complain(opened.error());
  return session.run();
}

void add_flags(CLI::App& command, SimKubeletFlags& flags) {
  add_target_flags(command, flags.target);
  command
      .add_option("--nodes", flags.nodes,
                  "nodes to make, for example nvidia=50,cpu=3 (nvidia, tenstorrent, rebellions, ascend, cpu)")
      ->type_name("FLEET");
  command.add_option("--journal", flags.journal, "append what happens on each node to this file, as JSON lines")
      ->type_name("FILE");
  command.add_option("--scripts", flags.scripts, "how images behave, one \"IMAGE [CONTAINER] : SCRIPT\" a line")
      ->type_name("FILE");
  command.add_option("--log-port", flags.log_port, "port on 127.0.0.1 for container logs; 0 picks one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  auto& tempo = flags.plan.tempo;
  add_span_flag(command, "--pull", tempo.pull, "pulling an image takes so long, once per node");
  add_span_flag(command, "--start", tempo.start, "starting a container takes so long");
  add_span_flag(command, "--driver", tempo.driver, "installing a driver takes so long");
  add_span_flag(command, "--stop", tempo.stop, "a container ends so long after SIGTERM");
  add_span_flag(command, "--task", tempo.task, "work that ends by itself takes so long");
  add_span_flag(command, "--boot", flags.plan.boot_takes, "a reboot takes so long until the kubelet speaks again");
  add_span_flag(command, "--settle", flags.plan.settle_takes, "from there to Ready takes so long");
  add_fraction_flag(command, "--jitter", tempo.jitter, "each of these times varies by so much");
  command.add_option("--seed", flags.seed, "where chance begins")->capture_default_str();
  command.add_flag("--no-events", flags.no_events, "write no Events");
  command.add_flag("--no-leases", flags.no_leases, "renew no leases (nodes turn NotReady unless nobody looks)");
  command.add_flag("--remove-nodes-at-exit", flags.remove_nodes_at_exit, "delete the nodes of --nodes at the end");
}

}  // namespace

void add_sim(CLI::App& app, Chosen& chosen) {
  auto* sim = app.add_subcommand("sim", "Play parts of a cluster");
  sim->require_subcommand(1);
  auto* command = sim->add_subcommand("kubelet", "Play the kubelets of all nodes labelled drover.dev/simulated=true");
  command->footer(
      "A pod says what its containers do in the annotation sim.drover.dev/script, for example\n"
      "  say hello; wait 5s; ready; wait forever\n"
      "A node is rebooted by: kubectl annotate node NAME sim.drover.dev/order=reboot --overwrite");
  auto flags = std::make_shared<SimKubeletFlags>();
  add_flags(*command, *flags);
  command->callback([&chosen, flags] { chosen = [flags] { return sim_kubelet(*flags); }; });
  add_sim_serve(*sim, chosen);
}

}  // namespace drover::cli
