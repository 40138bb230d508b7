// What metrics are made of, for vendors whose documents name their own: what was done for each policy and how its nodes
// stand, as plain numbers, and how the vendor spells them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "core/view.h"

namespace drover::vendors {

enum class Deed : std::uint8_t {
  MakeSet,      // a DaemonSet that was not there
  ChangeSet,    // one that was
  EvictHolder,  // a pod that uses the device
  EvictOther,   // another one, in the drain
  TakeNode,     // the PATCH that cordons it
  GiveBack,     // the PATCH that gives it back
  WriteStatus,
};
inline constexpr std::size_t kDeeds = 7;

// How often it was tried, since this process began.
struct Tries {
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t held = 0;  // by a disruption budget
};

class Deeds {
 public:
  Tries& operator[](Deed deed) { return tries_[static_cast<std::size_t>(deed)]; }
  const Tries& operator[](Deed deed) const { return tries_[static_cast<std::size_t>(deed)]; }

 private:
  std::array<Tries, kDeeds> tries_ = {};
};

struct PolicyFigures {
  std::string policy;
  std::string version = {};                // that is wanted
  const core::FleetView* fleet = nullptr;  // its nodes
  Deeds deeds = {};
  std::optional<base::WallTime> looked_at{};  // when it was last gone through from end to end
};

// A metric and its samples.
struct Family {
  struct Sample {
    std::vector<std::pair<std::string, std::string>> labels;
    double value = 0;
  };

  std::string name;
  bool is_counter = false;
  std::string help;
  std::vector<Sample> samples = {};
};

}  // namespace drover::vendors
