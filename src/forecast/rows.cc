#include "forecast/rows.h"

#include <algorithm>

namespace drover::forecast {

Rows::Rows(const ForecastInput& input) {
  for (const PolicyFleet& policy : input.policies) {
    policies_.push_back({.first = rows_.size(), .is_shown = policy.is_of_policy});
    for (std::size_t i = 0; i < policy.fleet.nodes.size(); ++i) {
      const core::NodeView& node = policy.fleet.nodes[i];
      rows_.push_back({.node = node.name,
                       .vendor = policy.vendor,
                       .policy = policy.fleet.policy.name,
                       .detail = policy.details[i]});
      if (core::is_in_flight(node.phase)) taken(rows_.size() - 1, base::Span::zero());
    }
  }
}

std::size_t Rows::policy_of(std::size_t node) const {
  const auto next = std::upper_bound(policies_.begin(), policies_.end(), node,
                                     [](std::size_t row, const Policy& policy) { return row < policy.first; });
  return static_cast<std::size_t>(next - policies_.begin()) - 1;
}

void Rows::taken(std::size_t node, base::Span at) {
  rows_[node].wave = policies_[policy_of(node)].last_wave + 1;
  rows_[node].starts_in = at;
  order_.push_back(node);
}

void Rows::ended(std::size_t node, base::Span at) {
  if (rows_[node].wave == 0) return;
  rows_[node].ends_in = at;
  policies_[policy_of(node)].last_wave = rows_[node].wave;
}

std::vector<Row> Rows::in_order() const {
  std::vector<std::size_t> order = order_;
  for (std::size_t node = 0; node < rows_.size(); ++node) order.push_back(node);
  std::vector<Row> rows;
  std::vector<bool> is_there(rows_.size(), false);
  for (const std::size_t node : order) {
    if (!is_there[node] && policies_[policy_of(node)].is_shown) rows.push_back(rows_[node]);
    is_there[node] = true;
  }
  return rows;
}

}  // namespace drover::forecast
