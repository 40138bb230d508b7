// Many seeds. DROVER_SEEDS says how many, DROVER_SEED where to begin (with DROVER_SEEDS=1: that one alone, told).
#include "swarm.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "base/log.h"

namespace drover::proof {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

// The vendors of one operator.
struct Team {
  std::string name;
  std::vector<const Vendor*> vendors;
};
void PrintTo(const Team& team, std::ostream* out) { *out << team.name; }

// Each alone, and together.
std::vector<Team> all_teams() {
  std::vector<Team> teams;
  for (const Vendor* vendor : all_vendors()) teams.push_back({.name = std::string(vendor->name), .vendors = {vendor}});
  teams.push_back({.name = "together", .vendors = {&nvidia(), &tenstorrent()}});
  teams.push_back({.name = "all", .vendors = {&nvidia(), &tenstorrent(), &acme()}});
  return teams;
}

class Swarm : public testing::TestWithParam<Team> {};

TEST_P(Swarm, ComesToRestWhateverHappened) {
  const std::uint64_t first = number_from("DROVER_SEED", 1);
  const std::uint64_t count = number_from("DROVER_SEEDS", 30);
  if (count > 1) log::redirect([](std::string_view) {});
  const std::uint64_t most_failures = number_from("DROVER_FAILURES", 3);
  std::uint64_t failures = 0;
  for (std::uint64_t seed = first; seed < first + count && failures < most_failures; ++seed) {
    if (seed > first && (seed - first) % 100 == 0) std::cout << fmt::format("{} of {} seeds\n", seed - first, count);
    const SwarmResult result = swarm(GetParam().vendors, seed);
    if (count == 1) std::cout << result.chronicle;
    if (result.trouble.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ": " << result.trouble
                  << fmt::format(
                         "again: DROVER_SEED={} DROVER_SEEDS=1 build/test/test_proof --gtest_filter='*Rest*/{}'", seed,
                         GetParam().name);
  }
}

TEST_P(Swarm, IsTheSameForTheSameSeed) {
  log::redirect([](std::string_view) {});
  EXPECT_EQ(swarm(GetParam().vendors, 7).chronicle, swarm(GetParam().vendors, 7).chronicle);
}

INSTANTIATE_TEST_SUITE_P(Vendors, Swarm, testing::ValuesIn(all_teams()),
                         [](const auto& team) { return team.param.name; });

}  // namespace
}  // namespace drover::proof
