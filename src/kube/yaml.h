// YAML as JSON values, with bounds: for configuration files that people write.
#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace drover::kube {

// The first document of `text`. Scalars are strings, as written ("true", "5"); null is null. Malformed names the line.
// Aliases are expanded, up to a bound: a small file that means a huge one is refused. JSON is YAML, and keeps its own
// types.
base::Result<json::Value> parse_yaml(std::string_view text);

// Every document of `text` that says something, as kubectl reads manifests: plain scalars have the type that they look
// like (true, 5, 0.5, null), quoted ones are strings.
base::Result<std::vector<json::Value>> parse_manifests(std::string_view text);

}  // namespace drover::kube
