#include "observe/budget.h"

#include <utility>

namespace drover::observe {

Budget budget_of(const kube::Object& object) {
  Budget budget{.ns = std::string(kube::namespace_of(object)), .name = std::string(kube::name_of(object))};
  if (const json::Value* selector = json::find(object, {"spec", "selector"}); selector && selector->is_object()) {
    if (auto read = base::Selector::from_json(*selector)) budget.pods = std::move(*read);
  }
  budget.allowed = static_cast<int>(json::int_at(object, {"status", "disruptionsAllowed"}));
  budget.healthy = static_cast<int>(json::int_at(object, {"status", "currentHealthy"}));
  budget.wanted_healthy = static_cast<int>(json::int_at(object, {"status", "desiredHealthy"}));
  return budget;
}

}  // namespace drover::observe
