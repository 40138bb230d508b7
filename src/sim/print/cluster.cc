// Nodes, namespaces, Events, access and the other things of a cluster that are not workloads.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"
#include "sim/print/cells.h"

namespace drover::sim::print {
namespace {

// ---- Nodes

constexpr Column kNodeColumns[] = {
    kName,
    {"Status", "string", "", 0, "whether the kubelet is well and pods may come"},
    {"Roles", "string", "", 0, "what the node's labels say it is for"},
    kAge,
    {"Version", "string", "", 0, "the kubelet's version"},
    {"Internal-IP", "string", "", 1, "the first address inside the cluster"},
    {"External-IP", "string", "", 1, "the first address outside"},
    {"OS-Image", "string", "", 1, "what /etc/os-release calls the system"},
    {"Kernel-Version", "string", "", 1, "what uname calls the kernel"},
    {"Container-Runtime", "string", "", 1, "who runs the containers"},
};

std::string roles_of(const json::Value& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& label : kube::labels_of(node)) {
    const std::string_view key = label.key();
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) roles.emplace(key.substr(kPrefix.size()));
    if (key == "kubernetes.io/role" && label.value().is_string() && !label.value().get_string().empty())
      roles.emplace(label.value().get_string());
  }
  std::string text;
  for (const std::string& role : roles) text.append(text.empty() ? "" : ",").append(role);
  return text.empty() ? "<none>" : text;
}

std::string address_of(const json::Value& node, std::string_view type) {
  for (const json::Value& address : json::array_at(node, {"status", "addresses"})) {
    if (json::text_at(address, {"type"}) == type) return std::string(json::text_at(address, {"address"}));
  }
  return "<none>";
}

json::Array node_cells(const kube::Object& node, base::WallTime now) {
  const std::string_view ready = condition_of(node, "Ready");
  std::string status = ready.empty() ? "Unknown" : (ready == "True" ? "Ready" : "NotReady");
  if (json::flag_at(node, {"spec", "unschedulable"})) status += ",SchedulingDisabled";
  std::string kernel = text_or(node, {"status", "nodeInfo", "kernelVersion"}, "<unknown>");
  if (const std::string_view arch = json::text_at(node, {"status", "nodeInfo", "architecture"}); !arch.empty())
    kernel += fmt::format(" ({})", arch);
  return {name_cell(node),
          status,
          roles_of(node),
          age_of(node, now),
          json::Value(json::text_at(node, {"status", "nodeInfo", "kubeletVersion"})),
          address_of(node, "InternalIP"),
          address_of(node, "ExternalIP"),
          text_or(node, {"status", "nodeInfo", "osImage"}, "<unknown>"),
          kernel,
          text_or(node, {"status", "nodeInfo", "containerRuntimeVersion"}, "<unknown>")};
}

// ---- Events. Those of events.k8s.io say the same under other names.

constexpr Column kEventColumns[] = {
    {"Last Seen", "string", "", 0, "how long ago it happened last"},
    {"Type", "string", "", 0, "Normal or Warning"},
    {"Reason", "string", "", 0, "what happened, in one word"},
    {"Object", "string", "", 0, "the object concerned"},
    {"Subobject", "string", "", 1, "the part of the object concerned"},
    {"Source", "string", "", 1, "the reporting component"},
    {"Message", "string", "", 0, "what happened, for people"},
    {"First Seen", "string", "", 1, "how long ago it happened first"},
    {"Count", "string", "", 1, "how often it happened"},
    {"Name", "string", "name", 1, "what the event is called"},
};

std::string_view either(const json::Value& event, json::Path one, json::Path other) {
  const std::string_view text = json::text_at(event, one);
  return text.empty() ? json::text_at(event, other) : text;
}

std::string target_of(const json::Value& event) {
  std::string target = base::lower(either(event, {"involvedObject", "kind"}, {"regarding", "kind"}));
  if (const auto name = either(event, {"involvedObject", "name"}, {"regarding", "name"}); !name.empty())
    target.append("/").append(name);
  return target;
}

std::string source_of(const json::Value& event) {
  std::string_view component = either(event, {"source", "component"}, {"deprecatedSource", "component"});
  if (component.empty()) component = either(event, {"reportingComponent"}, {"reportingController"});
  std::string_view host = either(event, {"source", "host"}, {"deprecatedSource", "host"});
  if (host.empty()) host = json::text_at(event, {"reportingInstance"});
  return host.empty() ? std::string(component) : fmt::format("{}, {}", component, host);
}

json::Array event_cells(const kube::Object& event, base::WallTime now) {
  std::string_view first = either(event, {"firstTimestamp"}, {"deprecatedFirstTimestamp"});
  if (first.empty()) first = json::text_at(event, {"eventTime"});
  std::string_view last = either(event, {"lastTimestamp"}, {"deprecatedLastTimestamp"});
  if (last.empty()) last = first;
  std::int64_t count = json::int_at(event, {"count"}, json::int_at(event, {"deprecatedCount"}));
  if (const json::Value* series = json::find(event, {"series"}); series != nullptr && series->is_object()) {
    last = json::text_at(*series, {"lastObservedTime"});
    count = json::int_at(*series, {"count"});
  } else if (count == 0) {
    count = 1;
  }
  return {since(last, now),
          json::Value(json::text_at(event, {"type"})),
          json::Value(json::text_at(event, {"reason"})),
          target_of(event),
          json::Value(either(event, {"involvedObject", "fieldPath"}, {"regarding", "fieldPath"})),
          source_of(event),
          json::Value(base::trim(either(event, {"message"}, {"note"}))),
          since(first, now),
          count,
          name_cell(event)};
}

// ---- Plain ones

constexpr Column kNamespaceColumns[] = {kName, {"Status", "string", "", 0, "Active, or Terminating"}, kAge};

json::Array namespace_cells(const kube::Object& ns, base::WallTime now) {
  return {name_cell(ns), json::Value(json::text_at(ns, {"status", "phase"})), age_of(ns, now)};
}

constexpr Column kConfigMapColumns[] = {kName, {"Data", "string", "", 0, "how many entries it has"}, kAge};

json::Array config_map_cells(const kube::Object& map, base::WallTime now) {
  return {name_cell(map),
          json::Value(json::members_at(map, {"data"}).size() + json::members_at(map, {"binaryData"}).size()),
          age_of(map, now)};
}

constexpr Column kSecretColumns[] = {
    kName,
    {"Type", "string", "", 0, "what the entries mean"},
    {"Data", "string", "", 0, "how many entries it has"},
    kAge,
};

json::Array secret_cells(const kube::Object& secret, base::WallTime now) {
  return {name_cell(secret), json::Value(json::text_at(secret, {"type"})),
          json::Value(json::members_at(secret, {"data"}).size()), age_of(secret, now)};
}

constexpr Column kAgeColumns[] = {kName, kAge};

json::Array age_cells(const kube::Object& object, base::WallTime now) {
  return {name_cell(object), age_of(object, now)};
}

constexpr Column kLeaseColumns[] = {kName, {"Holder", "string", "", 0, "who has the lease"}, kAge};

json::Array lease_cells(const kube::Object& lease, base::WallTime now) {
  return {name_cell(lease), json::Value(json::text_at(lease, {"spec", "holderIdentity"})), age_of(lease, now)};
}

constexpr Column kQuotaColumns[] = {
    kName,
    {"Request", "string", "", 0, "what is used of what may be requested"},
    {"Limit", "string", "", 0, "what is used of what limits may add up to"},
    kAge,
};

json::Array quota_cells(const kube::Object& quota, base::WallTime now) {
  std::set<std::string_view> names;
  for (const auto& hard : json::members_at(quota, {"status", "hard"})) names.emplace(hard.key());
  std::string requests;
  std::string limits;
  for (const std::string_view name : names) {
    std::string& column = name.starts_with("limits.") ? limits : requests;
    column +=
        fmt::format("{}{}: {}/{}", column.empty() ? "" : ", ", name, scalar_text(quota, {"status", "used", name}, "0"),
                    scalar_text(quota, {"status", "hard", name}, "0"));
  }
  return {name_cell(quota), requests, limits, age_of(quota, now)};
}

constexpr Column kPriorityClassColumns[] = {
    kName,
    {"Value", "integer", "", 0, "the higher, the more important"},
    {"Global-Default", "boolean", "", 0, "whether pods without a class get this one"},
    kAge,
    {"PreemptionPolicy", "string", "", 0, "whether lesser pods must make room"},
};

json::Array priority_class_cells(const kube::Object& priority, base::WallTime now) {
  return {name_cell(priority), json::int_at(priority, {"value"}), json::flag_at(priority, {"globalDefault"}),
          age_of(priority, now), json::Value(json::text_at(priority, {"preemptionPolicy"}))};
}

constexpr Column kRuntimeClassColumns[] = {kName, {"Handler", "string", "", 0, "the runtime's own name for it"}, kAge};

json::Array runtime_class_cells(const kube::Object& runtime, base::WallTime now) {
  return {name_cell(runtime), json::Value(json::text_at(runtime, {"handler"})), age_of(runtime, now)};
}

// ---- Access

constexpr Column kBindingColumns[] = {
    kName,
    {"Role", "string", "", 0, "what is allowed"},
    kAge,
    {"Users", "string", "", 1, "users who may"},
    {"Groups", "string", "", 1, "groups that may"},
    {"ServiceAccounts", "string", "", 1, "service accounts that may"},
};

json::Array binding_cells(const kube::Object& binding, base::WallTime now) {
  std::string users;
  std::string groups;
  std::string accounts;
  for (const json::Value& subject : json::array_at(binding, {"subjects"})) {
    const std::string_view kind = json::text_at(subject, {"kind"});
    const std::string name(json::text_at(subject, {"name"}));
    const auto add = [](std::string& list, const std::string& who) {
      list.append(list.empty() ? "" : ", ").append(who);
    };
    if (kind == "User") add(users, name);
    if (kind == "Group") add(groups, name);
    if (kind == "ServiceAccount") add(accounts, fmt::format("{}/{}", json::text_at(subject, {"namespace"}), name));
  }
  return {
      name_cell(binding),
      fmt::format("{}/{}", json::text_at(binding, {"roleRef", "kind"}), json::text_at(binding, {"roleRef", "name"})),
      age_of(binding, now),
      users,
      groups,
      accounts};
}

constexpr SheetRow kClusterSheets[] = {
    {"", "nodes", kNodeColumns, node_cells},
    {"", "events", kEventColumns, event_cells},
    {"events.k8s.io", "events", kEventColumns, event_cells},
    {"", "namespaces", kNamespaceColumns, namespace_cells},
    {"", "configmaps", kConfigMapColumns, config_map_cells},
    {"", "secrets", kSecretColumns, secret_cells},
    {"", "serviceaccounts", kAgeColumns, age_cells},
    {"", "resourcequotas", kQuotaColumns, quota_cells},
    {"coordination.k8s.io", "leases", kLeaseColumns, lease_cells},
    {"scheduling.k8s.io", "priorityclasses", kPriorityClassColumns, priority_class_cells},
    {"node.k8s.io", "runtimeclasses", kRuntimeClassColumns, runtime_class_cells},
    {"rbac.authorization.k8s.io", "rolebindings", kBindingColumns, binding_cells},
    {"rbac.authorization.k8s.io", "clusterrolebindings", kBindingColumns, binding_cells},
    {"resource.k8s.io", "deviceclasses", kAgeColumns, age_cells},
    {"resource.k8s.io", "resourceclaimtemplates", kAgeColumns, age_cells},
};

}  // namespace

std::span<const SheetRow> cluster_sheets() { return kClusterSheets; }

}  // namespace drover::sim::print
