#include "sim/server/immutable_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "sim/same.h"

namespace drover::sim {
namespace {

// Takes a member of the old metadata over, or removes it where the old has none.
void restore(json::Members& metadata, const json::Value& old, std::string_view key) {
  const json::Value* before = json::find(old, {"metadata", key});
  if (before != nullptr) {
    metadata[key] = *before;
  } else {
    metadata.erase(key);
  }
}

// Where the real server's storage keeps the object; a message names it.
std::string storage_key(const ResourceRules& rules, const kube::Request& request) {
  std::string folder = rules.resource.plural;
  if (rules.shelf == "nodes") folder = "minions";
  if (rules.shelf == "services") folder = "services/specs";
  if (rules.shelf == "endpoints") folder = "services/endpoints";
  if (rules.is_custom || rules.resource.group == "apiextensions.k8s.io") folder = rules.resource.group + "/" + folder;
  return fmt::format("/registry/{}/{}", folder, key_of(rules, request));
}

constexpr std::string_view kIdentity[] = {
    "uid",        "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
    "generation", "resourceVersion",   "selfLink"};

// A merge patch cannot have changed what it does not name, and most patches name little: comparing and copying the rest
// back would be half the work of a patch.
bool is_plain_merge(const kube::Request& request) {
  if (request.verb != kube::Verb::Patch) return false;
  if (request.patch != kube::PatchKind::Merge && request.patch != kube::PatchKind::Strategic) return false;
  return request.body.is_object() && !request.body.get_object().contains("$patch");
}

}  // namespace

json::Members& metadata_of(kube::Object& object) {
  json::Value& metadata = json::ensure(object, {"metadata"});
  if (!metadata.is_object()) metadata.emplace_object();
  return metadata.get_object();
}

void restore_top(json::Members& fresh, const json::Members& old, std::string_view key) {
  if (const json::Value* before = old.if_contains(key)) {
    fresh[key] = *before;
  } else {
    fresh.erase(key);
  }
}

bool wish_changed(const ResourceRules& rules, const kube::Object& fresh, const kube::Object& old) {
  if (!rules.is_custom) {
    return !same(json::find(fresh, {"spec"}), json::find(old, {"spec"}));
  }
  const auto is_counted = [&](std::string_view key) {
    return key != "metadata" && !(rules.has_status && key == "status");
  };
  std::size_t counted = 0;
  for (const auto& member : fresh.get_object()) {
    if (!is_counted(member.key())) continue;
    ++counted;
    const json::Value* then = old.get_object().if_contains(member.key());
    if (then == nullptr || !same(*then, member.value())) return true;
  }
  const auto& members = old.get_object();
  return counted != static_cast<std::size_t>(std::count_if(
                        members.begin(), members.end(), [&](const auto& member) { return is_counted(member.key()); }));
}

void keep_all_but_status(const ResourceRules& rules, kube::Object& fresh, const kube::Object& old) {
  json::Members& members = fresh.get_object();
  std::vector<std::string> extra;
  for (const auto& member : members) {
    if (!old.get_object().contains(member.key()) && member.key() != "status") extra.emplace_back(member.key());
  }
  for (const std::string& key : extra) members.erase(key);
  for (const auto& member : old.get_object()) {
    if (member.key() == "status" || member.key() == "metadata") continue;
    json::Value& mine = members[member.key()];
    if (!same(mine, member.value())) mine = member.value();
  }
  json::Members& metadata = metadata_of(fresh);
  if (rules.is_custom) {
    for (const std::string_view key : {"labels", "annotations", "finalizers", "ownerReferences", "generateName"}) {
      restore(metadata, old, key);
    }
  } else if (rules.shelf == "pods") {
    restore(metadata, old, "ownerReferences");
  }
}

Answer<void> check_guards(const ResourceRules& rules, const kube::Request& request, const kube::Object& old,
                          kube::Object& fresh) {
  const std::string_view name = kube::name_of(old);
  const std::string_view uid = kube::uid_of(fresh);
  // A patch to another uid is refused further on, as any change of an immutable field.
  if (!uid.empty() && uid != kube::uid_of(old) && request.verb == kube::Verb::Replace) {
    return conflict(
        rules.resource, name,
        fmt::format("StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, AdditionalErrorMsg: "
                    "Precondition failed: UID in precondition: {}, UID in object meta: {}",
                    storage_key(rules, request), uid, kube::uid_of(old)));
  }
  const std::string_view version = kube::version_of(fresh);
  if (version.empty() || version == "0") {
    if (rules.may_overwrite) return {};
    FieldErrors errors;
    errors.invalid("metadata.resourceVersion", "0", "must be specified for an update");
    return invalid(rules.resource.group, rules.resource.plural, name, errors);
  }
  if (version == kube::version_of(old)) return {};
  if (!base::parse_int(version)) {
    return Refusal(
        Rejection{500, "", fmt::format("strconv.ParseUint: parsing {}: invalid syntax", quoted(version)), {}});
  }
  return modified_since(rules.resource, name);
}

bool leaves_status_alone(const kube::Request& request) {
  return is_plain_merge(request) && !request.body.get_object().contains("status");
}

bool leaves_identity_alone(const kube::Request& request) {
  if (!is_plain_merge(request)) return false;
  const json::Value* metadata = json::find(request.body, {"metadata"});
  if (metadata == nullptr) return true;
  if (!metadata->is_object() || metadata->get_object().contains("$patch")) return false;
  return std::none_of(std::begin(kIdentity), std::end(kIdentity),
                      [&](std::string_view key) { return metadata->get_object().contains(key); });
}

void keep_identity(kube::Object& fresh, const kube::Object& old, FieldErrors& errors) {
  json::Members& metadata = metadata_of(fresh);
  const auto refuse_change = [&](std::string_view key) {
    const json::Value* now = metadata.if_contains(key);
    const json::Value* then = json::find(old, {"metadata", key});
    if (now == nullptr || now->is_null() || same(now, then)) return;
    for (int i = 0; i < 2; ++i)
      errors.invalid(fmt::format("metadata.{}", key), json::text_of(*now), "field is immutable");
  };
  if (!kube::uid_of(fresh).empty()) refuse_change("uid");
  if (!kube::is_being_deleted(old)) refuse_change("deletionTimestamp");
  refuse_change("deletionGracePeriodSeconds");
  for (const std::string_view key : kIdentity) restore(metadata, old, key);
}

bool ends_here(const kube::Object& fresh, const kube::Object& old) {
  if (!kube::is_being_deleted(old) || !json::array_at(fresh, {"metadata", "finalizers"}).empty()) return false;
  if (json::int_at(old, {"metadata", "deletionGracePeriodSeconds"}) != 0) return false;
  // A namespace has a second list of finalizers; it goes through the finalize subresource.
  return json::array_at(fresh, {"spec", "finalizers"}).empty() || json::text_at(fresh, {"kind"}) != "Namespace";
}

}  // namespace drover::sim
