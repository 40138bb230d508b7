#include "sim/openapi/document.h"

#include <fmt/format.h>

#include <string_view>

#include "base/text.h"
#include "sim/openapi/operations.h"
#include "sim/openapi/schemas.h"
#include "sim/types/types.h"

namespace drover::sim::openapi {
namespace {

constexpr std::string_view kMetaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1.";

// "shop.example", v1, Widget: example.shop.v1.Widget
std::string custom_definition(const kube::Resource& resource, std::string_view kind) {
  std::string name;
  for (const std::string_view part : base::split(resource.group, '.')) name.insert(0, std::string(part) + ".");
  return name.append(resource.version).append(".").append(kind);
}

const types::Type* type_of(const kube::Resource& resource) {
  return types::find(resource.group, resource.version, resource.kind);
}

void add_type(Schemas& schemas, std::string_view group, std::string_view kind) {
  if (const types::Type* type = types::find(group, "v1", kind)) schemas.add(*type);
}

// The schema as the CRD has it, with what every object has.
json::Value custom_schema(const ServedResource& served, Schemas& schemas) {
  json::Members schema;
  if (served.schema != nullptr && served.schema->is_object()) schema = served.schema->get_object();
  json::Value& properties = schema["properties"];
  if (!properties.is_object()) properties.emplace_object();
  const types::Type* pod = types::find("", "v1", "Pod");
  const types::Field* metadata = pod == nullptr ? nullptr : pod->field("metadata");
  if (metadata != nullptr) schemas.add(*metadata->type);
  const auto text = [](std::string_view about) { return json::Members{{"description", about}, {"type", "string"}}; };
  properties.get_object()["apiVersion"] = text("group and version of the object");
  properties.get_object()["kind"] = text("what kind of object it is");
  properties.get_object()["metadata"] =
      json::Members{{"description", "name, labels and the rest that every object has"},
                    {"allOf", json::Array{reference(fmt::format("{}ObjectMeta", kMetaPrefix))}}};
  schema["x-kubernetes-group-version-kind"] =
      kind_mark(served.resource.group, served.resource.version, served.resource.kind);
  return schema;
}

// Adds the resource's schemas; the definition of its kind.
std::string add_schemas(Schemas& schemas, const ServedResource& served) {
  const kube::Resource& resource = served.resource;
  std::string definition;
  if (const types::Type* type = served.schema == nullptr ? type_of(resource) : nullptr) {
    schemas.add(*type);
    definition = type->definition;
  } else {
    definition = custom_definition(resource, resource.kind);
    schemas.add(definition, custom_schema(served, schemas));
  }
  std::string list = definition.substr(0, definition.rfind('.') + 1) + served.list_kind;
  schemas.add(list, list_schema(resource.group, resource.version, resource.kind, served.list_kind, definition));
  return definition;
}

}  // namespace

ServedResource built_in(const kube::Resource& resource) {
  ServedResource served{.resource = resource, .list_kind = resource.kind + "List"};
  const types::Type* type = type_of(resource);
  served.has_status = type != nullptr && type->field("status") != nullptr;
  served.has_scale =
      resource.group == "apps" &&
      (resource.plural == "deployments" || resource.plural == "replicasets" || resource.plural == "statefulsets");
  return served;
}

std::vector<ServedResource> defined_by(const json::Value& crd) {
  std::vector<ServedResource> all;
  const json::Value* spec = json::find(crd, {"spec"});
  if (spec == nullptr) return all;
  for (const json::Value& version : json::array_at(*spec, {"versions"})) {
    if (!json::flag_at(version, {"served"})) continue;
    static const json::Value kAnything = json::Members{{"type", "object"}};
    const json::Value* schema = json::find(version, {"schema", "openAPIV3Schema"});
    all.push_back(
        {.resource = {std::string(json::text_at(*spec, {"group"})), std::string(json::text_at(version, {"name"})),
                      std::string(json::text_at(*spec, {"names", "plural"})),
                      std::string(json::text_at(*spec, {"names", "kind"})),
                      json::text_at(*spec, {"scope"}) == "Cluster" ? kube::Scope::Cluster : kube::Scope::Namespaced},
         .list_kind = std::string(json::text_at(*spec, {"names", "listKind"})),
         .has_status = json::find(version, {"subresources", "status"}) != nullptr,
         .has_scale = json::find(version, {"subresources", "scale"}) != nullptr,
         .schema = schema == nullptr ? &kAnything : schema});
    if (all.back().list_kind.empty()) all.back().list_kind = all.back().resource.kind + "List";
  }
  return all;
}

std::string place_of(const kube::Resource& resource) {
  return (resource.group.empty() ? "api/" : "apis/") + resource.api_version();
}

json::Value document(std::span<const ServedResource> resources) {
  Schemas schemas;
  json::Members paths;
  for (const std::string_view kind : {"Status", "DeleteOptions"}) add_type(schemas, "", kind);
  schemas.add(std::string(kMetaPrefix) + "Patch",
              json::Members{{"description", "a change, in the words of its content type"}, {"type", "object"}});
  for (const ServedResource& served : resources) {
    const std::string definition = add_schemas(schemas, served);
    if (served.has_scale) add_type(schemas, "autoscaling", "Scale");
    const std::string& plural = served.resource.plural;
    const bool is_core = served.resource.group.empty();
    if (is_core && plural == "pods") {
      add_type(schemas, "policy", "Eviction");
      add_type(schemas, "", "Binding");
    }
    if (is_core && plural == "serviceaccounts") add_type(schemas, "authentication.k8s.io", "TokenRequest");
    add_paths(paths, served, definition);
  }
  return json::Members{
      {"openapi", "3.0.0"},
      {"info", json::Members{{"title", "Kubernetes"}, {"version", "1.36"}}},
      {"paths", std::move(paths)},
      {"components",
       json::Members{{"schemas", schemas.take()},
                     {"securitySchemes", json::Members{{"BearerToken", json::Members{{"type", "apiKey"},
                                                                                     {"description", "a bearer token"},
                                                                                     {"name", "authorization"},
                                                                                     {"in", "header"}}}}}}}};
}

}  // namespace drover::sim::openapi
