// The pages that speak of the rule tables are held to them: docs/phases.md is written by this file, and the runbook has
// a paragraph for every reason why a node stands still.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "core/flows/flows.h"
#include "core/repair.h"
#include "vendors/work_profile.h"

namespace drover::vendors {
namespace {

using core::Flow;
using core::Phase;
using core::PhaseRow;
using core::Rule;

constexpr std::string_view kHead =
    "<!-- Written by test/vendors/phases_doc_test.cc from src/core/flows, src/core/fragments and src/vendors. Do not "
    "edit. -->\n"
    "# Phases\n\n"
    "Where a node can stand, and what makes it go on. This page is made from the tables that the operator decides "
    "with;\n`drover explain NODE` walks the same rules. To make it again after a change of the tables:\n\n"
    "    DROVER_WRITE_GOLDEN=1 build/test/test_vendors --gtest_filter='PhasesPage.*'\n\n"
    "What to do about a node that stands still is in [troubleshooting.md](troubleshooting.md); what is written on the "
    "Node\nin [node-reference.md](node-reference.md).\n\n";

constexpr std::string_view kHowToRead =
    "The first line of a phase that holds counts. It does one of three things:\n\n"
    "- **→ phase**: the node moves there. Phases that have nothing to do are passed in the same PATCH, each with its "
    "Event.\n"
    "- **work**: the phase's work is done (again): asking for evictions, deleting the old driver's pod, fetching the "
    "image.\n"
    "- **waits**: nothing is done; the reason says for what.\n\n"
    "What a move does with it: its effects, in the order in which they happen; most belong to the phase that is "
    "entered.\nThe words are what Events, `status.nodes` of the policy, `drover status` and `drover explain` say, "
    "followed by a\ndetail; the reason is their code.\n";

std::string when(const Rule& rule) {
  std::string text(rule.when.first.text);
  if (rule.when.second.holds != nullptr) text += fmt::format(", and {}", rule.when.second.text);
  return text;
}

std::string then(const Rule& rule) {
  switch (rule.kind) {
    case Rule::Kind::Move: return fmt::format("→ **{}**", core::name(rule.to));
    case Rule::Kind::Work: return fmt::format("work: {}", core::name(rule.action));
    case Rule::Kind::Wait: return "waits";
  }
  return {};
}

std::string effects(const Rule& rule) {
  std::string text;
  for (const core::EffectRow& row : core::kEffectTable) {
    if (rule.effects.has(row.effect)) text += fmt::format("{}{}", text.empty() ? "" : ", ", row.name);
  }
  return text;
}

std::string phase_table() {
  std::string text = "| phase | it means |";
  std::string line = "|---|---|";
  for (const WorkProfile* profile : works_of(all())) {
    text += profile->state_label.empty() ? fmt::format(" `status.nodes` of {} |", profile->policy.kind)
                                         : fmt::format(" `{}` |", profile->state_label);
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const PhaseRow& row : core::kPhaseTable) {
    text += fmt::format("| [{0}](#{0}) | {1} |", row.name, row.meaning);
    for (const WorkProfile* profile : works_of(all())) {
      const std::string_view word = profile->state(row.phase);
      text += word.empty() ? " (none) |" : fmt::format(" `{}` |", word);
    }
    text += "\n";
  }
  return text;
}

std::string rules_of(const Flow& flow, const PhaseRow& row) {
  std::string text = fmt::format("### {}\n\n*{}*\n\n", row.name, row.meaning);
  text += "| | when | then | with it | reason | in words |\n|---|---|---|---|---|---|\n";
  int number = 0;
  for (const Rule& rule : flow.rules()) {
    if (!rule.in.has(row.phase)) continue;
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", ++number, when(rule), then(rule), effects(rule),
                        core::name(rule.reason), rule.because);
  }
  return text + "\n";
}

std::string_view phase_with(const Flow& flow, core::Effect effect) {
  for (const core::Entry& entry : flow.spec.on_entry) {
    if (entry.effects.has(effect)) return core::name(entry.phase);
  }
  return "(none)";
}

std::string flow_page(const WorkProfile& profile) {
  const Flow& flow = profile.flow;
  std::string text = fmt::format("\n## The flow {} ({})\n\n", flow.name(), profile.vendor.name);
  text += fmt::format(
      "While a node stands from **{}** up to **{}** the vendor's other pods are kept off the device: their deploy "
      "labels\nare paused on entering the one, and put back on entering the other.\n\n",
      phase_with(flow, core::Effect::CloseGates), phase_with(flow, core::Effect::OpenGates));
  for (const PhaseRow& row : core::kPhaseTable) {
    if (flow.spec.phases.has(row.phase)) text += rules_of(flow, row);
  }
  text.pop_back();
  return text;
}

std::string repairs() {
  std::string text =
      "\n## Repairs\n\n"
      "What contradicts itself on a node is put right without a move, in this order, whatever left it so: a crash, a "
      "user, "
      "an\nolder version. Each is logged (`node repaired`); `drover explain` names those that are due; one that "
      "changes a "
      "cordon or\na taint emits an Event.\n\n"
      "| reason | what is wrong | written |\n|---|---|---|\n";
  for (const core::Repair& one : core::repairs()) {
    text += fmt::format("| {} | {} | {} |\n", core::name(one.reason), one.text,
                        one.is_along_only ? "with the next write" : "at once");
  }
  return text;
}

std::string page() {
  std::string text(kHead);
  text += phase_table();
  text += "\n";
  text += kHowToRead;
  for (const WorkProfile* profile : works_of(all())) text += flow_page(*profile);
  text += repairs();
  return text;
}

std::vector<Rule> all_rules() {
  std::vector<Rule> rules;
  for (const WorkProfile* profile : works_of(all()))
    rules.insert(rules.end(), profile->flow.rules().begin(), profile->flow.rules().end());
  return rules;
}

// To accept what is rendered now, run the test with DROVER_WRITE_GOLDEN=1 and read the difference.
TEST(PhasesPage, SaysWhatTheTablesSay) {
  const std::string path = "docs/phases.md";
  if (std::getenv("DROVER_WRITE_GOLDEN") != nullptr) {
    ASSERT_TRUE(base::write_file(path, page(), 0644));
  }
  const auto written = base::read_file(path);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(page(), *written);
}

TEST(Runbook, HasAParagraphForEveryReasonToStandStillOrFail) {
  const auto runbook = base::read_file("docs/troubleshooting.md");
  ASSERT_TRUE(runbook) << runbook.error().message;
  for (const Rule& rule : all_rules()) {
    const bool stands = rule.kind != Rule::Kind::Move;
    const bool fails = rule.kind == Rule::Kind::Move && rule.to == Phase::Failed;
    if (!stands && !fails) continue;
    EXPECT_NE(runbook->find(fmt::format("**{}**", rule.because)), std::string::npos) << rule.because;
  }
  for (const core::RefusalRow& row : core::kRefusalTable) {
    EXPECT_NE(runbook->find(fmt::format("**{}**", row.because)), std::string::npos) << row.because;
    EXPECT_FALSE(core::remedy(row.reason).empty()) << row.because;
  }
}

constexpr std::string_view kReasonsHead =
    "## All reasons\n\n"
    "The code is in `status.nodes[].code`, in `drover status -o json`, in `drover explain` and in the label of\n"
    "`drover_nodes_by_reason`. This table is written by test/vendors/phases_doc_test.cc from `src/core/reason.h`.\n\n"
    "| code | words | to do |\n|---|---|---|\n";

// At the end of the runbook: of each reason for which a node stands still or fails, what is said and what to do.
std::string reasons_table() {
  std::string text(kReasonsHead);
  const std::vector<Rule> rules = all_rules();
  for (const core::ReasonRow& row : core::kReasonTable) {
    std::vector<std::string_view> words;
    for (const Rule& rule : rules) {
      const bool stands = rule.kind != Rule::Kind::Move || rule.to == Phase::Failed;
      if (rule.reason != row.reason || !stands) continue;
      if (std::find(words.begin(), words.end(), rule.because) == words.end()) words.push_back(rule.because);
    }
    if (const core::RefusalRow* refusal = core::refusal_row(row.reason)) words.push_back(refusal->because);
    if (words.empty()) continue;
    text += fmt::format("| `{}` | {} | {} |\n", row.name, fmt::join(words, "; "),
                        row.remedy.empty() ? "nothing" : row.remedy);
  }
  return text;
}

// To write it: DROVER_WRITE_GOLDEN=1.
TEST(Runbook, EndsWithTheTableOfReasons) {
  const std::string path = "docs/troubleshooting.md";
  auto runbook = base::read_file(path);
  ASSERT_TRUE(runbook) << runbook.error().message;
  const std::size_t at = runbook->find(kReasonsHead.substr(0, kReasonsHead.find('\n') + 1));
  if (std::getenv("DROVER_WRITE_GOLDEN") != nullptr) {
    ASSERT_TRUE(
        base::write_file(path, runbook->substr(0, at) + (at == std::string::npos ? "\n" : "") + reasons_table(), 0644));
    runbook = base::read_file(path);
  }
  EXPECT_TRUE(runbook->ends_with("\n" + reasons_table()));
}

// A reason that no rule gives any more would send people the wrong way.
TEST(Runbook, NamesNoReasonThatTheTablesDoNotGive) {
  const auto runbook = base::read_file("docs/troubleshooting.md");
  ASSERT_TRUE(runbook) << runbook.error().message;
  const std::vector<Rule> rules = all_rules();
  for (const std::string_view line : base::split(*runbook, '\n')) {
    if (!line.starts_with("**")) continue;
    const std::string_view said = line.substr(2, line.find("**", 2) - 2);
    const bool is_refusal = std::any_of(core::kRefusalTable.begin(), core::kRefusalTable.end(),
                                        [&](const core::RefusalRow& row) { return row.because == said; });
    EXPECT_TRUE(is_refusal ||
                std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.because == said; }))
        << said;
  }
}

}  // namespace
}  // namespace drover::vendors
