#include "sim_cli/demo_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "base/text.h"
#include "cli/fleet_text.h"
#include "cli/screen.h"
#include "core/decide.h"
#include "core/explain.h"

namespace drover::sim_cli {
namespace {

using core::Phase;

// acme-2 before acme-10, as people count.
std::vector<std::size_t> by_number(const core::FleetView& view) {
  std::vector<std::size_t> order(view.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const std::string& one = view.nodes[a].name;
    const std::string& other = view.nodes[b].name;
    return one.size() != other.size() ? one.size() < other.size() : one < other;
  });
  return order;
}

std::string headline(const core::FleetView& view, std::optional<base::Span> left) {
  double parts = 0;
  int done = 0;
  int in_flight = 0;
  int pending = 0;
  std::string wanted;
  for (const core::NodeView& node : view.nodes) {
    parts += part_done(node.phase);
    done += node.phase == Phase::Done ? 1 : 0;
    in_flight += core::is_in_flight(node.phase) ? 1 : 0;
    pending += node.phase == Phase::Required ? 1 : 0;
    wanted = node.driver.wanted;
  }
  const auto all = static_cast<int>(view.nodes.size());
  const double part = all == 0 ? 0 : parts / all;
  std::string line = fmt::format("driver {}  {}  {}/{} done, {} in flight, {} waiting", wanted, cli::bar(part, 14),
                                 done, all, in_flight, pending);
  if (left && done < all) {
    // Ten seconds more or less are not known.
    const auto whole = std::chrono::ceil<std::chrono::seconds>(*left).count();
    line +=
        fmt::format(", ~{} left", base::human(std::chrono::seconds(std::max<std::int64_t>(10, (whole + 5) / 10 * 10))));
  }
  return line;
}

}  // namespace

double part_done(Phase phase) {
  if (phase == Phase::Idle || phase == Phase::Required || phase == Phase::Failed) return 0;
  constexpr double kAll = static_cast<double>(Phase::Done) - static_cast<double>(Phase::Required);
  return (static_cast<double>(phase) - static_cast<double>(Phase::Required)) / kAll;
}

std::string short_reason(const core::FleetView& view, const core::Slots& slots, const core::Flow& flow,
                         std::size_t index) {
  const core::NodeView& node = view.nodes[index];
  if (node.phase == Phase::Done) return {};
  if (node.pods && core::kBeforeSwap.has(node.phase)) {
    for (const core::PodView& pod : *node.pods) {
      if (!pod.held_by.empty()) return fmt::format("blocked by PodDisruptionBudget {}", pod.held_by);
    }
  }
  // How much of which time it has used changes with every look, and comes last.
  const std::string reason = core::reason_of(flow, view, slots, index);
  return base::one_line(reason.substr(0, reason.find("; ")), 120);
}

std::vector<std::string> fleet_picture(const observe::Fleet& fleet, const vendors::WorkProfile& profile,
                                       std::optional<base::Span> left) {
  const core::FleetView& view = fleet.seen();
  const core::Slots slots = core::count_slots(view);
  std::vector<std::vector<std::string>> rows = {{"NODE", "DRIVER", "", "STATE", "WHY"}};
  for (const std::size_t i : by_number(view)) {
    const core::NodeView& node = view.nodes[i];
    const std::string loaded = cli::loaded_driver(fleet, i, profile);
    rows.push_back({node.name, loaded.empty() ? "-" : loaded, cli::bar(part_done(node.phase), 9),
                    std::string(profile.shown_state_of(node, view.policy)),
                    short_reason(view, slots, profile.flow, i)});
  }
  std::vector<std::string> lines = {"", headline(view, left)};
  for (std::string& line : cli::table(rows)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace drover::sim_cli
