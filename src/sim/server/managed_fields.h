// metadata.managedFields: which manager set which fields, and what server-side apply does with it.
//
// Keeping the list for every object would cost more than everything else a write does, so by default it is kept from
// the first Apply on (as the real server does for objects older than the feature, the fields of before belong to
// "before-first-apply"). Context::always_manage_fields asks for the whole truth.
#pragma once

#include "kube/api.h"
#include "kube/object.h"
#include "sim/server/context.h"

namespace drover::sim {

// Records the request's manager as the owner of what it set. `object` is complete but for its version.
void track_create(const Context& context, const ResourceRules& rules, const kube::Request& request,
                  kube::Object& object);
void track_update(const Context& context, const ResourceRules& rules, const kube::Request& request,
                  const kube::Object& old, kube::Object& fresh);

// Server-side apply: the new state, with its managedFields. `old` is nullptr when the object does not exist.
Answer<Draft> applied(const Context& context, const ResourceRules& rules, const kube::Request& request,
                      const kube::Object* old);

}  // namespace drover::sim
