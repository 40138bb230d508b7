// The garbage collector: objects whose owners are gone go too.
//
// Nothing at rest: owners and dependents are found in the store by uid. An object is looked at when it appears with an
// owner that is not there, when an owner goes, and when an owner says that it is going (finalizers foregroundDeletion
// and orphan). What does not exist in the kind and namespace that a reference names, under its uid, is gone, also if it
// never was.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/controllers/controller.h"

namespace drover::sim {

class GarbageCollector final : public Controller {
 public:
  explicit GarbageCollector(ControlPlane plane);

 protected:
  std::vector<std::string> interests() const override { return {}; }
  void heard(const Commit& commit) override;
  Done sync(const std::string& key) override;

 private:
  enum class Owner { Solid, Gone, WaitsForDependents };

  // The stored owner that a reference of `dependent` means; Solid when the reference cannot be judged (an unknown
  // kind).
  Owner judge(const json::Value& reference, const kube::Object& dependent, Stored* owner = nullptr) const;
  const kube::Resource* resource_of(std::string_view api_version, std::string_view kind) const;
  void enqueue_object(const std::string& resource, const kube::Object& object);
  void enqueue_waiting_owners(const kube::Object& dependent);

  Done orphan_dependents(const kube::Resource& resource, const kube::Object& owner);
  Done delete_dependents(const kube::Resource& resource, const kube::Object& owner);
  Done delete_if_unowned(const kube::Resource& resource, const kube::Object& object);
  Done drop_references(const kube::Resource& resource, const kube::Object& object,
                       const std::vector<std::string>& uids);
  Done drop_finalizer(const kube::Resource& resource, const kube::Object& object, std::string_view finalizer);
  const kube::Resource* resource_named(const std::string& qualified) const;
};

}  // namespace drover::sim
