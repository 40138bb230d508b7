#include "sim/server/managed_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/order.h"
#include "sim/same.h"
#include "sim/server/field_set.h"
#include "sim/server/field_validation.h"
#include "sim/server/field_walks.h"

namespace drover::sim {
namespace {

struct Entry {
  std::string manager;
  std::string operation;  // "Apply" or "Update"
  std::string api_version;
  std::string subresource;
  std::string time;
  FieldSet fields;

  // Appliers keep their entry across versions.
  bool is_of(const Entry& other) const {
    return manager == other.manager && operation == other.operation && subresource == other.subresource &&
           (operation == "Apply" || api_version == other.api_version);
  }
};
using Entries = std::vector<Entry>;

Entries entries_of(const kube::Object& object) {
  Entries entries;
  for (const json::Value& one : json::array_at(object, {"metadata", "managedFields"})) {
    Entry entry{.manager = std::string(json::text_at(one, {"manager"})),
                .operation = std::string(json::text_at(one, {"operation"})),
                .api_version = std::string(json::text_at(one, {"apiVersion"})),
                .subresource = std::string(json::text_at(one, {"subresource"})),
                .time = std::string(json::text_at(one, {"time"})),
                .fields = {}};
    if (const json::Value* fields = json::find(one, {"fieldsV1"})) entry.fields = FieldSet::from_json(*fields);
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
    one["fieldsV1"] = entry.fields.to_json();
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

const FieldTypes& types_of(const Rules& rules) {
  if (rules.custom && rules.custom->types) return *rules.custom->types;
  return rules.is_custom ? unknown_types() : built_in_types(rules.resource.kind);
}

// What nobody owns: what names an object, and what the server alone writes.
FieldSet never_owned() {
  FieldSet set;
  for (const char* field : {"f:apiVersion", "f:kind", "f:metadata"}) set.insert({field});
  for (const char* field : {"f:name", "f:namespace", "f:creationTimestamp", "f:selfLink", "f:uid", "f:clusterName",
                            "f:generation", "f:managedFields", "f:resourceVersion"}) {
    set.insert({"f:metadata", field});
  }
  return set;
}

// A write to the object does not own the status, a write to the status nothing but it (and metadata, of built-in
// kinds).
FieldSet as_far_as_it_counts(FieldSet set, const Rules& rules, const kube::Request& request) {
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

Comparison as_far_as_it_counts(Comparison comparison, const Rules& rules, const kube::Request& request) {
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
          .fields = {}};
}

// Others lose what this write changed or removed; whether they may object is the caller's business.
void take_from_others(Entries& entries, const Comparison& change, const Entry& mine) {
  const FieldSet lost = change.modified.united(change.added).united(change.removed);
  for (Entry& entry : entries) {
    if (!entry.is_of(mine)) entry.fields = entry.fields.without(lost);
  }
}

// An Update: the manager owns what it added and changed, besides what it owned.
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
  if (!taken.empty()) at->time = mine.time;
}

// What an object of the kind has before anybody sets anything: the fields that its type always writes out.
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

struct Claim {
  Entry by;
  FieldSet::Path place;
};

Refusal fields_belong_to_others(const std::vector<Claim>& claims) {
  const auto name = [](const Entry& entry) {
    std::string text = quoted(entry.manager);
    if (!entry.subresource.empty()) text += fmt::format(" with subresource {}", quoted(entry.subresource));
    if (entry.operation == "Update") text += fmt::format(" using {}", entry.api_version);
    return text;
  };
  json::Array causes;
  std::map<std::string, std::string> by_manager;
  for (const Claim& claim : claims) {
    const std::string who = name(claim.by);
    causes.push_back({{"reason", "FieldManagerConflict"},
                      {"message", fmt::format("conflict with {}", who)},
                      {"field", text_of(claim.place)}});
    by_manager[who] += fmt::format("\n- {}", text_of(claim.place));
  }
  std::string message;
  if (claims.size() == 1) {
    message =
        fmt::format("Apply failed with 1 conflict: conflict with {}: {}", name(claims[0].by), text_of(claims[0].place));
  } else {
    message = fmt::format("Apply failed with {} conflicts: ", claims.size());
    bool first = true;
    for (const auto& [who, places] : by_manager) {
      message += fmt::format("{}conflicts with {}:{}", first ? "" : "\n", who, places);
      first = false;
    }
  }
  return Refusal(Rejection{409, "Conflict", std::move(message), json::Members{{"causes", std::move(causes)}}});
}

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

// `kubectl apply --server-side` after a client-side apply: what that one set, and nobody has changed since, is
// kubectl's to set again, whoever the list of managers names.
bool are_kubectls_own(const std::vector<Claim>& claims, const kube::Request& request, const kube::Object& live,
                      const FieldTypes& types) {
  if (request.field_manager != "kubectl") return false;
  const auto last = json::parse(kube::annotation_of(live, kLastApplied));
  if (!last) return false;
  const Comparison since = compare(*last, live, types);
  const FieldSet untouched = places_in(*last, types).without(since.modified).without(since.removed);
  return std::all_of(claims.begin(), claims.end(), [&](const Claim& claim) {
    FieldSet place;
    place.insert(claim.place);
    return place.without(untouched).empty();
  });
}

// Keys in order, as the real server's encoder writes an object.
json::Value sorted(const json::Value& value) {
  if (value.is_array()) {
    json::Array elements;
    for (const json::Value& element : value.get_array()) elements.push_back(sorted(element));
    return elements;
  }
  if (!value.is_object()) return value;
  std::map<std::string_view, const json::Value*> members;
  for (const auto& member : value.get_object()) members.emplace(member.key(), &member.value());
  json::Members in_order;
  for (const auto& [key, member] : members) in_order.emplace(key, sorted(*member));
  return in_order;
}

// The annotation follows kubectl's server-side apply too, so that a client-side apply may come after it.
void renew_last_applied(const kube::Request& request, kube::Object& fresh) {
  if (request.field_manager != "kubectl" || kube::annotation_of(fresh, kLastApplied).empty()) return;
  kube::Object wish = request.body;
  json::remove(wish, {"metadata", "annotations", kLastApplied});
  json::ensure(fresh, {"metadata", "annotations", kLastApplied}) = json::text_of(sorted(wish)) + "\n";
}

// Takes away what this manager applied last time and now does not, unless somebody else owns it.
kube::Object pruned(const kube::Object& merged, const Entries& entries, const FieldSet& last, const FieldTypes& types) {
  if (last.empty()) return merged;
  const FieldSet last_named = with_named_fields(last, types);
  const kube::Object cut = without_places(merged, last_named, types);
  FieldSet owned;
  for (const Entry& entry : entries) owned = owned.united(entry.fields);
  const FieldSet there = with_named_fields(places_in(merged, types), types);
  const FieldSet kept = with_named_fields(places_in(cut, types), types).united(with_named_fields(owned, types));
  const kube::Object with_owned = without_places(merged, there.without(kept), types);
  // What hung below a removed field but was never ours stays.
  const FieldSet still = with_named_fields(places_in(with_owned, types), types);
  return without_places(merged, there.without(still).shared(last_named), types);
}

Answer<void> check_apply(const Rules& rules, const kube::Request& request) {
  const std::string_view version = json::text_at(request.body, {"apiVersion"});
  const std::string_view kind = json::text_at(request.body, {"kind"});
  if (version != request.resource.api_version() || kind != rules.resource.kind) {
    const bool has_group = version.find('/') != std::string_view::npos;
    return bad_request(fmt::format("invalid object type: {}{}, Kind={}", has_group ? "" : "/", version, kind));
  }
  if (json::find(request.body, {"metadata", "managedFields"}) != nullptr) {
    return bad_request("metadata.managedFields must be nil");
  }
  const std::string_view name = kube::name_of(request.body);
  if (name.empty()) {
    return bad_request(fmt::format("the name of the object ({} based on URL) was undeterminable: name must be provided",
                                   request.name));
  }
  if (name != request.name) {
    return bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, request.name));
  }
  if (request.field_manager.empty()) {
    FieldErrors errors;
    errors.required("fieldManager", "is required for apply patch");
    return invalid("meta.k8s.io", "PatchOptions", "", errors);
  }
  return {};
}

}  // namespace

void track_create(const Context& context, const Rules& rules, const kube::Request& request, kube::Object& object) {
  if (request.verb == kube::Verb::Patch && request.patch == kube::PatchKind::Apply) return;  // apply wrote its own
  json::remove(object, {"metadata", "managedFields"});
  if (!context.always_manage_fields) return;
  Entries entries;
  record_update(entries, as_far_as_it_counts(compare(nothing_of(object), object, types_of(rules)), rules, request),
                entry_for(context, request, "Update"));
  set_entries(object, std::move(entries));
}

void track_update(const Context& context, const Rules& rules, const kube::Request& request, const kube::Object& old,
                  kube::Object& fresh) {
  const bool was_applied = json::find(old, {"metadata", "managedFields"}) != nullptr;
  const bool is_apply = request.verb == kube::Verb::Patch && request.patch == kube::PatchKind::Apply;
  if (!was_applied && !is_apply) {
    json::remove(fresh, {"metadata", "managedFields"});
    return;
  }
  const kube::Object before = without_managed_fields(old);
  const kube::Object after = without_managed_fields(fresh);
  if (!is_apply) {
    // The writer may have sent the list back (usual) or emptied it (a way to reset it).
    Entries entries = entries_of(fresh);
    const bool sent = json::find(fresh, {"metadata", "managedFields"}) != nullptr;
    if (!sent) entries = entries_of(old);
    if (!entries.empty()) {
      record_update(entries, as_far_as_it_counts(compare(before, after, types_of(rules)), rules, request),
                    entry_for(context, request, "Update"));
    }
    set_entries(fresh, std::move(entries));
  }
  if (!was_applied || !same(before, after)) return;
  // Nothing but the times of entries changed: nothing changed.
  const auto timeless = [](const kube::Object& object) {
    Entries entries = entries_of(object);
    for (Entry& entry : entries) entry.time.clear();
    return to_json(std::move(entries));
  };
  if (same(timeless(old), timeless(fresh))) {
    json::ensure(fresh, {"metadata", "managedFields"}) = *json::find(old, {"metadata", "managedFields"});
  }
}

Answer<Draft> applied(const Context& context, const Rules& rules, const kube::Request& request,
                      const kube::Object* old) {
  TRY_VOID(check_apply(rules, request));
  TRY_VOID(fits_type(rules, request));
  const FieldTypes& types = types_of(rules);
  TRY_VOID(nothing_twice(rules, request, types));
  const kube::Object live = old != nullptr ? without_managed_fields(*old) : nothing_of(request.body);
  Entries entries = old != nullptr ? entries_of(*old) : Entries();
  if (entries.empty() && old != nullptr) {
    // An object from before the first apply: what it has belongs to nobody in particular.
    Entry before = entry_for(context, request, "Update");
    before.manager = "before-first-apply";
    before.subresource.clear();
    kube::Request whole = request;
    whole.subresource.clear();
    record_update(entries, as_far_as_it_counts(compare(nothing_of(live), live, types), rules, whole),
                  std::move(before));
  }

  Entry mine = entry_for(context, request, "Apply");
  FieldSet last;
  std::string last_time;
  std::erase_if(entries, [&](const Entry& entry) {
    if (!entry.is_of(mine)) return false;
    last = entry.fields;
    last_time = entry.time;
    return true;
  });
  mine.fields = as_far_as_it_counts(places_in(request.body, types), rules, request);
  entries.push_back(mine);

  kube::Object fresh = pruned(laid_over(live, request.body, types), entries, last, types);
  const Comparison change = as_far_as_it_counts(compare(live, fresh, types), rules, request);
  const FieldSet touched = change.modified.united(change.added);
  std::vector<Claim> claims;
  for (const Entry& entry : entries) {
    if (entry.is_of(mine)) continue;
    for (FieldSet::Path& place : entry.fields.shared(touched).paths()) claims.push_back({entry, std::move(place)});
  }
  const bool may_take = claims.empty() || request.force || are_kubectls_own(claims, request, live, types) ||
                        context.bugs.has(Bug::ApplyNeverConflicts);
  if (!may_take) return fields_belong_to_others(claims);
  take_from_others(entries, change, mine);
  renew_last_applied(request, fresh);

  // An apply that changes nothing but who owns what leaves its time as it was.
  if (same(live, fresh)) {
    for (Entry& entry : entries) {
      if (entry.is_of(mine)) entry.time = last_time;
    }
  }
  Draft draft(fresh, 1024);
  set_entries(*draft, std::move(entries));
  return draft;
}

}  // namespace drover::sim
