#include "cli/fleet_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "act/policy_status.h"
#include "base/text.h"
#include "cli/screen.h"
#include "core/drain.h"
#include "core/explain.h"
#include "core/node_class.h"
#include "core/repair.h"

namespace drover::cli {
namespace {

using core::Action;
using core::Phase;
using core::Rule;

constexpr std::size_t kMostReason = 300;

// "driver:535.129.03-ubuntu22.04" is 535.129.03 where the wanted image says what comes after a version.
std::string version_in(const std::string& image, const vendors::DesiredNode& desired) {
  const auto tag_of = [](std::string_view text) {
    const auto colon = text.rfind(':');
    const bool is_tag = colon != std::string_view::npos && text.find('/', colon) == std::string_view::npos;
    return is_tag ? text.substr(colon + 1) : text;
  };
  std::string_view tag = tag_of(image);
  const std::string_view wanted = tag_of(desired.image);
  if (wanted.starts_with(desired.version)) {
    const std::string_view after = wanted.substr(desired.version.size());
    if (tag.ends_with(after)) tag.remove_suffix(after.size());
  }
  return std::string(tag);
}

std::string age(const PolicySnapshot& snapshot, std::size_t node) {
  const auto since = snapshot.since(node);
  if (!since) return "-";
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(snapshot.at() - *since);
  return base::human(std::max(base::Span::zero(), base::Span(whole)));
}

// "535.129.03 → 550.54.14", or one version where the two are the same.
std::string driver_text(const PolicySnapshot& snapshot, std::size_t node) {
  const std::string loaded = loaded_driver(snapshot.fleet(), node, snapshot.profile());
  const core::DriverView& driver = snapshot.view().nodes[node].driver;
  if (driver.is_host_managed)
    return driver.loaded.empty() ? "the host's own" : fmt::format("{}, the host's own", driver.loaded);
  if (driver.wanted.empty() || driver.wanted == loaded) return loaded.empty() ? "-" : loaded;
  return fmt::format("{} → {}", loaded.empty() ? "none" : loaded, driver.wanted);
}

std::string policy_name(const PolicySnapshot& snapshot) {
  return snapshot.policy() == nullptr ? "(deleted)" : std::string(kube::name_of(*snapshot.policy()));
}

// As the policy's status counts them.
std::ptrdiff_t failed_nodes(const PolicySnapshot& snapshot) {
  const vendors::WorkProfile& profile = snapshot.profile();
  return std::count_if(snapshot.view().nodes.begin(), snapshot.view().nodes.end(), [&](const core::NodeView& node) {
    return node.is_managed() && profile.state_of(node, snapshot.view().policy) == profile.state(Phase::Failed);
  });
}

std::string summary_line(const PolicySnapshot& snapshot) {
  const act::Summary sum = act::summary_of(snapshot.view(), snapshot.plan(), snapshot.profile());
  const core::Policy& policy = snapshot.view().policy;
  const core::Slots& slots = snapshot.plan().slots;
  // More than there are is as good as no limit.
  const std::string max_unavailable =
      slots.max_unavailable > sum.total ? "unlimited" : std::to_string(slots.max_unavailable);
  const std::string max_parallel = policy.max_parallel ? std::to_string(*policy.max_parallel) : "unlimited";
  return fmt::format(
      "{} ({}): {} node{}, {} done, {} in flight, {} pending, {} failed; upgrades are {}; parallel {}, unavailable "
      "{}/{}",
      policy_name(snapshot), snapshot.profile().vendor.name, sum.total, sum.total == 1 ? "" : "s", sum.done,
      sum.in_flight, sum.pending, failed_nodes(snapshot), policy.is_on ? "on" : "off", max_parallel, slots.unavailable,
      max_unavailable);
}

// A condition that needs action.
bool is_trouble(std::string_view type, bool is_true) {
  if (type == "Accepted") return !is_true;
  return is_true && type != "Ready" && type != "Progressing" && act::is_our_condition(type);
}

std::vector<std::string> trouble_lines(const json::Value& status) {
  std::vector<std::string> lines;
  for (const json::Value& condition : json::array_at(status, {"conditions"})) {
    const std::string_view type = json::text_at(condition, {"type"});
    const std::string_view message = json::text_at(condition, {"message"});
    const bool is_true = json::text_at(condition, {"status"}) == "True";
    const std::string_view reason = json::text_at(condition, {"reason"});
    const bool has_no_nodes = reason == "NoNodes" || reason == "NoMatchingNodes";
    if (!is_trouble(type, is_true) && !has_no_nodes) continue;
    lines.push_back(fmt::format("! {}: {}", has_no_nodes ? "NoNodes" : type, base::one_line(message, 600)));
  }
  return lines;
}

std::string condition_text(const core::When& when) {
  std::string text(when.first.text);
  if (when.second.holds != nullptr) text += fmt::format(", and {}", when.second.text);
  return text;
}

std::string_view what_is_done(core::Action action, const vendors::WorkProfile& profile) {
  switch (action) {
    case Action::None: return "waiting until this changes";
    case Action::ProveImage:
      return profile.flow.has(core::Trait::ResidentAgent) ? "its agent builds the driver while the node serves"
                                                          : "a pod fetches the driver's image on the node";
    case Action::EvictDevicePods: return "pods that use the device are asked to leave";
    case Action::DeleteDevicePods: return "pods that use the device are deleted, because their time is over";
    case Action::EvictAll: return "pods are asked to leave";
    case Action::ReplaceDriverPod: return "the driver's pod is deleted, and its DaemonSet makes the new one";
    case Action::ReplaceValidator: return "the validator's pod is deleted, and its DaemonSet makes another";
  }
  return "";
}

// What the end of a documented time brings to pods that are still there.
std::string what_then(const core::Policy& policy, const core::NodeView& node, core::Action action) {
  if (action != Action::EvictDevicePods && action != Action::EvictAll) return {};
  const auto& removal = action == Action::EvictAll ? policy.drain : policy.device_pods;
  if (!removal || !removal->at_most) return ", without a limit in time";
  const base::Span left = *removal->at_most - node.spent;
  if (left <= base::Span::zero()) return {};
  const std::string in = base::human(std::chrono::floor<std::chrono::seconds>(left));
  if (!removal->forces) return fmt::format("; with any still there in {} the node fails and goes back to service", in);
  return fmt::format("; those still there in {} that use the device are deleted", in);
}

bool waits_for_pod(const core::Decision& decision) {
  if (decision.rule == nullptr) return false;
  const core::Reason reason = decision.rule->reason;
  return reason == core::Reason::DriverStarting || reason == core::Reason::FirstInstall ||
         reason == core::Reason::ReplacingDriver;
}

std::string next_text(const PolicySnapshot& snapshot, std::size_t index) {
  const core::Decision& decision = snapshot.plan().decisions[index];
  const core::NodeView& node = snapshot.view().nodes[index];
  if (decision.change && !decision.change->path.empty()) {
    std::string path;
    for (const core::Step& step : decision.change->path)
      path += fmt::format(" → {}", snapshot.profile().shown(step.to));
    return fmt::format("it moves{}", path);
  }
  if (decision.change) return "its label and record are restored";
  if (node.phase == Phase::Failed && snapshot.profile().state_label.empty()) {
    return fmt::format("manual action required; to retry: kubectl annotate node {} {}=true", node.name,
                       snapshot.profile().request_annotation);
  }
  if (node.phase == Phase::Failed) {
    return fmt::format("manual action required; to retry: kubectl label node {} {}={} --overwrite", node.name,
                       snapshot.profile().state_label, snapshot.profile().state(Phase::Required));
  }
  if (node.phase == Phase::Done && core::serves(node) == core::Serves::Yes)
    return "nothing, until the policy wants another driver";
  if (decision.action == core::Action::None && waits_for_pod(decision)) return "waiting for the DaemonSet's pod";
  return std::string(what_is_done(decision.action, snapshot.profile())) +
         what_then(snapshot.view().policy, node, decision.action);
}

std::string node_text(const core::NodeView& node) {
  std::string text = node.is_ready ? "Ready" : fmt::format("not ready for {}", base::human(node.unready_for));
  if (node.is_cordoned) {
    const bool ours = node.claim && node.claim->cordon == core::Claim::Cordon::Ours;
    text += ours ? ", cordoned by drover" : ", cordoned by others";
  }
  if (node.is_held) text += ", held by drover.dev/hold";
  if (node.is_skipped) text += ", left out by its skip label";
  if (!node.other_claim.empty()) text += fmt::format(", taken for {}", node.other_claim);
  return text;
}

std::string driver_pod_text(const PolicySnapshot& snapshot, std::size_t index) {
  const observe::PodFacts* pod = snapshot.fleet().driver_pod(index);
  if (pod == nullptr) return "no driver pod";
  std::string text = fmt::format("pod {}/{} is {}", pod->ns, pod->name,
                                 pod->is_going       ? "ending"
                                 : pod->is_ready     ? "ready"
                                 : pod->node.empty() ? "not scheduled"
                                                     : "not ready");
  if (!pod->trouble.empty()) text += fmt::format(" ({})", base::one_line(pod->trouble, kMostReason));
  return text;
}

// The pods that stand between the node and its new driver, and the budgets that hold them.
void tell_pods(const PolicySnapshot& snapshot, std::size_t index, std::vector<std::string>& lines) {
  const core::NodeView& node = snapshot.view().nodes[index];
  if (!node.pods || !core::kBeforeSwap.has(node.phase)) return;
  const core::Policy& policy = snapshot.view().policy;
  const core::Clearing left =
      node.phase == Phase::Drain && snapshot.plan().decisions[index].action != Action::EvictDevicePods
          ? core::clearing_of(*node.pods, core::Scope::AllPods, policy.drain.value_or(core::Removal{}))
          : core::clearing_of(*node.pods, core::Scope::DevicePods, policy.device_pods.value_or(core::Removal{}));
  const auto say = [&](const core::PodView& pod, const std::string& remark) {
    lines.push_back(fmt::format("  in the way   {}{}", pod.full_name(), remark.empty() ? "" : ": " + remark));
  };
  for (const core::PodFate& fate : left.refused) say(*fate.pod, std::string(fate.because));
  for (const core::PodView* pod : left.to_evict) {
    const auto held = std::find_if(snapshot.budgets().begin(), snapshot.budgets().end(),
                                   [&](const observe::Budget& budget) { return budget.full_name() == pod->held_by; });
    say(*pod,
        held == snapshot.budgets().end()
            ? std::string()
            : fmt::format(
                  "blocked by PodDisruptionBudget {} (0 disruptions allowed, {} healthy, {} wanted); raise it or scale "
                  "its owner up",
                  held->full_name(), held->healthy, held->wanted_healthy));
  }
  for (const core::PodView* pod : left.going) say(*pod, "ending");
}

void tell_facts(const PolicySnapshot& snapshot, std::size_t index, std::vector<std::string>& lines) {
  const core::NodeView& node = snapshot.view().nodes[index];
  lines.push_back(fmt::format("  node         {}", node_text(node)));
  lines.push_back(fmt::format("  driver       {}; {}", driver_text(snapshot, index), driver_pod_text(snapshot, index)));
  if (node.outcome && node.outcome->failed) {
    lines.push_back(fmt::format("  last try     failed: {}", base::one_line(node.outcome->reason, kMostReason)));
  }
  if (node.refusal) lines.push_back(fmt::format("  refused      {}", base::one_line(node.refusal->text, kMostReason)));
  if (!node.preflight.trouble.empty()) {
    lines.push_back(fmt::format("  preflight    {}", base::one_line(node.preflight.trouble, kMostReason)));
  }
  for (const core::Repair& repair : core::repairs()) {
    if (repair.needed({node, snapshot.profile().flow, snapshot.view().policy}))
      lines.push_back(fmt::format("  repair       {} ({})", repair.text, core::name(repair.reason)));
  }
  tell_pods(snapshot, index, lines);
}

void tell_rules(const PolicySnapshot& snapshot, std::size_t index, std::vector<std::string>& lines) {
  for (const core::Considered& one :
       core::explain(snapshot.profile().flow, snapshot.view(), snapshot.plan().slots, index)) {
    std::string line = fmt::format("  {} {}", one.holds ? "✓" : "✗", condition_text(one.rule->when));
    if (!one.detail.empty()) line += fmt::format(": {}", base::one_line(one.detail, kMostReason));
    lines.push_back(std::move(line));
    if (!one.holds) continue;
    const std::string where =
        one.rule->kind == Rule::Kind::Move ? fmt::format(" → {}", snapshot.profile().shown(one.rule->to)) : "";
    lines.push_back(fmt::format("    ⇒ {}{}", one.rule->because, where));
  }
}

std::string why_not_managed(const PolicySnapshot& snapshot, const observe::NodeFacts& node) {
  const vendors::WorkProfile& profile = snapshot.profile();
  const std::string_view labels =
      profile.vendor.present_label.empty() ? profile.vendor.feature_labels : profile.vendor.present_label;
  bool has_devices = false;
  vendors::each_part(labels, [&](std::string_view key) { has_devices = has_devices || node.label(key) == "true"; });
  if (has_devices && node.label(profile.skip_label) == "true") {
    return fmt::format("node {} is left out by its label {}=true; remove it to let policy {} manage it", node.name,
                       profile.skip_label, policy_name(snapshot));
  }
  if (has_devices) return fmt::format("policy {} does not select node {}", policy_name(snapshot), node.name);
  return fmt::format(
      "node {} has no {} devices that policy {} would manage: its labels say nothing of them ({}); is Node "
      "Feature Discovery running?",
      node.name, profile.vendor.name, policy_name(snapshot), labels);
}

}  // namespace

std::string loaded_driver(const observe::Fleet& fleet, std::size_t node, const vendors::WorkProfile& profile) {
  if (profile.flow.has(core::Trait::ResidentAgent))
    return fleet.seen().nodes[node].driver.loaded.str();  // the image is the builder's
  const observe::PodFacts* pod = fleet.driver_pod(node);
  return pod == nullptr || !pod->has_run ? std::string() : version_in(pod->image.str(), fleet.desired(node));
}

std::vector<std::string> status_lines(const PolicySnapshot& snapshot) {
  std::vector<std::vector<std::string>> rows = {{"NODE", "DRIVER", "STATE", "SINCE", "REASON"}};
  for (std::size_t i = 0; i < snapshot.view().nodes.size(); ++i) {
    const core::NodeView& node = snapshot.view().nodes[i];
    rows.push_back({node.name, driver_text(snapshot, i),
                    std::string(snapshot.profile().shown_state_of(node, snapshot.view().policy)), age(snapshot, i),
                    base::one_line(snapshot.reason(i), kMostReason)});
  }
  std::vector<std::string> lines = rows.size() > 1 ? table(rows) : std::vector<std::string>();
  if (!lines.empty()) lines.emplace_back();
  lines.push_back(summary_line(snapshot));
  for (std::string& line : trouble_lines(snapshot.status())) lines.push_back(std::move(line));
  return lines;
}

json::Value status_json(const PolicySnapshot& snapshot) {
  const json::Value status = snapshot.status();
  json::Array nodes;
  for (std::size_t i = 0; i < snapshot.view().nodes.size(); ++i) {
    const core::NodeView& node = snapshot.view().nodes[i];
    json::Members row = {{"name", node.name},
                         {"phase", core::name(node.phase)},
                         {"state", snapshot.profile().state_of(node, snapshot.view().policy)},
                         {"loaded", loaded_driver(snapshot.fleet(), i, snapshot.profile())},
                         {"wanted", node.driver.wanted},
                         {"ready", node.is_ready},
                         {"cordoned", node.is_cordoned},
                         {"reason", snapshot.reason(i)},
                         {"code", core::name(core::reason_code(node, snapshot.plan().decisions[i]))}};
    if (const auto since = snapshot.since(i)) row["since"] = base::rfc3339(*since);
    nodes.push_back(std::move(row));
  }
  json::Members out = {
      {"vendor", snapshot.profile().vendor.name}, {"policy", policy_name(snapshot)}, {"namespace", snapshot.ns()}};
  for (const char* part : {"state", "summary", "conditions"}) {
    if (const json::Value* value = json::find(status, {part})) out[part] = *value;
  }
  out["nodes"] = std::move(nodes);
  return out;
}

bool something_failed(const PolicySnapshot& snapshot) {
  return !snapshot.view().policy.trouble.empty() || failed_nodes(snapshot) > 0;
}

base::Result<std::vector<std::string>> explain_lines(const PolicySnapshot& snapshot, const std::string& name) {
  if (snapshot.node(name) == nullptr) {
    return base::fault(base::Fault::Kind::NotFound,
                       fmt::format("there is no node {}; kubectl get nodes lists them", base::one_line(name, 80)));
  }
  const auto index = snapshot.index_of(name);
  if (!index) {
    return base::fault(base::Fault::Kind::Refused, why_not_managed(snapshot, *snapshot.node(name)));
  }
  const core::NodeView& node = snapshot.view().nodes[*index];
  const std::string since = age(snapshot, *index);
  std::vector<std::string> lines = {
      fmt::format("{} is {}{} (policy {})", name, snapshot.profile().shown_state_of(node, snapshot.view().policy),
                  since == "-" ? "" : fmt::format(" for {}", since), policy_name(snapshot))};
  tell_facts(snapshot, *index, lines);
  lines.emplace_back("rules, in order; the first that holds counts");
  tell_rules(snapshot, *index, lines);
  const core::Reason reason = core::reason_code(node, snapshot.plan().decisions[*index]);
  if (reason != core::Reason::None) lines.push_back(fmt::format("reason: {}", core::name(reason)));
  if (!core::remedy(reason).empty()) lines.push_back(fmt::format("to do: {}", core::remedy(reason)));
  lines.push_back(fmt::format("next: {}", next_text(snapshot, *index)));
  return lines;
}

}  // namespace drover::cli
