// Is an object a CRD that an API server would take?
//
// It looks at the internal form of the object, in which what all versions share (schema, subresources, columns) has
// moved up to spec; that is why complaints about the only version's schema point to spec.validation.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/same.h"
#include "base/text.h"
#include "sim/crd/definition.h"
#include "sim/crd/formats.h"
#include "sim/crd/schema_check.h"

namespace drover::sim::crd {

namespace {

void append(FieldErrors& to, FieldErrors from) {
  for (auto& error : from) to.push_back(std::move(error));
}

void check_label(const std::string& path, std::string_view text, FieldErrors& errors) {
  const std::string complaint = dns1035_label_complaint(text);
  if (!complaint.empty()) errors.push_back(invalid(path, json::Value(text), complaint));
}

void check_names(const json::Value& names, const std::string& path, FieldErrors& errors) {
  for (const char* name : {"plural", "singular", "kind", "listKind"}) {
    if (json::text_at(names, {name}).empty()) errors.push_back(required(child(path, name)));
  }
  for (const char* name : {"plural", "singular"}) {
    const auto text = json::text_at(names, {name});
    if (!text.empty()) check_label(child(path, name), text, errors);
  }
  for (const char* name : {"kind", "listKind"}) {
    const auto text = json::text_at(names, {name});
    const std::string complaint = text.empty() ? "" : dns1035_label_complaint(base::lower(text));
    if (!complaint.empty()) {
      errors.push_back(invalid(child(path, name), json::Value(text),
                               "may have mixed case, but should otherwise match: " + complaint));
    }
  }
  const auto check_each = [&](const char* list) {
    std::size_t i = 0;
    for (const auto& item : json::array_at(names, {list})) {
      if (item.is_string()) check_label(index(child(path, list), i), std::string_view(item.get_string()), errors);
      ++i;
    }
  };
  check_each("shortNames");
  const auto kind = json::text_at(names, {"kind"});
  if (!kind.empty() && kind == json::text_at(names, {"listKind"})) {
    errors.push_back(invalid(child(path, "listKind"), json::Value(kind), "kind and listKind may not be the same"));
  }
  check_each("categories");
}

void check_json_path(const std::string& path, std::string_view text, FieldErrors& errors) {
  if (!text.starts_with(".")) {
    errors.push_back(invalid(path, json::Value(text), "must be a simple json path starting with ."));
  }
}

void check_columns(const json::Array& columns, const std::string& path, FieldErrors& errors) {
  constexpr std::string_view kTypes = "boolean,date,integer,number,string";
  constexpr std::string_view kFormats = "byte,date,date-time,double,float,int32,int64,password";
  const auto is_one_of = [](std::string_view text, std::string_view list) {
    const auto all = base::split(list, ',');
    return std::find(all.begin(), all.end(), text) != all.end();
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string at = index(path, i);
    const auto type = json::text_at(columns[i], {"type"});
    const auto format = json::text_at(columns[i], {"format"});
    if (json::text_at(columns[i], {"name"}).empty()) errors.push_back(required(child(at, "name")));
    if (type.empty()) {
      errors.push_back(required(child(at, "type"), fmt::format("must be one of {}", kTypes)));
    } else if (!is_one_of(type, kTypes)) {
      errors.push_back(invalid(child(at, "type"), json::Value(type), fmt::format("must be one of {}", kTypes)));
    }
    if (!format.empty() && !is_one_of(format, kFormats)) {
      errors.push_back(invalid(child(at, "format"), json::Value(format), fmt::format("must be one of {}", kFormats)));
    }
    const auto json_path = json::text_at(columns[i], {"jsonPath"});
    if (json_path.empty()) {
      errors.push_back(required(child(at, "JSONPath")));
    } else {
      check_json_path(child(at, "JSONPath"), json_path, errors);
    }
  }
}

void check_scale_path(const json::Value& scale, const char* name, std::string_view under, const std::string& path,
                      FieldErrors& errors) {
  const auto text = json::text_at(scale, {name});
  const std::string at = child(path, fmt::format("scale.{}", name));
  if (text.empty()) {
    errors.push_back(required(at));
  } else if (!text.starts_with(".")) {
    check_json_path(at, text, errors);
  } else if (!text.starts_with(under)) {
    errors.push_back(invalid(at, json::Value(text),
                             fmt::format("should be a json path under {}", under.substr(0, under.size() - 1))));
  }
}

void check_subresources(const json::Value* subresources, const std::string& path, FieldErrors& errors) {
  const json::Value* scale = subresources != nullptr ? json::find(*subresources, {"scale"}) : nullptr;
  if (scale == nullptr) return;
  check_scale_path(*scale, "specReplicasPath", ".spec.", path, errors);
  check_scale_path(*scale, "statusReplicasPath", ".status.", path, errors);
  const auto selector = json::text_at(*scale, {"labelSelectorPath"});
  const std::string at = child(path, "scale.labelSelectorPath");
  if (!selector.empty() && !selector.starts_with(".")) {
    check_json_path(at, selector, errors);
  } else if (!selector.empty() && !selector.starts_with(".spec.") && !selector.starts_with(".status.")) {
    errors.push_back(invalid(at, json::Value(selector), "should be a json path under either .spec or .status"));
  }
}

void check_one_schema(const json::Value& schema, const std::string& path, bool has_status, FieldErrors& errors) {
  const auto read = read_schema(schema);
  if (!read) {
    errors.push_back(invalid(path, json::Value(""), read.error().message));
  } else {
    append(errors, check_schema(*read, path, has_status));
  }
}

// The same in every version, so that the internal form has it once, in spec.
bool is_shared(const json::Array& versions, std::string_view member) {
  const json::Value* first = json::find(versions.front(), {member});
  return std::all_of(versions.begin(), versions.end(), [&](const json::Value& version) {
    const json::Value* other = json::find(version, {member});
    return (first == nullptr) == (other == nullptr) && (first == nullptr || json::same(*first, *other));
  });
}

class Versions {
 public:
  Versions(const json::Array& versions, FieldErrors& errors) : versions_(versions), errors_(errors) {}

  void check_each() {
    for (std::size_t i = 0; i < versions_.size(); ++i) {
      const std::string at = index("spec.versions", i);
      check_label(child(at, "name"), json::text_at(versions_[i], {"name"}), errors_);
      const auto warning = json::text_at(versions_[i], {"deprecationWarning"});
      if (!warning.empty() && !json::flag_at(versions_[i], {"deprecated"})) {
        errors_.push_back(
            invalid(child(at, "deprecationWarning"), json::Value(warning), "can only be set for deprecated versions"));
      }
      if (!is_shared(versions_, "schema")) check_schema_of(versions_[i], child(at, "schema"));
      if (!is_shared(versions_, "subresources")) {
        check_subresources(json::find(versions_[i], {"subresources"}), child(at, "subresources"), errors_);
      }
      if (!is_shared(versions_, "additionalPrinterColumns")) {
        check_columns(json::array_at(versions_[i], {"additionalPrinterColumns"}), child(at, "additionalPrinterColumns"),
                      errors_);
      }
    }
  }

  void check_counts() {
    std::set<std::string_view> names;
    std::size_t storage = 0;
    for (const auto& version : versions_) {
      names.insert(json::text_at(version, {"name"}));
      if (json::flag_at(version, {"storage"})) ++storage;
    }
    const auto complain = [&](std::string words) {
      errors_.push_back({FieldError::Type::Invalid, "spec.versions", internal_form(), std::move(words)});
    };
    if (names.size() != versions_.size()) complain("must contain unique version names");
    if (storage != 1) complain("must have exactly one version marked as storage version");
  }

  void check_shared() {
    if (versions_.empty()) return;
    if (is_shared(versions_, "schema")) check_schema_of(versions_.front(), "spec.validation");
    if (is_shared(versions_, "subresources")) {
      check_subresources(json::find(versions_.front(), {"subresources"}), "spec.subresources", errors_);
    }
    if (is_shared(versions_, "additionalPrinterColumns")) {
      check_columns(json::array_at(versions_.front(), {"additionalPrinterColumns"}), "spec.additionalPrinterColumns",
                    errors_);
    }
  }

 private:
  void check_schema_of(const json::Value& version, const std::string& path) {
    const auto* schema = json::find(version, {"schema", "openAPIV3Schema"});
    if (schema == nullptr) return;
    check_one_schema(*schema, child(path, "openAPIV3Schema"),
                     json::find(version, {"subresources", "status"}) != nullptr, errors_);
  }

  // The versions as the internal form prints them, when what they carry is shared and so has moved away.
  std::string internal_form() const {
    std::string text;
    for (const auto& version : versions_) {
      text += fmt::format(
          R"({}{{"Name":{},"Served":{},"Storage":{},"Deprecated":{},"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}})",
          text.empty() ? "" : ",", json::text_of(json::Value(json::text_at(version, {"name"}))),
          json::flag_at(version, {"served"}), json::flag_at(version, {"storage"}),
          json::flag_at(version, {"deprecated"}));
    }
    return versions_.empty() ? "null" : "[" + text + "]";
  }

  const json::Array& versions_;
  FieldErrors& errors_;
};

void check_spec(const json::Value& crd, FieldErrors& errors) {
  const auto group = json::text_at(crd, {"spec", "group"});
  if (group.empty()) {
    errors.push_back(required("spec.group"));
  } else if (const std::string complaint = dns1123_subdomain_complaint(group); !complaint.empty()) {
    errors.push_back(invalid("spec.group", json::Value(group), complaint));
  } else if (group.find('.') == std::string_view::npos) {
    errors.push_back(invalid("spec.group", json::Value(group), "should be a domain with at least one dot"));
  }
  static const std::vector<std::string> kScopes = {"Cluster", "Namespaced"};
  const auto scope = json::text_at(crd, {"spec", "scope"});
  if (scope.empty()) {
    errors.push_back(required("spec.scope"));
  } else if (std::find(kScopes.begin(), kScopes.end(), scope) == kScopes.end()) {
    errors.push_back(not_supported("spec.scope", json::Value(scope), kScopes));
  }
  const auto& versions = json::array_at(crd, {"spec", "versions"});
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (json::find(versions[i], {"schema", "openAPIV3Schema"}) == nullptr) {
      errors.push_back(required(index("spec.versions", i) + ".schema.openAPIV3Schema"));
    }
  }
  Versions checked(versions, errors);
  checked.check_each();
  checked.check_counts();
  // The internal form repeats the first version's name.
  if (!versions.empty()) check_label("spec.version", json::text_at(versions.front(), {"name"}), errors);
  const json::Value none = json::Members();
  const auto* names = json::find(crd, {"spec", "names"});
  check_names(names != nullptr ? *names : none, "spec.names", errors);
  checked.check_shared();
  const auto strategy = json::text_at(crd, {"spec", "conversion", "strategy"});
  if (!strategy.empty() && strategy != "None") {
    errors.push_back(strategy == "Webhook"
                         ? forbidden("spec.conversion.strategy",
                                     "conversion webhooks are left out of the embedded cluster: use None")
                         : not_supported("spec.conversion.strategy", json::Value(strategy),
                                         std::array<std::string, 2>{"None", "Webhook"}));
  }
  if (json::flag_at(crd, {"spec", "preserveUnknownFields"})) {
    errors.push_back(invalid(
        "spec.preserveUnknownFields", true,
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"));
  }
}

void check_unchanged(const json::Value& crd, const json::Value& old, json::Path path, const std::string& at,
                     FieldErrors& errors) {
  const auto now = json::text_at(crd, path);
  if (now != json::text_at(old, path)) errors.push_back(invalid(at, json::Value(now), "field is immutable"));
}

bool is_established(const json::Value& crd) {
  const auto& conditions = json::array_at(crd, {"status", "conditions"});
  return std::any_of(conditions.begin(), conditions.end(), [](const json::Value& condition) {
    return json::text_at(condition, {"type"}) == "Established" && json::text_at(condition, {"status"}) == "True";
  });
}

}  // namespace

FieldErrors check_definition(const json::Value& crd, const json::Value* old) {
  FieldErrors errors;
  const std::string wanted =
      fmt::format("{}.{}", json::text_at(crd, {"spec", "names", "plural"}), json::text_at(crd, {"spec", "group"}));
  const auto name = json::text_at(crd, {"metadata", "name"});
  if (old == nullptr) {
    const std::string complaint = dns1123_subdomain_complaint(name);
    if (!complaint.empty()) errors.push_back(invalid("metadata.name", json::Value(name), complaint));
    if (name != wanted) {
      errors.push_back(invalid("metadata.name", json::Value(name), R"(must be spec.names.plural+"."+spec.group)"));
    }
  }
  // One that stays as it was has been checked.
  const bool is_checked = old != nullptr && json::same(json::find(crd, {"spec"}), json::find(*old, {"spec"}));
  if (!is_checked) check_spec(crd, errors);
  const auto& versions = json::array_at(crd, {"spec", "versions"});
  const bool stored = std::any_of(versions.begin(), versions.end(),
                                  [](const json::Value& version) { return json::flag_at(version, {"storage"}); });
  if (!stored) errors.push_back(invalid("status.storedVersions", {}, "must have at least one stored version"));
  if (old == nullptr) return errors;
  if (is_established(*old)) {
    check_unchanged(crd, *old, {"spec", "scope"}, "spec.scope", errors);
    check_unchanged(crd, *old, {"spec", "names", "kind"}, "spec.names.kind", errors);
  }
  check_unchanged(crd, *old, {"spec", "group"}, "spec.group", errors);
  check_unchanged(crd, *old, {"spec", "names", "plural"}, "spec.names.plural", errors);
  for (const auto& kept : json::array_at(*old, {"status", "storedVersions"})) {
    const std::string_view version = kept.is_string() ? std::string_view(kept.get_string()) : std::string_view();
    const bool there = std::any_of(versions.begin(), versions.end(),
                                   [&](const json::Value& one) { return json::text_at(one, {"name"}) == version; });
    if (there) continue;
    errors.push_back(invalid(
        "status.storedVersions[0]", kept,
        fmt::format(
            "missing from spec.versions; {0} was previously a storage version, and must remain in spec.versions until "
            "a "
            "storage migration ensures no data remains persisted in {0} and removes {0} from status.storedVersions",
            version)));
  }
  return errors;
}

}  // namespace drover::sim::crd
