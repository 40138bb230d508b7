// Requests as they go over the wire: targets with their queries, and heads. Pure text.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/api.h"
#include "kube/config.h"

namespace drover::kube::net {

// What a request is before it meets a connection and a credential.
struct Outgoing {
  std::string method;        // "PATCH"
  std::string target;        // "/api/v1/nodes/gpu-7?fieldManager=drover"
  std::string content_type;  // "" when there is no body
  std::string body;
  std::string what;  // for messages: "patch nodes/gpu-7"
  bool writes = false;
};

// A Refused fault when a name could not stand in a path ("..", "a/b"): an API server would read it as another address.
base::Result<Outgoing> outgoing(const Target& target, const Request& request);
base::Result<Outgoing> outgoing(const Target& target, const ListRequest& request, const std::string& continue_token);
base::Result<Outgoing> outgoing(const Target& target, const WatchRequest& request);

// The head and the body in one text. `authorization` is the whole value of that field, "" for none.
std::string wire_text(const Target& target, const Outgoing& request, std::string_view authorization);

// "host:port" with brackets around IPv6 addresses.
std::string authority(std::string_view host, std::string_view port);

}  // namespace drover::kube::net
