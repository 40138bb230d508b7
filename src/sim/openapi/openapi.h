// /openapi/v3 of the embedded cluster: an index, and a document for each group and version.
//
// Documents are made when first asked for and kept until a CRD changes; the index names each with a hash of what it is
// made from, so that clients can keep theirs too.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kube/resource.h"
#include "sim/draft.h"
#include "sim/openapi/document.h"

namespace drover::sim {
class Server;
}

namespace drover::sim::openapi {

struct CachedDocument {
  std::string body;  // JSON
  std::string hash;  // of the body's making: an ETag, and the ?hash= of the index
};

class Library {
 public:
  // Looks at what is served now. Cheap when nothing changed; call it before asking.
  void look(const Server& server);
  // The same, from the resources themselves: the built-in ones, and CRD objects that are established.
  void look(const std::vector<kube::Resource>& built_in, const std::vector<Stored>& definitions);

  // The body of /openapi/v3.
  std::string index() const;
  // The document at "api/v1" or "apis/apps/v1"; nullptr when there is none.
  const CachedDocument* find(std::string_view place);

 private:
  struct Shelf {
    std::vector<ServedResource> resources;
    std::string made_from;     // what the hash is of
    CachedDocument page = {};  // without a body until asked for
  };

  std::map<std::string, Shelf, std::less<>> shelves_;
  std::vector<Stored> definitions_;  // whose schemas the shelves point to
  std::size_t built_in_ = 0;
};

}  // namespace drover::sim::openapi
