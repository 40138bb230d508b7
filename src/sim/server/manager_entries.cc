#include "sim/server/manager_entries.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/order.h"

namespace drover::sim {
namespace {

// Fields that have no manager: those that name the object, and those that only the server writes.
FieldSet make_never_owned() {
  FieldSet set;
  for (const char* field : {"f:apiVersion", "f:kind", "f:metadata"}) set.insert({field});
  for (const char* field : {"f:name", "f:namespace", "f:creationTimestamp", "f:selfLink", "f:uid", "f:clusterName",
                            "f:generation", "f:managedFields", "f:resourceVersion"}) {
    set.insert({"f:metadata", field});
  }
  return set;
}

const FieldSet& never_owned() {
  static const FieldSet kNeverOwned = make_never_owned();
  return kNeverOwned;
}

// An empty object of the kind: the fields that its Go type always writes out.
struct Blank {
  std::string_view kind;
  std::string_view text;
};
constexpr std::string_view kBlankTemplate = R"({"metadata":{},"spec":{"containers":null}})";
constexpr Blank kBlanks[] = {
    {"Pod", R"({"spec":{"containers":null},"status":{}})"},
    {"Node",
     R"({"spec":{},"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"machineID":"","systemUUID":"",)"
     R"("bootID":"","kernelVersion":"","osImage":"","containerRuntimeVersion":"","kubeletVersion":"",)"
     R"("kubeProxyVersion":"","operatingSystem":"","architecture":""}}})"},
    {"Namespace", R"({"spec":{},"status":{}})"},
    {"Service", R"({"spec":{},"status":{"loadBalancer":{}}})"},
    {"Lease", R"({"spec":{}})"},
    {"Deployment", R"({"spec":{"selector":null,"template":T,"strategy":{}},"status":{}})"},
    {"DaemonSet", R"({"spec":{"selector":null,"template":T,"updateStrategy":{}},"status":{"currentNumberScheduled":0,)"
                  R"("numberMisscheduled":0,"desiredNumberScheduled":0,"numberReady":0}})"},
    {"ReplicaSet", R"({"spec":{"selector":null,"template":T},"status":{"replicas":0}})"},
    {"StatefulSet", R"({"spec":{"selector":null,"template":T,"updateStrategy":{}},"status":{"replicas":0}})"},
    {"Job", R"({"spec":{"template":T},"status":{}})"},
    {"PodDisruptionBudget",
     R"({"spec":{},"status":{"disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":0,"expectedPods":0}})"},
    {"CustomResourceDefinition",
     R"({"spec":{"group":"","names":{"plural":"","kind":""},"scope":"","versions":null},)"
     R"("status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}})"},
    {"Event", R"({"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,)"
              R"("reportingComponent":"","reportingInstance":""})"},
};

}  // namespace

Entries entries_of(const kube::Object& object) {
  Entries entries;
  for (const json::Value& one : json::array_at(object, {"metadata", "managedFields"})) {
    Entry entry{.manager = std::string(json::text_at(one, {"manager"})),
                .operation = std::string(json::text_at(one, {"operation"})),
                .api_version = std::string(json::text_at(one, {"apiVersion"})),
                .subresource = std::string(json::text_at(one, {"subresource"})),
                .time = std::string(json::text_at(one, {"time"})),
                .fields = {},
                .spelled = nullptr};
    if (const json::Value* fields = json::find(one, {"fieldsV1"})) {
      entry.fields = FieldSet::from_json(*fields);
      entry.spelled = fields;
    }
    if (!entry.operation.empty() && !entry.fields.empty()) entries.push_back(std::move(entry));
  }
  return entries;
}

json::Array to_json(Entries entries) {
  base::sort_keeping_order(entries, [](const Entry& a, const Entry& b) {
    return std::tie(a.operation, a.time, a.manager, a.api_version, a.subresource) <
           std::tie(b.operation, b.time, b.manager, b.api_version, b.subresource);
  });
  json::Array out;
  for (const Entry& entry : entries) {
    json::Members one;
    one["manager"] = entry.manager;
    one["operation"] = entry.operation;
    one["apiVersion"] = entry.api_version;
    if (!entry.time.empty()) one["time"] = entry.time;
    one["fieldsType"] = "FieldsV1";
    one["fieldsV1"] = entry.spelled != nullptr ? *entry.spelled : entry.fields.to_json();
    if (!entry.subresource.empty()) one["subresource"] = entry.subresource;
    out.emplace_back(std::move(one));
  }
  return out;
}

void set_entries(kube::Object& object, Entries entries) {
  std::erase_if(entries, [](const Entry& entry) { return entry.fields.empty(); });
  if (entries.empty()) {
    json::remove(object, {"metadata", "managedFields"});
  } else {
    json::ensure(object, {"metadata", "managedFields"}) = to_json(std::move(entries));
  }
}

const FieldTypes& types_of(const ResourceRules& rules) {
  if (rules.custom && rules.custom->types) return *rules.custom->types;
  return rules.is_custom ? unknown_types() : built_in_types(rules.resource.kind);
}

FieldSet as_far_as_it_counts(FieldSet set, const ResourceRules& rules, const kube::Request& request) {
  set = set.without(never_owned());
  if (request.subresource == "status") {
    std::vector<std::string> others;
    for (const auto& [step, child] : set.below()) {
      if (step != "f:status" && (rules.is_custom || step != "f:metadata")) others.push_back(step);
    }
    for (const std::string& step : others) set.erase(step);
  } else if (rules.has_status) {
    set.erase("f:status");
  }
  return set;
}

Comparison as_far_as_it_counts(Comparison comparison, const ResourceRules& rules, const kube::Request& request) {
  return {as_far_as_it_counts(std::move(comparison.added), rules, request),
          as_far_as_it_counts(std::move(comparison.modified), rules, request),
          as_far_as_it_counts(std::move(comparison.removed), rules, request)};
}

kube::Object without_managed_fields(const kube::Object& object) {
  kube::Object copy(object, boost::json::storage_ptr());
  json::remove(copy, {"metadata", "managedFields"});
  return copy;
}

Entry entry_for(const Context& context, const kube::Request& request, std::string operation) {
  return {.manager = request.field_manager.empty() ? "unknown" : request.field_manager,
          .operation = std::move(operation),
          .api_version = request.resource.api_version(),
          .subresource = context.tracked_as.empty() ? request.subresource : std::string(context.tracked_as),
          .time = context.tracked_as.empty() ? context.now() : std::string(),
          .fields = {},
          .spelled = nullptr};
}

void take_from_others(Entries& entries, const Comparison& change, const Entry& mine) {
  const FieldSet lost = change.modified.united(change.added).united(change.removed);
  for (Entry& entry : entries) {
    if (entry.is_of(mine) || !entry.fields.meets(lost)) continue;
    entry.fields = entry.fields.without(lost);
    entry.spelled = nullptr;
  }
}

void record_update(Entries& entries, const Comparison& change, Entry mine) {
  take_from_others(entries, change, mine);
  const FieldSet taken = change.modified.united(change.added);
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.is_of(mine); });
  if (at == entries.end()) {
    mine.fields = taken;
    entries.push_back(std::move(mine));
    return;
  }
  at->fields = at->fields.without(change.removed).united(taken);
  at->spelled = nullptr;
  if (!taken.empty()) at->time = mine.time;
}

kube::Object nothing_of(const kube::Object& object) {
  const std::string_view kind = json::text_at(object, {"kind"});
  kube::Object nothing = json::Members();
  for (const Blank& blank : kBlanks) {
    if (blank.kind != kind) continue;
    std::string text(blank.text);
    if (const std::size_t at = text.find(":T"); at != std::string::npos) text.replace(at + 1, 1, kBlankTemplate);
    if (auto parsed = json::parse(text)) nothing = std::move(*parsed);
  }
  json::ensure(nothing, {"apiVersion"}) = json::text_at(object, {"apiVersion"});
  json::ensure(nothing, {"kind"}) = kind;
  return nothing;
}

}  // namespace drover::sim
