#include "forecast/monte_carlo.h"

#include <algorithm>
#include <map>
#include <utility>

#include "forecast/durations.h"

namespace drover::forecast {
namespace {

using base::Span;

constexpr int kMostTries = 20;
// A run costs about the square of the nodes; in a large fleet the differences even out, and one run has to do.
constexpr std::size_t kMostNodesInTries = 2000;
// Of the tries, this part lies outside on either side.
constexpr int kOutside = 10;

int tries_for(std::size_t nodes) {
  return nodes == 0 ? 0 : static_cast<int>(std::min<std::size_t>(kMostTries, kMostNodesInTries / nodes));
}

using Forced = std::map<std::string, int>;  // by pod that exists, in how many runs

void count_forced(const Forecast& run, Forced& forced) {
  for (const Row& row : run.rows) {
    for (const Removed& one : row.removed) {
      if (one.is_forced && !one.is_replacement) ++forced[one.pod];
    }
  }
}

// What does not end alike in all runs depends on the durations.
void mark_chances(Forecast& forecast, const Forced& forced) {
  for (Row& row : forecast.rows) {
    for (Removed& one : row.removed) {
      const auto at = forced.find(one.pod);
      one.is_forced_or_not = !one.is_replacement && at != forced.end() && at->second <= forecast.tries;
    }
  }
}

// What is in the way in this run and in none before.
void add_obstacles(const Forecast& run, std::vector<Obstacle>& obstacles) {
  for (const Obstacle& one : run.obstacles) {
    const bool is_known = std::any_of(obstacles.begin(), obstacles.end(),
                                      [&](const Obstacle& known) { return Obstacles::is_same(known, one); });
    if (is_known) continue;
    obstacles.push_back(one);
    obstacles.back().is_usual = false;
  }
}

}  // namespace

Forecast foresee(const ForecastInput& input) {
  Forecast usual = forecast(input, Durations());
  usual.tries = usual.waves == 0 ? 0 : tries_for(usual.rows.size());
  if (usual.tries == 0) return usual;
  Forced forced;
  count_forced(usual, forced);
  std::vector<Span> takes = {usual.takes};
  for (int i = 0; i < usual.tries; ++i) {
    const Forecast run = forecast(input, Durations(base::Random(static_cast<std::uint64_t>(i) + 1)));
    count_forced(run, forced);
    add_obstacles(run, usual.obstacles);
    usual.others += run.gets_through != usual.gets_through ? 1 : 0;
    takes.push_back(run.takes);
  }
  mark_chances(usual, forced);
  std::sort(takes.begin(), takes.end());
  const std::size_t outside = takes.size() * kOutside / 100;
  usual.takes = takes[takes.size() / 2];
  usual.takes_at_least = takes[outside];
  usual.takes_at_most = takes[takes.size() - 1 - outside];
  return usual;
}

}  // namespace drover::forecast
