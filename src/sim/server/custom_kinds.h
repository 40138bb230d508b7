// What becomes of the objects of a custom resource: from a CRD's definition to rows of the catalog.
//
// An object is stored once, in the storage version. Every served version sees the same object: only its apiVersion
// differs, and what its schema does not know is left out (conversion "None"). Where the definition itself comes from is
// the business of definitions.h.
#pragma once

#include <memory>
#include <vector>

#include "sim/crd/definition.h"
#include "sim/server/catalog.h"
#include "sim/server/context.h"

namespace drover::sim {

// A row for every served version, the most stable first.
std::vector<ResourceRules> rows_of(const std::shared_ptr<const crd::Definition>& definition, std::uint64_t since,
                                   bool is_ending);

// A stored object as readers of this version see it. Cheap where there is nothing to do.
Stored as_seen(const ResourceRules& rules, Stored object);

// Commits an object in the form in which it is stored; the answer as this version sees it.
Stored keep(Context& context, const ResourceRules& rules, Draft draft);

// Brings a written object of a custom kind into shape: unknown fields out (their paths are told, sorted), nulls out,
// defaults in.
std::vector<std::string> shape(const crd::Version& version, kube::Object& object, const Bugs& bugs = {});

// Every complaint of a version's schema and rules; `old` is nullptr at creation.
void check_custom(const CustomKind& kind, std::string_view subresource, const kube::Object& fresh,
                  const kube::Object* old, FieldErrors& errors, std::vector<std::string>* warnings);

// What is wrong with a CRD itself, in the server's own list.
void check_custom_resource_definition(const kube::Object& fresh, const kube::Object* old, FieldErrors& errors);
void add_errors(const crd::FieldErrors& from, FieldErrors& to);

// List and map types of a schema, for server-side apply.
std::shared_ptr<const FieldTypes> types_of_schema(const crd::SchemaRef& schema);

// The same schema as a type, for the words of server-side apply.
std::shared_ptr<const types::Type> shape_of_schema(const crd::SchemaRef& schema);

}  // namespace drover::sim
