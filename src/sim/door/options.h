// What the query and the DeleteOptions of a write say about how to do it; wrong values are refused in the server's
// words before anything happens.
#pragma once

#include "kube/api.h"
#include "sim/door/request.h"
#include "sim/serve/http.h"
#include "sim/server.h"

namespace drover::sim::door {

// dryRun, fieldManager, fieldValidation, force, into `request`, whose verb and patch kind are set already.
Answer<void> read_write_options(const HttpRequest& http, const Wanted& wanted, kube::Request& request);

struct DeleteWish {
  bool is_accepted_only = false;  // an object that is still there afterwards is answered with 202
};
// dryRun, gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions: from the body when there is one, else
// from the query.
Answer<DeleteWish> read_delete_wish(const HttpRequest& http, const Wanted& wanted, kube::Request& request);

// limit, continue, resourceVersion(Match), sendInitialEvents, timeoutSeconds: of lists and watches.
struct ListOptions {
  std::int64_t limit = 0;
  std::string continue_token = {};
  std::string resource_version = {};
  std::string version_match = {};
  bool allows_bookmarks = false;
  std::optional<bool> sends_initial_events = {};
  std::optional<std::int64_t> timeout_seconds = {};
};
Answer<ListOptions> read_list_options(const Wanted& wanted, bool is_watch);

// The part of a User-Agent that stands for its owner in managedFields.
std::string manager_from_agent(std::string_view agent);

}  // namespace drover::sim::door
