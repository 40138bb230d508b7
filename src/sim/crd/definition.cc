// Reading CRDs, and judging objects by them.
#include "sim/crd/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "sim/crd/validate.h"

namespace drover::sim::crd {

namespace {

std::vector<std::string> texts_at(const json::Value& value, json::Path path) {
  std::vector<std::string> texts;
  for (const auto& item : json::array_at(value, path)) {
    if (item.is_string()) texts.emplace_back(item.get_string());
  }
  return texts;
}

std::vector<std::string> member_path(std::string_view json_path) {
  std::vector<std::string> names;
  if (json_path.starts_with(".")) json_path.remove_prefix(1);
  for (const auto name : base::split(json_path, '.')) {
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

base::Result<Version> read_version(const json::Value& from) {
  Version made;
  made.name = json::text_at(from, {"name"});
  made.served = json::flag_at(from, {"served"});
  made.storage = json::flag_at(from, {"storage"});
  made.deprecated = json::flag_at(from, {"deprecated"});
  made.deprecation_warning = json::text_at(from, {"deprecationWarning"});
  const auto* schema = json::find(from, {"schema", "openAPIV3Schema"});
  if (schema == nullptr)
    return base::fault(base::Fault::Kind::Refused, fmt::format("version {} has no schema", made.name));
  TRY(made.schema, read_schema(*schema));
  made.rules = CelRules(made.schema);
  made.has_status = json::find(from, {"subresources", "status"}) != nullptr;
  if (json::find(from, {"subresources", "scale"}) != nullptr) {
    made.scale = Scale{member_path(json::text_at(from, {"subresources", "scale", "specReplicasPath"})),
                       member_path(json::text_at(from, {"subresources", "scale", "statusReplicasPath"})),
                       member_path(json::text_at(from, {"subresources", "scale", "labelSelectorPath"}))};
  }
  for (const auto& column : json::array_at(from, {"additionalPrinterColumns"}))
    made.columns.push_back(Column::make(column));
  if (made.columns.empty()) {
    made.columns.push_back(Column::make(json::Members{
        {"name", "Age"},
        {"type", "date"},
        {"description",
         "CreationTimestamp is a timestamp representing the server time when this object was created. It is not "
         "guaranteed "
         "to be set in happens-before order across separate operations. Clients may not set this value. It is "
         "represented "
         "in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: "
         "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"},
        {"jsonPath", ".metadata.creationTimestamp"}}));
  }
  for (const auto& field : json::array_at(from, {"selectableFields"})) {
    made.selectable_fields.emplace_back(json::text_at(field, {"jsonPath"}));
  }
  return made;
}

const json::Value* find_path(const json::Value& object, const std::vector<std::string>& path) {
  const json::Value* at = &object;
  for (const auto& name : path) {
    at = at->is_object() ? at->get_object().if_contains(name) : nullptr;
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string shown_path(const std::vector<std::string>& path) {
  std::string text;
  for (const auto& name : path) text += "." + name;
  return text;
}

void check_replicas(const json::Value& object, const std::vector<std::string>& path, FieldErrors& errors) {
  const json::Value* found = find_path(object, path);
  if (found == nullptr || !found->is_int64()) return;  // a wrong type is the schema's business
  if (found->get_int64() < 0) {
    errors.push_back(invalid(shown_path(path), *found, "should be a non-negative integer"));
  } else if (found->get_int64() > INT32_MAX) {
    errors.push_back(invalid(shown_path(path), *found, fmt::format("should be less than or equal to {}", INT32_MAX)));
  }
}

// Some complaints make it pointless to run rules: they would stumble over the same things.
bool blocks_rules(const FieldErrors& errors) {
  return std::any_of(errors.begin(), errors.end(), [](const FieldError& error) {
    using Type = FieldError::Type;
    return error.type == Type::NotSupported || error.type == Type::Required || error.type == Type::TooLong ||
           error.type == Type::TooMany || error.type == Type::TypeInvalid;
  });
}

void append_all(FieldErrors& to, FieldErrors from) {
  for (auto& error : from) to.push_back(std::move(error));
}

// What was given twice before may stay so.
void append_unless_old(FieldErrors& to, FieldErrors from, const json::Value& old, const Schema& schema) {
  if (!from.empty() && check_list_types(old, schema).empty()) append_all(to, std::move(from));
}

CelRules::Verdict with_rules(FieldErrors errors, const CelRules& rules, const json::Value& object,
                             const json::Value* old, const Correlation& correlation) {
  CelRules::Verdict verdict{std::move(errors)};
  if (rules.empty()) return verdict;
  if (blocks_rules(verdict.errors)) {
    verdict.errors.push_back(
        invalid("<nil>", {},
                "some validation rules were not checked because the object was invalid; correct the "
                "existing errors to complete validation"));
    return verdict;
  }
  auto ruled = rules.check(object, old, correlation);
  append_all(verdict.errors, std::move(ruled.errors));
  verdict.warnings = std::move(ruled.warnings);
  return verdict;
}

// v1 before v1beta2 before v1alpha1 before anything else; newer first.
std::tuple<int, std::int64_t, std::int64_t> priority(std::string_view name) {
  if (!name.starts_with("v")) return {0, 0, 0};
  std::size_t end = 1;
  while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
  const auto major = base::parse_int(name.substr(1, end - 1));
  if (!major) return {0, 0, 0};
  const std::string_view rest = name.substr(end);
  if (rest.empty()) return {3, *major, 0};
  for (const auto& [word, rank] : {std::pair<std::string_view, int>{"beta", 2}, {"alpha", 1}}) {
    if (!rest.starts_with(word)) continue;
    if (const auto minor = base::parse_int(rest.substr(word.size()))) return {rank, *major, *minor};
  }
  return {0, 0, 0};
}

}  // namespace

Version::Verdict Version::check_new(const json::Value& object) const {
  FieldErrors errors = validate(object, *schema);
  if (scale) {
    check_replicas(object, scale->spec_replicas, errors);
    check_replicas(object, scale->status_replicas, errors);
  }
  append_all(errors, check_embedded_resources(object, *schema));
  append_all(errors, check_list_types(object, *schema));
  return with_rules(std::move(errors), rules, object, nullptr, {});
}

Version::Verdict Version::check_change(const json::Value& object, const json::Value& old) const {
  const Correlation correlation{&object, &old, schema.get()};
  FieldErrors errors = validate(object, *schema, {}, correlation);
  if (scale) {
    check_replicas(object, scale->spec_replicas, errors);
    check_replicas(object, scale->status_replicas, errors);
  }
  append_all(errors, check_embedded_resources(object, *schema));
  append_unless_old(errors, check_list_types(object, *schema), old, *schema);
  return with_rules(std::move(errors), rules, object, &old, correlation);
}

Version::Verdict Version::check_status_change(const json::Value& object, const json::Value& old) const {
  const Correlation correlation{&object, &old, schema.get()};
  FieldErrors errors;
  const auto* status = json::find(object, {"status"});
  const Schema* status_schema = schema->member("status");
  if (status != nullptr && status_schema != nullptr) {
    errors = validate(*status, *status_schema, "status", correlation.member("status"));
  }
  if (scale) check_replicas(object, scale->status_replicas, errors);
  append_unless_old(errors, check_list_types(object, *schema), old, *schema);
  return with_rules(std::move(errors), rules, object, &old, correlation);
}

base::Result<Definition> Definition::read(const json::Value& crd) {
  Definition made;
  made.group = json::text_at(crd, {"spec", "group"});
  made.namespaced = json::text_at(crd, {"spec", "scope"}) != "Cluster";
  const auto name = [&](std::string_view which) { return std::string(json::text_at(crd, {"spec", "names", which})); };
  made.names = {name("plural"),
                name("singular"),
                name("kind"),
                name("listKind"),
                texts_at(crd, {"spec", "names", "shortNames"}),
                texts_at(crd, {"spec", "names", "categories"})};
  for (const auto& from : json::array_at(crd, {"spec", "versions"})) {
    TRY(Version version, read_version(from));
    made.versions.push_back(std::move(version));
  }
  if (made.versions.empty()) return base::fault(base::Fault::Kind::Refused, "the definition has no versions");
  return made;
}

const Version* Definition::version(std::string_view name) const {
  const auto found =
      std::find_if(versions.begin(), versions.end(), [&](const Version& version) { return version.name == name; });
  return found == versions.end() ? nullptr : &*found;
}

const Version& Definition::storage() const {
  const auto found =
      std::find_if(versions.begin(), versions.end(), [](const Version& version) { return version.storage; });
  return found == versions.end() ? versions.front() : *found;
}

std::vector<const Version*> Definition::by_priority() const {
  std::vector<const Version*> sorted;
  for (const auto& version : versions) sorted.push_back(&version);
  std::sort(sorted.begin(), sorted.end(), [](const Version* a, const Version* b) {
    const auto left = priority(a->name);
    const auto right = priority(b->name);
    return left != right ? left > right : a->name < b->name;
  });
  return sorted;
}

json::Value with_defaults(json::Value crd) {
  const std::string kind(json::text_at(crd, {"spec", "names", "kind"}));
  if (!crd.is_object() || json::find(crd, {"spec"}) == nullptr || !json::find(crd, {"spec"})->is_object()) return crd;
  if (json::text_at(crd, {"spec", "names", "singular"}).empty()) {
    json::ensure(crd, {"spec", "names", "singular"}) = base::lower(kind);
  }
  if (json::text_at(crd, {"spec", "names", "listKind"}).empty() && !kind.empty()) {
    json::ensure(crd, {"spec", "names", "listKind"}) = kind + "List";
  }
  if (json::find(crd, {"spec", "conversion"}) == nullptr)
    json::ensure(crd, {"spec", "conversion", "strategy"}) = "None";
  return crd;
}

}  // namespace drover::sim::crd
