// Random trouble finds every deliberate bug by itself, for each vendor that can have it; one that it does not find is a
// hole in the world or in the checker. docs/planted-bugs.md says with which seed: that one is played first.
// DROVER_UPDATE=1 looks for each bug from seed 1 on and writes that page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

#include "base/log.h"
#include "base/text.h"
#include "bugs.h"
#include "swarm.h"

namespace drover::proof {
namespace {

constexpr const char* kBugsPage = "docs/planted-bugs.md";
constexpr std::uint64_t kMostSeeds = 500;

struct Hunt {
  const Bug* bug;
  const Vendor* vendor;

  std::string row() const { return fmt::format("| {} | {} |", bug->name, vendor->name); }
};
void PrintTo(const Hunt& hunt, std::ostream* out) { *out << hunt.row(); }

struct Found {
  std::uint64_t seed = 0;  // 0: not found
  std::string by;          // the promise that was broken
};

Found play(const Hunt& hunt, std::uint64_t seed) {
  const std::string trouble = swarm({&hunt.vendor, 1}, seed, hunt.bug).trouble;
  return trouble.empty() ? Found() : Found{seed, trouble.substr(0, trouble.find(':'))};
}

// As the page has it; 0 where it does not.
std::uint64_t known_seed(const Hunt& hunt) {
  std::ifstream page(kBugsPage);
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with(hunt.row())) return std::strtoull(line.c_str() + hunt.row().size(), nullptr, 10);
  }
  return 0;
}

Found find(const Hunt& hunt) {
  const std::uint64_t known = std::getenv("DROVER_UPDATE") == nullptr ? known_seed(hunt) : 0;
  if (known > 0) {
    if (Found found = play(hunt, known); found.seed > 0) return found;
  }
  for (std::uint64_t seed = 1; seed <= kMostSeeds; ++seed) {
    if (Found found = play(hunt, seed); found.seed > 0) return found;
  }
  return {};
}

std::string rows;  // of the page

class PlantedBug : public testing::TestWithParam<Hunt> {
 protected:
  static void TearDownTestSuite() {
    if (std::getenv("DROVER_UPDATE") == nullptr) return;
    std::ofstream page(kBugsPage);
    page << "# Planted bugs\n\n"
            "Made by `DROVER_UPDATE=1 build/test/test_proof --gtest_filter='*PlantedBug*'`. Each is a mistake that an\n"
            "engine could make ([test/proof/bugs.cc](../test/proof/bugs.cc)), made between drover and the API server.\n"
            "Random trouble was played with it, seed by seed from 1 on, until the checker found a broken promise; the\n"
            "last column says which. The same seeds without the bug break none. Stories find most of them, too\n"
            "(`*DeliberateBug*`), one that says the same twice only they do.\n\n"
            "| bug | vendor | seeds until found | by |\n|---|---|---|---|\n"
         << rows;
  }
};

TEST_P(PlantedBug, IsFoundByRandomTrouble) {
  log::redirect([](std::string_view) {});
  const Found found = find(GetParam());
  EXPECT_GT(found.seed, 0U) << "not in " << kMostSeeds << " seeds";
  rows += fmt::format("{} {} | {} |\n", GetParam().row(), found.seed, found.by);
}

bool is_hunted(const Vendor& vendor, const Bug& bug) {
  const auto others = base::split(bug.not_hunted_in, ',');
  return !vendor.is_exempt(bug.invariant) && std::find(others.begin(), others.end(), vendor.name) == others.end();
}

std::vector<Hunt> all_hunts() {
  std::vector<Hunt> all;
  for (const Bug& bug : all_bugs()) {
    for (const Vendor* vendor : {&nvidia(), &tenstorrent()}) {
      if (is_hunted(*vendor, bug)) all.push_back({&bug, vendor});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, PlantedBug, testing::ValuesIn(all_hunts()), [](const auto& info) {
  std::string name = fmt::format("{} of {}", info.param.bug->name, info.param.vendor->name);
  std::replace_if(name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
});

}  // namespace
}  // namespace drover::proof
