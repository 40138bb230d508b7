// What tests of agents in a simulated cluster have in common: a person who asks the server, an agent that dies at a
// chosen deed, and the agent's door to the server, which notes what an agent may not do.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/program.h"
#include "base/text.h"
#include "protocol/keys.h"
#include "sim/kubelet.h"
#include "sim/nodes.h"
#include "sim/world.h"

namespace drover::agent::testing {

using namespace std::chrono_literals;
using kube::Object;

inline json::Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().message);
  return value ? std::move(*value) : json::Value();
}

// What a person is answered; that it goes wrong is a failure of the test.
inline Object answer_to(sim::World& world, kube::Api& person, kube::Request request) {
  std::optional<kube::Result<Object>> outcome;
  const std::string what = kube::sentence(request);
  auto call = person.call(std::move(request), [&](kube::Result<Object> answer) { outcome = std::move(answer); });
  EXPECT_TRUE(world.run_until([&] { return outcome.has_value(); }, 1min));
  EXPECT_TRUE(outcome && *outcome) << what << ": " << (outcome && !*outcome ? outcome->error().message : "");
  return outcome && *outcome ? std::move(**outcome) : Object();
}

// When the agent dies: at its nth deed (a request, or a module that goes), before the deed or after it.
struct Death {
  int at = 0;  // 0: never
  bool after = false;
};

// What all agents of a yard did, together.
struct PolicyCounters {
  int count = 0;
  Death death = {};
  int deaths = 0;
  std::vector<std::string> wrong = {};  // what an agent may not do
};

// The agent's door: passes on what an agent may ask, and notes what it may not.
class AgentDoor final : public kube::Api {
 public:
  AgentDoor(kube::Api& api, std::string node, PolicyCounters& deeds, std::function<bool()> may_go_on)
      : api_(api), node_(std::move(node)), deeds_(deeds), may_go_on_(std::move(may_go_on)) {}

  kube::Call call(kube::Request request, Answer answer) override {
    const json::Value* spec = json::find(request.body, {"spec"});
    if (request.resource.plural != "nodes" || request.name != node_ || request.verb != kube::Verb::Patch ||
        spec != nullptr)
      deeds_.wrong.push_back(kube::sentence(request));
    for (const auto& member : json::members_at(request.body, {"metadata", "annotations"})) {
      if (!std::string_view(member.key()).starts_with(protocol::kReportPrefix)) deeds_.wrong.emplace_back(member.key());
    }
    if (!may_go_on_()) return {};
    return api_.call(std::move(request), std::move(answer));
  }
  kube::Call list(kube::ListRequest request, kube::ListSink sink) override {
    note(request.range);
    return api_.list(std::move(request), std::move(sink));
  }
  kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    note(request.range);
    return api_.watch(std::move(request), std::move(sink));
  }

 private:
  void note(const kube::Range& range) {
    if (range.resource.plural != "nodes" || range.fields != "metadata.name=" + node_)
      deeds_.wrong.push_back("look at " + std::string(range.resource.plural) + " " + range.fields);
  }

  kube::Api& api_;
  std::string node_;
  PolicyCounters& deeds_;
  std::function<bool()> may_go_on_;
};

}  // namespace drover::agent::testing
