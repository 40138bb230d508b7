#include "forecast/rows.h"

namespace drover::forecast {

Rows::Rows(const ForecastInput& input) {
  for (const PolicyFleet& policy_fleet : input.policies) {
    firsts_.push_back(rows_.size());
    for (std::size_t i = 0; i < policy_fleet.fleet.nodes.size(); ++i) {
      const core::NodeView& node = policy_fleet.fleet.nodes[i];
      rows_.push_back({.node = node.name, .policy = policy_fleet.fleet.policy.name, .detail = policy_fleet.details[i]});
      if (core::is_in_flight(node.phase)) taken(rows_.size() - 1, base::Span::zero());
    }
  }
}

void Rows::taken(std::size_t node, base::Span at) {
  rows_[node].wave = last_waves_[rows_[node].policy] + 1;
  rows_[node].starts_in = at;
  order_.push_back(node);
}

void Rows::ended(std::size_t node, base::Span at) {
  if (rows_[node].wave == 0) return;
  rows_[node].ends_in = at;
  last_waves_[rows_[node].policy] = rows_[node].wave;
}

std::vector<Row> Rows::told() const {
  std::vector<Row> told;
  std::vector<bool> is_told(rows_.size(), false);
  for (const std::size_t node : order_) {
    if (!is_told[node]) told.push_back(rows_[node]);
    is_told[node] = true;
  }
  for (std::size_t node = 0; node < rows_.size(); ++node) {
    if (!is_told[node]) told.push_back(rows_[node]);
  }
  return told;
}

}  // namespace drover::forecast
