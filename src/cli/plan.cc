// `drover plan [-f changed.yaml]`: a rollout before it happens, on the live cluster, by lists alone.
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/limit_flag.h"
#include "cli/plan_others.h"
#include "cli/plan_text.h"
#include "cli/snapshot_reader.h"
#include "forecast/monte_carlo.h"
#include "kube/config.h"
#include "kube/http_api.h"
#include "observe/ranges.h"

namespace drover::cli {
namespace {

constexpr int kGetsThrough = 0;
constexpr int kBadInput = 1;
constexpr int kGetsStuck = 2;
constexpr std::size_t kMostManifestBytes = 1 << 20;

struct PlanFlags {
  TargetFlags target;
  std::string output = "text";
  std::string file = {};
  std::optional<core::Share> max_unavailable = {};
};

base::Result<std::string> text_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostManifestBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  if (!file.eof() && text.size() <= kMostManifestBytes) {
    return base::fault(base::Fault::Kind::NotFound, path + ": it cannot be read");
  }
  if (text.size() > kMostManifestBytes) {
    return base::fault(base::Fault::Kind::Refused, path + ": it is larger than 1 MB; give the policies alone");
  }
  return text;
}

base::Result<std::vector<ProposedPolicy>> changed_policies(const std::string& path, const vendors::WorkProfile& profile,
                                                           vendors::WorkProfiles profiles) {
  if (path.empty()) return std::vector<ProposedPolicy>();
  TRY(const std::string text, text_in(path));
  auto policies = policies_in(text, profile, profiles);
  if (!policies) return base::with_context(std::move(policies).error(), path);
  return policies;
}

void say(const std::vector<std::string>& lines, const std::string& file) {
  const std::string where = file.empty() ? "" : file + ": ";
  for (const std::string& line : lines)
    fmt::print(stderr, "{}: {}{}\n", program_name(), where, base::one_line(line, 400));
}

// Runs until it is done: lists that are asked for at once.
template <class Asker>
base::Result<void> ask(Asker& asker, kube::AsioLoop& loop) {
  base::Result<void> outcome;
  asker.begin([&](base::Result<void> result) {
    outcome = std::move(result);
    loop.stop();
  });
  loop.run();
  return outcome;
}

void print(const forecast::Forecast& foreseen, const forecast::DurationStats& pace,
           const std::vector<std::string>& others, bool is_json) {
  if (!is_json) {
    for (const std::string& line : plan_lines(foreseen, pace)) fmt::print("{}\n", line);
    return;
  }
  json::Value all = plan_json(foreseen, pace);
  json::Array names;
  for (const std::string& name : others) names.emplace_back(name);
  all.get_object()["notPlanned"] = std::move(names);
  fmt::print("{}\n", json::text_of(all));
}

int plan(const PlanFlags& flags, vendors::WorkProfiles profiles) {
  const auto planned = std::find_if(profiles.begin(), profiles.end(), [](const auto* one) { return one->is_planned; });
  if (planned == profiles.end()) {
    return complain(base::Fault{.kind = base::Fault::Kind::NotFound,
                                .message = "no vendor is there whose rollouts can be planned"});
  }
  const vendors::WorkProfile& profile = **planned;
  auto changed = changed_policies(flags.file, profile, profiles);
  if (!changed) return complain(changed.error());
  auto target = kube::find_target(flags.target.kubeconfig, flags.target.context);
  if (!target) return complain(target.error());
  const std::string source = target->source;
  kube::AsioLoop loop;
  auto api = kube::HttpApi::open(loop, std::move(*target));
  if (!api) return complain(api.error());

  OtherPolicies others(**api, profile, profiles);
  base::Result<void> outcome = ask(others, loop);
  for (const std::string& policy : others.names()) say({not_planned(policy, profile)}, "");
  SnapshotReader reader(**api, loop, profile, std::move(*changed), flags.max_unavailable);
  if (outcome) outcome = ask(reader, loop);
  if (outcome && !reader.has_policy()) {
    outcome = base::fault(base::Fault::Kind::NotFound, "there is no policy; create one, or give one with -f");
  }
  if (!outcome) return complain(base::with_context(std::move(outcome).error(), source).error());
  if (const auto troubles = reader.troubles(); !troubles.empty()) {
    say(troubles, flags.file);
    return kBadInput;
  }
  say(reader.notes(), "");

  const forecast::ForecastInput input = reader.input();
  const forecast::DurationStats& pace = input.pace;
  const forecast::Forecast foreseen = forecast::foresee(input, profile.flow);
  print(foreseen, pace, others.names(), flags.output == "json");
  return foreseen.gets_through ? kGetsThrough : kGetsStuck;
}

}  // namespace

void add_plan(Command app, vendors::WorkProfiles profiles) {
  Command command = app.add("plan", "Say what a rollout would do before it does it, and what is in its way");
  command.footer(
      "Only lists are asked for. Exit code 0: it gets through; 2: it would get stuck; 1: bad input, no cluster.");
  auto flags = std::make_shared<PlanFlags>();
  add_target_flags(command, flags->target);
  command.option("-f,--filename", flags->file,
                 "a manifest with the policies as you mean to apply them; those that are there and not in it stay");
  add_limit_flag(command, flags->max_unavailable);
  add_output_flag(command, flags->output);
  command.run([flags, profiles] { return plan(*flags, profiles); });
}

}  // namespace drover::cli
