#include "vendors/nvidia/crd.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "vendors/nvidia/operands.h"
#include "vendors/shared/checks.h"
#include "vendors/shared/section.h"

namespace drover::vendors {
namespace {

// Not of the driver itself.
constexpr std::string_view kOfTheObject[] = {"default", "driverType", "nodeAffinity", "nodeSelector"};
// For one driver what spec.daemonsets is for all.
constexpr std::string_view kOfDaemonSets[] = {"annotations", "labels", "priorityClassName", "tolerations"};

constexpr std::string_view kDriverAt = "spec.driver.";
constexpr std::string_view kDaemonSetsAt = "spec.daemonsets.";

template <std::size_t N>
bool is_in(const std::string_view (&list)[N], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// "nvcr.io/nvidia/driver" is the place and the name in one, as its default is written.
void part_image(json::Members& driver) {
  const json::Value* image = driver.if_contains("image");
  const json::Value* repository = driver.if_contains("repository");
  const bool says_place = repository != nullptr && repository->is_string() && !repository->get_string().empty();
  if (image == nullptr || !image->is_string() || says_place || !driver.contains("version")) return;
  const std::string whole(image->get_string());
  const std::size_t slash = whole.rfind('/');
  if (slash == std::string::npos || whole.find_first_of(":@", slash) != std::string::npos) return;
  driver["repository"] = whole.substr(0, slash);
  driver["image"] = whole.substr(slash + 1);
}

json::Value as_cluster_policy(const json::Value& object, const json::Value* cluster_policy) {
  json::Members driver;
  json::Members daemon_sets;
  json::Members spec;
  if (cluster_policy != nullptr) {
    daemon_sets = json::members_at(*cluster_policy, {"spec", "daemonsets"});
    if (const json::Value* paths = json::find(*cluster_policy, {"spec", "hostPaths"})) spec["hostPaths"] = *paths;
  }
  for (const auto& member : json::members_at(object, {"spec"})) {
    if (is_in(kOfTheObject, member.key())) continue;
    (is_in(kOfDaemonSets, member.key()) ? daemon_sets : driver)[member.key()] = member.value();
  }
  part_image(driver);
  spec["driver"] = std::move(driver);
  spec["daemonsets"] = std::move(daemon_sets);
  return json::Members{{"metadata", json::members_at(object, {"metadata"})}, {"spec", std::move(spec)}};
}

// The field as the NVIDIADriver spells it; what it does not say is the ClusterPolicy's.
std::string said_here(const std::string& path, const json::Value& object) {
  if (path.starts_with(kDriverAt)) return "spec." + path.substr(kDriverAt.size());
  if (path.starts_with(kDaemonSetsAt)) {
    const std::string rest = path.substr(kDaemonSetsAt.size());
    if (json::find(object, {"spec", rest.substr(0, rest.find_first_of(".["))}) != nullptr) return "spec." + rest;
  }
  return "the ClusterPolicy's " + path;
}

void blame_scope(const json::Value& object, std::vector<FieldTrouble>& troubles) {
  const Section spec(json::find(object, {"spec"}), "spec", troubles);
  if (const json::Value* type = spec.find("driverType"); type != nullptr && *type != "gpu")
    spec.blame("driverType", *type, "gpu is wanted: drover brings no other driver");
  if (const json::Value* affinity = spec.find("nodeAffinity"); affinity != nullptr)
    spec.blame("nodeAffinity", *affinity, "nodeSelector is wanted: drover reads no affinity");
  const bool is_default = spec.flag("default", false);
  const Section selector = spec.below("nodeSelector");
  if (is_default && !selector.members().empty())
    spec.blame("nodeSelector", *spec.find("nodeSelector"), "none is wanted beside default: true");
  for (const auto& member : selector.members()) {
    const bool is_text = member.value().is_string() && is_label_value(member.value().get_string());
    if (member.key() == kDriverOwnerLabel) {
      spec.blame("nodeSelector", member.value(), "the label of the owner is set by drover; select by another one");
    } else if (!is_label_key(member.key()) || !is_text) {
      selector.blame(base::one_line(std::string_view(member.key()), 60), member.value(), "a label's value is wanted");
    }
  }
}

}  // namespace

bool DriverScope::selects(const LabelsOf& labels) const {
  return can_be_read && std::all_of(node_labels.begin(), node_labels.end(),
                                    [&](const auto& wanted) { return labels(wanted.first) == wanted.second; });
}

DriverScope scope_of(const json::Value& object) {
  std::vector<FieldTrouble> troubles;
  blame_scope(object, troubles);
  DriverScope scope{.is_default = json::flag_at(object, {"spec", "default"}), .can_be_read = troubles.empty()};
  for (const auto& member : json::members_at(object, {"spec", "nodeSelector"})) {
    if (member.value().is_string()) scope.node_labels[std::string(member.key())] = member.value().get_string();
  }
  return scope;
}

ClusterPolicyReading read_nvidia_driver(const json::Value& object, const json::Value* cluster_policy) {
  ClusterPolicyReading reading = read_cluster_policy(as_cluster_policy(object, cluster_policy));
  reading.nvidia_driver = reading.upgrade.policy.name;
  for (FieldTrouble& trouble : reading.troubles) trouble.field = said_here(trouble.field, object);
  for (FieldTrouble& trouble : reading.upgrade.troubles) trouble.field = said_here(trouble.field, object);
  std::vector<FieldTrouble> scope;
  blame_scope(object, scope);
  if (!scope.empty()) reading.can_be_rendered = false;
  reading.troubles.insert(reading.troubles.begin(), scope.begin(), scope.end());
  reading.upgrade.policy.trouble = summary_of(reading.troubles);
  std::vector<std::string> ignored;
  for (const std::string& path : reading.ignored) {
    if (path.starts_with(kDriverAt)) ignored.push_back(said_here(path, object));
  }
  reading.ignored = std::move(ignored);
  reading.unmanaged.clear();
  return reading;
}

}  // namespace drover::vendors
