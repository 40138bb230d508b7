#include "vendors/tenstorrent/ownership.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "vendors/tenstorrent/driver_policy.h"
#include "vendors/tenstorrent/words.h"

namespace drover::vendors {
namespace {

bool is_ending(const PolicyObject& policy) {
  return !json::text_at(*policy.object, {"metadata", "deletionTimestamp"}).empty();
}

// Times as Kubernetes writes them sort as text.
auto age(const PolicyObject& policy) {
  return std::make_tuple(json::text_at(*policy.object, {"metadata", "creationTimestamp"}),
                         json::text_at(*policy.object, {"metadata", "name"}));
}

// The oldest first, without those that are being deleted.
std::vector<std::size_t> in_order(const std::vector<PolicyObject>& policies) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (!is_ending(policies[i])) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return age(policies[a]) < age(policies[b]); });
  return order;
}

}  // namespace

NodeOwnership allot_tenstorrent(const std::vector<PolicyObject>& policies) {
  NodeOwnership allotment;
  allotment.ignored_because.resize(policies.size());
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (is_ending(policies[i])) allotment.ignored_because[i] = "it is being deleted";
  }
  std::set<std::string> keys = {std::string(kInstallModeLabel)};
  std::vector<std::pair<std::size_t, DriverPolicyReading>> readings;
  for (const std::size_t i : in_order(policies)) {
    readings.emplace_back(i, read_driver_policy(*policies[i].object));
    for (const auto& term : readings.back().second.nodes.terms()) keys.insert(term.key);
  }
  allotment.label_keys.assign(keys.begin(), keys.end());
  allotment.owner_of = [readings = std::move(readings)](const LabelsOf& labels) {
    Owner owner;
    for (const auto& [index, reading] : readings) {
      if (!reading.selects(labels, false)) continue;
      if (!owner.policy) owner.policy = index;
      owner.rivals.push_back(index);
    }
    if (owner.rivals.size() == 1) owner.rivals.clear();
    return owner;
  };
  return allotment;
}

std::vector<base::Selector> older_selectors(const std::vector<PolicyObject>& policies, std::size_t which) {
  std::vector<base::Selector> older;
  for (const std::size_t i : in_order(policies)) {
    if (i == which) break;
    const DriverPolicyReading reading = read_driver_policy(*policies[i].object);
    if (reading.nodes_are_known) older.push_back(reading.nodes);
  }
  return older;
}

}  // namespace drover::vendors
