// What is told by Events about a policy: of each of its nodes, every change of the words that its vendor has for it.
//
// Looked at in every walk, so that nothing is missed that a status, written now and then, would not show. Whoever
// begins anew reads in the policy's status what was told before.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "core/decide.h"
#include "core/view.h"
#include "kube/event_recorder.h"
#include "vendors/profile.h"

namespace drover::act {

class PolicyNews {
 public:
  // What has changed since the last look; `policy` is the object with its status. Nothing for vendors without such
  // words.
  std::vector<kube::Event> look(const core::FleetView& fleet, const core::Plan& plan, const vendors::Profile& profile,
                                const kube::Resource& kind, const json::Value& policy);

 private:
  void begin(const json::Value& policy);

  bool has_begun_ = false;
  bool all_are_told_ = true;                 // else those that are done may be missing
  std::map<std::string, std::string> told_;  // by node: "Draining/Draining"
};

}  // namespace drover::act
