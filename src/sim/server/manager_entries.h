// The entries of metadata.managedFields: which manager owns which fields of an object, and how a write changes that.
#pragma once

#include <string>
#include <vector>

#include "kube/api.h"
#include "kube/object.h"
#include "sim/server/context.h"
#include "sim/server/field_set.h"
#include "sim/server/field_walks.h"

namespace drover::sim {

struct Entry {
  std::string manager;
  std::string operation;  // "Apply" or "Update"
  std::string api_version;
  std::string subresource;
  std::string time;
  FieldSet fields;
  const json::Value* spelled = nullptr;  // the fields as the store has them, while they are those

  // Appliers keep their entry across versions.
  bool is_of(const Entry& other) const {
    return manager == other.manager && operation == other.operation && subresource == other.subresource &&
           (operation == "Apply" || api_version == other.api_version);
  }
};
using Entries = std::vector<Entry>;

// Those that make sense; the others are forgotten. They look into the object.
Entries entries_of(const kube::Object& object);
json::Array to_json(Entries entries);
// Entries that own nothing are left out; without any, the object has no managedFields.
void set_entries(kube::Object& object, Entries entries);
// The entry of the request's field manager, still without fields.
Entry entry_for(const Context& context, const kube::Request& request, std::string operation);

// Others lose what this write changed or removed; whether they may object is the caller's business.
void take_from_others(Entries& entries, const Comparison& change, const Entry& mine);
// An Update: the manager owns what it added and changed, besides what it owned.
void record_update(Entries& entries, const Comparison& change, Entry mine);

const FieldTypes& types_of(const ResourceRules& rules);
// Without the fields that are never owned. A write to the object does not own the status, a write to the status nothing
// but it (and metadata, of built-in kinds).
FieldSet as_far_as_it_counts(FieldSet set, const ResourceRules& rules, const kube::Request& request);
Comparison as_far_as_it_counts(Comparison comparison, const ResourceRules& rules, const kube::Request& request);

kube::Object without_managed_fields(const kube::Object& object);
// An empty object of the same kind.
kube::Object nothing_of(const kube::Object& object);

}  // namespace drover::sim
