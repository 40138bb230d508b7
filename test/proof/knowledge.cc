#include "knowledge.h"

#include <algorithm>

namespace drover::proof {

void Knowledge::extend(Horizon& horizon, std::uint64_t version, base::Instant now) {
  if (horizon.empty() || horizon.back().first < version) horizon.emplace_back(version, now);
}

bool Knowledge::reached(const Horizon& horizon, std::uint64_t version, base::Instant when) {
  const auto at = std::lower_bound(horizon.begin(), horizon.end(), version,
                                   [](const auto& one, std::uint64_t wanted) { return one.first < wanted; });
  return at != horizon.end() && at->second <= when;
}

void Knowledge::show(const std::string& resource, const std::string& key, std::uint64_t version, base::Instant now) {
  extend(objects_[{resource, key}], version, now);
}

void Knowledge::show_all(const std::string& resource, std::uint64_t version, base::Instant now) {
  extend(resources_[resource], version, now);
}

bool Knowledge::knew(const Change& change, base::Instant when) const {
  if (change.version == 0) return true;
  const auto all = resources_.find(change.resource);
  if (all != resources_.end() && reached(all->second, change.version, when)) return true;
  const auto one = objects_.find({change.resource, change.key});
  return one != objects_.end() && reached(one->second, change.version, when);
}

std::uint64_t Knowledge::asks(std::string resource, std::string key, base::Instant now) {
  asked_[++tickets_] = {std::move(resource), std::move(key), now};
  return tickets_;
}

std::optional<base::Instant> Knowledge::asked(std::string_view resource, std::string_view key,
                                              base::Instant now) const {
  // What was never answered was lost, and did not happen this late.
  constexpr base::Span kLongestWay = std::chrono::minutes(1);
  for (const auto& [ticket, one] : asked_) {
    if (one.resource == resource && one.key == key && now - one.at <= kLongestWay) return one.at;
  }
  return {};
}

}  // namespace drover::proof
