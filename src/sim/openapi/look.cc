// What the embedded server serves, as the library wants to know it.
#include <vector>

#include "kube/object.h"
#include "sim/crd/definition.h"
#include "sim/openapi/openapi.h"
#include "sim/server.h"

namespace drover::sim::openapi {

void Library::look(const Server& server) {
  std::vector<Stored> definitions;
  std::vector<kube::Resource> built_in;
  server.store().each(kube::kCustomResourceDefinitions.qualified(), "",
                      [&](const Stored& crd) { definitions.push_back(crd); });
  for (const kube::Resource& resource : server.resources()) {
    if (server.definition(resource.group, resource.plural) == nullptr) built_in.push_back(resource);
  }
  std::erase_if(definitions, [&](const Stored& crd) {
    return server.definition(json::text_at(*crd, {"spec", "group"}),
                             json::text_at(*crd, {"spec", "names", "plural"})) == nullptr;
  });
  look(built_in, definitions);
}

}  // namespace drover::sim::openapi
