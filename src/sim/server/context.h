// What all parts of the server share, and the steps that the verbs share.
//
// A write is: find the old state, make the desired one (from the body or by a patch), settle it (immutable fields are
// taken from the old state, defaults are filled in, invalid fields are refused), commit. Each step is
// one function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/loop.h"
#include "base/random.h"
#include "kube/api.h"
#include "sim/rbac/rbac.h"
#include "sim/server.h"
#include "sim/server/bugs.h"
#include "sim/server/catalog.h"
#include "sim/server/rejections.h"
#include "sim/store.h"

namespace drover::sim {

struct Context {
  const base::Loop& loop;
  base::Random& random;
  Store& store;
  Catalog& catalog;
  bool always_manage_fields = false;  // keep managedFields for every object, not only for applied ones
  std::vector<std::string>* warnings =
      nullptr;  // for the Warning headers of the answer; nullptr when they are not read
  // The user and the RBAC policy; nullptr for trusted callers.
  const rbac::User* user = nullptr;
  const rbac::Policy* policy = nullptr;
  Bugs bugs = {};
  std::string_view tracked_as = {};  // the subresource that managedFields name, where the write is one of the object

  // The wall time as metav1.Time.
  std::string now() const { return base::rfc3339(loop.wall()); }
};

// "ns/name", or "name" for cluster-scoped resources.
std::string key_of(const ResourceRules& rules, const kube::Request& request);

// The stored object that a request names, in the version asked for; NotFound when absent.
Answer<Stored> look_up(const Context& context, const ResourceRules& rules, const kube::Request& request);

// Creates `object` (which the server may change).
Answer<Stored> create_object(Context& context, const ResourceRules& rules, const kube::Request& request, Draft object);

// Makes `fresh` the new state instead of `old`, as far as the subresource lets it; the old state when nothing changes.
Answer<Stored> update_object(Context& context, const ResourceRules& rules, const kube::Request& request,
                             const Stored& old, Draft fresh);

// Delete and delete-like requests: grace, finalizers, propagation.
Answer<Stored> delete_object(Context& context, const ResourceRules& rules, const kube::Request& request);

// A patch's wish: `old` with the request's patch applied. `old` is nullptr for an Apply that creates.
Answer<Draft> patched(Context& context, const ResourceRules& rules, const kube::Request& request,
                      const kube::Object* old);

// What admission adds to a new pod in a cluster with bootstrap objects; 403 when its account does not exist.
Answer<void> admit_pod(Context& context, const ResourceRules& rules, kube::Object& pod);

Answer<Stored> evict_pod(Context& context, const ResourceRules& rules, const kube::Request& request);
Answer<Stored> bind_pod(Context& context, const ResourceRules& rules, const kube::Request& request);
Answer<Stored> serve_scale(Context& context, const ResourceRules& rules, const kube::Request& request);
Answer<Stored> finalize_namespace(Context& context, const ResourceRules& rules, const kube::Request& request);

// {"kind":"Status","status":"Success"}, with details of what went when `rules` is given.
Stored success(const ResourceRules* rules = nullptr, const kube::Object* object = nullptr);

}  // namespace drover::sim
