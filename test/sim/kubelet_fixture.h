// Simulated kubelets on a bare API server (no controllers: what happens is theirs alone), and short ways to say pods
// and to ask about them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/virtual_loop.h"
#include "objects.h"
#include "sim/kubelet.h"
#include "sim/nodes.h"
#include "sim/server.h"
#include "sim/store_api.h"

namespace drover::sim {

using namespace std::chrono_literals;

// Virtual time, an API server, one client API.
struct BareWorld {
  explicit BareWorld(std::uint64_t seed)
      : random(seed), server_(loop, random.fork("server")), door(server_, loop, random.fork("door")) {
    for (const char* ns : {"default", "kube-node-lease"}) {
      // Some are there from the beginning.
      static_cast<void>(server_.serve(
          kube::create(kube::kNamespaces, "", parsed(fmt::format(R"({{"metadata": {{"name": "{}"}}}})", ns)))));
    }
  }
  base::VirtualLoop loop;
  base::Random random;
  Server server_;
  StoreApi door;

  Server& server() { return server_; }
  const Store& store() const { return server_.store(); }
  bool run_until(const std::function<bool()>& condition, base::Span at_most) {
    return loop.run_until(condition, at_most);
  }
  void run_for(base::Span span) { loop.run_for(span); }
};

class KubeletTest : public ::testing::Test {
 protected:
  // Times without chance, so that a test can say when something happens.
  static KubeletPlan exact() {
    return {.tempo = {.pull = 2s, .start = 500ms, .driver = 5s, .stop = 1s, .task = 2s, .jitter = 0},
            .leases = false,
            .events = false,
            .boot_takes = 40s,
            .settle_takes = 10s};
  }

  BareWorld world{1};
  std::vector<json::Value> journal_lines;
  Journal journal{world.loop, [this](std::string_view line) { journal_lines.push_back(parsed(line)); }};
  LogBook logs;
  std::unique_ptr<Kubelets> kubelets;

  void begin(std::string_view fleet, KubeletPlan plan = exact(), Programs programs = {}) {
    for (auto& node : make_nodes(*parse_fleet(fleet)))
      expect(world.server().serve(kube::create(kube::kNodes, "", std::move(node))));
    start_kubelets(std::move(plan), std::move(programs));
    ASSERT_TRUE(soon([this] { return kubelets->is_synced(); }));
  }
  void start_kubelets(KubeletPlan plan = exact(), Programs programs = {}) {
    kubelets = std::make_unique<Kubelets>(world.door, world.loop, world.random.fork("kubelet"), std::move(plan),
                                          ImageTable::with_vendors(), std::move(programs));
    kubelets->write_journal(&journal);
    kubelets->keep_logs(&logs);
    kubelets->start();
  }

  bool soon(const std::function<bool()>& condition, base::Span at_most = 10min) {
    return world.run_until(condition, at_most);
  }
  void pass(base::Span span) { world.run_for(span); }

  // -- writing

  // A pod on a node; `spec` is merged into its spec, `script` is what its main container does.
  void add_pod(const std::string& name, const std::string& node, const std::string& script = {},
               const std::string& spec = "{}") {
    kube::Object pod = pod_named("default", name, node);
    if (!script.empty()) json::ensure(pod, {"metadata", "annotations", "sim.drover.dev/script"}) = script;
    const auto more = parsed(spec);
    for (const auto& entry : more.as_object()) json::ensure(pod, {"spec", entry.key()}) = entry.value();
    expect(world.server().serve(kube::create(kube::kPods, "default", std::move(pod))));
  }
  void delete_pod(const std::string& name, std::optional<base::Span> grace = {}) {
    auto request = kube::remove(kube::kPods, "default", name, "");
    request.grace = grace;
    expect(world.server().serve(request));
  }
  void annotate_node(const std::string& node, const std::string& key, const std::string& value) {
    kube::Object body;
    json::ensure(body, {"metadata", "annotations", key}) = value;
    expect(world.server().serve(kube::patch(kube::kNodes, "", node, kube::PatchKind::Merge, std::move(body))));
  }

  // -- reading

  Stored pod(const std::string& name) { return world.store().find("pods", "default/" + name); }
  Stored node(const std::string& name) { return world.store().find("nodes", name); }
  std::string phase(const std::string& name) {
    const auto found = pod(name);
    return found ? std::string(json::text_at(*found, {"status", "phase"})) : "(gone)";
  }
  static std::string condition(const kube::Object& object, std::string_view type, std::string_view field = "status") {
    for (const auto& one : json::array_at(object, {"status", "conditions"})) {
      if (json::text_at(one, {"type"}) == type) return std::string(json::text_at(one, {field}));
    }
    return "";
  }
  bool is_ready(const std::string& name) {
    const auto found = pod(name);
    return found && condition(*found, "Ready") == "True";
  }
  bool node_is_ready(const std::string& name) { return condition(*node(name), "Ready") == "True"; }
  std::string boot_of(const std::string& name) {
    return std::string(json::text_at(*node(name), {"status", "nodeInfo", "bootID"}));
  }
  // The status of the pod's nth container.
  json::Value container(const std::string& name, std::size_t index = 0, std::string_view list = "containerStatuses") {
    const auto found = pod(name);
    if (!found || json::array_at(*found, {"status", list}).size() <= index) return json::Members{};
    return json::array_at(*found, {"status", list})[index];
  }
  std::string waiting(const std::string& name) {
    return std::string(json::text_at(container(name), {"state", "waiting", "reason"}));
  }
  std::int64_t restarts(const std::string& name) { return json::int_at(container(name), {"restartCount"}, -1); }

  // How often the journal has this event (about this pod).
  int noted(std::string_view event, const std::string& name = {}) {
    int count = 0;
    for (const auto& line : journal_lines) {
      const bool about = name.empty() || json::text_at(line, {"pod"}) == "default/" + name;
      count += json::text_at(line, {"event"}) == event && about ? 1 : 0;
    }
    return count;
  }
  // Seconds of the clock at the last such event; -1 when there is none.
  double noted_at(std::string_view event, const std::string& name = {}) {
    for (auto line = journal_lines.rbegin(); line != journal_lines.rend(); ++line) {
      const bool about = name.empty() || json::text_at(*line, {"pod"}) == "default/" + name;
      if (json::text_at(*line, {"event"}) == event && about) return line->at("mono").to_number<double>();
    }
    return -1;
  }
  std::vector<std::string> said(const std::string& name, const std::string& container = "main") {
    std::vector<std::string> lines;
    if (const auto* run = logs.run("default/" + name + "/" + container)) {
      for (const auto& line : run->lines) lines.push_back(line.text);
    }
    return lines;
  }
  double now() const { return std::chrono::duration<double>(world.loop.now().time_since_epoch()).count(); }
};

}  // namespace drover::sim
