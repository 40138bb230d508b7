// `drover plan [-f changed.yaml]`: a rollout before it happens, on the live cluster, by lists alone.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "base/text.h"
#include "cli/command.h"
#include "cli/plan_chances.h"
#include "cli/plan_survey.h"
#include "cli/plan_text.h"
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
    return base::fault(base::Fault::Kind::Refused, path + ": it is larger than 1 MB; give the policy alone");
  }
  return text;
}

base::Result<std::optional<kube::Object>> changed_policy(const std::string& path, const vendors::Profile& profile) {
  if (path.empty()) return std::optional<kube::Object>();
  TRY(const std::string text, text_in(path));
  auto policy = policy_in(text, profile);
  if (!policy) return base::with_context(std::move(policy).error(), path);
  return std::optional(std::move(*policy));
}

int say_troubles(const std::vector<std::string>& troubles, const std::string& where) {
  for (const std::string& trouble : troubles) {
    fmt::print(stderr, "drover: {}: {}\n", where, base::one_line(trouble, 400));
  }
  return kBadInput;
}

// The manifest would be there beside another policy that counts.
base::Result<void> check_chosen(const Survey& survey, const std::optional<kube::Object>& changed) {
  const kube::Object* chosen = survey.look().policy();
  if (chosen == nullptr) {
    return base::fault(base::Fault::Kind::NotFound, "there is no policy; create one, or give one with -f");
  }
  if (changed && kube::name_of(*chosen) != kube::name_of(*changed)) {
    return base::fault(base::Fault::Kind::Refused,
                       fmt::format("policy {} is there already and counts; {} would be ignored: change the name in the "
                                   "manifest",
                                   kube::name_of(*chosen), kube::name_of(*changed)));
  }
  return {};
}

int plan(const PlanFlags& flags) {
  const vendors::Profile& profile = vendors::nvidia();
  auto changed = changed_policy(flags.file, profile);
  if (!changed) return complain(changed.error());
  auto target = kube::find_target(flags.target.kubeconfig, flags.target.context);
  if (!target) return complain(target.error());
  const std::string source = target->source;
  kube::AsioLoop loop;
  auto api = kube::HttpApi::open(loop, std::move(*target));
  if (!api) return complain(api.error());

  Survey survey(**api, loop, profile, *changed);
  base::Result<void> outcome;
  survey.begin([&](base::Result<void> result) {
    outcome = std::move(result);
    loop.stop();
  });
  loop.run();
  if (outcome) outcome = check_chosen(survey, *changed);
  if (!outcome) return complain(base::with_context(std::move(outcome).error(), source).error());
  const std::string where = flags.file.empty() ? std::string(kube::name_of(*survey.look().policy())) : flags.file;
  if (const auto troubles = survey.troubles(); !troubles.empty()) return say_troubles(troubles, where);
  for (const std::string& note : survey.notes()) fmt::print(stderr, "drover: {}: {}\n", where, note);

  const Ground ground = survey.ground();
  const Pace& pace = ground.pace;
  const Forecast foreseen = foresee(ground, profile.flow);
  if (flags.output == "json") {
    fmt::print("{}\n", json::text_of(plan_json(foreseen, pace)));
  } else {
    for (const std::string& line : plan_lines(foreseen, pace)) fmt::print("{}\n", line);
  }
  return foreseen.gets_through ? kGetsThrough : kGetsStuck;
}

}  // namespace

void add_plan(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("plan", "Say what a rollout would do before it does it, and what is in its way");
  command->footer(
      "Only lists are asked for. Exit code 0: it gets through; 2: it would get stuck; 1: bad input, no cluster.");
  auto flags = std::make_shared<PlanFlags>();
  add_target_flags(*command, flags->target);
  command->add_option("-f,--filename", flags->file, "a manifest with the policy as you mean to apply it");
  command->add_option("-o,--output", flags->output, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->callback([&chosen, flags] { chosen = [flags] { return plan(*flags); }; });
}

}  // namespace drover::cli
