// A PodDisruptionBudget, as far as it explains which pods stay.
#pragma once

#include <optional>
#include <string>

#include "base/selector.h"
#include "kube/object.h"

namespace drover::observe {

struct Budget {
  std::string ns;
  std::string name;
  std::optional<base::Selector> pods = {};  // none: it selects nothing
  int allowed = 0;
  int healthy = 0;
  int wanted_healthy = 0;

  std::string full_name() const { return ns + "/" + name; }
};

// From spec.selector and status.
Budget budget_of(const kube::Object& object);

}  // namespace drover::observe
