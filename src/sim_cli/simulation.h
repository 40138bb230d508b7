// What every command that plays kubelets has in common: which nodes, how long things take there, what is written down,
// and one line to people now and then.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/command.h"
#include "sim/images.h"
#include "sim/kubelet.h"

namespace drover::sim_cli {

struct SimulationFlags {
  sim::SimVendors vendors;  // whose machines and images are known
  std::string nodes;
  std::string journal;
  std::string scripts;
  std::uint64_t seed = 1;
  bool no_events = false;
  bool no_leases = false;
  bool agents = false;
  sim::KubeletPlan tempo_and_boot = {};

  // The plan that the flags ask for.
  sim::KubeletPlan plan() const;
  // The vendors' images, with what --agents and --scripts say before them.
  base::Result<sim::ImageTable> images() const;
};

void add_simulation_flags(cli::Command command, SimulationFlags& flags);

inline constexpr base::Span kStatusEvery = std::chrono::seconds(10);

// "5 nodes (5 up), 12 pods (12 ready)"
std::string status_line(const sim::Kubelets::Count& count);

// One line on stdout, at once.
void say(std::string_view line);

}  // namespace drover::sim_cli
