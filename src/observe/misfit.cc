#include "observe/misfit.h"

#include <fmt/format.h>

#include "kube/quantity.h"

namespace drover::observe {
namespace {

// The node controller's own taints say what the node's conditions say, and most pass by themselves.
constexpr std::string_view kOfTheNodeController = "node.kubernetes.io/";

std::string taint_text(const json::Value& taint) {
  const std::string_view value = json::text_at(taint, {"value"});
  return fmt::format("{}{}{}:{}", json::text_at(taint, {"key"}), value.empty() ? "" : "=", value,
                     json::text_at(taint, {"effect"}));
}

std::string amount_text(std::int64_t milli) {
  constexpr double kGibi = 0x1p30;
  const double amount = static_cast<double>(milli) / 1000;
  return amount < kGibi ? fmt::format("{:.6g}", amount) : fmt::format("{:.4g}Gi", amount / kGibi);
}

std::string too_much(const json::Value& pod_spec, const NodeFacts& node) {
  const kube::Amounts requests = kube::requests_in(pod_spec);
  if (requests.empty() || node.allocatable.empty()) return {};
  const auto allocatable = json::parse(node.allocatable.view());
  if (!allocatable || !allocatable->is_object()) return {};
  const kube::Amounts there = kube::amounts_in(allocatable->get_object());
  for (const auto& [resource, amount] : requests) {
    const auto at = there.find(resource);
    const std::int64_t has = at == there.end() ? 0 : at->second;
    if (amount > has)
      return fmt::format("it requests {} {}, and all that the node has is {}", resource, amount_text(amount),
                         amount_text(has));
  }
  return {};
}

}  // namespace

std::string misfit_of(const json::Value& pod_spec, const NodeFacts& node, const kube::LabelOf& label) {
  json::Array taints;
  for (const json::Value& taint : node.taints) {
    if (!json::text_at(taint, {"key"}).starts_with(kOfTheNodeController)) taints.push_back(taint);
  }
  const json::Value* taint =
      kube::untolerated_taint(taints, kube::tolerations_of(pod_spec), {"NoSchedule", "NoExecute"});
  if (taint != nullptr) return fmt::format("it does not tolerate the taint {}", taint_text(*taint));
  if (!kube::selects_node(pod_spec, node.name, label))
    return "its node selector or node affinity does not match the node's labels";
  return too_much(pod_spec, node);
}

}  // namespace drover::observe
