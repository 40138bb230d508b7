#include "vendors/tenstorrent/driver_policy.h"

#include <fmt/format.h>

#include <limits>

#include "vendors/shared/checks.h"
#include "vendors/shared/section.h"
#include "vendors/tenstorrent/words.h"

namespace drover::vendors {
namespace {

constexpr std::int64_t kMostPolicySeconds = 10LL * 365 * 24 * 3600;
constexpr std::int64_t kDrainSeconds = 600;
constexpr std::size_t kMostPolicyNameBytes = 63;  // it becomes the value of a label

bool is_image_pull_policy(std::string_view text) {
  return text == "Always" || text == "IfNotPresent" || text == "Never";
}

std::int64_t number(const Section& from, std::string_view key, std::int64_t fallback, std::int64_t least,
                    std::int64_t most) {
  const json::Value* value = from.find(key);
  if (value == nullptr) return fallback;
  if (value->is_int64() && value->get_int64() >= least && value->get_int64() <= most) return value->get_int64();
  from.blame(key, *value, fmt::format("a whole number from {} to {} is wanted", least, most));
  return fallback;
}

std::optional<base::Selector> read_nodes(const Section& spec) {
  const json::Value* affinity = spec.find("nodeAffinity");
  const json::Value* older = spec.find("nodeSelector");
  if ((affinity != nullptr) == (older != nullptr)) {
    spec.blame("nodeAffinity", affinity == nullptr ? json::Value() : *affinity,
               "exactly one of spec.nodeAffinity or spec.nodeSelector must be set ({} means every node with a device)");
    return std::nullopt;
  }
  const auto selector = base::Selector::from_json(affinity != nullptr ? *affinity : *older);
  if (selector) return *selector;
  const std::string_view key = affinity != nullptr ? "nodeAffinity" : "nodeSelector";
  spec.blame(key, affinity != nullptr ? *affinity : *older, "not a label selector: " + selector.error().message);
  return std::nullopt;
}

void read_drain(const Section& drain, PolicyReading& reading) {
  const std::int64_t seconds = number(drain, "timeoutSeconds", kDrainSeconds, 0, kMostPolicySeconds);
  const auto at_most = seconds == 0 ? std::optional<base::Span>() : std::chrono::seconds(seconds);
  const bool takes_bare_pods = drain.flag("force", false);
  const bool takes_local_data = drain.flag("deleteEmptyDir", true);
  core::Policy& policy = reading.policy;
  policy.device_pods.reset();
  policy.cordons = drain.flag("enable", true);
  if (policy.cordons) {
    // What holds the device has to go whatever its emptyDir holds: the flag speaks of the second pass only.
    policy.device_pods = core::Removal{
        .takes_bare_pods = takes_bare_pods, .takes_local_data = true, .at_most = at_most, .forces = false};
    if (drain.flag("fullNode", true)) {
      policy.drain = core::Removal{.takes_bare_pods = takes_bare_pods,
                                   .takes_local_data = takes_local_data,
                                   .at_most = at_most,
                                   .forces = false};
    }
  }
  const json::Value* filter = drain.find("podSelectorLabel");
  if (filter == nullptr) return;
  const auto parsed = filter->is_string() ? base::Selector::parse(filter->get_string())
                                          : base::fault(base::Fault::Kind::Refused, "not a string");
  if (parsed)
    reading.drained = *parsed;
  else
    drain.blame("podSelectorLabel", *filter, "a label selector such as app=web is wanted: " + parsed.error().message);
}

void read_upgrade(const Section& upgrade, DriverPolicyReading& reading) {
  core::Policy& policy = reading.upgrade.policy;
  reading.kills_holders = upgrade.flag("forceUnload", false);
  policy.max_parallel = static_cast<int>(number(upgrade, "maxParallel", 1, 1, std::numeric_limits<int>::max()));
  policy.max_parallel_field = "maxParallel";
  // maxParallel is the only width that the document knows.
  policy.unavailable = {.amount = 1000, .is_percent = true};
  // The share is written as in the other vendors' policies, and read as there.
  if (const json::Value* failures = upgrade.find("failureBudget"); failures != nullptr) {
    const json::Value only = json::Members{{"failureBudget", *failures}};
    const PolicyReading share = read_upgrade_policy(&only, upgrade.path());
    policy.failures = share.policy.failures;
    reading.upgrade.troubles.insert(reading.upgrade.troubles.end(), share.troubles.begin(), share.troubles.end());
  }
  read_drain(upgrade.below("drain"), reading.upgrade);
}

}  // namespace

bool DriverPolicyReading::selects(const LabelsOf& labels, bool needs_pci_label) const {
  if (!nodes_are_known) return false;
  if (needs_pci_label && labels(kTenstorrentPciLabel) != "true") return false;
  if (labels(kTenstorrentSkipLabel) == "true") return false;
  return nodes.matches([&](std::string_view key) -> std::optional<std::string_view> {
    const std::string_view value = labels(key);
    if (value.data() == nullptr || value.empty()) return std::nullopt;
    return value;
  });
}

DriverPolicyReading read_driver_policy(const json::Value& object) {
  DriverPolicyReading reading;
  std::vector<FieldTrouble> troubles;
  core::Policy& policy = reading.upgrade.policy;
  identify(policy, object);
  if (policy.name.size() > kMostPolicyNameBytes || !is_object_name(policy.name)) {
    troubles.push_back({"metadata.name", fmt::format("is \"{}\"; a name of at most {} bytes is wanted",
                                                     base::one_line(policy.name, 80), kMostPolicyNameBytes)});
  }
  const Section spec(json::find(object, {"spec"}), "spec", troubles);
  reading.version = spec.text("version", "", is_kmd_version, "a version such as 2.8.0 is wanted");
  if (spec.find("version") == nullptr || (reading.version.empty() && troubles.empty()))
    troubles.push_back({"spec.version", "is missing; the version of tt-kmd to run, such as 2.8.0, is wanted"});
  const auto nodes = read_nodes(spec);
  reading.nodes_are_known = nodes.has_value();
  reading.nodes = nodes.value_or(base::Selector{});
  policy.is_on = !spec.flag("paused", false);
  const Section installer = spec.below("installer");
  reading.image = installer.text("image", "", is_image_reference, "an image with its tag or digest is wanted");
  reading.pull_policy = installer.text("imagePullPolicy", reading.pull_policy, is_image_pull_policy,
                                       "Always, IfNotPresent or Never is wanted");
  reading.can_be_rendered = troubles.empty();

  const Section upgrade(json::find(object, {"spec", "upgradePolicy"}), "spec.upgradePolicy", reading.upgrade.troubles);
  read_upgrade(upgrade, reading);
  troubles.insert(troubles.end(), reading.upgrade.troubles.begin(), reading.upgrade.troubles.end());
  policy.trouble = summary_of(troubles);
  reading.troubles = std::move(troubles);
  return reading;
}

}  // namespace drover::vendors
