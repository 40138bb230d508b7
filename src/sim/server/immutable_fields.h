// What a write may not change: an object's identity; its status, or everything but it; and anything at all if the
// object has changed since it was read.
#pragma once

#include <string_view>

#include "kube/api.h"
#include "kube/object.h"
#include "sim/server/context.h"

namespace drover::sim {

// The object's metadata, made when missing.
json::Members& metadata_of(kube::Object& object);
// Takes a top-level member of the old state over, or removes it where the old has none.
void restore_top(json::Members& fresh, const json::Members& old, std::string_view key);

// metadata.generation counts: something that is wished, not told, differs.
bool wish_changed(const ResourceRules& rules, const kube::Object& fresh, const kube::Object& old);
// A status write changes the status; of a built-in kind also labels and annotations, of a custom one nothing else.
void keep_all_but_status(const ResourceRules& rules, kube::Object& fresh, const kube::Object& old);
// The version and uid that the writer named must be those of the object.
Answer<void> check_guards(const ResourceRules& rules, const kube::Request& request, const kube::Object& old,
                          kube::Object& fresh);

// A merge patch cannot have changed what it does not name.
bool leaves_status_alone(const kube::Request& request);
bool leaves_identity_alone(const kube::Request& request);
// Metadata that a writer must not change: silently taken back, or refused where the real server refuses.
void keep_identity(kube::Object& fresh, const kube::Object& old, FieldErrors& errors);
// The update took the last finalizer off an object that was to be deleted.
bool ends_here(const kube::Object& fresh, const kube::Object& old);

}  // namespace drover::sim
