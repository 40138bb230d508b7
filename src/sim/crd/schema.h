// A structural schema: what a CRD says about one value.
//
// Data at rest: the openAPIV3Schema of one version, read once, immutable, shared. Everything else in this folder walks
// it beside an object: pruning, defaulting, validation, rules; so does server-side apply (list_type, list_keys,
// map_type).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "sim/cel/regex.h"

namespace drover::sim::crd {

struct Schema;
using SchemaRef = std::shared_ptr<const Schema>;

// One of x-kubernetes-validations.
struct Rule {
  std::string rule;
  std::string message;
  std::string message_expression;
  std::optional<std::string> reason = {};
  std::string field_path;
  std::optional<bool> optional_old_self = {};
};

struct Schema {
  std::string type;  // "" when none is given
  std::string format;
  std::string title;
  std::string description;
  bool nullable = false;
  std::optional<json::Value> default_value = {};

  std::map<std::string, SchemaRef, std::less<>> properties = {};
  SchemaRef additional = {};                    // additionalProperties: a schema
  std::optional<bool> additional_allowed = {};  // additionalProperties: true or false
  SchemaRef items = {};
  bool items_is_list = false;                 // items: [ … ], which is not supported
  std::vector<std::string> unsupported = {};  // keywords that are refused by name: "$ref", "definitions", …

  // value validations
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  std::optional<double> multiple_of = {};
  std::optional<std::int64_t> min_length = {};
  std::optional<std::int64_t> max_length = {};
  std::optional<std::int64_t> min_items = {};
  std::optional<std::int64_t> max_items = {};
  std::optional<std::int64_t> min_properties = {};
  std::optional<std::int64_t> max_properties = {};
  bool unique_items = false;
  std::string pattern;
  cel::Pattern compiled_pattern = {};  // nothing when the pattern is garbled, which check_schema refuses
  std::vector<json::Value> enumeration = {};
  std::vector<std::string> required = {};
  std::vector<SchemaRef> all_of = {};
  std::vector<SchemaRef> any_of = {};
  std::vector<SchemaRef> one_of = {};
  SchemaRef negated = {};  // "not"

  // x-kubernetes-…
  std::optional<bool> preserve_unknown = {};
  bool embedded_resource = false;
  bool int_or_string = false;
  std::string list_type;  // "", "atomic", "set", "map"
  std::vector<std::string> list_keys = {};
  std::string map_type;  // "", "atomic", "granular"
  std::vector<Rule> rules = {};

  // Whether anything here or below says so: most of an object need not be walked then.
  bool has_list_types = false;  // a set or a map
  bool has_embedded = false;

  bool preserves_unknown() const { return preserve_unknown.value_or(false); }
  // The schema of a member or of the items; nullptr when the schema says nothing about it.
  const Schema* member(std::string_view name) const;
  const Schema* item() const { return items.get(); }
};

// Reads an openAPIV3Schema. Malformed when a keyword has a value of the wrong JSON type.
base::Result<SchemaRef> read_schema(const json::Value& value);

}  // namespace drover::sim::crd
