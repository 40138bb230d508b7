// What the API server lets a policy say: made from the CustomResourceDefinition that it serves, which may be older than
// ours, or the vendor's own.
//
// The server cuts away the fields that a schema does not know without a word, and refuses a whole write for one word
// that it does not know. So a status is written as it would be kept.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "kube/object.h"
#include "kube/projection.h"
#include "vendors/work_profile.h"

namespace drover::observe {

struct DefinitionFacts {
  std::string version;                            // resourceVersion
  bool has_status = false;                        // written apart from the rest
  std::optional<json::Value> status_schema = {};  // none: it knows no status
  std::vector<std::string> missing_fields = {};   // of those that drover reads: what is set there has no effect
};

kube::Projection definition_projection();

DefinitionFacts definition_facts(const kube::Object& definition, const vendors::WorkProfile::Kind& kind);

// What the server would keep of the status; nothing when it would refuse it. What it does not keep is added to `lost`,
// as "status.nodes[].code". `other_word` gives the word that stands for one which the schema does not know; "" for
// none.
std::optional<json::Value> kept_status(const json::Value& status, const json::Value& schema,
                                       const std::function<std::string_view(std::string_view)>& other_word,
                                       std::set<std::string>& lost);

}  // namespace drover::observe
