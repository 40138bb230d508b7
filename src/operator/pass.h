// One pass: from what changed to what is sent.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "operator/controller.h"

namespace drover::operate {

// What happened since the last pass, beside what each vendor's watches tell.
struct PassInput {
  std::vector<std::string> changed_nodes;
  Heard heard = {};
  std::optional<core::Share> max_unavailable = {};  // over all policies
};

// Once, for every policy of every vendor: absorb what came, look, decide, send, report. When to pass again if nothing
// happens before.
base::Span run_pass(const std::vector<std::unique_ptr<Controller>>& controllers, const PassInput& input,
                    base::Span at_most);

}  // namespace drover::operate
