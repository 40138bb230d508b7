#include "vendors/shared/upgrade_policy.h"

#include <fmt/format.h>

#include <limits>

#include "base/text.h"

namespace drover::vendors {
namespace {

using core::Removal;
using core::Share;

// Ten years: longer than any rollout, and far from the end of what a Span holds.
constexpr std::int64_t kMostSeconds = 10LL * 365 * 24 * 3600;

// One object of the policy, with the path to name its fields by.
class Reader {
 public:
  Reader(const json::Value* object, std::string at, std::vector<FieldTrouble>& troubles)
      : object_(object), at_(std::move(at)), troubles_(troubles) {
    if (object_ != nullptr && object_->is_null()) object_ = nullptr;
    if (object_ != nullptr && !object_->is_object()) {
      blame("", "is not an object");
      object_ = nullptr;
    }
  }

  bool is_there() const { return object_ != nullptr; }
  const json::Value* find(std::string_view key) const {
    const json::Value* found = object_ == nullptr ? nullptr : object_->get_object().if_contains(key);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  Reader below(std::string_view key) { return {find(key), fmt::format("{}.{}", at_, key), troubles_}; }

  bool flag(std::string_view key, bool fallback) {
    const json::Value* value = find(key);
    if (value == nullptr) return fallback;
    if (value->is_bool()) return value->get_bool();
    blame(key, fmt::format("is {}; true or false is wanted", json::text_of(*value)));
    return fallback;
  }

  std::int64_t number(std::string_view key, std::int64_t fallback, std::int64_t most) {
    const json::Value* value = find(key);
    if (value == nullptr) return fallback;
    std::int64_t found = -1;
    if (value->is_int64()) found = value->get_int64();
    if (value->is_uint64()) found = std::numeric_limits<std::int64_t>::max();
    if (found >= 0 && found <= most) return found;
    blame(key, fmt::format("is {}; a whole number from 0 to {} is wanted", json::text_of(*value), most));
    return fallback;
  }

  // Seconds; 0 stands for no limit.
  std::optional<base::Span> limit(std::string_view key, std::int64_t fallback) {
    const std::int64_t seconds = number(key, fallback, kMostSeconds);
    if (seconds == 0) return {};
    return std::chrono::seconds(seconds);
  }

  Share share(std::string_view key, Share fallback) {
    const json::Value* value = find(key);
    if (value == nullptr) return fallback;
    const auto wanted = [&] {
      blame(key, fmt::format("is {}; a number of nodes (5) or a share of them (25%) is wanted", json::text_of(*value)));
      return fallback;
    };
    if (value->is_int64()) {
      const std::int64_t nodes = value->get_int64();
      if (nodes < 0 || nodes > std::numeric_limits<int>::max()) return wanted();
      return {static_cast<int>(nodes), false};
    }
    const auto percent = value->is_string() ? parse_percent(value->get_string()) : std::nullopt;
    return percent ? *percent : wanted();
  }

  base::Selector selector(std::string_view key) {
    const json::Value* value = find(key);
    if (value == nullptr) return {};
    if (!value->is_string()) {
      blame(key, fmt::format("is {}; a label selector such as \"app=web\" is wanted", json::text_of(*value)));
      return {};
    }
    auto parsed = base::Selector::parse(value->get_string());
    if (parsed) return *parsed;
    blame(key, fmt::format("is not a label selector: {}", parsed.error().message));
    return {};
  }

  void blame(std::string_view key, std::string message) {
    troubles_.push_back({key.empty() ? at_ : fmt::format("{}.{}", at_, key), std::move(message)});
  }

 private:
  const json::Value* object_;
  std::string at_;
  std::vector<FieldTrouble>& troubles_;
};

constexpr std::int64_t kRemovalSeconds = 300;

Removal read_removal(Reader from) {
  return {.takes_bare_pods = from.flag("force", false),
          .takes_local_data = from.flag("deleteEmptyDir", false),
          .at_most = from.limit("timeoutSeconds", kRemovalSeconds)};
}

Removal read_device_removal(Reader from) {
  Removal removal = read_removal(std::move(from));
  removal.bare_pod_text = "pod has no controller; delete it or set spec.…gpuPodDeletion.force=true";
  removal.local_data_text = "its emptyDir would be lost; delete it or set spec.…gpuPodDeletion.deleteEmptyDir=true";
  return removal;
}

// The document spells it gpuPodDeletion, the vendor's own CRD podDeletion. Both at once must agree.
Removal read_pod_deletion(Reader& upgrade) {
  const json::Value* documented = upgrade.find("gpuPodDeletion");
  const json::Value* installed = upgrade.find("podDeletion");
  if (documented == nullptr) return read_device_removal(upgrade.below("podDeletion"));
  const Removal removal = read_device_removal(upgrade.below("gpuPodDeletion"));
  if (installed != nullptr && !(read_device_removal(upgrade.below("podDeletion")) == removal)) {
    upgrade.blame("gpuPodDeletion", "and podDeletion are both there and differ; remove one of them");
  }
  return removal;
}

}  // namespace

std::optional<core::Share> parse_percent(std::string_view text) {
  if (!text.ends_with('%') || text.starts_with('+')) return {};
  const auto percent = base::parse_int(text.substr(0, text.size() - 1));
  if (!percent || *percent < 0 || *percent > 100) return {};
  return Share{static_cast<int>(*percent), true};
}

PolicyReading read_upgrade_policy(const json::Value* upgrade, const std::string& at) {
  PolicyReading reading;
  core::Policy& policy = reading.policy;
  Reader from(upgrade, at, reading.troubles);
  policy.is_on = from.flag("autoUpgrade", true);
  const std::int64_t max_parallel = from.number("maxParallelUpgrades", 1, std::numeric_limits<int>::max());
  policy.max_parallel = max_parallel == 0 ? std::nullopt : std::optional(static_cast<int>(max_parallel));
  policy.unavailable = from.share("maxUnavailable", policy.unavailable);
  policy.failures = from.share("failureBudget", policy.failures);

  Reader jobs = from.below("waitForCompletion");
  reading.jobs = jobs.selector("podSelector");
  policy.jobs = {.is_wanted = !reading.jobs.selects_everything(), .at_most = jobs.limit("timeoutSeconds", 0)};

  policy.device_pods = read_pod_deletion(from);

  Reader drain = from.below("drain");
  reading.drained = drain.selector("podSelector");
  if (drain.flag("enable", false)) policy.drain = read_removal(drain);

  policy.trouble = summary_of(reading.troubles);
  return reading;
}

void identify(core::Policy& policy, const json::Value& object) {
  policy.name = json::text_at(object, {"metadata", "name"});
  policy.uid = json::text_at(object, {"metadata", "uid"});
  policy.is_ending = !json::text_at(object, {"metadata", "deletionTimestamp"}).empty();
}

std::string summary_of(const std::vector<FieldTrouble>& troubles) {
  std::string summary;
  for (const FieldTrouble& trouble : troubles) {
    if (!summary.empty()) summary += "; ";
    summary += trouble.field + " " + trouble.message;
  }
  return summary;
}

}  // namespace drover::vendors
