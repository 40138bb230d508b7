#include "sim/server/names.h"
#include "sim/same.h"

#include <fmt/format.h>

#include <algorithm>

namespace drover::sim {
namespace {

constexpr std::string_view kLabelWords =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an "
    "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kSubdomainWords =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end "
    "with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kKeyWords =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. "
    "'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kValueWords =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end "
    "with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

bool is_lower(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alphanumeric(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }

// Letters and digits at both ends, those and "-_." between: what keys and values are made of.
bool is_word(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

// The pattern only; lengths are complained about apart.
bool looks_like_label(std::string_view text) {
  return !text.empty() && is_lower(text.front()) && is_lower(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower(c) || c == '-'; });
}
bool looks_like_subdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!looks_like_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// Names count characters, keys and values bytes: the real server says it both ways.
std::string at_most(std::size_t bytes) { return fmt::format("must be no more than {} bytes", bytes); }
std::string at_most_characters(std::size_t count) { return fmt::format("must be no more than {} characters", count); }

void check_labels(const kube::Object& fresh, const kube::Object* old, FieldErrors& errors) {
  static const json::Members kNone;
  const json::Members& before = old == nullptr ? kNone : kube::labels_of(*old);
  for (const auto& [key, value] : kube::labels_of(fresh)) {
    // What stood there before was fine.
    const json::Value* then = before.if_contains(key);
    if (then != nullptr && *then == value) continue;
    for (const std::string& complaint : complaints_about_key(key)) {
      errors.invalid("metadata.labels", quoted(key), complaint);
    }
    if (!value.is_string()) continue;
    for (const std::string& complaint : complaints_about_label_value(value.get_string())) {
      errors.invalid("metadata.labels", quoted(value.get_string()), complaint);
    }
  }
}

constexpr std::size_t kMostAnnotationBytes = 256 * 1024;

void check_annotations(const kube::Object& fresh, const kube::Object* old, FieldErrors& errors) {
  const json::Members& annotations = json::members_at(fresh, {"metadata", "annotations"});
  if (old != nullptr && same(annotations, json::members_at(*old, {"metadata", "annotations"}))) return;
  std::size_t bytes = 0;
  for (const auto& [key, value] : annotations) {
    std::string lowered(key);
    std::ranges::transform(lowered, lowered.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    for (const std::string& complaint : complaints_about_key(lowered)) {
      errors.invalid("metadata.annotations", quoted(key), complaint);
    }
    bytes += key.size() + (value.is_string() ? value.get_string().size() : 0);
  }
  if (bytes > kMostAnnotationBytes) errors.too_long("metadata.annotations", kMostAnnotationBytes);
}

void check_owners(const kube::Object& fresh, const kube::Object* old, FieldErrors& errors) {
  const json::Array& owners = json::array_at(fresh, {"metadata", "ownerReferences"});
  if (owners.empty() || (old != nullptr && same(owners, json::array_at(*old, {"metadata", "ownerReferences"})))) return;
  std::vector<std::string> controllers;
  const std::string field = "metadata.ownerReferences";
  for (const json::Value& owner : owners) {
    if (json::text_at(owner, {"apiVersion"}).empty())
      errors.invalid(field + ".apiVersion", "\"\"", "version must not be empty");
    if (json::text_at(owner, {"kind"}).empty()) errors.invalid(field + ".kind", "\"\"", "must not be empty");
    if (json::text_at(owner, {"name"}).empty()) errors.invalid(field + ".name", "\"\"", "must not be empty");
    if (json::text_at(owner, {"uid"}).empty()) errors.invalid(field + ".uid", "\"\"", "must not be empty");
    if (json::flag_at(owner, {"controller"})) {
      controllers.push_back(fmt::format("{}/{}", json::text_at(owner, {"kind"}), json::text_at(owner, {"name"})));
    }
  }
  if (controllers.size() > 1) {
    errors.invalid(
        "metadata.ownerReferences", json::text_of(owners),
        fmt::format("Only one reference can have Controller set to true. Found \"true\" in references for {} "
                    "and {}",
                    controllers[0], controllers[1]));
  }
}

void check_finalizers(const ResourceRules& rules, const kube::Object& fresh, const kube::Object* old,
                      FieldErrors& errors) {
  const json::Array& finalizers = json::array_at(fresh, {"metadata", "finalizers"});
  if (finalizers.empty()) return;
  for (const json::Value& finalizer : finalizers) {
    const std::string_view name = finalizer.is_string() ? std::string_view(finalizer.get_string()) : std::string_view();
    for (const std::string& complaint : complaints_about_key(name)) {
      errors.invalid("metadata.finalizers", quoted(name), complaint);
    }
  }
  // Built-in kinds know their own finalizers; others must say whose they are.
  const bool knows_its_own = !rules.is_custom && rules.resource.group != "apiextensions.k8s.io";
  for (std::size_t i = 0; knows_its_own && i < finalizers.size(); ++i) {
    const std::string_view name = finalizers[i].is_string() ? std::string_view(finalizers[i].get_string()) : "";
    const bool known = name == "kubernetes" || name == "orphan" || name == "foregroundDeletion";
    if (known || name.find('/') != std::string_view::npos) continue;
    errors.invalid(fmt::format("metadata.finalizers[{}]", i), quoted(name),
                   "name is neither a standard finalizer name nor is it fully qualified");
  }
  if (old == nullptr || !kube::is_being_deleted(*old)) return;
  const json::Array& before = json::array_at(*old, {"metadata", "finalizers"});
  std::string added;
  for (const json::Value& finalizer : finalizers) {
    if (std::find(before.begin(), before.end(), finalizer) == before.end()) {
      added += (added.empty() ? "" : ", ") + json::text_of(finalizer);
    }
  }
  if (added.empty()) return;
  errors.forbidden("metadata.finalizers",
                   fmt::format("no new finalizers can be added if the object is being deleted, found new finalizers "
                               "[]string{{{}}}",
                               added));
}

}  // namespace

bool is_dns_label(std::string_view text) { return text.size() <= 63 && looks_like_label(text); }
bool is_dns_subdomain(std::string_view text) { return text.size() <= 253 && looks_like_subdomain(text); }

std::vector<std::string> complaints_about_name(NameRule rule, std::string_view name) {
  std::vector<std::string> complaints;
  switch (rule) {
    case NameRule::Subdomain:
      if (name.size() > 253) complaints.push_back(at_most_characters(253));
      if (!looks_like_subdomain(name)) complaints.emplace_back(kSubdomainWords);
      break;
    case NameRule::Label:
      if (name.size() > 63) complaints.push_back(at_most_characters(63));
      if (!looks_like_label(name)) {
        complaints.emplace_back(looks_like_subdomain(name) ? "must not contain dots" : kLabelWords);
      }
      break;
    case NameRule::PathSegment:
      if (name == "." || name == "..") complaints.push_back(fmt::format("may not be '{}'", name));
      for (const char c : {'/', '%'}) {
        if (name.find(c) != std::string_view::npos) complaints.push_back(fmt::format("may not contain '{}'", c));
      }
      break;
  }
  return complaints;
}

std::vector<std::string> complaints_about_key(std::string_view key) {
  std::vector<std::string> complaints;
  std::string_view name = key;
  if (const std::size_t slash = key.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = key.substr(0, slash);
    name = key.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {fmt::format(
          "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')", kKeyWords)};
    }
    if (prefix.empty()) complaints.emplace_back("prefix part must be non-empty");
    if (!prefix.empty() && prefix.size() > 253) complaints.push_back("prefix part " + at_most_characters(253));
    if (!prefix.empty() && !looks_like_subdomain(prefix))
      complaints.push_back(fmt::format("prefix part {}", kSubdomainWords));
  }
  if (name.empty()) {
    complaints.emplace_back("name part must be non-empty");
  } else if (name.size() > 63) {
    complaints.push_back("name part " + at_most(63));
  }
  if (!is_word(name)) complaints.push_back(fmt::format("name part {}", kKeyWords));
  return complaints;
}

std::vector<std::string> complaints_about_label_value(std::string_view value) {
  std::vector<std::string> complaints;
  if (value.size() > 63) complaints.push_back(at_most(63));
  if (!value.empty() && !is_word(value)) complaints.emplace_back(kValueWords);
  return complaints;
}

void check_metadata(const ResourceRules& rules, const kube::Object& fresh, const kube::Object* old,
                    FieldErrors& errors) {
  if (old == nullptr) {
    const std::string_view name = kube::name_of(fresh);
    if (name.empty()) {
      errors.required("metadata.name", "name or generateName is required");
    } else {
      for (const std::string& complaint : complaints_about_name(rules.names, name)) {
        errors.invalid("metadata.name", quoted(name), complaint);
      }
    }
  }
  check_labels(fresh, old, errors);
  check_annotations(fresh, old, errors);
  check_owners(fresh, old, errors);
  if (old != nullptr) check_owners(fresh, old, errors);  // an update looks at them once more
  check_finalizers(rules, fresh, old, errors);
}

std::string_view json_word(const json::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::object: return "object";
    case boost::json::kind::array: return "array";
    case boost::json::kind::string: return "string";
    case boost::json::kind::bool_: return "bool";
    case boost::json::kind::null: return "null";
    default: return "number";
  }
}

std::string misfit_in_metadata(const kube::Object& object) {
  const json::Value* metadata = json::find(object, {"metadata"});
  if (metadata == nullptr) return {};
  if (!metadata->is_object()) {
    return fmt::format("json: cannot unmarshal {} into Go struct field .metadata of type v1.ObjectMeta",
                       json_word(*metadata));
  }
  for (const std::string_view map : {"labels", "annotations"}) {
    const json::Value* members = metadata->get_object().if_contains(map);
    if (members == nullptr || members->is_null()) continue;
    if (!members->is_object()) {
      return fmt::format(
          "json: cannot unmarshal {} into Go struct field ObjectMeta.metadata.{} of type map[string]string",
          json_word(*members), map);
    }
    for (const auto& member : members->get_object()) {
      const json::Value& value = member.value();
      if (value.is_string() || value.is_null()) continue;
      return fmt::format("json: cannot unmarshal {} into Go struct field ObjectMeta.metadata.{} of type string",
                         json_word(value), map);
    }
  }
  return {};
}

}  // namespace drover::sim
