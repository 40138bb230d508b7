// A CustomResourceDefinition: is the object one, what does it define, and what becomes of objects of that kind.
//
// The Server asks in this order. For the CRD itself: `with_defaults`, `check_definition`, keep it, `Definition::read`.
// For an object of the kind: prune, drop_nulls, apply_defaults (shape.h), then `check_new`,
// `check_change` or `check_status_change` of its Version. Nothing here keeps state or knows other CRDs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "sim/crd/columns.h"
#include "sim/crd/field_error.h"
#include "sim/crd/rules.h"
#include "sim/crd/schema.h"

namespace drover::sim::crd {

struct Names {
  std::string plural;
  std::string singular;
  std::string kind;
  std::string list_kind;
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};
};

// subresources.scale: paths of plain members, without the leading point.
struct Scale {
  std::vector<std::string> spec_replicas;
  std::vector<std::string> status_replicas;
  std::vector<std::string> label_selector = {};  // empty when there is none
};

// One version of the kind.
struct Version {
  std::string name;
  bool served = false;
  bool storage = false;
  bool deprecated = false;
  std::string deprecation_warning;
  SchemaRef schema;
  CelRules rules;
  bool has_status = false;
  std::optional<Scale> scale = {};
  std::vector<Column> columns = {};                 // without the name; an age when the CRD gives none
  std::vector<std::string> selectable_fields = {};  // ".spec.color"

  using Verdict = CelRules::Verdict;
  // What an API server says to a new object, after its metadata was found good.
  Verdict check_new(const json::Value& object) const;
  Verdict check_change(const json::Value& object, const json::Value& old) const;
  // A write to the status subresource: only the status is looked at, and the rules.
  Verdict check_status_change(const json::Value& object, const json::Value& old) const;
};

struct Definition {
  std::string group;
  bool namespaced = true;
  Names names;
  std::vector<Version> versions = {};

  // Reads a CRD that check_definition has let pass.
  static base::Result<Definition> read(const json::Value& crd);
  const Version* version(std::string_view name) const;
  const Version& storage() const;
  // Versions as discovery lists them: the most stable and newest first.
  std::vector<const Version*> by_priority() const;
};

// Names and conversion that the CRD leaves out, as an API server fills them in.
json::Value with_defaults(json::Value crd);

// Everything wrong with a CRD; `old` when it is an update.
FieldErrors check_definition(const json::Value& crd, const json::Value* old = nullptr);

}  // namespace drover::sim::crd
