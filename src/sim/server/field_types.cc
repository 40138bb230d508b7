#include "sim/server/field_types.h"

#include <algorithm>
#include <array>

namespace drover::sim {
namespace {

constexpr auto kAtomic = FieldType::List::Atomic;
constexpr auto kSet = FieldType::List::Set;
constexpr auto kMap = FieldType::List::Map;

struct ListRow {
  std::string_view field;
  std::string_view below;  // the key above it; "" anywhere
  FieldType::List list;
  std::array<std::string_view, 2> keys;
  bool merges;
  std::string_view merge_key;
};

// Lists that are more than their order. The first row that fits counts.
constexpr ListRow kLists[] = {
    // field                      below          apply     keys                                 patch  by
    {"finalizers", "metadata", kSet, {}, true, ""},
    {"ownerReferences", "metadata", kMap, {"uid"}, true, "uid"},
    {"containers", "spec", kMap, {"name"}, true, "name"},
    {"initContainers", "spec", kMap, {"name"}, true, "name"},
    {"ephemeralContainers", "spec", kMap, {"name"}, true, "name"},
    {"volumes", "spec", kMap, {"name"}, true, "name"},
    {"imagePullSecrets", "", kMap, {"name"}, true, "name"},
    {"hostAliases", "spec", kMap, {"ip"}, true, "ip"},
    {"topologySpreadConstraints", "spec", kMap, {"topologyKey", "whenUnsatisfiable"}, true, "topologyKey"},
    {"schedulingGates", "spec", kMap, {"name"}, true, "name"},
    {"resourceClaims", "spec", kMap, {"name"}, true, "name"},
    {"ports", "spec", kMap, {"port", "protocol"}, true, "port"},
    {"ports", "", kMap, {"containerPort", "protocol"}, true, "containerPort"},
    {"env", "", kMap, {"name"}, true, "name"},
    {"volumeMounts", "", kMap, {"mountPath"}, true, "mountPath"},
    {"volumeDevices", "", kMap, {"devicePath"}, true, "devicePath"},
    {"claims", "resources", kMap, {"name"}, false, ""},
    {"conditions", "status", kMap, {"type"}, true, "type"},
    {"addresses", "status", kMap, {"type"}, true, "type"},
    {"podCIDRs", "spec", kSet, {}, true, ""},
    {"podIPs", "status", kMap, {"ip"}, true, "ip"},
    {"hostIPs", "status", kAtomic, {}, true, "ip"},
    {"resourceClaimStatuses", "status", kMap, {"name"}, true, "name"},
    {"secrets", "", kMap, {"name"}, true, "name"},
    {"webhooks", "", kMap, {"name"}, true, "name"},
    {"matchConditions", "", kMap, {"name"}, true, "name"},
};

// Objects with one owner: selectors and references.
constexpr std::string_view kAtomicObjects[] = {
    "selector",       "labelSelector",    "namespaceSelector", "objectSelector", "podSelector", "nodeSelector",
    "fieldRef",       "resourceFieldRef", "configMapKeyRef",   "secretKeyRef",   "preference",  "roleRef",
    "involvedObject", "regarding",        "related",           "secretRef",      "dataSource",  "paramKind",
};

// Objects whose keys are data.
constexpr std::string_view kFreeKeys[] = {
    "labels",   "annotations", "data",        "binaryData", "stringData",       "limits",
    "requests", "capacity",    "allocatable", "parameters", "disruptedPods",    "hard",
    "used",     "overhead",    "matchLabels", "attributes", "volumeAttributes",
};

template <std::size_t N>
bool has(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

class BuiltIn final : public FieldTypes {
 public:
  explicit BuiltIn(bool job, bool budget, bool revision = false) : job_(job), budget_(budget), revision_(revision) {}

  FieldType at(const Place& place) const override {
    FieldType type;
    if (place.empty()) return type;
    const std::string_view field = place.back();
    const std::string_view below = place.size() > 1 ? place[place.size() - 2] : std::string_view();
    const bool node_terms = field == "requiredDuringSchedulingIgnoredDuringExecution" && below == "nodeAffinity";
    // An element of a list of references has one owner too.
    const bool reference =
        (field == "ownerReferences" && below == "metadata") || field == "imagePullSecrets" || field == "secrets";
    const bool raw = revision_ && place.size() == 1 && field == "data";
    type.atomic_object = node_terms || reference || raw || has(kAtomicObjects, field);
    type.free_keys = has(kFreeKeys, field);
    type.replaces = budget_ && field == "selector" && below == "spec";
    for (const ListRow& row : kLists) {
      if (row.field != field || (!row.below.empty() && row.below != below)) continue;
      type.list = job_ && field == "conditions" ? kAtomic : row.list;
      for (const std::string_view key : row.keys) {
        if (!key.empty()) type.keys.emplace_back(key);
      }
      type.merges = row.merges;
      type.merge_key = row.merge_key;
      break;
    }
    return type;
  }

 private:
  bool job_;
  bool budget_;
  bool revision_;
};

class Unknown final : public FieldTypes {
 public:
  FieldType at(const Place& place) const override {
    FieldType type;
    type.free_keys = true;
    const std::string_view below = place.size() > 1 ? place[place.size() - 2] : std::string_view();
    if (place.size() == 1 && (place[0] == "metadata" || place[0] == "spec" || place[0] == "status"))
      type.free_keys = false;
    if (place.empty()) type.free_keys = false;
    if (place.size() == 2 && below == "metadata") {
      if (place[1] == "finalizers") type.list = kSet;
      if (place[1] == "ownerReferences") {
        type.list = kMap;
        type.keys = {"uid"};
        type.atomic_object = true;
      }
    }
    return type;
  }
};

}  // namespace

const FieldTypes& built_in_types(std::string_view kind) {
  static const BuiltIn kJob(true, false);
  static const BuiltIn kBudget(false, true);
  static const BuiltIn kRevision(false, false, true);
  static const BuiltIn kOthers(false, false);
  if (kind == "ControllerRevision") return kRevision;
  if (kind == "Job") return kJob;
  return kind == "PodDisruptionBudget" ? kBudget : kOthers;
}

const FieldTypes& unknown_types() {
  static const Unknown kUnknown;
  return kUnknown;
}

std::string_view default_of_key(std::string_view key) { return key == "protocol" ? "TCP" : ""; }

}  // namespace drover::sim
