// What `drover status` lists on the stage, and what is said of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/fleet_snapshot.h"
#include "cli/fleet_text.h"
#include "test/operator/stage.h"

namespace drover::cli {

// Read through a pointer: its first policy.
class Look {
 public:
  Look(operate::testing::Stage& stage, vendors::WorkProfiles profiles)
      : fleet_(std::make_unique<FleetSnapshot>(stage.person, stage.world.loop, profiles)) {
    std::optional<base::Result<void>> ended;
    fleet_->begin([&](base::Result<void> result) { ended = std::move(result); });
    EXPECT_TRUE(stage.world.run_until([&] { return ended.has_value(); }, std::chrono::minutes(1)));
    EXPECT_TRUE(ended && *ended) << (ended && !*ended ? ended->error().message : "no answer");
  }

  std::vector<const PolicySnapshot*> policies() const { return fleet_->policies(); }
  const PolicySnapshot& operator*() const { return *policies().front(); }
  const PolicySnapshot* operator->() const { return policies().front(); }

 private:
  std::unique_ptr<FleetSnapshot> fleet_;
};

inline Look look_at(operate::testing::Stage& stage, const vendors::WorkProfile& profile) {
  const vendors::WorkProfile* const only[] = {&profile};
  return {stage, only};
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

inline std::string explained(const PolicySnapshot& look, const std::string& node) {
  const auto lines = explain_lines(look, node);
  return lines ? joined(*lines) : lines.error().message;
}

}  // namespace drover::cli
