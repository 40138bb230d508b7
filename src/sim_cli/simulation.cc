#include "sim_cli/simulation.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/text.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "sim/agent_programs.h"
#include "sim/nodes.h"

namespace drover::sim_cli {

sim::KubeletPlan SimulationFlags::plan() const {
  sim::KubeletPlan wanted = tempo_and_boot;
  wanted.events = !no_events;
  wanted.leases = !no_leases;
  wanted.vendors = vendors;
  return wanted;
}

base::Result<sim::ImageTable> SimulationFlags::images() const {
  sim::ImageTable table = sim::ImageTable::with_vendors(vendors);
  if (agents) TRY_VOID(sim::prefer_driver_manager(table, vendors));
  if (scripts.empty()) return table;
  TRY(const auto text, base::read_file(scripts));
  if (auto read = table.read(text); !read) return base::with_context(read.error(), scripts);
  return table;
}

void add_simulation_flags(cli::Command command, SimulationFlags& flags) {
  command.option("--nodes", flags.nodes,
                 fmt::format("nodes to make, for example {}=50,cpu=3 ({})",
                             sim::node_templates(flags.vendors).front()->vendor, sim::known_templates(flags.vendors)),
                 {.type_name = "FLEET"});
  command.option("--journal", flags.journal, "append what happens on each node to this file, as JSON lines",
                 {.type_name = "FILE"});
  command.option("--scripts", flags.scripts, "how images behave, one \"IMAGE [CONTAINER] : SCRIPT\" a line",
                 {.type_name = "FILE"});
  sim::KubeletPlan& plan = flags.tempo_and_boot;
  cli::add_span_flag(command, "--pull", plan.tempo.pull, "pulling an image takes so long, once per node");
  cli::add_span_flag(command, "--start", plan.tempo.start, "starting a container takes so long");
  cli::add_span_flag(command, "--driver", plan.tempo.driver, "installing a driver takes so long");
  cli::add_span_flag(command, "--stop", plan.tempo.stop, "a container ends so long after SIGTERM");
  cli::add_span_flag(command, "--task", plan.tempo.task, "work that ends by itself takes so long");
  cli::add_span_flag(command, "--boot", plan.boot_takes, "a reboot takes so long until the kubelet speaks again");
  cli::add_span_flag(command, "--settle", plan.settle_takes, "from there to Ready takes so long");
  cli::add_fraction_flag(command, "--jitter", plan.tempo.jitter, "each of these times varies by so much");
  command.option("--seed", flags.seed, "where chance begins", {.shows_default = true});
  command.flag("--agents", flags.agents, "drivers' init containers run drover's own agent, not a script");
  command.flag("--no-events", flags.no_events, "write no Events");
  command.flag("--no-leases", flags.no_leases,
               "renew no leases (a node lifecycle controller turns the nodes NotReady)");
}

std::string status_line(const sim::Kubelets::Count& count) {
  return fmt::format("{} nodes ({} up), {} pods ({} ready)", count.nodes, count.nodes_up, count.pods, count.pods_ready);
}

void say(std::string_view line) {
  fmt::print("{}\n", base::one_line(line, 400));
  std::fflush(stdout);
}

}  // namespace drover::sim_cli
