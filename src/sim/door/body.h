// The body of a write as a JSON value: from JSON, YAML or the wire format of typed clients (protobuf/).
//
// Only the encoding is judged here; what the object means, and whether its fields exist, is the server's business.
#pragma once

#include <string>
#include <string_view>

#include "kube/api.h"
#include "sim/door/request.h"
#include "sim/serve/http.h"
#include "sim/server.h"

namespace drover::sim::door {

enum class Encoding { Json, Yaml, Protobuf };

// From the Content-Type header; none means JSON. A 415 in the server's words for anything else.
Answer<Encoding> encoding_of(const HttpRequest& request);

// YAML as JSON with the types that YAML gives plain words ("5" is a number, "\"5\"" is text); aliases are expanded up
// to a bound. The error is one line.
base::Result<json::Value> typed_yaml(std::string_view text);

// An object of this kind (a 400 when it says that it is of another); "{}" for an empty body only where `may_be_empty`.
Answer<json::Value> read_object(const HttpRequest& request, std::string_view group, std::string_view version,
                                std::string_view kind, bool is_custom);

// Which patch the Content-Type asks for.
Answer<kube::PatchKind> patch_kind_of(const HttpRequest& request);
Answer<json::Value> read_patch(const HttpRequest& request, kube::PatchKind kind);

// A DeleteOptions body, or {} when there is none.
Answer<json::Value> read_delete_options(const HttpRequest& request);

}  // namespace drover::sim::door
