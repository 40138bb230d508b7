// What the server has: versions, groups and resources, in the form of old clients and in the aggregated one.
#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"
#include "sim/server.h"

namespace drover::sim::door {

// APIVersions, for /api.
json::Value core_versions(std::string_view host);
// APIGroupList, for /apis.
json::Value group_list(const Server& server);
// APIGroup, for /apis/GROUP; nothing when there is none.
std::optional<json::Value> one_group(const Server& server, std::string_view group);
// APIResourceList, for /api/v1 and /apis/GROUP/VERSION; nothing when there is none.
std::optional<json::Value> resource_list(const Server& server, std::string_view group, std::string_view version);

// APIGroupDiscoveryList: of the core group for /api, of all others for /apis. `version` of its own API: v2, v2beta1.
json::Value aggregated(const Server& server, bool core, std::string_view version);

// True when a resource of this group is served.
bool has_group(const Server& server, std::string_view group);

// The served paths, for "/".
json::Value known_paths(const Server& server);
// kube-apiserver 1.36 with our name on it, for /version.
json::Value version_facts();

}  // namespace drover::sim::door
