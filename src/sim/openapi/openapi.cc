#include "sim/openapi/openapi.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "sim/types/types.h"

namespace drover::sim::openapi {

void Library::look(const std::vector<kube::Resource>& built_in, const std::vector<Stored>& definitions) {
  if (!shelves_.empty() && definitions == definitions_ && built_in.size() == built_in_) return;
  built_in_ = built_in.size();
  definitions_ = definitions;

  std::map<std::string, Shelf, std::less<>> fresh;
  const auto add = [&](ServedResource served, const std::string& made_from) {
    Shelf& shelf = fresh[place_of(served.resource)];
    shelf.made_from.append(served.resource.plural).append(made_from).append(" ");
    shelf.resources.push_back(std::move(served));
  };
  for (const kube::Resource& resource : built_in) add(openapi::built_in(resource), "");
  for (const Stored& crd : definitions_) {
    for (ServedResource& served : defined_by(*crd)) {
      std::string schema = served.schema == nullptr ? "" : json::text_of(*served.schema);
      schema += fmt::format("{}{}", served.has_status, served.has_scale);
      add(std::move(served), schema);
    }
  }
  for (auto& [place, shelf] : fresh) {
    const auto old = shelves_.find(place);
    if (old != shelves_.end() && old->second.made_from == shelf.made_from) shelf.page = std::move(old->second.page);
    if (shelf.page.hash.empty())
      shelf.page.hash = fmt::format("{:016X}{:016X}", base::fnv1a(shelf.made_from),
                                    base::fnv1a(fmt::format("{} {}", place, types::fingerprint())));
  }
  shelves_ = std::move(fresh);
}

std::string Library::index() const {
  json::Members paths;
  for (const auto& [place, shelf] : shelves_) {
    paths[place] = json::Members{{"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", place, shelf.page.hash)}};
  }
  return json::text_of(json::Members{{"paths", std::move(paths)}});
}

const CachedDocument* Library::find(std::string_view place) {
  const auto at = shelves_.find(place);
  if (at == shelves_.end()) return nullptr;
  Shelf& shelf = at->second;
  if (shelf.page.body.empty()) shelf.page.body = json::text_of(document(shelf.resources));
  return &shelf.page;
}

}  // namespace drover::sim::openapi
