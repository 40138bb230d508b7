#include "sim/server/custom_kinds.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sim/crd/shape.h"

namespace drover::sim {
namespace {

// A place of an object in its schema. Where the schema ends, nothing is known: keys are data, lists have one owner.
class SchemaTypes final : public FieldTypes {
 public:
  explicit SchemaTypes(crd::SchemaRef root) : root_(std::move(root)) {}

  FieldType at(const Place& place) const override {
    if (!place.empty() && place[0] == "metadata") return unknown_types().at(place);
    const crd::Schema* schema = root_.get();
    for (const std::string_view key : place) {
      while (schema != nullptr && schema->type == "array") schema = schema->items.get();
      if (schema != nullptr) schema = schema->member(key);
    }
    FieldType type;
    if (schema == nullptr) {
      type.free_keys = !place.empty();
      return type;
    }
    // The elements of a list stand at the list's own place.
    const crd::Schema* object = schema;
    if (schema->type == "array") {
      if (schema->list_type == "set") type.list = FieldType::List::Set;
      if (schema->list_type == "map") {
        type.list = FieldType::List::Map;
        type.keys = schema->list_keys;
        std::sort(type.keys.begin(), type.keys.end());
      }
      object = schema->items.get();
    }
    if (object != nullptr) {
      type.atomic_object = object->map_type == "atomic";
      type.free_keys = object->additional_allowed.has_value() || object->preserves_unknown();
    }
    return type;
  }

 private:
  crd::SchemaRef root_;
};

bool is_older(const kube::Object& object, std::uint64_t since) {
  if (since == 0) return false;
  const auto version = base::parse_int(kube::version_of(object));
  return version && static_cast<std::uint64_t>(*version) <= since;
}

}  // namespace

std::vector<ResourceRules> rows_of(const std::shared_ptr<const crd::Definition>& definition, std::uint64_t since,
                                   bool is_ending) {
  std::vector<ResourceRules> rows;
  for (const crd::Version* version : definition->by_priority()) {
    if (!version->served) continue;
    auto kind = std::make_shared<CustomKind>();
    kind->has_status = version->has_status;
    kind->has_scale = version->scale.has_value();
    kind->definition = definition;
    kind->version = version;
    kind->since = since;
    kind->is_ending = is_ending;
    kind->types = types_of_schema(version->schema);
    kind->shape = shape_of_schema(version->schema);
    ResourceRules rules;
    rules.resource = {definition->group, version->name, definition->names.plural, definition->names.kind,
                      definition->namespaced ? kube::Scope::Namespaced : kube::Scope::Cluster};
    rules.has_status = kind->has_status;
    rules.has_scale = kind->has_scale;
    rules.has_generation = true;
    rules.may_overwrite = false;
    rules.is_custom = true;
    rules.custom = std::move(kind);
    rows.push_back(std::move(rules));
  }
  return rows;
}

std::vector<std::string> shape(const crd::Version& version, kube::Object& object, const Bugs& bugs) {
  std::vector<std::string> gone;
  if (!bugs.has(Bug::PruningForgotten)) gone = crd::prune(object, *version.schema);
  crd::drop_nulls(object, *version.schema);
  if (!bugs.has(Bug::DefaultsForgotten)) crd::apply_defaults(object, *version.schema);
  return gone;
}

Stored as_seen(const ResourceRules& rules, Stored object) {
  if (!rules.custom || !rules.custom->definition || !object) return object;
  const crd::Version& storage = rules.custom->definition->storage();
  const bool old = is_older(*object, rules.custom->since);
  const bool other_version = rules.resource.version != storage.name;
  if (!old && !other_version) return object;
  Draft seen(*object, 256);
  if (old) shape(storage, *seen);
  if (other_version) {
    seen->get_object()["apiVersion"] = rules.resource.api_version();
    crd::prune(*seen, *rules.custom->version->schema);
  }
  return std::move(seen).seal();
}

Stored keep(Context& context, const ResourceRules& rules, Draft draft) {
  if (!rules.custom || !rules.custom->definition) return context.store.put(rules.shelf, std::move(draft));
  const crd::Version& storage = rules.custom->definition->storage();
  const bool other_version = rules.resource.version != storage.name;
  if (other_version) draft->get_object()["apiVersion"] = rules.resource.group + "/" + storage.name;
  return as_seen(rules, context.store.put(rules.shelf, std::move(draft)));
}

void add_errors(const crd::FieldErrors& from, FieldErrors& to) {
  for (const crd::FieldError& error : from) to.add({std::string(error.reason()), error.path, error.body()});
}

void check_custom(const CustomKind& kind, std::string_view subresource, const kube::Object& fresh,
                  const kube::Object* old, FieldErrors& errors, std::vector<std::string>* warnings) {
  if (kind.version == nullptr) return;
  const crd::Version::Verdict verdict = old == nullptr            ? kind.version->check_new(fresh)
                                        : subresource == "status" ? kind.version->check_status_change(fresh, *old)
                                                                  : kind.version->check_change(fresh, *old);
  add_errors(verdict.errors, errors);
  if (warnings != nullptr) warnings->insert(warnings->end(), verdict.warnings.begin(), verdict.warnings.end());
}

void check_custom_resource_definition(const kube::Object& fresh, const kube::Object* old, FieldErrors& errors) {
  add_errors(crd::check_definition(fresh, old), errors);
}

std::shared_ptr<const FieldTypes> types_of_schema(const crd::SchemaRef& schema) {
  return std::make_shared<SchemaTypes>(schema);
}

}  // namespace drover::sim
