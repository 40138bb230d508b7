// Autoscalers: what is measured, and what it should be.
#include <fmt/format.h>

#include <string>

#include "sim/print/cells.h"

namespace drover::sim::print {
namespace {

constexpr std::size_t kMetricsShown = 2;  // more are only counted

constexpr Column kColumns[] = {
    kName,
    {"Reference", "string", "", 0, "what is scaled"},
    {"Targets", "string", "", 0, "what is measured, and what it should be"},
    {"MinPods", "string", "", 0, "at least so many"},
    {"MaxPods", "string", "", 0, "at most so many"},
    {"Replicas", "string", "", 0, "how many there are"},
    kAge,
};

bool is_there(const json::Value& value, json::Path path) {
  const json::Value* found = json::find(value, path);
  return found != nullptr && !found->is_null();
}

// "cpu: 12%/80%", "5/10 (avg)": one measure, beside what was last measured of it.
std::string target_of(const json::Value& spec, const json::Value& status) {
  const auto unknown = [&](json::Path path) { return scalar_text(status, path, "<unknown>"); };
  const std::string_view type = json::text_at(spec, {"type"});
  if (type == "Pods")
    return fmt::format("{}/{}", unknown({"pods", "current", "averageValue"}),
                       scalar_text(spec, {"pods", "target", "averageValue"}, "0"));
  if (type == "External" || type == "Object") {
    const std::string_view member = type == "External" ? "external" : "object";
    if (is_there(spec, {member, "target", "averageValue"}))
      return fmt::format("{}/{} (avg)", unknown({member, "current", "averageValue"}),
                         scalar_text(spec, {member, "target", "averageValue"}, "0"));
    return fmt::format("{}/{}", unknown({member, "current", "value"}),
                       scalar_text(spec, {member, "target", "value"}, "0"));
  }
  if (type != "Resource" && type != "ContainerResource") return "<unknown type>";
  const std::string_view member = type == "Resource" ? "resource" : "containerResource";
  const std::string_view name = json::text_at(spec, {member, "name"});
  if (is_there(spec, {member, "target", "averageValue"}))
    return fmt::format("{}: {}/{}", name, unknown({member, "current", "averageValue"}),
                       scalar_text(spec, {member, "target", "averageValue"}, "0"));
  const auto percent = [](const std::string& text) { return text.starts_with('<') ? text : text + "%"; };
  return fmt::format("{}: {}/{}", name, percent(unknown({member, "current", "averageUtilization"})),
                     percent(scalar_text(spec, {member, "target", "averageUtilization"}, "<auto>")));
}

std::string targets_of(const json::Value& autoscaler) {
  const json::Array& specs = json::array_at(autoscaler, {"spec", "metrics"});
  const json::Array& statuses = json::array_at(autoscaler, {"status", "currentMetrics"});
  if (specs.empty()) return "<none>";
  std::string text;
  for (std::size_t i = 0; i < specs.size() && i < kMetricsShown; ++i)
    text.append(i == 0 ? "" : ", ").append(target_of(specs[i], i < statuses.size() ? statuses[i] : json::Value()));
  return specs.size() > kMetricsShown ? fmt::format("{} + {} more...", text, specs.size() - kMetricsShown) : text;
}

json::Array autoscaler_cells(const kube::Object& autoscaler, base::WallTime now) {
  return {name_cell(autoscaler),
          fmt::format("{}/{}", json::text_at(autoscaler, {"spec", "scaleTargetRef", "kind"}),
                      json::text_at(autoscaler, {"spec", "scaleTargetRef", "name"})),
          targets_of(autoscaler),
          scalar_text(autoscaler, {"spec", "minReplicas"}, "<unset>"),
          json::int_at(autoscaler, {"spec", "maxReplicas"}),
          json::int_at(autoscaler, {"status", "currentReplicas"}),
          age_of(autoscaler, now)};
}

constexpr SheetRow kAutoscalerSheets[] = {{"autoscaling", "horizontalpodautoscalers", kColumns, autoscaler_cells}};

}  // namespace

std::span<const SheetRow> autoscaler_sheets() { return kAutoscalerSheets; }

}  // namespace drover::sim::print
