// Server-side apply: whose wish counts where several have one.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/same.h"
#include "sim/server/field_validation.h"
#include "sim/server/managed_fields.h"
#include "sim/server/manager_entries.h"

namespace drover::sim {
namespace {

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

// `kubectl apply --server-side` after a client-side apply: kubectl owns the fields that the client-side apply set and
// that are unchanged since, even if managedFields names another manager.
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

// Takes away what this manager applied last time and now does not, unless another manager owns it.
kube::Object pruned(const kube::Object& merged, const Entries& entries, const FieldSet& last, const FieldTypes& types) {
  if (last.empty()) return merged;
  // Usually everything is applied again.
  const auto mine = std::find_if(entries.begin(), entries.end(),
                                 [&](const Entry& entry) { return last.without(entry.fields).empty(); });
  if (mine != entries.end()) return merged;
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

Answer<void> check_apply(const ResourceRules& rules, const kube::Request& request) {
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

Answer<Draft> applied(const Context& context, const ResourceRules& rules, const kube::Request& request,
                      const kube::Object* old) {
  TRY_VOID(check_apply(rules, request));
  TRY_VOID(fits_type(rules, request));
  const FieldTypes& types = types_of(rules);
  TRY_VOID(nothing_twice(rules, request, types));
  const kube::Object live = old != nullptr ? without_managed_fields(*old) : nothing_of(request.body);
  Entries entries = old != nullptr ? entries_of(*old) : Entries();
  if (entries.empty() && old != nullptr) {
    // An object from before the first apply: its fields get the manager "before-first-apply".
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

  // An apply that changes only the owners of fields keeps its time.
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
