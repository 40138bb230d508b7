// What is told by Events about a policy: of each of its nodes, every change of the words that its vendor has for it;
// what keeps its rollout from going on; and waits that people must hear of.
//
// Checked in every pass, because a status, written now and then, would miss changes. After a restart the policy's
// status says what was told before.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "act/obstacles.h"
#include "base/json.h"
#include "base/time.h"
#include "core/decide.h"
#include "core/view.h"
#include "kube/event_recorder.h"
#include "vendors/work_profile.h"

namespace drover::act {

class Announcements {
 public:
  // What has changed since the last look; `policy` is the object with its status.
  std::vector<kube::Event> look(const core::FleetView& fleet, const core::Plan& plan, const Obstacles& obstacles,
                                const vendors::WorkProfile& profile, const kube::Resource& kind,
                                const json::Value& policy);
  // When time alone makes something to tell of.
  std::optional<base::Span> look_again_in() const { return look_again_in_; }

 private:
  struct Told {
    std::string state;
    std::string reason;
  };
  void begin(const json::Value& policy);
  void look_at_words(const core::FleetView& fleet, const core::Plan& plan, const vendors::WorkProfile& profile,
                     const kube::Resource& kind, const json::Value& policy, std::vector<kube::Event>& events);
  void look_at_waits(const core::FleetView& fleet, const core::Plan& plan, const vendors::WorkProfile& profile,
                     std::vector<kube::Event>& events);
  void look_at_obstacles(const Obstacles& obstacles, const kube::Resource& kind, const json::Value& policy,
                         std::vector<kube::Event>& events);

  bool has_begun_ = false;
  bool all_are_told_ = true;                       // else those that are done may be missing
  std::map<std::string, Told> told_;               // by node
  std::map<std::string, core::Reason> announced_;  // by node: the wait that it is in
  struct Budget {
    std::string ns;
    std::string name;  // "": it is something else
  };
  std::map<std::string, Budget> blocked_by_;  // by object
  std::optional<base::Span> look_again_in_;
};

}  // namespace drover::act
