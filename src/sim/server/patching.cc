// Which patch a request means, and how the server says that it cannot be applied.
#include <fmt/format.h>

#include <algorithm>

#include "sim/draft.h"
#include "sim/server/context.h"
#include "sim/server/field_types.h"
#include "sim/server/json_patch.h"
#include "sim/server/managed_fields.h"
#include "sim/server/merge_patch.h"
#include "sim/server/names.h"
#include "sim/server/strategic_patch.h"

namespace drover::sim {
namespace {

constexpr std::size_t kMostJsonOperations = 10'000;
constexpr std::size_t kRoom = 1024;  // for what a patch usually adds

// The server's library forgets why a JSON patch did not fit, and says this.
Refusal patch_does_not_fit() {
  return Refusal(
      Rejection{422, "Invalid", "the server rejected our request due to an error in our request", json::Members()});
}

// For the bug MergeKeepsNulls.
void keep_nulls(json::Value& target, const json::Value& patch) {
  if (!target.is_object() || !patch.is_object()) return;
  for (const auto& member : patch.get_object()) {
    json::Value& there = target.get_object()[member.key()];
    if (!member.value().is_null()) keep_nulls(there, member.value());
  }
}

Answer<Draft> merged(const Context& context, const kube::Object& old, const json::Value& patch) {
  if (!patch.is_object()) {
    return bad_request(
        fmt::format("error decoding patch: json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                    json_word(patch)));
  }
  Draft fresh(old, kRoom);
  merge_patch(*fresh, patch);
  if (context.bugs.has(Bug::MergeKeepsNulls)) keep_nulls(*fresh, patch);
  return fresh;
}

// The patch itself, or its first operation that is not an object.
const json::Value& malformed_part(const json::Value& patch) {
  if (!patch.is_array()) return patch;
  const json::Array& operations = patch.get_array();
  const auto at =
      std::find_if(operations.begin(), operations.end(), [](const json::Value& one) { return !one.is_object(); });
  return at == operations.end() ? patch : *at;
}

Answer<Draft> json_patched(const kube::Object& old, const json::Value& patch) {
  if (patch.is_array() && patch.get_array().size() > kMostJsonOperations) {
    return Refusal(
        Rejection{413,
                  "RequestEntityTooLarge",
                  fmt::format("Request entity too large: The allowed maximum operations in a JSON patch is {}, "
                              "got {}",
                              kMostJsonOperations, patch.get_array().size()),
                  {}});
  }
  Draft fresh(old, kRoom);
  switch (json_patch(*fresh, patch)) {
    case JsonPatched::Done: return fresh;
    case JsonPatched::Malformed:
      return bad_request(fmt::format("error decoding patch: json: cannot unmarshal {} into Go value of type {}",
                                     json_word(malformed_part(patch)),
                                     patch.is_array() ? "handlers.jsonPatchOp" : "[]handlers.jsonPatchOp"));
    case JsonPatched::DoesNotFit: break;
  }
  return patch_does_not_fit();
}

Answer<Draft> strategically_merged(const ResourceRules& rules, const kube::Object& old, const json::Value& patch,
                                   bool replaces_lists) {
  if (rules.is_custom) {
    return unsupported_media_type(
        "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, "
        "application/merge-patch+json, application/apply-patch+yaml, application/apply-patch+cbor");
  }
  Draft fresh(old, kRoom);
  TRY_VOID(strategic_patch(*fresh, patch, replaces_lists ? unknown_types() : built_in_types(rules.resource.kind)));
  return fresh;
}

}  // namespace

Answer<Draft> patched(Context& context, const ResourceRules& rules, const kube::Request& request,
                      const kube::Object* old) {
  switch (request.patch) {
    case kube::PatchKind::Merge: return merged(context, *old, request.body);
    case kube::PatchKind::Json: return json_patched(*old, request.body);
    case kube::PatchKind::Strategic:
      return strategically_merged(rules, *old, request.body, context.bugs.has(Bug::StrategicReplacesLists));
    case kube::PatchKind::Apply: return applied(context, rules, request, old);
  }
  return internal_error("a patch type that does not exist");
}

}  // namespace drover::sim
