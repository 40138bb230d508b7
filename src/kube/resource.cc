#include "kube/resource.h"

namespace drover::kube {
namespace {

// RFC 3986's unreserved characters and ':' (Kubernetes names such as "system:node" use it) stand for themselves.
bool stands_for_itself(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~' || c == ':';
}

void append_segment(std::string& out, std::string_view segment) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  // "." and ".." are the two segments that a proxy on the way may tidy away.
  const bool only_dots = segment == "." || segment == "..";
  out += '/';
  for (const char c : segment) {
    if (stands_for_itself(c) && !only_dots) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
}

}  // namespace

std::string path(const Resource& resource, std::string_view ns, std::string_view name, std::string_view subresource) {
  std::string out;
  if (!resource.version.empty()) {
    out = resource.group.empty() ? "/api" : "/apis";
    if (!resource.group.empty()) append_segment(out, resource.group);
    append_segment(out, resource.version);
  }
  if (!ns.empty() && resource.scope == Scope::Namespaced) {
    out += "/namespaces";
    append_segment(out, ns);
  }
  if (!resource.plural.empty()) append_segment(out, resource.plural);
  if (!name.empty()) append_segment(out, name);
  if (!subresource.empty()) append_segment(out, subresource);
  return out;
}

}  // namespace drover::kube
