// What a forecast says of each node: when it is taken and in which wave, who goes from it, and how it ends. Written
// down as it is foreseen, told in the order in which they are taken.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "forecast/input.h"

namespace drover::forecast {

struct Removed {
  std::string pod;    // "ml/train-7"; of one that does not exist yet a name that it might have
  std::string owner;  // "ReplicaSet ml/train"; empty: a bare pod
  bool is_replacement = false;
  bool is_forced = false;         // deleted around its budget, because a documented time is over
  bool is_forced_or_not = false;  // that is left to chance
};

// One node, in the order in which they are taken.
struct Row {
  enum class End { Done, Failed, Waits, LeftOut };

  std::string node;
  std::string policy = {};
  NodeDetails detail = {};
  int wave = 0;  // 0: it is not taken at all
  std::optional<base::Span> starts_in = {};
  std::optional<base::Span> ends_in = {};
  std::vector<Removed> removed = {};
  End end = End::Waits;
  std::string reason = {};  // why it failed or waits
};

class Rows {
 public:
  // One for each node of the ground; those in flight are the first wave.
  explicit Rows(const ForecastInput& input);

  // The row of a plot's first node; the others follow.
  std::size_t first_of(std::size_t policy_fleet) const { return firsts_[policy_fleet]; }
  Row& of(std::size_t node) { return rows_[node]; }
  // A node that begins belongs to the wave after that of whoever of its policy ended last.
  void taken(std::size_t node, base::Span at);
  void ended(std::size_t node, base::Span at);
  // As they were taken, then those that were not.
  std::vector<Row> told() const;

 private:
  std::vector<Row> rows_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> firsts_;        // by plot
  std::map<std::string, int> last_waves_;  // by policy
};

}  // namespace drover::forecast
