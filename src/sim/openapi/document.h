// One OpenAPI v3 document: everything that one group and version serves, with the schemas it speaks of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "kube/resource.h"

namespace drover::sim::openapi {

// One resource in one version.
struct ServedResource {
  kube::Resource resource;
  std::string list_kind;
  bool has_status = false;
  bool has_scale = false;
  // A custom resource's openAPIV3Schema; nullptr for built-in kinds. Must live while documents are made.
  const json::Value* schema = nullptr;
};

// A built-in resource, with the subresources that its type tells of.
ServedResource built_in(const kube::Resource& resource);
// What a CRD object serves, one entry for each served version.
std::vector<ServedResource> defined_by(const json::Value& crd);

// The document for resources of one group and version.
json::Value document(std::span<const ServedResource> resources);

// "api/v1", "apis/apps/v1": where a group and version's document is.
std::string place_of(const kube::Resource& resource);

}  // namespace drover::sim::openapi
