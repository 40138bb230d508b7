#include "act/policy_news.h"

#include <fmt/format.h>

#include <set>

#include "act/texts.h"

namespace drover::act {

void PolicyNews::begin(const json::Value& policy) {
  has_begun_ = true;
  all_are_told_ = json::int_at(policy, {"status", "nodesNotListed"}) == 0;
  for (const json::Value& row : json::array_at(policy, {"status", "nodes"})) {
    told_[std::string(json::text_at(row, {"name"}))] =
        fmt::format("{}/{}", json::text_at(row, {"state"}), json::text_at(row, {"reason"}));
  }
}

std::vector<kube::Event> PolicyNews::look(const core::FleetView& fleet, const core::Plan& plan,
                                          const vendors::Profile& profile, const kube::Resource& kind,
                                          const json::Value& policy) {
  std::vector<kube::Event> events;
  if (profile.words == nullptr) return events;
  if (!has_begun_) begin(policy);
  const std::string_view done = profile.state(core::Phase::Done);
  std::size_t selected = 0;
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    const core::NodeView& node = fleet.nodes[i];
    if (!node.is_selected) continue;
    ++selected;
    const vendors::NodeWords words = profile.words(node, fleet.policy);
    const auto [at, is_new] = told_.try_emplace(node.name);
    std::string now = fmt::format("{}/{}", words.state, words.reason);
    if (at->second == now) continue;
    at->second = std::move(now);
    const bool was_told = is_new && words.state == done && !all_are_told_;
    if (words.tone == vendors::NodeWords::Tone::Silent || was_told) continue;
    const std::string why = words.state == done ? std::string() : reason_to_tell(fleet, plan, profile, i);
    events.push_back(policy_event(kind, policy, node.name, words, why));
  }
  if (told_.size() > selected) {
    std::set<std::string_view> names;
    for (const core::NodeView& node : fleet.nodes) {
      if (node.is_selected) names.insert(node.name);
    }
    std::erase_if(told_, [&](const auto& one) { return !names.contains(one.first); });
  }
  return events;
}

}  // namespace drover::act
