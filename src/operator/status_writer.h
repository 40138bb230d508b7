// Writes the status of a vendor's policies: what differs from what is there, at most every five seconds, and only what
// the definition that is served lets it say.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "act/executor.h"
#include "act/policy_status.h"
#include "base/loop.h"
#include "core/decide.h"
#include "observe/policy_set.h"
#include "operator/policy_kinds.h"
#include "operator/policy_state.h"
#include "operator/settings.h"

namespace drover::operate {

class StatusWriter {
 public:
  StatusWriter(base::Loop& loop, act::Executor& executor, const PolicyKinds& kinds,
               const observe::PolicySet& policy_set, const Served& served)
      : loop_(loop), executor_(executor), kinds_(kinds), policy_set_(policy_set), served_(served) {}

  // Which operator this is.
  void write_as(act::OperatorName name) { name_ = std::move(name); }
  void write(PolicyState& state, const core::FleetView& view, const core::Plan& plan,
             const std::string& competing_operator);
  // Of the policies that do not count.
  void write_ignored();

 private:
  // What a definition was seen not to keep.
  struct Lost {
    std::string version;  // of the definition
    std::set<std::string> fields = {};
    std::string told = {};
  };

  // As the server would keep it; nothing where it cannot be written at all.
  std::optional<json::Value> kept(std::size_t kind, const json::Value& status);
  // What the definition lacks and how to mend it; nothing where it is not known.
  std::optional<std::string> definition_lacks(std::size_t kind);
  // The merge patch for the policy's status, if it is to be written.
  std::optional<json::Value> news(const observe::PolicyRef& policy,
                                  const std::function<json::Value(std::optional<std::string> lacks)>& render);

  base::Loop& loop_;
  act::Executor& executor_;
  const PolicyKinds& kinds_;
  const observe::PolicySet& policy_set_;
  const Served& served_;
  act::OperatorName name_ = {};
  std::map<std::size_t, Lost> lost_;  // by kind
};

}  // namespace drover::operate
