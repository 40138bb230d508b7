// What a forecast says of each node: when it is taken and in which wave, which pods go from it, and how it ends.
// Written down as it is foreseen, shown in the order in which the nodes are taken.
#pragma once

#include <cstddef>
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
  bool is_forced_or_not = false;  // in some runs only
};

// One node, in the order in which they are taken.
struct Row {
  enum class End { Done, Failed, Waits, LeftOut };

  std::string node;
  std::string vendor = {};
  std::string policy = {};
  NodeDetails detail = {};
  int wave = 0;                   // 0: it is not taken at all
  bool is_first_install = false;  // it has no driver to lose: it gets its first one without being taken
  std::optional<base::Span> starts_in = {};
  std::optional<base::Span> ends_in = {};
  std::vector<Removed> removed = {};
  End end = End::Waits;
  std::string reason = {};  // why it failed or waits
};

class Rows {
 public:
  // One for each node of each policy; those in flight are the first wave.
  explicit Rows(const ForecastInput& input);

  // The row of a policy's first node; the others follow.
  std::size_t first_of(std::size_t policy) const { return policies_[policy].first; }
  Row& of(std::size_t node) { return rows_[node]; }
  // A node that begins belongs to the wave after that of the node of its policy that ended last.
  void taken(std::size_t node, base::Span at);
  void ended(std::size_t node, base::Span at);
  // As they were taken, then those that were not; without nodes that no policy wants.
  std::vector<Row> in_order() const;

 private:
  struct Policy {
    std::size_t first = 0;
    bool is_shown = true;
    int last_wave = 0;
  };
  std::size_t policy_of(std::size_t node) const;

  std::vector<Row> rows_;
  std::vector<std::size_t> order_;
  std::vector<Policy> policies_;
};

}  // namespace drover::forecast
