#include "sim/door/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "sim/cel/go_text.h"
#include "sim/door/body.h"
#include "sim/door/go_json.h"
#include "sim/server/rejections.h"

namespace drover::sim::door {
namespace {

constexpr std::size_t kLongestManager = 128;

std::string_view options_kind(kube::Verb verb) {
  switch (verb) {
    case kube::Verb::Create: return "CreateOptions";
    case kube::Verb::Replace: return "UpdateOptions";
    case kube::Verb::Patch: return "PatchOptions";
    default: return "DeleteOptions";
  }
}

void check_dry_run(const std::vector<std::string>& values, kube::Request& request, FieldErrors& errors) {
  json::Array given;
  bool wrong = false;
  for (const std::string& value : values) {
    given.emplace_back(value);
    if (value == "All") request.dry_run = true;
    wrong = wrong || value != "All";
  }
  if (wrong) errors.not_supported("dryRun", json::text_of(given), {"All"});
}

void check_manager(std::string_view manager, FieldErrors& errors) {
  if (manager.size() > kLongestManager) {
    errors.too_long("fieldManager", kLongestManager);
    return;
  }
  const auto at = std::find_if(manager.begin(), manager.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x80 && std::isprint(static_cast<unsigned char>(c)) == 0;
  });
  if (at == manager.end()) return;
  errors.invalid("fieldManager", cel::go_quote(manager),
                 fmt::format("invalid character U+{:04X} (at position {})", static_cast<unsigned char>(*at),
                             at - manager.begin()));
}

void check_field_validation(std::string_view word, kube::Request& request, FieldErrors& errors) {
  request.field_validation = kube::FieldValidation::Warn;
  if (word == "Ignore") {
    request.field_validation = kube::FieldValidation::Ignore;
  } else if (word == "Strict") {
    request.field_validation = kube::FieldValidation::Strict;
  } else if (!word.empty() && word != "Warn") {
    errors.not_supported("fieldValidation", quoted(word), {"", "Ignore", "Strict", "Warn"});
  }
}

Answer<void> done(std::string_view kind, const FieldErrors& errors) {
  if (errors.empty()) return {};
  return invalid("meta.k8s.io", kind, "", errors);
}

void set_propagation(std::string_view policy, kube::Request& request, FieldErrors& errors) {
  if (policy == "Background") {
    request.propagation = kube::Propagation::Background;
  } else if (policy == "Foreground") {
    request.propagation = kube::Propagation::Foreground;
  } else if (policy == "Orphan") {
    request.propagation = kube::Propagation::Orphan;
  } else if (!policy.empty()) {
    errors.not_supported("propagationPolicy", quoted(policy), {"Foreground", "Background", "Orphan", "nil"});
  }
}

// The query's parameters in the form of a DeleteOptions body.
Answer<json::Value> delete_options_from(const Query& query) {
  json::Members options;
  TRY(const auto grace, query.number("gracePeriodSeconds"));
  if (grace) options["gracePeriodSeconds"] = *grace;
  if (query.has("propagationPolicy")) options["propagationPolicy"] = query.text("propagationPolicy");
  if (query.has("orphanDependents")) options["orphanDependents"] = query.flag("orphanDependents");
  json::Array dry_run;
  for (const std::string& value : query.all("dryRun")) dry_run.emplace_back(value);
  if (!dry_run.empty()) options["dryRun"] = std::move(dry_run);
  return json::Value(std::move(options));
}

// The rules of resourceVersionMatch and sendInitialEvents, of which there are many.
void check_list_options(const ListOptions& options, bool is_watch, FieldErrors& errors) {
  const std::string& match = options.version_match;
  if (is_watch) {
    if (options.sends_initial_events) {
      if (match != "NotOlderThan") {
        errors.forbidden("resourceVersionMatch",
                         "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
      }
      return;
    }
    if (match.empty()) return;
    errors.forbidden("resourceVersionMatch",
                     "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    if (match != "NotOlderThan") errors.not_supported("resourceVersionMatch", quoted(match), {"NotOlderThan"});
    return;
  }
  if (!match.empty()) {
    if (options.resource_version.empty()) {
      errors.forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!options.continue_token.empty()) {
      errors.forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
    }
    if (match != "Exact" && match != "NotOlderThan") {
      errors.not_supported("resourceVersionMatch", quoted(match), {"Exact", "NotOlderThan", ""});
    }
    if (match == "Exact" && options.resource_version == "0") {
      errors.forbidden("resourceVersionMatch", "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
  }
  if (options.sends_initial_events) errors.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list");
}

// A token that is not JSON in base64 is refused with the message of the decoder that fails first.
Answer<void> check_continue_token(std::string token) {
  if (token.empty()) return {};
  std::replace(token.begin(), token.end(), '-', '+');
  std::replace(token.begin(), token.end(), '_', '/');
  while (token.size() % 4 != 0) token.push_back('=');
  const auto text = base::base64_decode(token);
  const std::string why = text ? go_json_complaint(*text) : "illegal base64 data";
  if (why.empty()) return {};
  return bad_request("invalid continue token: continue key is not valid: " + why);
}

}  // namespace

std::string manager_from_agent(std::string_view agent) {
  std::string manager;
  for (const char c : agent.substr(0, agent.find('/'))) {
    if (std::isprint(static_cast<unsigned char>(c)) != 0 && manager.size() < kLongestManager) manager.push_back(c);
  }
  return manager.empty() ? "unknown" : manager;
}

Answer<void> read_write_options(const HttpRequest& http, const Wanted& wanted, kube::Request& request) {
  FieldErrors errors;
  const std::string_view manager = wanted.query.text("fieldManager");
  check_dry_run(wanted.query.all("dryRun"), request, errors);
  if (request.verb == kube::Verb::Patch) {
    const bool apply = request.patch == kube::PatchKind::Apply;
    if (!apply && wanted.query.has("force")) errors.forbidden("force", "may not be specified for non-apply patch");
    if (apply && manager.empty()) errors.required("fieldManager", "is required for apply patch");
    request.force = wanted.query.flag("force");
  }
  check_manager(manager, errors);
  check_field_validation(wanted.query.text("fieldValidation"), request, errors);
  TRY_VOID(done(options_kind(request.verb), errors));
  request.field_manager = manager.empty() ? manager_from_agent(http.header("User-Agent")) : std::string(manager);
  return {};
}

Answer<DeleteWish> read_delete_wish(const HttpRequest& http, const Wanted& wanted, kube::Request& request) {
  json::Value options;
  if (http.body.empty()) {
    TRY(options, delete_options_from(wanted.query));
  } else {
    TRY(options, read_delete_options(http));
  }
  FieldErrors errors;
  std::vector<std::string> dry_run;
  for (const json::Value& one : json::array_at(options, {"dryRun"})) {
    dry_run.emplace_back(one.is_string() ? std::string(one.get_string()) : json::text_of(one));
  }
  const std::string_view policy = json::text_at(options, {"propagationPolicy"});
  set_propagation(policy, request, errors);
  const json::Value* orphan = json::find(options, {"orphanDependents"});
  const bool has_orphan = orphan != nullptr && orphan->is_bool();
  if (has_orphan && !policy.empty()) {
    errors.invalid("propagationPolicy", quoted(policy), "orphanDependents and deletionPropagation cannot be both set");
  } else if (has_orphan) {
    request.propagation = orphan->get_bool() ? kube::Propagation::Orphan : kube::Propagation::Background;
  }
  check_dry_run(dry_run, request, errors);
  TRY_VOID(done("DeleteOptions", errors));
  if (const json::Value* grace = json::find(options, {"gracePeriodSeconds"}); grace != nullptr && grace->is_number()) {
    constexpr std::int64_t kLongest = 100 * 365 * 86400LL;
    request.grace =
        std::chrono::seconds(std::clamp<std::int64_t>(json::int_at(options, {"gracePeriodSeconds"}), -1, kLongest));
  }
  request.uid_precondition = json::text_at(options, {"preconditions", "uid"});
  request.version_precondition = json::text_at(options, {"preconditions", "resourceVersion"});
  request.field_manager = manager_from_agent(http.header("User-Agent"));
  return DeleteWish{.is_accepted_only = has_orphan && !orphan->get_bool()};
}

Answer<ListOptions> read_list_options(const Wanted& wanted, bool is_watch) {
  const Query& query = wanted.query;
  ListOptions options;
  TRY(const auto limit, query.number("limit"));
  options.limit = std::max<std::int64_t>(limit.value_or(0), 0);
  TRY(options.timeout_seconds, query.number("timeoutSeconds"));
  options.continue_token = query.text("continue");
  TRY_VOID(check_continue_token(options.continue_token));
  options.resource_version = query.text("resourceVersion");
  options.version_match = query.text("resourceVersionMatch");
  options.allows_bookmarks = query.flag("allowWatchBookmarks");
  if (query.has("sendInitialEvents")) options.sends_initial_events = query.flag("sendInitialEvents");
  FieldErrors errors;
  check_list_options(options, is_watch, errors);
  TRY_VOID(done("ListOptions", errors));
  return options;
}

}  // namespace drover::sim::door
