// CustomResourceDefinitions at work: what a real cluster's naming, establishing and finalizing controllers do, done at
// once, inside the commit that calls for it.
//
// A definition whose names are free is established: its resources are in the catalog from that moment. When one is
// deleted, its objects are deleted first, and the definition when the last of them is gone. Data at rest: the
// definitions as read, by shelf.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "sim/crd/definition.h"
#include "sim/server/context.h"

namespace drover::sim {

class Definitions {
 public:
  explicit Definitions(Context& context);
  Definitions(const Definitions&) = delete;
  Definitions& operator=(const Definitions&) = delete;

  // The established definition, or nullptr.
  const crd::Definition* find(std::string_view group, std::string_view plural) const;

 private:
  struct Known {
    std::string name;  // of the CRD
    std::shared_ptr<const crd::Definition> definition;
    bool is_established = false;
    bool is_ending = false;
    std::uint64_t since = 0;
  };

  void heard(const Commit& commit);
  void take(const Commit& commit);
  void forget(const kube::Object& crd);
  void publish(const std::string& shelf, const Known& known);
  // One step of the definition's life; the next follows from the commit it makes.
  void advance(const Stored& crd);
  void take_objects_along(const std::string& shelf, const Known& known);
  void write_status(const Stored& crd, json::Value status);

  Context& context_;
  std::map<std::string, Known, std::less<>> by_shelf_;
};

// The status that the definition's names deserve beside the other definitions of its group: acceptedNames, and the
// conditions NamesAccepted and Established.
json::Value named_status(const Store& store, const kube::Object& crd, const std::string& now);

// The first delete of a definition: it is marked, and its objects go first.
Answer<Stored> end_definition(Context& context, const ResourceRules& rules, const kube::Request& request,
                              const Stored& old);

// What the server decides about a new definition, and what an update must remember.
void fill_in_definition(kube::Object& crd);
void new_definition(kube::Object& crd);
void remember_stored_versions(kube::Object& fresh, const kube::Object& old);

}  // namespace drover::sim
