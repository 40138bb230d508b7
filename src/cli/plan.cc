// `drover plan [-f changed.yaml]`: a rollout before it begins, on the live cluster, by lists alone.
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/limit_flag.h"
#include "cli/operator_at_work.h"
#include "cli/plan_text.h"
#include "cli/snapshot_reader.h"
#include "forecast/monte_carlo.h"
#include "kube/config.h"
#include "kube/http_api.h"

namespace drover::cli {
namespace {

constexpr int kGetsThrough = 0;
constexpr int kBadInput = 1;
constexpr int kGetsStuck = 2;
constexpr int kForces = 3;
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

base::Result<std::vector<ProposedPolicy>> proposed_policies(const std::string& path, vendors::WorkProfiles profiles) {
  if (path.empty()) return std::vector<ProposedPolicy>();
  TRY(const std::string text, text_in(path));
  auto policies = policies_in(text, profiles);
  if (!policies) return base::with_context(std::move(policies).error(), path);
  return policies;
}

void say(const std::vector<std::string>& lines, const std::string& file) {
  const std::string where = file.empty() ? "" : file + ": ";
  for (const std::string& line : lines)
    fmt::print(stderr, "{}: {}{}\n", program_name(), where, base::one_line(line, 400));
}

base::Result<void> read(SnapshotReader& reader, kube::AsioLoop& loop) {
  base::Result<void> outcome;
  reader.begin([&](base::Result<void> result) {
    outcome = std::move(result);
    loop.stop();
  });
  loop.run();
  if (!outcome || reader.has_policy()) return outcome;
  return base::fault(base::Fault::Kind::NotFound, "there is no policy; create one, or give one with -f");
}

void print(const forecast::Forecast& forecast, bool is_json) {
  if (is_json) return fmt::print("{}\n", json::text_of(plan_json(forecast)));
  for (const std::string& line : plan_lines(forecast)) fmt::print("{}\n", line);
}

int plan(const PlanFlags& flags, vendors::WorkProfiles profiles) {
  auto proposed = proposed_policies(flags.file, profiles);
  if (!proposed) return complain(proposed.error());
  auto target = kube::find_target(flags.target.kubeconfig, flags.target.context);
  if (!target) return complain(target.error());
  const std::string source = target->source;
  kube::AsioLoop loop;
  auto api = kube::HttpApi::open(loop, std::move(*target));
  if (!api) return complain(api.error());

  SnapshotReader reader(**api, loop, profiles, std::move(*proposed), flags.max_unavailable);
  if (auto outcome = read(reader, loop); !outcome)
    return complain(base::with_context(std::move(outcome).error(), source).error());
  if (const auto troubles = reader.troubles(); !troubles.empty()) {
    say(troubles, flags.file);
    return kBadInput;
  }
  // Policies that are only proposed say nothing of an operator.
  say({look_for_operator(**api, loop, reader.policies()).text()}, "");
  say(reader.notes(), "");
  const forecast::Forecast forecast = forecast::foresee(reader.input());
  print(forecast, flags.output == "json");
  if (!forecast.gets_through) return kGetsStuck;
  return forecast.forces() ? kForces : kGetsThrough;
}

}  // namespace

void add_plan(Command app, vendors::WorkProfiles profiles) {
  Command command = app.add("plan", "Say what a rollout would do before it begins, and what is in its way");
  command.footer(
      "Only lists are asked for. Exit code 0: it gets through; 3: it gets through and deletes pods around their "
      "PodDisruptionBudgets; 2: it would get stuck; 1: bad input, no cluster.");
  auto flags = std::make_shared<PlanFlags>();
  add_target_flags(command, flags->target);
  command.option("-f,--filename", flags->file,
                 "a manifest with the policies as you mean to apply them; those that are there and not in it stay");
  add_limit_flag(command, flags->max_unavailable);
  add_output_flag(command, flags->output);
  command.run([flags, profiles] { return plan(*flags, profiles); });
}

}  // namespace drover::cli
