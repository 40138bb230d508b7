// A look at a fleet on the stage, and what is said of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/fleet_snapshot.h"
#include "cli/fleet_text.h"
#include "test/operator/stage.h"

namespace drover::cli {

inline std::unique_ptr<FleetSnapshot> look_at(operate::testing::Stage& stage, const vendors::WorkProfile& profile,
                                              base::Result<void>* outcome = nullptr) {
  auto look = std::make_unique<FleetSnapshot>(stage.person, stage.world.loop, profile);
  std::optional<base::Result<void>> ended;
  look->begin([&](base::Result<void> result) { ended = std::move(result); });
  EXPECT_TRUE(stage.world.run_until([&] { return ended.has_value(); }, std::chrono::minutes(1)));
  if (outcome != nullptr) {
    *outcome = *ended;
  } else {
    EXPECT_TRUE(*ended) << ended->error().message;
  }
  return look;
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

inline std::string explained(const FleetSnapshot& look, const std::string& node) {
  const auto lines = explain_lines(look, node);
  return lines ? joined(*lines) : lines.error().message;
}

}  // namespace drover::cli
