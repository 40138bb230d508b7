// The chart binds agents by the same words that the agents use: a gate that it does not name could not be paused.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "vendors/nvidia/module.h"
#include "vendors/work_profile.h"

namespace drover::vendors {
namespace {

TEST(AgentPolicy, NamesEveryGateAndTheWordsOfThePause) {
  std::ifstream file("charts/drover/templates/agent_policy.yaml");
  std::stringstream text;
  text << file.rdbuf();
  const std::string policy = text.str();
  each_part(nvidia_driver().gates, [&](std::string_view gate) {
    EXPECT_NE(policy.find("\"" + std::string(gate) + "\""), std::string::npos) << gate;
  });
  for (const std::string_view word :
       {nvidia_driver().gate_paused, nvidia_driver().deploy_label, std::string_view("pre-installed")})
    EXPECT_NE(policy.find("\"" + std::string(word) + "\""), std::string::npos) << word;
}

}  // namespace
}  // namespace drover::vendors
