// x-kubernetes-validations: the compiled rules of a schema, and what they say about an object.
//
// Rules are compiled once, when the CRD is admitted, and sit in a tree of the same shape as the schema. A rule that
// mentions oldSelf runs only where an old value can be told; a rule whose place did not change is let through (and
// comes back as a warning).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "sim/cel/cel.h"
#include "sim/crd/correlation.h"
#include "sim/crd/field_error.h"
#include "sim/crd/schema.h"

namespace drover::sim::crd {

// What is wrong with one rule as written; empty fields when nothing is.
struct RuleFault {
  std::string rule;
  std::string message_expression;
  bool uses_old_self = false;
};
// Compiles a rule (and its message) against the type of its place, and throws the result away.
RuleFault examine_rule(const Rule& rule, const cel::TypeRef& self);

// ".spec['a-b'].c" as the path that an error shows, when it leads to a field of the schema.
base::Result<std::string> relative_path(std::string_view json_path, const Schema& schema);

class CelRules {
 public:
  // What kube lets all rules together cost for one object.
  static constexpr std::uint64_t kBudget = 10'000'000;

  struct Verdict {
    FieldErrors errors;
    std::vector<std::string> warnings = {};  // complaints about unchanged places
  };

  CelRules() = default;
  // Rules that do not compile complain whenever their place is looked at (check_schema keeps them out).
  explicit CelRules(SchemaRef root, bool resource_root = true);

  bool empty() const { return !root_; }
  // `old` and `correlation` only for updates; `path` is where the value stands ("" for a whole object); when `budget`
  // is spent the rest of the rules do not run, and that is a complaint.
  Verdict check(const json::Value& value, const json::Value* old, const Correlation& correlation,
                std::string_view path = {}, std::uint64_t budget = kBudget) const;

 private:
  struct Place;
  struct Checker;
  static std::shared_ptr<const Place> build(const Schema& schema, bool resource_root);

  SchemaRef schema_;
  std::shared_ptr<const Place> root_;
};

}  // namespace drover::sim::crd
