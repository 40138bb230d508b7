// Schemas for OpenAPI v3 documents, printed from the graph of built-in types (sim/types).
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/json.h"
#include "sim/types/types.h"

namespace drover::sim::openapi {

// {"$ref": "#/components/schemas/NAME"}
json::Value reference(std::string_view definition);

// Collects the definitions that a document needs, each once, with everything they lead to.
class Schemas {
 public:
  // A type and what its fields lead to.
  void add(const types::Type& type);
  // Something written out elsewhere.
  void add(const std::string& definition, json::Value schema);

  // By name.
  json::Members take();

 private:
  json::Value written(const types::Type& type);
  json::Value property(const types::Field& field);

  json::Members members_;
};

// The schema of a list of a kind.
json::Value list_schema(std::string_view group, std::string_view version, std::string_view kind,
                        std::string_view list_kind, std::string_view definition);

// [{"group": …, "kind": …, "version": …}]
json::Value kind_mark(std::string_view group, std::string_view version, std::string_view kind);

}  // namespace drover::sim::openapi
