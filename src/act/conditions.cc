#include "act/conditions.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/explain.h"

namespace drover::act {
namespace {

using core::NodeClass;
using core::NodeView;
using Status = Condition::Status;

class Conditions {
 public:
  Conditions(const core::FleetView& fleet, const core::Plan& plan, const vendors::WorkProfile& profile,
             const ConditionFacts& facts)
      : fleet_(fleet),
        plan_(plan),
        profile_(profile),
        facts_(facts),
        counts_(core::count_classes(fleet)),
        obstacles_(obstacles_of(profile.flow, fleet, plan).found) {}

  std::vector<Condition> all() const {
    if (!facts_.competing_operator.empty()) return {conflicting()};
    std::vector<Condition> conditions = {ready(), progressing(), blocked(), degraded(), halted(), accepted()};
    if (facts_.wants != nullptr) {
      conditions.push_back(listing("FieldsIgnored", "NotRendered", facts_.wants->ignored_fields(), ""));
      conditions.push_back(listing("OperandsNotManaged", "NotOurs", facts_.wants->unmanaged_operands(), ""));
      conditions.push_back(listing("NodesWithoutOSLabels", "LabelsMissing", facts_.wants->unplaced_nodes(),
                                   ": Node Feature Discovery has not labelled their operating system"));
    }
    if (facts_.disputed) {
      const std::string_view whose =
          profile_.policies_share_nodes ? "the oldest of them has them" : "they stay as they are until one does";
      conditions.push_back(listing("NodeSelectorConflict", "SelectedTwice", *facts_.disputed,
                                   fmt::format(": other policies select them too; {}", whose)));
    }
    if (facts_.definition_lacks) conditions.push_back(definition());
    conditions.push_back(conflicting());
    return conditions;
  }

 private:
  int count(NodeClass one) const { return counts_.count(one); }
  template <class Which>
  std::string names_of(NodeClass one, const Which& which) const {
    std::vector<std::string> names;
    for (const NodeView& node : fleet_.nodes) {
      if (core::is_meant(node) && core::class_of(node) == one && which(node)) names.push_back(node.name);
    }
    return list_of(names);
  }
  std::string names_of(NodeClass one) const {
    return names_of(one, [](const NodeView&) { return true; });
  }
  // Upgrades are off, and nodes wait for them to be on again; else a changed driver goes out without the controller, or
  // an administrator carries it out.
  bool is_paused() const {
    return !fleet_.policy.is_on &&
           (plan_.slots.paused != nullptr || !profile_.flow.has(core::Trait::InitRequests) || returning() > 0);
  }
  bool rolls() const { return !fleet_.policy.is_on && !is_paused() && fleet_.policy.rolling_update; }
  bool is_manual() const { return !fleet_.policy.is_on && !is_paused() && !fleet_.policy.rolling_update; }
  // Nodes that come back although upgrades are off.
  int returning() const {
    return static_cast<int>(std::count_if(fleet_.nodes.begin(), fleet_.nodes.end(), [](const NodeView& node) {
      return node.is_managed() && core::is_in_flight(node.phase) && !(node.claim && node.claim->requested_scope);
    }));
  }
  std::string tally() const {
    return fmt::format("{} of {} nodes serve the wanted driver; {} in flight, {} waiting, {} failed",
                       count(NodeClass::Serving), counts_.total(), count(NodeClass::InFlight),
                       count(NodeClass::Waiting), count(NodeClass::Failed));
  }

  Condition ready() const {
    const auto no = [](std::string reason, std::string message) {
      return Condition{"Ready", Status::False, std::move(reason), std::move(message)};
    };
    const auto yes = [](std::string reason, std::string message) {
      return Condition{"Ready", Status::True, std::move(reason), std::move(message)};
    };
    if (fleet_.policy.is_ending) return no("Deleting", "the policy is being deleted");
    if (!fleet_.policy.trouble.empty()) return no("PolicyInvalid", fleet_.policy.trouble);
    if (facts_.wants != nullptr && !facts_.wants->brings_driver()) {
      return yes("DriverDisabled",
                 "the policy brings no driver: it is switched off, or leaves that to other policies; drivers that run "
                 "stay as they are");
    }
    if (counts_.total() == 0) return no_nodes();
    const std::string skipped = counts_.skipped == 0 ? "" : fmt::format("; {} skipped", counts_.skipped);
    if (count(NodeClass::Serving) == counts_.total())
      return yes("AllServing", fmt::format("all {} nodes serve the wanted driver{}", counts_.total(), skipped));
    if (count(NodeClass::Failed) > 0)
      return no("NodesFailed", fmt::format("{}; failed: {}", tally(), names_of(NodeClass::Failed)));
    if (count(NodeClass::Broken) > 0)
      return no("DriverNotReady", "done, and their driver no longer serves: " + names_of(NodeClass::Broken));
    if (count(NodeClass::Unknown) > 0) return unknown_nodes();
    if (is_paused()) return {"Ready", Status::Unknown, "Paused", fmt::format("upgrades are paused; {}", tally())};
    if (is_manual() && count(NodeClass::Waiting) > 0) {
      return no("ManualUpgradePending",
                "upgrades are manual: delete the driver pods of " + names_of(NodeClass::Waiting) + " to upgrade them");
    }
    if (count(NodeClass::Installing) > 0 && count(NodeClass::Waiting) + count(NodeClass::InFlight) == 0)
      return no("Installing", "the first driver is being installed on " + names_of(NodeClass::Installing));
    return no("NodesPending", tally());
  }

  Condition no_nodes() const {
    if (counts_.host_managed > 0) {
      return {"Ready", Status::True, "HostManaged",
              fmt::format("all {} nodes have a driver that their host brings", counts_.host_managed)};
    }
    if (counts_.skipped > 0)
      return {"Ready", Status::True, "AllSkipped", fmt::format("all {} nodes are skipped", counts_.skipped)};
    return {"Ready", Status::False, "NoNodes",
            "no node with such devices is selected; is Node Feature Discovery running?"};
  }

  Condition unknown_nodes() const {
    const auto is = [](std::string reason, std::string message) {
      return Condition{"Ready", Status::False, std::move(reason), std::move(message)};
    };
    const std::string unheard =
        names_of(NodeClass::Unknown, [](const NodeView& node) { return core::serves(node) == core::Serves::Unknown; });
    if (!unheard.empty()) return is("DriverUnknown", "nothing is heard of the driver of " + unheard);
    const std::string unready = names_of(NodeClass::Unknown, [](const NodeView& node) { return !node.is_ready; });
    if (!unready.empty()) return is("NodeNotReady", "not ready: " + unready);
    return is("TargetUnknown", "the target driver cannot be determined for " + names_of(NodeClass::Unknown));
  }

  Condition progressing() const {
    const auto is = [](Status status, std::string reason, std::string message = {}) {
      return Condition{"Progressing", status, std::move(reason), std::move(message)};
    };
    const int in_flight = count(NodeClass::InFlight);
    const int busy = in_flight + count(NodeClass::Waiting) + count(NodeClass::Installing);
    const std::string flying = fmt::format("{} nodes in flight", in_flight);
    if (rolls() && busy > 0)
      return is(Status::True, "WithoutController", fmt::format("drivers change one by one; {}", flying));
    if (is_manual() && busy > 0) return is(Status::False, "ManualUpgradePending", "upgrades are manual; " + tally());
    if (is_paused()) return returning_or_paused();
    if (moves(NodeClass::InFlight)) return is(Status::True, "InFlight", flying);
    const std::string blocked = obstacles_.empty() ? flying : text_of(obstacles_.front());
    if (in_flight > 0) return is(Status::False, "Blocked", blocked);
    // What others keep out of service only fills the limit.
    const bool are_held = !obstacles_.empty() && obstacles_.front().is_about_nodes && !moves(NodeClass::Waiting) &&
                          !moves(NodeClass::Installing);
    if (busy > 0 && are_held) return is(Status::False, "Blocked", blocked);
    if (plan_.slots.is_halted && count(NodeClass::Waiting) > 0)
      return is(Status::False, "Halted", "too many nodes failed with this driver");
    if (count(NodeClass::Waiting) > 0) {
      const std::string obstacle = plan_.slots.obstacle();
      if (!obstacle.empty()) return is(Status::False, "Waiting", obstacle);
      if (moves(NodeClass::Waiting)) return is(Status::True, "Starting");
    }
    if (moves(NodeClass::Installing))
      return is(Status::True, "Installing", fmt::format("{} nodes", count(NodeClass::Installing)));
    return busy > 0 ? is(Status::False, "Blocked", blocked) : is(Status::False, "Idle");
  }
  // One of this class is not held by an obstacle.
  bool moves(NodeClass one) const {
    return std::any_of(fleet_.nodes.begin(), fleet_.nodes.end(), [&](const NodeView& node) {
      return core::is_meant(node) && core::class_of(node) == one && !holds(obstacles_, node.name);
    });
  }

  // What is past its swap comes back also while upgrades are off.
  Condition returning_or_paused() const {
    const bool gives_back = std::any_of(fleet_.nodes.begin(), fleet_.nodes.end(), [](const NodeView& node) {
      return node.is_managed() && (node.phase == core::Phase::Validate || node.phase == core::Phase::Uncordon);
    });
    if (gives_back) return {"Progressing", Status::True, "GivingBack", "upgrades are paused; nodes are given back"};
    return {"Progressing", Status::False, "Paused",
            fmt::format("upgrades are paused; {} nodes wait", count(NodeClass::Waiting) + count(NodeClass::InFlight))};
  }

  Condition blocked() const {
    if (obstacles_.empty()) return {"Blocked", Status::False, "None"};
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(obstacles_.size(), 5); ++i)
      text += (i == 0 ? "" : ". ") + text_of(obstacles_[i]);
    if (obstacles_.size() > 5) text += fmt::format(". {} more", obstacles_.size() - 5);
    return {"Blocked", Status::True, obstacles_.front().reason, text};
  }

  Condition degraded() const {
    const bool is_bad = std::any_of(fleet_.nodes.begin(), fleet_.nodes.end(), [](const NodeView& node) {
      return core::is_meant(node) && node.phase == core::Phase::Failed && node.claim;
    });
    if (is_bad) return {"Degraded", Status::True, "NodesFailed", names_of(NodeClass::Failed)};
    if (count(NodeClass::Broken) > 0) return {"Degraded", Status::True, "DriverNotReady", names_of(NodeClass::Broken)};
    return {"Degraded", Status::False, "None"};
  }

  Condition halted() const {
    if (!plan_.slots.is_halted) return {"RolloutHalted", Status::False, "WithinBudget"};
    std::vector<std::string> names;
    for (const NodeView* node : plan_.slots.failed) names.push_back(node->name);
    const std::string by = profile_.state_label.empty()
                               ? fmt::format("the annotation {}=true", profile_.request_annotation)
                               : std::string("its state label");
    return {"RolloutHalted", Status::True, "TooManyFailed",
            fmt::format("{} of {} nodes that finished with this driver failed: {}; retry a node by {}, or raise "
                        "failureBudget",
                        names.size(), plan_.slots.finished, list_of(names), by)};
  }

  Condition accepted() const {
    const std::string& trouble = fleet_.policy.trouble;
    if (trouble.empty()) return {"Accepted", Status::True, "Read"};
    return {"Accepted", Status::False, "FieldsCannotBeRead", trouble};
  }

  Condition conflicting() const {
    const std::string& name = facts_.competing_operator;
    if (name.empty()) return {"ConflictingOperator", Status::False, "None"};
    return {"ConflictingOperator", Status::True, "Running",
            fmt::format("{} manages the same drivers; scale it to zero{}; until then nothing is written", name,
                        profile_.vendor.own_operator_off)};
  }

  Condition definition() const {
    if (facts_.definition_lacks->empty()) return {"CRDOutdated", Status::False, "None"};
    return {"CRDOutdated", Status::True, "FieldsUnknown", *facts_.definition_lacks};
  }

  static Condition listing(std::string type, std::string reason, const std::vector<std::string>& what,
                           const std::string& more) {
    if (what.empty()) return {std::move(type), Status::False, "None"};
    return {std::move(type), Status::True, std::move(reason), list_of(what, 40) + more};
  }

  const core::FleetView& fleet_;
  const core::Plan& plan_;
  const vendors::WorkProfile& profile_;
  const ConditionFacts& facts_;
  core::ClassCounts counts_;
  std::vector<Obstacle> obstacles_;
};

}  // namespace

std::string_view word(Condition::Status status) {
  switch (status) {
    case Status::False: return "False";
    case Status::True: return "True";
    case Status::Unknown: break;
  }
  return "Unknown";
}

bool is_our_condition(std::string_view type) {
  constexpr std::string_view kTypes[] = {"Ready",
                                         "Progressing",
                                         "Blocked",
                                         "Degraded",
                                         "RolloutHalted",
                                         "Accepted",
                                         "FieldsIgnored",
                                         "OperandsNotManaged",
                                         "NodesWithoutOSLabels",
                                         "NodeSelectorConflict",
                                         "CRDOutdated",
                                         "ConflictingOperator"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

std::vector<Condition> conditions_of(const core::FleetView& fleet, const core::Plan& plan,
                                     const vendors::WorkProfile& profile, const ConditionFacts& facts) {
  return Conditions(fleet, plan, profile, facts).all();
}

}  // namespace drover::act
