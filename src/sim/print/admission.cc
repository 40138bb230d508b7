// Columns of webhook configurations and admission policies, and of APIServices.
#include <fmt/format.h>

#include <string>

#include "sim/print/cells.h"

namespace drover::sim::print {
namespace {

constexpr Column kWebhookColumns[] = {kName, {"Webhooks", "integer", "", 0, "how many are asked"}, kAge};

json::Array webhook_cells(const kube::Object& hooks, base::WallTime now) {
  return {name_cell(hooks), json::Value(json::array_at(hooks, {"webhooks"}).size()), age_of(hooks, now)};
}

constexpr Column kPolicyColumns[] = {
    kName,
    {"Validations", "integer", "", 0, "how many rules it has"},
    {"ParamKind", "string", "", 0, "what kind of object has the parameters"},
    kAge,
};

json::Array policy_cells(const kube::Object& policy, base::WallTime now) {
  std::string kind = "<unset>";
  if (const json::Value* param = json::find(policy, {"spec", "paramKind"}); param != nullptr && param->is_object())
    kind = fmt::format("{}/{}", json::text_at(*param, {"apiVersion"}), json::text_at(*param, {"kind"}));
  return {name_cell(policy), json::Value(json::array_at(policy, {"spec", "validations"}).size()), kind,
          age_of(policy, now)};
}

constexpr Column kPolicyBindingColumns[] = {
    kName,
    {"PolicyName", "string", "", 0, "which policy it puts in force"},
    {"ParamRef", "string", "", 0, "where the parameters are"},
    kAge,
};

json::Array policy_binding_cells(const kube::Object& binding, base::WallTime now) {
  std::string param = "<unset>";
  if (const std::string_view name = json::text_at(binding, {"spec", "paramRef", "name"}); !name.empty())
    param = fmt::format("{}/{}", text_or(binding, {"spec", "paramRef", "namespace"}, "*"), name);
  return {name_cell(binding), json::Value(json::text_at(binding, {"spec", "policyName"})), param, age_of(binding, now)};
}

constexpr Column kApiServiceColumns[] = {
    kName,
    {"Service", "string", "", 0, "who serves it"},
    {"Available", "string", "", 0, "whether they answer"},
    kAge,
};

json::Array api_service_cells(const kube::Object& service, base::WallTime now) {
  std::string server = "Local";
  if (const json::Value* reference = json::find(service, {"spec", "service"});
      reference != nullptr && reference->is_object())
    server = fmt::format("{}/{}", json::text_at(*reference, {"namespace"}), json::text_at(*reference, {"name"}));
  std::string available = "Unknown";
  for (const json::Value& condition : json::array_at(service, {"status", "conditions"})) {
    if (json::text_at(condition, {"type"}) != "Available") continue;
    available = json::text_at(condition, {"status"});
    if (available != "True" && !json::text_at(condition, {"reason"}).empty())
      available += fmt::format(" ({})", json::text_at(condition, {"reason"}));
  }
  return {name_cell(service), server, available, age_of(service, now)};
}

constexpr SheetRow kAdmissionSheets[] = {
    {"admissionregistration.k8s.io", "validatingwebhookconfigurations", kWebhookColumns, webhook_cells},
    {"admissionregistration.k8s.io", "mutatingwebhookconfigurations", kWebhookColumns, webhook_cells},
    {"admissionregistration.k8s.io", "validatingadmissionpolicies", kPolicyColumns, policy_cells},
    {"admissionregistration.k8s.io", "validatingadmissionpolicybindings", kPolicyBindingColumns, policy_binding_cells},
    {"apiregistration.k8s.io", "apiservices", kApiServiceColumns, api_service_cells},
};

}  // namespace

std::span<const SheetRow> admission_sheets() { return kAdmissionSheets; }

}  // namespace drover::sim::print
