// The wire format of typed clients ("application/vnd.kubernetes.protobuf") as JSON values. kubectl writes namespaces,
// deployments, evictions and reviews in it and does not fall back; answers may always be JSON, so nothing is encoded.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace drover::sim::protobuf {

// "core.Pod" for "v1", "Pod"; "" when we have no table for it.
std::string message_of_kind(std::string_view api_version, std::string_view kind);

// The object in a whole body, with kind and apiVersion. What would be absent in JSON is absent. Malformed says what is
// wrong, in one line.
base::Result<json::Value> decode(std::string_view body);

}  // namespace drover::sim::protobuf
