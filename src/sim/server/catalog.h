// What is particular about each resource, as rows of a table: which subresources it has, what counts as its generation,
// how its objects may be named, what a delete answers. The server itself knows no kind by name except through these
// rows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube/object.h"
#include "kube/resource.h"
#include "sim/crd/definition.h"
#include "sim/server/field_types.h"
#include "sim/server/rejections.h"

namespace drover::sim::types {
struct Type;
}

namespace drover::sim {

enum class NameRule { Subdomain, Label, PathSegment };

// What becomes of the objects that name a deleted one as their owner, unless the delete says otherwise.
enum class Dependents { Deleted, Orphaned, Ignored };

// What one version of a custom resource brings along: the meaning of its schema. All optional.
struct CustomKind {
  bool has_status = true;
  bool has_scale = false;
  // The definition and the one of its versions that this is; together or not at all.
  std::shared_ptr<const crd::Definition> definition = {};
  const crd::Version* version = nullptr;
  // Objects up to this version of the store were written under another schema: readers get them pruned and
  // defaulted by this one.
  std::uint64_t since = 0;
  bool is_ending = false;  // the definition is being deleted: nothing new is made
  // Brings a written object into shape (unknown fields out, defaults in).
  std::function<void(kube::Object&)> fill_in = {};
  // What is wrong with it; `old` is nullptr at creation.
  std::function<void(const kube::Object& fresh, const kube::Object* old, FieldErrors&)> check = {};
  // List types and map types, for server-side apply; and the shape that an applied body must have.
  std::shared_ptr<const FieldTypes> types = {};
  std::shared_ptr<const types::Type> shape = {};
};

struct ResourceRules {
  kube::Resource resource = {};
  std::string shelf = {};  // the resource's name in the store

  bool has_status = false;      // a status subresource: ordinary writes keep the status, status writes keep the rest
  bool has_generation = false;  // metadata.generation counts the wishes
  bool has_scale = false;
  bool may_overwrite = true;  // replace without a resourceVersion
  bool is_custom =
      false;  // made from a CRD: no strategic merge patch, generation for everything but metadata and status
  bool answers_deleted = false;  // a delete answers with the object, not with a Status
  bool creates_on_update = false;
  NameRule names = NameRule::Subdomain;
  Dependents dependents = Dependents::Deleted;

  std::shared_ptr<const CustomKind> custom = {};

  // Fills in what the writer left out; on every write of the whole object.
  void (*fill_in)(kube::Object& object) = nullptr;
  // What creation itself decides (a pod's first status).
  void (*on_create)(kube::Object& object) = nullptr;
  // What an update may not change or must remember; before the comparison of old and new.
  void (*on_update)(kube::Object& fresh, const kube::Object& old) = nullptr;
  // What is wrong with it; `old` is nullptr at creation.
  void (*check)(const kube::Object& fresh, const kube::Object* old, FieldErrors& errors) = nullptr;
};

class Catalog {
 public:
  Catalog();  // with the built-in resources

  // By group and plural, whatever the version (the most stable one); nullptr when unknown.
  const ResourceRules* find(std::string_view group, std::string_view plural) const;
  // Those of the requested version. For built-in resources any version matches.
  const ResourceRules* find(const kube::Resource& resource) const;
  // The exact version too.
  const kube::Resource* find(std::string_view group, std::string_view version, std::string_view plural) const;
  const std::vector<kube::Resource>& resources() const { return resources_; }

  // A resource made from a CRD; one with the same group and plural is replaced.
  void add(ResourceRules rules);
  // All versions of one resource, the most stable first; instead of those there were.
  void add_versions(std::vector<ResourceRules> versions);
  void remove(std::string_view group, std::string_view plural);
  bool is_built_in(std::string_view shelf) const;
  // What was removed stays readable until then: the request that removed it may still look at it.
  void sweep() {
    if (!retired_.empty()) retired_.clear();
  }

 private:
  std::map<std::string, std::vector<std::unique_ptr<ResourceRules>>, std::less<>> by_shelf_;
  std::vector<kube::Resource> resources_;
  std::vector<std::unique_ptr<ResourceRules>> retired_;
};

}  // namespace drover::sim
