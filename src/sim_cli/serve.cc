// `drover-sim serve`: a whole cluster in this process (API server, controllers, kubelets, in real time) behind HTTPS,
// for kubectl and helm, until SIGINT or SIGTERM.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/address.h"
#include "sim/journal.h"
#include "sim/kubelet.h"
#include "sim/node_registration.h"
#include "sim/nodes.h"
#include "sim/server/bugs.h"
#include "sim/world.h"
#include "sim_cli/cluster_door.h"
#include "sim_cli/commands.h"
#include "sim_cli/simulation.h"

namespace drover::sim_cli {
namespace {

struct ServeFlags {
  std::string listen = "127.0.0.1:0";
  std::vector<std::string> names;
  std::string kubeconfig;
  SimulationFlags simulation;
  bool no_managed_fields = false;
  std::vector<std::string> bugs;
  bool list_bugs = false;
};

// One run of the command. Members are destroyed from the last to the first: the HTTP frontend before the cluster.
class ServedCluster {
 public:
  explicit ServedCluster(ServeFlags flags) : flags_(std::move(flags)), random_(flags_.simulation.seed) {}

  base::Result<void> open() {
    TRY(fleet_, sim::parse_fleet(flags_.simulation.nodes, flags_.simulation.vendors));
    TRY(const cli::Address address, cli::parse_address(flags_.listen));
    TRY(images_, flags_.simulation.images());
    if (!flags_.simulation.journal.empty()) {
      TRY(journal_, sim::Journal::open(loop_, flags_.simulation.journal));
    }
    cluster_ = std::make_unique<sim::EmbeddedCluster>(loop_, sim::ClusterOptions{.seed = flags_.simulation.seed});
    cluster_->server().always_manage_fields(!flags_.no_managed_fields);
    for (const std::string& name : flags_.bugs) {
      TRY(const sim::Bug bug, sim::parse_bug(name));
      cluster_->server().commit_bug(bug);
    }
    TRY(door_, ClusterDoor::open(loop_, *cluster_, logs_, address, flags_.names));
    if (!address.is_loopback) {
      say(fmt::format("warning: {} is reachable from other machines; the token of {} grants cluster-admin",
                      flags_.listen, flags_.kubeconfig.empty() ? "the kubeconfig" : flags_.kubeconfig));
    }
    return {};
  }

  int run() {
    loop_.on_signal([this](int) { leave(); });
    enrolment_ = std::make_unique<sim::NodeRegistration>(cluster_->api("kubelets"), loop_, random_.fork("enrolment"));
    enrolment_->enrol(sim::make_nodes(fleet_, flags_.simulation.vendors),
                      [this](base::Result<sim::NodeRegistration::Count> count) {
                        if (!count) {
                          exit_code_ = cli::complain(count.error());
                          return loop_.stop();
                        }
                        if (count->made > 0) say(fmt::format("{} nodes made", count->made));
                        play();
                      });
    loop_.run();
    return exit_code_;
  }

 private:
  void play() {
    auto plan = flags_.simulation.plan();
    kubelets_ = std::make_unique<sim::Kubelets>(cluster_->api("kubelets"), loop_, random_, std::move(plan),
                                                std::move(images_), sim::agent_programs(flags_.simulation.vendors));
    kubelets_->write_journal(journal_.get());
    kubelets_->keep_logs(&logs_);
    kubelets_->tell(say);
    kubelets_->start();
    // Like an API server that has just been started: earlier history cannot be watched.
    cluster_->server().store().compact(cluster_->store().version());
    if (!flags_.kubeconfig.empty()) {
      if (auto written = base::write_file(flags_.kubeconfig, door_->kubeconfig()); !written) {
        exit_code_ = cli::complain(written.error());
        return loop_.stop();
      }
    }
    say(fmt::format("ready: {}{}; SIGINT or SIGTERM ends it", door_->url(),
                    flags_.kubeconfig.empty() ? "" : fmt::format(", kubeconfig {}", flags_.kubeconfig)));
    status();
  }

  // One line when something changed, at most every ten seconds.
  void status() {
    const auto count = kubelets_->count();
    auto line = status_line(count);
    if (line != status_ && count.nodes > 0) {
      say(line);
      status_ = std::move(line);
    }
    status_timer_ = loop_.after(kStatusEvery, [this] { status(); });
  }

  void leave() {
    status_timer_.cancel();
    door_.reset();
    say("ended; the cluster is gone");
    loop_.stop();
  }

  ServeFlags flags_;
  kube::AsioLoop loop_;
  base::Random random_;
  std::vector<sim::FleetPart> fleet_;
  sim::ImageTable images_;
  sim::LogBook logs_;
  std::unique_ptr<sim::Journal> journal_;
  std::unique_ptr<sim::EmbeddedCluster> cluster_;
  std::unique_ptr<sim::NodeRegistration> enrolment_;
  std::unique_ptr<sim::Kubelets> kubelets_;
  std::unique_ptr<ClusterDoor> door_;
  std::string status_;
  base::Timer status_timer_;
  int exit_code_ = 0;
};

int serve_cluster(const ServeFlags& flags) {
  if (flags.list_bugs) {
    for (const sim::BugRow& row : sim::all_bugs()) fmt::print("{} ({}): {}\n", row.name, row.area, row.sentence);
    return 0;
  }
  ServedCluster served(flags);
  if (auto opened = served.open(); !opened) return cli::complain(opened.error());
  return served.run();
}

void add_flags(cli::Command command, ServeFlags& flags) {
  command.option("--listen", flags.listen, "where to listen; port 0 picks a free one",
                 {.type_name = "ADDRESS:PORT", .shows_default = true});
  command.option("--name", flags.names, "another name or address by which visitors may call this server",
                 {.type_name = "HOST"});
  command.option("--write-kubeconfig", flags.kubeconfig, "write the administrator's kubeconfig here (mode 0600)",
                 {.type_name = "FILE"});
  add_simulation_flags(command, flags.simulation);
  command.flag("--no-managed-fields", flags.no_managed_fields,
               "keep managedFields only for applied objects: less memory for large fleets");
  command.option("--bug", flags.bugs, "make this mistake on purpose (for tests of the tests)", {.type_name = "NAME"});
  command.flag("--list-bugs", flags.list_bugs, "list the mistakes that can be made, one a line, and end");
}

}  // namespace

void add_serve(cli::Command app, sim::SimVendors vendors) {
  cli::Command command = app.add("serve", "Serve a simulated cluster over HTTPS, for kubectl and helm");
  command.footer(
      fmt::format("  drover-sim serve --write-kubeconfig sim.kubeconfig --nodes {}=3,cpu=2 &\n"
                  "  kubectl --kubeconfig sim.kubeconfig get nodes",
                  sim::node_templates(vendors).front()->vendor));
  auto flags = std::make_shared<ServeFlags>();
  flags->simulation.vendors = vendors;
  add_flags(command, *flags);
  command.run([flags] { return serve_cluster(*flags); });
}

}  // namespace drover::sim_cli
