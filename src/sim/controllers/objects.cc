#include "sim/controllers/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "base/text.h"

namespace drover::sim {

namespace {
constexpr std::int64_t kMostThings = std::numeric_limits<std::int32_t>::max();
}  // namespace

const json::Value* find_condition(const kube::Object& object, std::string_view type) {
  for (const json::Value& condition : json::array_at(object, {"status", "conditions"})) {
    if (json::text_at(condition, {"type"}) == type) return &condition;
  }
  return nullptr;
}

std::string_view condition_status(const kube::Object& object, std::string_view type) {
  const json::Value* condition = find_condition(object, type);
  return condition ? json::text_at(*condition, {"status"}) : std::string_view{};
}

bool set_condition(kube::Object& object, const Condition& condition, const std::string& now,
                   std::string_view heartbeat) {
  json::Value& list = json::ensure(object, {"status", "conditions"});
  if (!list.is_array()) list = json::Array();
  json::Members* found = nullptr;
  for (json::Value& candidate : list.as_array()) {
    if (candidate.is_object() && json::text_at(candidate, {"type"}) == condition.type) found = &candidate.as_object();
  }
  if (!found) {
    json::Members fresh{{"type", condition.type}};
    list.as_array().push_back(std::move(fresh));
    found = &list.as_array().back().as_object();
  }
  const json::Value before(*found);
  const bool turned = json::text_at(before, {"status"}) != condition.status;
  const bool same = !turned && json::text_at(before, {"reason"}) == condition.reason &&
                    json::text_at(before, {"message"}) == condition.message;
  if (same) return false;
  (*found)["status"] = condition.status;
  if (!heartbeat.empty()) (*found)[heartbeat] = now;
  if (turned) (*found)["lastTransitionTime"] = now;
  if (condition.reason.empty()) {
    found->erase("reason");
  } else {
    (*found)["reason"] = condition.reason;
  }
  if (condition.message.empty()) {
    found->erase("message");
  } else {
    (*found)["message"] = condition.message;
  }
  return true;
}

bool remove_condition(kube::Object& object, std::string_view type) {
  json::Value* list = json::find(object, {"status", "conditions"});
  if (!list || !list->is_array()) return false;
  json::Array kept;
  for (json::Value& condition : list->as_array()) {
    if (json::text_at(condition, {"type"}) != type) kept.push_back(condition);
  }
  if (kept.size() == list->as_array().size()) return false;
  *list = std::move(kept);
  return true;
}

std::string_view controller_uid(const kube::Object& object) {
  const json::Value* owner = kube::controller_of(object);
  return owner ? json::text_at(*owner, {"uid"}) : std::string_view{};
}

std::string_view controller_name(const kube::Object& object, std::string_view kind) {
  const json::Value* owner = kube::controller_of(object);
  if (!owner || json::text_at(*owner, {"kind"}) != kind) return {};
  return json::text_at(*owner, {"name"});
}

json::Value controller_reference(const kube::Resource& resource, const kube::Object& owner) {
  return {{"apiVersion", resource.api_version()}, {"kind", resource.kind}, {"name", kube::name_of(owner)},
          {"uid", kube::uid_of(owner)},           {"controller", true},    {"blockOwnerDeletion", true}};
}

std::string key_in(std::string_view ns, std::string_view name) {
  return ns.empty() ? std::string(name) : fmt::format("{}/{}", ns, name);
}

bool pod_is_ready(const kube::Object& pod) { return condition_status(pod, "Ready") == "True"; }

bool pod_is_terminal(const kube::Object& pod) {
  const std::string_view phase = phase_of(pod);
  return phase == "Succeeded" || phase == "Failed";
}

bool pod_is_active(const kube::Object& pod) { return !pod_is_terminal(pod) && !kube::is_being_deleted(pod); }

std::optional<base::WallTime> ready_since(const kube::Object& pod) {
  const json::Value* ready = find_condition(pod, "Ready");
  if (!ready || json::text_at(*ready, {"status"}) != "True") return std::nullopt;
  return time_at(*ready, {"lastTransitionTime"}).value_or(base::WallTime{});
}

std::optional<base::Span> available_in(const kube::Object& pod, base::Span min_ready, base::WallTime now) {
  if (min_ready <= base::Span::zero()) return pod_is_ready(pod) ? std::optional(base::Span::zero()) : std::nullopt;
  auto since = ready_since(pod);
  if (!since) return std::nullopt;
  return std::max<base::Span>(base::Span::zero(), *since + min_ready - now);
}

kube::Object pod_from_template(const kube::Resource& resource, const kube::Object& owner,
                               const json::Value& pod_template) {
  json::Members metadata;
  for (std::string_view part : {"labels", "annotations", "finalizers"}) {
    if (const json::Value* found = json::find(pod_template, {"metadata", part}); found && !found->is_null()) {
      metadata[part] = *found;
    }
  }
  metadata["generateName"] = fmt::format("{}-", kube::name_of(owner));
  metadata["namespace"] = kube::namespace_of(owner);
  metadata["ownerReferences"] = json::Array{controller_reference(resource, owner)};
  json::Members pod{{"apiVersion", "v1"}, {"kind", "Pod"}};
  pod["metadata"] = std::move(metadata);
  pod["spec"] = json::members_at(pod_template, {"spec"});
  return pod;
}

namespace {

void write_canonical(const json::Value& value, std::string& out) {
  if (value.is_object()) {
    std::vector<const json::Members::value_type*> entries;
    for (const auto& entry : value.get_object()) entries.push_back(&entry);
    std::ranges::sort(entries, {}, [](const auto* entry) { return std::string_view(entry->key()); });
    out += '{';
    for (const auto* entry : entries) {
      if (out.back() != '{') out += ',';
      out += json::text_of(json::Value(entry->key()));
      out += ':';
      write_canonical(entry->value(), out);
    }
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    for (const json::Value& item : value.get_array()) {
      if (out.back() != '[') out += ',';
      write_canonical(item, out);
    }
    out += ']';
  } else {
    out += json::text_of(value);
  }
}

}  // namespace

std::string canonical_text(const json::Value& value) {
  std::string out;
  write_canonical(value, out);
  return out;
}

std::string template_hash(const json::Value& pod_template, std::int64_t collisions) {
  std::string text = canonical_text(pod_template);
  if (collisions > 0) text += fmt::format("#{}", collisions);
  const std::uint64_t hash = base::fnv1a(text);
  // Digits become letters of names, so that no number can spell a word or look like another number.
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string out = fmt::format("{}", static_cast<std::uint32_t>(hash ^ (hash >> 32)));
  for (char& digit : out) digit = kLetters[static_cast<std::size_t>(digit) % kLetters.size()];
  return out;
}

std::int64_t count_at(const json::Value& value, json::Path path, std::int64_t fallback) {
  return std::clamp<std::int64_t>(json::int_at(value, path, fallback), 0, kMostThings);
}

base::Span seconds_at(const json::Value& value, json::Path path, std::int64_t fallback) {
  return std::chrono::seconds(count_at(value, path, fallback));
}

std::optional<std::int64_t> scaled(const json::Value* int_or_percent, std::int64_t total, bool round_up) {
  if (!int_or_percent) return std::nullopt;
  if (int_or_percent->is_number()) return count_at(*int_or_percent, {});
  if (!int_or_percent->is_string()) return std::nullopt;
  std::string_view text(int_or_percent->get_string());
  const bool is_percentage = text.ends_with('%');
  if (is_percentage) text.remove_suffix(1);
  auto number = base::parse_int(text);
  if (!number) return std::nullopt;
  if (!is_percentage) return std::clamp<std::int64_t>(*number, 0, kMostThings);
  if (*number < 0 || *number > 1'000'000 || total < 0) return std::nullopt;
  return std::min((*number * std::min(total, kMostThings) + (round_up ? 99 : 0)) / 100, kMostThings);
}

kube::Object copy_to_change(const kube::Object& stored) { return kube::Object(stored, boost::json::storage_ptr()); }

json::Members& members_in(json::Value& value, json::Path path) {
  json::Value& found = json::ensure(value, path);
  return found.is_object() ? found.get_object() : found.emplace_object();
}

std::optional<base::WallTime> time_at(const json::Value& value, json::Path path) {
  // Beyond these, spans between two times no longer fit.
  using std::chrono::sys_days;
  using std::chrono::year;
  constexpr base::WallTime kFirst{sys_days{year{1970} / 1 / 1}};
  constexpr base::WallTime kLast{sys_days{year{2200} / 1 / 1}};
  const std::string_view text = json::text_at(value, path);
  if (text.empty()) return std::nullopt;
  auto parsed = base::parse_rfc3339(text);
  if (!parsed) return std::nullopt;
  return std::clamp(*parsed, kFirst, kLast);
}

}  // namespace drover::sim
