#include "sim/types/graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sim/types/tables.h"

namespace drover::sim::types {
namespace {

struct Basic {
  std::string_view name;
  JsonShape shape;
  std::string_view spelling;    // as the decoder names it
  std::string_view definition;  // in OpenAPI; "" for what is written out
};

constexpr Basic kBasics[] = {
    {"string", JsonShape::Text, "string", ""},
    {"bool", JsonShape::Flag, "bool", ""},
    {"int32", JsonShape::Integer32, "int32", ""},
    {"int64", JsonShape::Integer64, "int64", ""},
    {"float64", JsonShape::Number, "float64", ""},
    {"bytes", JsonShape::Bytes, "[]uint8", ""},
    {"UID", JsonShape::Text, "types.UID", ""},
    {"Time", JsonShape::Time, "v1.Time", "io.k8s.apimachinery.pkg.apis.meta.v1.Time"},
    {"MicroTime", JsonShape::MicroTime, "v1.MicroTime", "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"},
    {"Quantity", JsonShape::Quantity, "resource.Quantity", "io.k8s.apimachinery.pkg.api.resource.Quantity"},
    {"IntOrString", JsonShape::IntOrString, "intstr.IntOrString", "io.k8s.apimachinery.pkg.util.intstr.IntOrString"},
    {"RawExtension", JsonShape::Anything, "runtime.RawExtension", "io.k8s.apimachinery.pkg.runtime.RawExtension"},
    {"FieldsV1", JsonShape::Anything, "v1.FieldsV1", "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1"},
    {"JSON", JsonShape::Anything, "v1.JSON", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON"},
    {"JSONSchemaPropsOrArray", JsonShape::Anything, "v1.JSONSchemaPropsOrArray",
     "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray"},
    {"JSONSchemaPropsOrBool", JsonShape::Anything, "v1.JSONSchemaPropsOrBool",
     "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool"},
    {"JSONSchemaPropsOrStringArray", JsonShape::Anything, "v1.JSONSchemaPropsOrStringArray",
     "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray"},
};

// The text up to the first blank, taken off.
std::string_view word(std::string_view& text) {
  text = base::trim(text);
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view first = text.substr(0, end);
  text = base::trim(text.substr(end));
  return first;
}

std::string scoped(std::string_view scope, std::string_view name) { return fmt::format("{}.{}", scope, name); }

}  // namespace

Graph::Graph(const std::vector<std::string_view>& tables) {
  add_basics();
  for (const std::string_view table : tables) {
    for (const std::string_view line : base::split(table, '\n')) read_line(line);
    open_ = nullptr;
  }
  for (const auto& [name, rows] : rows_) {
    Type& type = *by_name_.find(name)->second;
    fill(type, rows, "");
    std::sort(type.fields.begin(), type.fields.end(), [](const Field& a, const Field& b) { return a.name < b.name; });
  }
}

void Graph::add_basics() {
  for (const Basic& basic : kBasics) {
    types_.push_back({.shape = basic.shape,
                      .spelling = std::string(basic.spelling),
                      .name = basic.name,
                      .definition = std::string(basic.definition),
                      .about = {}});
    by_name_.emplace(basic.name, &types_.back());
  }
}

void Graph::read_line(std::string_view line) {
  if (base::trim(line).empty()) return;
  if (line.starts_with("  ")) {
    if (open_ == nullptr) return complaints_.push_back(fmt::format("no type for the field: {}", line));
    const std::size_t bar = std::min(line.find('|'), line.size());
    std::string_view left = line.substr(0, bar);
    const std::string_view name = word(left);
    const std::string_view type = word(left);
    const std::string_view about = bar < line.size() ? base::trim(line.substr(bar + 1)) : std::string_view();
    return open_->push_back({scope_.name, name, type, left, about});
  }
  std::string_view rest = line;
  const std::string_view first = word(rest);
  if (first == "scope") {
    scope_.name = word(rest);
    scope_.group = word(rest);
    if (scope_.group == "-") scope_.group = {};
    scope_.version = word(rest);
    scope_.prefix = word(rest);
  } else if (first == "kind" || first == "type") {
    open_type(line);
  } else {
    read_alias(line);
  }
}

void Graph::read_alias(std::string_view line) {
  const std::size_t sign = line.find(" = ");
  if (sign == std::string_view::npos) return complaints_.push_back(fmt::format("cannot be read: {}", line));
  std::string_view names = line.substr(0, sign);
  std::string_view choices = line.substr(sign + 3);
  const std::string_view type = word(choices);
  while (!names.empty()) {
    Alias& alias = aliases_[scoped(scope_.name, word(names))];
    alias.type = type;
    alias.version = scope_.version;
    for (std::string_view rest = choices; !rest.empty();) {
      const std::string_view choice = word(rest);
      alias.choices.push_back(choice == R"("")" ? std::string_view() : choice);
    }
  }
}

void Graph::open_type(std::string_view line) {
  const std::size_t bar = std::min(line.find('|'), line.size());
  std::string_view left = line.substr(0, bar);
  const bool is_kind = word(left) == "kind";
  const std::string_view name = word(left);
  types_.push_back({.shape = JsonShape::Object,
                    .spelling = scoped(scope_.version, name),
                    .name = name,
                    .definition = scoped(scope_.prefix, name),
                    .about = bar < line.size() ? base::trim(line.substr(bar + 1)) : std::string_view(),
                    .atomic = left == "atomic"});
  Type* type = &types_.back();
  if (!by_name_.emplace(scoped(scope_.name, name), type).second)
    complaints_.push_back(fmt::format("{} is there twice", scoped(scope_.name, name)));
  if (is_kind) {
    type->version = scope_.version;
    type->group = scope_.group;
    kinds_.push_back({scope_.group, scope_.version, name, type});
  }
  open_ = &rows_[scoped(scope_.name, name)];
}

void Graph::fill(Type& type, const std::vector<Row>& rows, std::string_view through) {
  for (const Row& row : rows) {
    if (row.name != "+") {
      type.fields.push_back(field(row, through));
      continue;
    }
    auto embedded = rows_.find(scoped(row.scope, row.type));
    for (const std::string_view scope : {"core", "meta"}) {
      if (embedded == rows_.end()) embedded = rows_.find(scoped(scope, row.type));
    }
    if (embedded == rows_.end()) {
      complaints_.push_back(fmt::format("{} has the fields of {}, which is nowhere", type.name, row.type));
    } else {
      fill(type, embedded->second, row.type);
    }
  }
}

Field Graph::field(const Row& row, std::string_view through) {
  Field field{.name = row.name, .about = row.about, .patch_key = {}, .through = through};
  if (field.name.ends_with('*')) {
    field.required = true;
    field.name.remove_suffix(1);
  }
  field.type = resolve(row.scope, row.type);
  if (field.type == nullptr) {
    complaints_.push_back(fmt::format("{} has the type {}, which is nowhere", row.name, row.type));
    field.type = by_name_.find("RawExtension")->second;
  }
  std::string_view marks = row.marks;
  while (!marks.empty()) {
    const std::string_view mark = word(marks);
    const std::size_t colon = std::min(mark.find(':'), mark.size());
    const std::string_view what = mark.substr(0, colon);
    const std::string_view keys = colon < mark.size() ? mark.substr(colon + 1) : std::string_view();
    if (what == "atomic") {
      field.merge = Merge::Atomic;
    } else if (what == "set") {
      field.merge = Merge::Set;
    } else if (what == "granular") {
      field.merge = Merge::Granular;
    } else if (what == "map") {
      field.merge = Merge::Map;
      field.keys = base::split(keys, ',');
    } else if (what == "merge") {
      field.patch_merges = true;
      field.patch_key = keys;
    } else if (what == "replace") {
      field.patch_replaces = true;
    } else if (what == "retain") {
      field.patch_retains_keys = true;
    } else {
      complaints_.push_back(fmt::format("{} has the mark {}, which means nothing", row.name, mark));
    }
  }
  return field;
}

const Type* Graph::resolve(std::string_view scope, std::string_view spelled) {
  if (const auto known = by_name_.find(spelled); known != by_name_.end()) return known->second;

  // []T and map[K]T are made when first named.
  const bool is_list = spelled.starts_with("[]");
  if (is_list || spelled.starts_with("map[")) {
    const std::size_t end = spelled.find(']');
    const Type* element = resolve(scope, spelled.substr(end + 1));
    const Type* key = is_list ? nullptr : resolve(scope, spelled.substr(4, end - 4));
    if (element == nullptr || (!is_list && key == nullptr)) return nullptr;
    const std::string name =
        is_list ? "[]" + element->spelling : fmt::format("map[{}]{}", key->spelling, element->spelling);
    const std::string full = fmt::format("{} of {}", name, element->definition);
    if (const auto known = by_name_.find(full); known != by_name_.end()) return known->second;
    types_.push_back({.shape = is_list ? JsonShape::List : JsonShape::Map,
                      .spelling = name,
                      .name = {},
                      .about = {},
                      .element = element});
    return by_name_[full] = &types_.back();
  }

  for (const std::string_view place : {scope, std::string_view("core"), std::string_view("meta")}) {
    const std::string name = scoped(place, spelled);
    if (const auto known = by_name_.find(name); known != by_name_.end()) return known->second;
    const auto alias = aliases_.find(name);
    if (alias == aliases_.end()) continue;
    const Type* behind = resolve(place, alias->second.type);
    if (behind == nullptr) return nullptr;
    types_.push_back(*behind);
    types_.back().spelling = scoped(alias->second.version, spelled);
    types_.back().choices = alias->second.choices;
    return by_name_[name] = &types_.back();
  }
  return nullptr;
}

const Type* Graph::find(std::string_view scoped_name) const {
  const auto at = by_name_.find(scoped_name);
  return at == by_name_.end() ? nullptr : at->second;
}

namespace {

std::vector<std::string_view> all_tables() {
  return {kMeta,      kPods,        kContainers, kVolumes,     kPersistentVolumes, kCluster, kNodes,
          kWorkloads, kAutoscaling, kAccess,     kDefinitions, kDevices,           kOthers};
}

}  // namespace

const Graph& graph() {
  static const Graph kGraph(all_tables());
  return kGraph;
}

// ---- the questions of types.h

const Field* Type::field(std::string_view wanted) const {
  const auto at = std::lower_bound(fields.begin(), fields.end(), wanted,
                                   [](const Field& field, std::string_view name) { return field.name < name; });
  return at == fields.end() || at->name != wanted ? nullptr : &*at;
}

const std::vector<Kind>& kinds() { return graph().kinds(); }

std::uint64_t fingerprint() {
  static const std::uint64_t kFingerprint = [] {
    std::string sums;
    for (const std::string_view table : all_tables()) sums += fmt::format("{:x} ", base::fnv1a(table));
    return base::fnv1a(sums);
  }();
  return kFingerprint;
}

const Type* find(std::string_view group, std::string_view version, std::string_view kind) {
  for (const Kind& one : kinds()) {
    if (one.kind == kind && one.group == group && one.version == version) return one.type;
  }
  return nullptr;
}

}  // namespace drover::sim::types
