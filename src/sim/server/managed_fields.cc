#include "sim/server/managed_fields.h"

#include <utility>

#include "sim/same.h"
#include "sim/server/manager_entries.h"

namespace drover::sim {

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

}  // namespace drover::sim
