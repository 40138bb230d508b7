#include "upgrade_terms.h"

#include <fmt/format.h>

#include <cstdlib>

namespace drover::proof {
namespace {

RemovalTerms removal_of(const json::Value* removal) {
  if (removal == nullptr) return {};
  return {.force = json::flag_at(*removal, {"force"}),
          .local_data = json::flag_at(*removal, {"deleteEmptyDir"}),
          .seconds = json::int_at(*removal, {"timeoutSeconds"}, 300)};
}

std::string any_removal(base::Random& random) {
  const bool force = random.chance(0.5);
  const bool local_data = random.chance(0.5);
  return fmt::format(R"("force": {}, "deleteEmptyDir": {}, "timeoutSeconds": {})", force, local_data,
                     30 + random.below(300));
}

}  // namespace

void read_upgrade_terms(const json::Value* upgrade, Terms& terms) {
  static const json::Value kNone = json::Members();
  if (upgrade == nullptr) upgrade = &kNone;
  terms.is_on = json::flag_at(*upgrade, {"autoUpgrade"}, true);
  terms.max_parallel = json::int_at(*upgrade, {"maxParallelUpgrades"}, 1);
  if (const json::Value* away = json::find(*upgrade, {"maxUnavailable"})) {
    terms.away_is_percent = away->is_string();
    terms.away = away->is_string() ? std::strtoll(std::string(away->get_string()).c_str(), nullptr, 10)
                                   : json::int_at(*upgrade, {"maxUnavailable"});
  }
  terms.waits = !json::text_at(*upgrade, {"waitForCompletion", "podSelector"}).empty();
  const json::Value* deletion = json::find(*upgrade, {"gpuPodDeletion"});
  terms.device_pods = removal_of(deletion != nullptr ? deletion : json::find(*upgrade, {"podDeletion"}));
  terms.drains = json::flag_at(*upgrade, {"drain", "enable"});
  terms.drain = removal_of(json::find(*upgrade, {"drain"}));
}

std::string any_upgrade_policy(base::Random& random) {
  static constexpr std::array kShares = {R"(1)", R"(2)", R"("25%")", R"("50%")", R"("100%")"};
  std::string text = fmt::format(R"("maxParallelUpgrades": {}, )", random.below(4));
  text += fmt::format(R"("maxUnavailable": {})", kShares[random.below(kShares.size())]);
  text += fmt::format(R"(, "podDeletion": {{{}}})", any_removal(random));
  if (random.chance(0.4)) text += fmt::format(R"(, "drain": {{"enable": true, {}}})", any_removal(random));
  if (random.chance(0.3)) {
    text += fmt::format(R"(, "waitForCompletion": {{"podSelector": "kind=job", "timeoutSeconds": {}}})",
                        30 + random.below(300));
  }
  return text;
}

std::string summary_trouble(const kube::Object& policy, bool /*at_rest*/) {
  const json::Value* states = json::find(policy, {"status", "summary", "states"});
  if (states == nullptr || !states->is_object()) return {};
  std::int64_t sum = 0;
  for (const auto& state : states->get_object()) sum += state.value().is_int64() ? state.value().get_int64() : 0;
  const std::int64_t total = json::int_at(policy, {"status", "summary", "total"});
  return sum == total ? "" : fmt::format("the states sum up to {} of {} nodes", sum, total);
}

void ask_for(json::Value& pod_spec, std::string_view resource, int devices) {
  json::Members limits = {{resource, std::to_string(devices)}};
  pod_spec.at("containers").get_array().front().get_object()["resources"] =
      json::Members{{"limits", std::move(limits)}};
}

}  // namespace drover::proof
