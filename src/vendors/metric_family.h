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

enum class Operation : std::uint8_t {
  MakeSet,      // a DaemonSet that was not there
  ChangeSet,    // one that was
  EvictHolder,  // a pod that uses the device
  EvictOther,   // another one, in the drain
  ForceDelete,  // a pod whose documented time is over
  TakeNode,     // the PATCH that cordons it
  GiveBack,     // the PATCH that gives it back
  WriteStatus,
};
inline constexpr std::size_t kOperations = 8;

// How often it was tried, since this process began.
struct Attempts {
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t held = 0;  // by a disruption budget
};

class PolicyCounters {
 public:
  Attempts& operator[](Operation operation) { return tries_[static_cast<std::size_t>(operation)]; }
  const Attempts& operator[](Operation operation) const { return tries_[static_cast<std::size_t>(operation)]; }

 private:
  std::array<Attempts, kOperations> tries_ = {};
};

struct PolicyMetrics {
  std::string policy;
  std::string version = {};                // that is wanted
  const core::FleetView* fleet = nullptr;  // its nodes
  PolicyCounters counters = {};
  std::optional<base::WallTime> looked_at{};  // when it was last gone through from end to end
};

// A metric and its samples.
struct MetricFamily {
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
