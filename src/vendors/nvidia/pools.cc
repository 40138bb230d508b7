#include "vendors/nvidia/pools.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "protocol/keys.h"
#include "vendors/shared/checks.h"

namespace drover::vendors {
namespace {

constexpr std::string_view kOsId = "feature.node.kubernetes.io/system-os_release.ID";
constexpr std::string_view kOsVersion = "feature.node.kubernetes.io/system-os_release.VERSION_ID";
constexpr std::string_view kKernel = "feature.node.kubernetes.io/kernel-version.full";
constexpr std::size_t kMostTag = 128;
constexpr std::size_t kMostName = 63;  // it is also a label's value

std::string label(const json::Members& labels, std::string_view key) {
  const json::Value* value = labels.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

json::Members own_match_labels(const std::string& name) { return {{"app", kDriverDaemonSet}, {kDriverSetLabel, name}}; }

}  // namespace

std::string operand_name(std::string_view operand, const std::string& word) {
  if (word.empty()) return std::string(operand);
  std::string tail;
  for (const char c : base::lower(word)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    tail += is_plain ? c : '-';
  }
  std::string name = fmt::format("{}-{}", operand, tail);
  if (tail == word && name.size() <= kMostName) return name;
  const std::string digest = fmt::format("{:08x}", base::fnv1a(word) & 0xffffffffU);
  name.resize(std::min(name.size(), kMostName - digest.size() - 1));
  while (name.ends_with('.') || name.ends_with('-')) name.pop_back();
  return name + "-" + digest;
}

std::string Pool::word() const {
  if (os_id.empty()) return "any";
  return kernel.empty() ? os_id + os_version : fmt::format("{}{}-{}", os_id, os_version, kernel);
}

std::optional<Pool> pool_of(const DriverAsk& driver, const json::Members& labels) {
  if (driver.is_pinned()) return Pool{};
  Pool pool{.os_id = label(labels, kOsId), .os_version = label(labels, kOsVersion)};
  if (!is_system_word(pool.os_id) || !is_system_word(pool.os_version)) return {};
  if (driver.is_precompiled) {
    pool.kernel = label(labels, kKernel);
    if (!is_system_word(pool.kernel)) return {};
  }
  return pool;
}

std::string image_for(const DriverAsk& driver, const Pool& pool) {
  if (driver.version.empty()) return driver.image;
  const std::string path = driver.repository + "/" + driver.image;
  if (driver.is_pinned()) return path + "@" + driver.version;
  const std::string os = pool.os_id + pool.os_version;
  const std::string tag = pool.kernel.empty() ? fmt::format("{}-{}", driver.version, os)
                                              : fmt::format("{}-{}-{}", driver.version, pool.kernel, os);
  return tag.size() <= kMostTag ? path + ":" + tag : std::string();
}

DriverSet driver_set_of(const json::Value& daemon_set) {
  return {.name = std::string(json::text_at(daemon_set, {"metadata", "name"})),
          .policy = std::string(json::text_at(daemon_set, {"metadata", "annotations", protocol::kPolicyAnnotation})),
          .pool = std::string(json::text_at(daemon_set, {"metadata", "annotations", kPoolAnnotation})),
          .match_labels = json::members_at(daemon_set, {"spec", "selector", "matchLabels"}),
          .has_owner = !json::array_at(daemon_set, {"metadata", "ownerReferences"}).empty()};
}

Placement place(const DriverAsk& driver, const std::vector<PoolNode>& nodes, std::vector<DriverSet> existing,
                const std::string& suffix) {
  Placement placement;
  const std::string plain = operand_name(kDriverDaemonSet, suffix);
  std::map<Pool, int> pools;
  for (const PoolNode& node : nodes) {
    if (const auto pool = pool_of(driver, node.labels); pool && !image_for(driver, *pool).empty()) {
      ++pools[*pool];
    } else {
      placement.unplaced.push_back(node.name);
    }
  }
  std::sort(placement.unplaced.begin(), placement.unplaced.end());
  for (const auto& [pool, count] : pools) placement.carriers.push_back({.pool = pool, .nodes = count});

  std::sort(existing.begin(), existing.end(), [](const DriverSet& a, const DriverSet& b) { return a.name < b.name; });
  std::set<std::string> taken;
  const auto give = [&](Placement::Carrier& carrier, const DriverSet& set) {
    carrier.name = set.name;
    carrier.match_labels = set.match_labels.empty() ? own_match_labels(set.name) : set.match_labels;
    taken.insert(set.name);
  };
  // The plain name sorts first, so it wins where two claim one pool.
  for (auto& carrier : placement.carriers) {
    const std::string word = carrier.pool.word();
    const auto set = std::find_if(existing.begin(), existing.end(), [&](const DriverSet& s) { return s.pool == word; });
    if (set != existing.end()) give(carrier, *set);
  }
  const bool is_one_to_one = placement.carriers.size() == 1 && existing.size() == 1 && placement.unplaced.empty();
  // The vendor's own DaemonSet says no pool; it goes to the pool that has most nodes.
  auto largest = std::max_element(placement.carriers.begin(), placement.carriers.end(),
                                  [](const auto& a, const auto& b) { return a.nodes < b.nodes; });
  for (const DriverSet& set : existing) {
    const bool fits = is_one_to_one || (set.pool.empty() && set.name == plain);
    if (fits && largest != placement.carriers.end() && largest->name.empty() && !taken.contains(set.name))
      give(*largest, set);
  }
  std::set<std::string> names;
  for (const DriverSet& set : existing) names.insert(set.name);
  for (auto& carrier : placement.carriers) {
    if (!carrier.name.empty()) continue;
    const std::string word = suffix.empty() ? carrier.pool.word() : suffix + "-" + carrier.pool.word();
    carrier.name = names.contains(plain) ? operand_name(kDriverDaemonSet, word) : plain;
    carrier.match_labels = own_match_labels(carrier.name);
    names.insert(carrier.name);
  }
  for (const DriverSet& set : existing) {
    const bool is_carrier = std::any_of(placement.carriers.begin(), placement.carriers.end(),
                                        [&](const auto& carrier) { return carrier.name == set.name; });
    // What we did not make we do not remove.
    if (!is_carrier && !set.pool.empty() && placement.unplaced.empty()) placement.leftovers.push_back(set.name);
  }
  return placement;
}

}  // namespace drover::vendors
