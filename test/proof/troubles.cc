// What goes wrong around the operators: the API server, their clocks, what they are given to serve.
#include <fmt/format.h>

#include "play.h"

namespace drover::proof {

namespace {

bool is_node_write(const kube::Request& request) {
  return request.verb == kube::Verb::Patch && request.resource == kube::kNodes && request.subresource.empty();
}
bool changes_cordon(const kube::Request& request, bool wanted) {
  const json::Value* cordon = json::find(request.body, {"spec", "unschedulable"});
  return is_node_write(request) && cordon != nullptr && !cordon->is_null() == wanted;
}

struct Refusal {
  std::string_view name;
  bool (*fits)(const kube::Request&);
};
constexpr Refusal kRefusals[] = {
    {"cordons", [](const kube::Request& request) { return changes_cordon(request, true); }},
    {"uncordons", [](const kube::Request& request) { return changes_cordon(request, false); }},
    {"nodes", is_node_write},
    {"evictions", [](const kube::Request& request) { return request.subresource == "eviction"; }},
    {"deletions", [](const kube::Request& request) { return request.verb == kube::Verb::Delete; }},
    {"daemonsets", [](const kube::Request& request) { return request.resource.plural == "daemonsets"; }},
    {"status", [](const kube::Request& request) { return request.subresource == "status"; }},
    {"events", [](const kube::Request& request) { return request.resource.plural == "events"; }},
};

}  // namespace

bool Play::about_api(const std::vector<std::string>& words) {
  if (words[0] == "clock") {
    const bool is_behind = words[1].starts_with('-');
    const auto span = base::parse_span(words[1].substr(is_behind ? 1 : 0));
    if (!span) return fails("no span: " + words[1]);
    clock_is_off_ = is_behind ? -*span : *span;
    return true;
  }
  if (words[0] == "definition") {
    if (words[1] == "gone") {
      delete_definitions();
      return true;
    }
    for (const std::string_view path : vendor.definitions)
      as("person", kube::create(kube::kCustomResourceDefinitions, "", operate::testing::manifest(std::string(path))));
    return true;
  }
  if (words[0] == "namespace") {
    as("person", kube::create(kube::kNamespaces, "", {{"metadata", {{"name", vendor.ns}}}}));
    return true;
  }
  if (words[1] == "refuses") {
    refuse(words[2]);
    return true;
  }
  patchy_.is_away = words[1] == "away";
  tell_who_hears();
  checker->note("fate", patchy_.is_away ? "the API server is away" : "the API server is back");
  return true;
}

void Play::refuse(const std::string& what) {
  patchy_.refuses = nullptr;
  checker->note("fate", fmt::format("the API server refuses {}", what));
  for (const Refusal& refusal : kRefusals) {
    if (refusal.name == what) patchy_.refuses = refusal.fits;
  }
}

void Play::delete_definitions() {
  for (const std::string_view path : vendor.definitions) {
    const std::string name(kube::name_of(operate::testing::manifest(std::string(path))));
    as("person", kube::remove(kube::kCustomResourceDefinitions, "", name, ""));
  }
  checker->note("person", "deletes the definition");
}

void Play::taint(const std::string& node, bool is_wanted) {
  const sim::Stored there = this->node(node);
  if (!there) return;
  json::Array taints;
  for (const json::Value& one : json::array_at(*there, {"spec", "taints"})) {
    if (json::text_at(one, {"key"}) != "team") taints.push_back(one);
  }
  if (is_wanted) taints.push_back({{"key", "team"}, {"value", "others"}, {"effect", "NoSchedule"}});
  set_node("person", node, {{"spec", {{"taints", std::move(taints)}}}});
  checker->note("person", fmt::format("{}  {}", node, is_wanted ? "taints it" : "takes the taint away"));
}

}  // namespace drover::proof
