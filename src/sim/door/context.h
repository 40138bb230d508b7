// What all parts of the HTTP frontend share, and one request (a Visit) on its way through them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/loop.h"
#include "base/random.h"
#include "sim/door/identity.h"
#include "sim/door/reply.h"
#include "sim/door/request.h"
#include "sim/kubelet_logs.h"
#include "sim/rbac/rbac.h"
#include "sim/serve/http.h"
#include "sim/serve/stream.h"
#include "sim/server.h"

namespace drover::sim::door {

struct DoorContext {
  base::Loop& loop;
  Server& server;
  LogBook* logs;  // nullptr when no logs are kept
  const Identities& identities;
  base::Random& random;
  Streams& streams;
};

struct Visit {
  HttpRequest request;
  Wanted wanted;
  Caller caller;
  Style style;
  std::shared_ptr<Exchange> exchange;
  std::vector<std::string> warnings = {};  // that every answer to this request carries

  void say(const Rejection& rejection) const { exchange->reply(warned(reply_with(rejection, style))); }
  void say(int code, const json::Value& value, const std::vector<std::string>& more = {}) const {
    exchange->reply(warned(reply_with(code, value, style, more)));
  }
  HttpReply warned(HttpReply reply) const {
    for (const std::string& warning : warnings) reply.headers.push_back({"Warning", warning_value(warning)});
    return reply;
  }
};

// Whether the user may do this. Members of system:masters may do everything; the reason is RBAC's.
rbac::Decision decide(const DoorContext& context, const Caller& caller, rbac::Attributes what);

}  // namespace drover::sim::door
