// RBAC in the server: the policy that follows the RBAC objects, aggregated roles, and the check against privilege
// escalation.
#pragma once

#include <string_view>

#include "sim/rbac/rbac.h"
#include "sim/server/context.h"

namespace drover::sim {

class Access {
 public:
  explicit Access(Context& context) : context_(context) {}
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

  // Creates the bootstrap roles and bindings, and follows all RBAC objects from now on.
  void found();
  const rbac::Policy& policy() const { return policy_; }
  rbac::Policy& policy() { return policy_; }

 private:
  void heard(const Commit& commit);
  void write_aggregated_rules();

  Context& context_;
  rbac::Policy policy_;
  bool is_founded_ = false;
};

// 403 when the request would grant rights that its user does not have; `fresh` is the desired state.
Answer<void> check_escalation(const Context& context, const ResourceRules& rules, const kube::Object& fresh,
                              const kube::Object* old);

// What the RBAC kinds fill in and refuse.
void fill_in_role(kube::Object& role);
void fill_in_role_binding(kube::Object& binding);
void check_role(const kube::Object& role, const kube::Object* old, FieldErrors& errors);
void check_role_binding(const kube::Object& binding, const kube::Object* old, FieldErrors& errors);

}  // namespace drover::sim
