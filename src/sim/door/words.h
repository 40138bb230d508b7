// What discovery reports about each resource: short names, categories, verbs, subresources. Built-in resources are in a
// table; custom ones are read from their CustomResourceDefinition.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/resource.h"
#include "sim/server.h"

namespace drover::sim::door {

struct Subresource {
  std::string name;   // "scale"
  std::string kind;   // of what is sent and answered
  std::string group;  // where that is not the resource's own; with version
  std::string version;
  std::vector<std::string> verbs;
};

struct ApiResource {
  std::string singular;
  std::string list_kind;
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};
  std::vector<Subresource> subresources = {};
  std::vector<std::string> verbs = {};

  const Subresource* subresource(std::string_view name) const;
  bool has_verb(std::string_view verb) const;
};

ApiResource api_resource_of(const Server& server, const kube::Resource& resource);

// Warnings for every request to this version of a resource: that it is deprecated.
std::vector<std::string> warnings_about(const Server& server, const kube::Resource& resource);

// True when the resource is made from a CustomResourceDefinition.
bool is_custom(const Server& server, const kube::Resource& resource);

// Resources that are questions and are never kept: access and token reviews.
std::span<const kube::Resource> review_resources();

}  // namespace drover::sim::door
