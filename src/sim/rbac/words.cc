// How a refusal reads.
#include <fmt/format.h>

#include "sim/cel/go_text.h"
#include "sim/rbac/rbac.h"

namespace drover::sim::rbac {

namespace {

// Nothing in an error may look like HTML.
std::string harmless(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string cannot(const Attributes& request) {
  const std::string user = cel::go_quote(request.user.name);
  if (!request.path.empty())
    return fmt::format("User {} cannot {} path {}", user, request.verb, cel::go_quote(request.path));
  const std::string resource =
      request.subresource.empty() ? request.resource : request.resource + "/" + request.subresource;
  const std::string where =
      request.ns.empty() ? "at the cluster scope" : "in the namespace " + cel::go_quote(request.ns);
  return fmt::format("User {} cannot {} resource {} in API group {} {}", user, request.verb, cel::go_quote(resource),
                     cel::go_quote(request.group), where);
}

}  // namespace

std::string forbidden_message(const Attributes& request, std::string_view reason) {
  std::string what = harmless(cannot(request));
  if (!reason.empty()) what += fmt::format(": {}", reason);
  if (!request.path.empty() || request.resource.empty()) return "forbidden: " + what;
  const std::string qualified = request.group.empty() ? request.resource : request.resource + "." + request.group;
  if (request.name.empty()) return fmt::format("{} is forbidden: {}", qualified, what);
  return fmt::format("{} {} is forbidden: {}", qualified, cel::go_quote(request.name), what);
}

json::Value forbidden_details(const Attributes& request) {
  json::Members details;
  if (!request.name.empty()) details["name"] = request.name;
  if (!request.group.empty()) details["group"] = request.group;
  if (!request.resource.empty()) details["kind"] = request.resource;
  return details;
}

}  // namespace drover::sim::rbac
