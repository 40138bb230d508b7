// What is wrong with the small kinds: configuration, budgets, jobs.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "sim/same.h"
#include "sim/server/kinds.h"

namespace drover::sim {
namespace {

bool is_config_key(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

void check_keys(const kube::Object& object, std::string_view field, FieldErrors& errors) {
  for (const auto& member : json::members_at(object, {field})) {
    if (is_config_key(member.key())) continue;
    errors.invalid(fmt::format("{}[{}]", field, std::string_view(member.key())), quoted(member.key()),
                   "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
                   "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
  }
}

// A whole number or a percentage, of pods.
void check_share(const json::Value& value, const std::string& field, FieldErrors& errors) {
  if (value.is_int64()) {
    if (value.get_int64() < 0) errors.invalid(field, json::text_of(value), "must be greater than or equal to 0");
    return;
  }
  if (!value.is_string()) return;
  const std::string_view text = value.get_string();
  const auto percent = text.ends_with('%') ? base::parse_int(text.substr(0, text.size() - 1)) : std::nullopt;
  if (!percent || *percent < 0) {
    errors.invalid(field, quoted(text),
                   "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', "
                   "regex used for validation is '[0-9]+%')");
  } else if (*percent > 100) {
    errors.invalid(field, quoted(text), "must not be greater than 100%");
  }
}

json::Value or_null(const json::Value* value) { return value == nullptr ? json::Value() : *value; }

}  // namespace

void check_config(const kube::Object& fresh, const kube::Object* old, FieldErrors& errors) {
  if (old != nullptr && json::flag_at(*old, {"immutable"})) {
    const std::string_view words = "field is immutable when `immutable` is set";
    if (!json::flag_at(fresh, {"immutable"})) errors.forbidden("immutable", words);
    for (const std::string_view field : {"data", "binaryData"}) {
      if (!same(json::members_at(fresh, {field}), json::members_at(*old, {field}))) {
        errors.forbidden(std::string(field), words);
      }
    }
  }
  check_keys(fresh, "data", errors);
  check_keys(fresh, "binaryData", errors);
}

void check_budget(const kube::Object& budget, const kube::Object*, FieldErrors& errors) {
  const json::Value* least = json::find(budget, {"spec", "minAvailable"});
  const json::Value* most = json::find(budget, {"spec", "maxUnavailable"});
  if (least != nullptr && most != nullptr) {
    const json::Value shown = {
        {"MinAvailable", *least},
        {"Selector", or_null(json::find(budget, {"spec", "selector"}))},
        {"MaxUnavailable", *most},
        {"UnhealthyPodEvictionPolicy", or_null(json::find(budget, {"spec", "unhealthyPodEvictionPolicy"}))}};
    errors.invalid("spec", json::text_of(shown), "minAvailable and maxUnavailable cannot be both set");
  }
  if (least != nullptr) check_share(*least, "spec.minAvailable", errors);
  if (most != nullptr) check_share(*most, "spec.maxUnavailable", errors);
}

void check_not_negative(const kube::Object& object, std::initializer_list<std::string_view> fields,
                        FieldErrors& errors) {
  for (const std::string_view field : fields) {
    const std::int64_t number = json::int_at(object, {"spec", field});
    if (number < 0) {
      errors.invalid(fmt::format("spec.{}", field), std::to_string(number), "must be greater than or equal to 0");
    }
  }
}

void check_job(const kube::Object& job, const kube::Object* old, FieldErrors& errors) {
  check_not_negative(
      job, {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"}, errors);
  if (old != nullptr) return;
  const json::Value* spec = json::find(job, {"spec", "template", "spec"});
  check_pod_spec(spec == nullptr ? json::Value(json::Members()) : *spec, "spec.template.spec", errors);
  const std::string_view policy = json::text_at(job, {"spec", "template", "spec", "restartPolicy"});
  if (policy == "Always") {
    errors.required("spec.template.spec.restartPolicy", "valid values: \"OnFailure\", \"Never\"");
  }
}

}  // namespace drover::sim
