#include "kube/net/request_text.h"

#include <fmt/core.h>

#include "base/text.h"
#include "base/version.h"

namespace drover::kube::net {
namespace {

using base::Fault;
using base::Result;

std::string percent_encoded(std::string_view text) {
  static constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

class Query {
 public:
  void add(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    text_ += text_.empty() ? '?' : '&';
    text_ += key;
    text_ += '=';
    text_ += percent_encoded(value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Result<void> check_segment(std::string_view what, std::string_view segment) {
  // As an API server checks them: these would be read as another address, however they are encoded.
  if (segment == "." || segment == ".." || segment.find_first_of("/%") != std::string_view::npos) {
    return base::fault(Fault::Kind::Refused,
                       fmt::format("{}: \"{}\" cannot be a name", what, base::one_line(segment, 60)));
  }
  return {};
}

std::string_view content_type(PatchKind kind) {
  switch (kind) {
    case PatchKind::Merge: return "application/merge-patch+json";
    case PatchKind::Strategic: return "application/strategic-merge-patch+json";
    case PatchKind::Json: return "application/json-patch+json";
    case PatchKind::Apply: return "application/apply-patch+yaml";  // JSON is YAML
  }
  return "application/json";
}

std::string_view word(Propagation propagation) {
  switch (propagation) {
    case Propagation::Default: return "";
    case Propagation::Background: return "Background";
    case Propagation::Foreground: return "Foreground";
    case Propagation::Orphan: return "Orphan";
  }
  return "";
}

// metav1.DeleteOptions, or "" when there is nothing to say.
std::string delete_options(const Request& request) {
  json::Members preconditions;
  if (!request.uid_precondition.empty()) preconditions["uid"] = request.uid_precondition;
  if (!request.version_precondition.empty()) preconditions["resourceVersion"] = request.version_precondition;
  json::Members options;
  if (!preconditions.empty()) options["preconditions"] = std::move(preconditions);
  if (request.grace) {
    options["gracePeriodSeconds"] = std::chrono::duration_cast<std::chrono::seconds>(*request.grace).count();
  }
  if (const auto policy = word(request.propagation); !policy.empty()) options["propagationPolicy"] = policy;
  if (request.dry_run) options["dryRun"] = json::Array{"All"};
  if (options.empty()) return {};
  options["kind"] = "DeleteOptions";
  options["apiVersion"] = "v1";
  return json::text_of(options);
}

void add_write_options(const Request& request, Query& query) {
  if (request.subresource != "eviction") query.add("fieldManager", request.field_manager);
  if (request.dry_run) query.add("dryRun", "All");
}

void add_selectors(const Range& range, Query& query) {
  query.add("labelSelector", range.labels);
  query.add("fieldSelector", range.fields);
}

std::string what_of(const Range& range) {
  std::string out = range.resource.qualified();
  if (!range.ns.empty()) out += " in " + range.ns;
  if (!range.labels.empty()) out += " with " + range.labels;
  if (!range.fields.empty()) out += " where " + range.fields;
  return out;
}

}  // namespace

Result<Outgoing> outgoing(const Target& target, const Request& request) {
  Outgoing out;
  out.what = sentence(request);
  TRY_VOID(check_segment(out.what, request.ns));
  TRY_VOID(check_segment(out.what, request.name));
  if (request.verb != Verb::Create && request.name.empty()) {
    return base::fault(Fault::Kind::Refused, fmt::format("{}: no name was given", out.what));
  }
  const bool makes_new = request.verb == Verb::Create && request.subresource.empty();
  out.target =
      target.base_path + path(request.resource, request.ns, makes_new ? "" : request.name, request.subresource);
  out.writes = request.verb != Verb::Get;
  Query query;
  switch (request.verb) {
    case Verb::Get: out.method = "GET"; break;
    case Verb::Create:
      out.method = "POST";
      out.content_type = "application/json";
      break;
    case Verb::Replace:
      out.method = "PUT";
      out.content_type = "application/json";
      break;
    case Verb::Patch:
      out.method = "PATCH";
      out.content_type = content_type(request.patch);
      if (request.patch == PatchKind::Apply && request.force) query.add("force", "true");
      break;
    case Verb::Delete:
      out.method = "DELETE";
      out.body = delete_options(request);
      if (!out.body.empty()) out.content_type = "application/json";
      break;
  }
  if (out.writes && request.verb != Verb::Delete) {
    add_write_options(request, query);
    out.body = json::text_of(request.body);
  }
  out.target += query.text();
  return out;
}

Result<Outgoing> outgoing(const Target& target, const ListRequest& request, const std::string& continue_token) {
  Outgoing out{.method = "GET", .target = {}, .content_type = {}, .body = {}, .what = "list " + what_of(request.range)};
  TRY_VOID(check_segment(out.what, request.range.ns));
  Query query;
  add_selectors(request.range, query);
  if (request.page > 0) query.add("limit", std::to_string(request.page));
  query.add("continue", continue_token);
  // Beside a continue token a version is an error: the token knows it. Without NotOlderThan a page limit would make it
  // mean "exactly".
  if (continue_token.empty() && !request.resource_version.empty()) {
    query.add("resourceVersion", request.resource_version);
    query.add("resourceVersionMatch", "NotOlderThan");
  }
  out.target = target.base_path + path(request.range.resource, request.range.ns) + query.text();
  return out;
}

Result<Outgoing> outgoing(const Target& target, const WatchRequest& request) {
  Outgoing out{
      .method = "GET", .target = {}, .content_type = {}, .body = {}, .what = "watch " + what_of(request.range)};
  TRY_VOID(check_segment(out.what, request.range.ns));
  Query query;
  query.add("watch", "1");
  query.add("allowWatchBookmarks", "true");
  add_selectors(request.range, query);
  query.add("resourceVersion", request.resource_version);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(request.timeout).count();
  if (seconds > 0) query.add("timeoutSeconds", std::to_string(seconds));
  out.target = target.base_path + path(request.range.resource, request.range.ns) + query.text();
  return out;
}

std::string wire_text(const Target& target, const Outgoing& request, std::string_view authorization) {
  std::string out =
      fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: {}\r\nAccept: application/json, */*\r\n", request.method,
                  request.target, authority(target.host, target.port),
                  target.user_agent.empty() ? fmt::format("drover/{}", base::version()) : target.user_agent);
  if (!authorization.empty()) out.append("Authorization: ").append(authorization).append("\r\n");
  if (!request.content_type.empty()) out += "Content-Type: " + request.content_type + "\r\n";
  if (request.writes) out += fmt::format("Content-Length: {}\r\n", request.body.size());
  out += "\r\n";
  return out += request.body;
}

std::string authority(std::string_view host, std::string_view port) {
  const bool is_ipv6 = host.find(':') != std::string_view::npos;
  return fmt::format("{}{}{}:{}", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", port);
}

}  // namespace drover::kube::net
