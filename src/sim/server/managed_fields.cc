#include "sim/server/managed_fields.h"

#include <utility>

#include "sim/same.h"
#include "sim/server/manager_entries.h"

namespace drover::sim {
namespace {

// All members but metadata.managedFields.
bool same_but_for_managers(const kube::Object& a, const kube::Object& b) {
  const auto same_but_for = [](const json::Members& x, const json::Members& y, std::string_view key, auto compares) {
    const auto counted = [key](const json::Members& members) { return members.size() - members.contains(key); };
    if (counted(x) != counted(y)) return false;
    for (const auto& member : x) {
      const json::Value* other = y.if_contains(member.key());
      if (member.key() == key ? !compares(&member.value(), other) : other == nullptr || !same(member.value(), *other)) {
        return false;
      }
    }
    return true;
  };
  const auto metadata = [&](const json::Value* x, const json::Value* y) {
    if (y == nullptr || !x->is_object() || !y->is_object()) return same(x, y);
    return same_but_for(x->get_object(), y->get_object(), "managedFields",
                        [](const auto*, const auto*) { return true; });
  };
  return same_but_for(a.get_object(), b.get_object(), "metadata", metadata);
}

}  // namespace

void track_create(const Context& context, const ResourceRules& rules, const kube::Request& request,
                  kube::Object& object) {
  if (request.verb == kube::Verb::Patch && request.patch == kube::PatchKind::Apply) return;  // apply wrote its own
  json::remove(object, {"metadata", "managedFields"});
  if (!context.always_manage_fields) return;
  Entries entries;
  record_update(entries, as_far_as_it_counts(compare(nothing_of(object), object, types_of(rules)), rules, request),
                entry_for(context, request, "Update"));
  set_entries(object, std::move(entries));
}

void track_update(const Context& context, const ResourceRules& rules, const kube::Request& request,
                  const kube::Object& old, kube::Object& fresh) {
  const bool was_applied = json::find(old, {"metadata", "managedFields"}) != nullptr;
  const bool is_apply = request.verb == kube::Verb::Patch && request.patch == kube::PatchKind::Apply;
  if (!was_applied && !is_apply) {
    json::remove(fresh, {"metadata", "managedFields"});
    return;
  }
  if (!is_apply) {
    // The writer may have sent the list back (usual) or emptied it (a way to reset it).
    const json::Value* sent = json::find(fresh, {"metadata", "managedFields"});
    const bool is_as_before = sent == nullptr || same(sent, json::find(old, {"metadata", "managedFields"}));
    Entries entries = entries_of(is_as_before ? old : fresh);
    if (!is_as_before) {
      for (Entry& entry : entries) entry.spelled = nullptr;  // the client may have sent it in another order
    }
    if (!entries.empty()) {
      record_update(entries, as_far_as_it_counts(compare(old, fresh, types_of(rules)), rules, request),
                    entry_for(context, request, "Update"));
    }
    set_entries(fresh, std::move(entries));
  }
  if (!was_applied || !same_but_for_managers(old, fresh)) return;
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

}  // namespace drover::sim
