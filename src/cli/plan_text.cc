#include "cli/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "cli/screen.h"

namespace drover::cli {
namespace {

using base::Span;

constexpr std::size_t kMostPlanReason = 300;

std::string span_text(const std::optional<Span>& span) {
  return span ? base::human(std::chrono::round<std::chrono::seconds>(*span)) : "-";
}

std::int64_t seconds(Span span) { return std::chrono::round<std::chrono::seconds>(span).count(); }

// Nodes that have what is wanted and are not touched are only counted.
bool is_worth_a_row(const forecast::Row& row) {
  return row.wave > 0 || row.is_first_install || row.end != forecast::Row::End::Done;
}

std::string_view word_of(forecast::Row::End end) {
  switch (end) {
    case forecast::Row::End::Done: return "done";
    case forecast::Row::End::Failed: return "fails";
    case forecast::Row::End::Waits: return "waits";
    case forecast::Row::End::LeftOut: return "left out";
  }
  return "";
}

std::string driver_text(const forecast::NodeDetails& detail) {
  if (detail.loaded.empty() && detail.wanted.empty()) return "-";
  const std::string loaded = detail.loaded.empty() ? "none" : detail.loaded;
  return detail.loaded == detail.wanted || detail.wanted.empty() ? loaded
                                                                 : fmt::format("{} → {}", loaded, detail.wanted);
}

std::string ends_text(const forecast::Row& row) {
  if (row.is_first_install) return "done: its first driver, without cordon or drain";
  if (row.end == forecast::Row::End::Done) return "done";
  return fmt::format("{}: {}", word_of(row.end), base::one_line(row.reason, kMostPlanReason));
}

std::string_view force_text(const forecast::Removed& one) {
  if (one.is_forced_or_not) return ", perhaps deleted around its budget";
  return one.is_forced ? ", deleted around its budget" : "";
}

// "26m", or "26m (21m to 27m)" where other durations make a difference that is worth a word.
std::string takes_text(const forecast::Forecast& forecast) {
  const Span apart = forecast.takes_at_most - forecast.takes_at_least;
  const std::string about = span_text(forecast.takes);
  if (apart <= forecast.takes / 20) return about;
  return fmt::format("{} ({} to {})", about, span_text(forecast.takes_at_least), span_text(forecast.takes_at_most));
}

// What a rollout that can end in two ways says about the other.
std::string others_text(const forecast::Forecast& forecast) {
  if (forecast.others == 0) return {};
  return fmt::format("; {} of {} tries with other durations {}", forecast.others, forecast.tries,
                     forecast.gets_through ? "got stuck" : "got through");
}

// By which each row's policy is named: not at all where there is one, with its vendor where there are several vendors.
std::vector<std::string> policy_names(const forecast::Forecast& forecast) {
  std::set<std::pair<std::string_view, std::string_view>> policies;
  std::set<std::string_view> vendors;
  for (const forecast::Row& row : forecast.rows) {
    policies.emplace(row.vendor, row.policy);
    if (!row.vendor.empty()) vendors.insert(row.vendor);
  }
  std::vector<std::string> names;
  for (const forecast::Row& row : forecast.rows) {
    if (policies.size() < 2) break;
    const std::string vendor = vendors.size() > 1 ? row.vendor + "/" : "";
    names.push_back(row.policy.empty() ? "-" : vendor + row.policy);
  }
  return names;
}

std::vector<std::string> node_lines(const forecast::Forecast& forecast) {
  const std::vector<std::string> policies = policy_names(forecast);
  std::vector<std::vector<std::string>> rows = {{"WAVE", "NODE", "DRIVER", "STARTS", "TAKES", "PODS", "ENDS"}};
  for (std::size_t i = 0; i < forecast.rows.size(); ++i) {
    const forecast::Row& row = forecast.rows[i];
    if (!is_worth_a_row(row)) continue;
    const std::optional<Span> takes =
        row.starts_in && row.ends_in ? std::optional(*row.ends_in - *row.starts_in) : std::nullopt;
    rows.push_back({row.wave > 0 ? std::to_string(row.wave) : "-", row.node, driver_text(row.detail),
                    row.starts_in ? "+" + span_text(row.starts_in) : "-", span_text(takes),
                    std::to_string(row.removed.size()), ends_text(row)});
    if (!policies.empty()) rows.back().insert(rows.back().begin(), policies[i]);
  }
  if (!policies.empty()) rows.front().insert(rows.front().begin(), "POLICY");
  return rows.size() > 1 ? table(rows) : std::vector<std::string>();
}

void add_removals(const forecast::Forecast& forecast, std::vector<std::string>& lines) {
  bool has_title = false;
  for (const forecast::Row& row : forecast.rows) {
    for (const forecast::Removed& one : row.removed) {
      if (!has_title) lines.emplace_back("\npods that go, by node");
      has_title = true;
      const std::string owner = one.owner.empty() ? "a bare pod: no controller makes it again" : one.owner;
      const std::string what = one.is_replacement ? "one that is made meanwhile" : one.pod;
      lines.push_back(fmt::format("  {}  {}  ({}){}", row.node, what, owner, force_text(one)));
    }
  }
}

void add_images(const forecast::Forecast& forecast, std::vector<std::string>& lines) {
  std::set<std::string> images;
  for (const forecast::Row& row : forecast.rows) {
    if ((row.wave > 0 || row.is_first_install) && !row.detail.image.empty()) images.insert(row.detail.image);
  }
  if (!images.empty()) lines.emplace_back("\nimages");
  for (const std::string& image : images) lines.push_back("  " + image);
}

char mark_of(const forecast::Obstacle& one) {
  if (!one.is_usual) return '?';
  return one.stops ? '!' : '-';
}

// What is in the way of several nodes is shown once.
void add_obstacles(const forecast::Forecast& forecast, std::vector<std::string>& lines) {
  if (forecast.obstacles.empty()) return;
  lines.emplace_back("\nin the way");
  for (const char mark : {'!', '-', '?'}) {
    std::set<std::pair<std::string, std::string>> shown;
    for (const forecast::Obstacle& one : forecast.obstacles) {
      if (mark_of(one) != mark || !shown.emplace(one.kind, one.object).second) continue;
      const auto others =
          std::count_if(forecast.obstacles.begin(), forecast.obstacles.end(), [&](const forecast::Obstacle& other) {
            return &other != &one && mark_of(other) == mark && other.kind == one.kind && other.object == one.object;
          });
      std::string where = one.node.empty() || one.node == one.object ? "" : " on " + one.node;
      if (others > 0) where += fmt::format(" and {} more", others);
      lines.push_back(
          fmt::format("  {} {} {}{}: {}{}", mark, one.kind, one.object, where,
                      one.is_usual ? "" : "only with other durations: ", base::one_line(one.message, kMostPlanReason)));
    }
  }
}

std::string limit_text(const core::GlobalLimit& limit) {
  const std::string share = fmt::format("{}{}", limit.share.amount, limit.share.is_percent ? "%" : "");
  return fmt::format("limit over all policies: {} of {} nodes out of service at once ({})", limit.max_unavailable(),
                     limit.managed,
                     limit.is_asked_for ? "--max-unavailable " + share
                                        : share + "; where your operator has --max-unavailable, give it here too");
}

std::string last_line(const forecast::Forecast& forecast) {
  const auto count = [&](auto end) {
    return std::count_if(forecast.rows.begin(), forecast.rows.end(),
                         [&](const forecast::Row& row) { return row.end == end; });
  };
  const auto taken =
      std::count_if(forecast.rows.begin(), forecast.rows.end(), [](const forecast::Row& row) { return row.wave > 0; });
  const auto stuck = count(forecast::Row::End::Failed) + count(forecast::Row::End::Waits);
  const std::string how =
      fmt::format("{} of {} nodes in {} wave{}, about {}{}", taken, forecast.rows.size(), forecast.waves,
                  forecast.waves == 1 ? "" : "s", takes_text(forecast), others_text(forecast));
  if (!forecast.gets_through) {
    return fmt::format("it would get stuck: {} node{} would not get the driver ({})", stuck, stuck == 1 ? "" : "s",
                       how);
  }
  if (forecast.rows.empty()) return "nothing is to be done: no policy has a node";
  const auto first =
      std::count_if(forecast.rows.begin(), forecast.rows.end(), [](const auto& row) { return row.is_first_install; });
  const std::string installs =
      first == 0 ? ""
                 : fmt::format("{} node{} get{} the first driver", first, first == 1 ? "" : "s", first == 1 ? "s" : "");
  if (taken == 0) return first == 0 ? "nothing is to be done" : "it gets through: " + installs;
  return fmt::format("it gets through: {}{}", how, first == 0 ? "" : "; " + installs);
}

}  // namespace

std::vector<std::string> plan_lines(const forecast::Forecast& forecast) {
  std::vector<std::string> lines = node_lines(forecast);
  add_removals(forecast, lines);
  add_images(forecast, lines);
  add_obstacles(forecast, lines);
  if (forecast.waves > 0 && forecast.limit) lines.push_back("\n" + limit_text(*forecast.limit));
  if (forecast.waves > 0) {
    lines.emplace_back("\ntimes");
    for (const std::string& source : forecast.sources) lines.push_back("  " + source);
  }
  if (!lines.empty()) lines.emplace_back();
  lines.push_back(last_line(forecast));
  return lines;
}

json::Value plan_json(const forecast::Forecast& forecast) {
  json::Array nodes;
  for (const forecast::Row& row : forecast.rows) {
    json::Array evictions;
    for (const forecast::Removed& one : row.removed) {
      json::Members pod = {{"owner", one.owner},
                           {"forced", one.is_forced},
                           {"forcedOrNot", one.is_forced_or_not},
                           {"replacement", one.is_replacement}};
      if (!one.is_replacement) pod["pod"] = one.pod;
      evictions.push_back(std::move(pod));
    }
    json::Members node = {{"name", row.node},
                          {"vendor", row.vendor},
                          {"policy", row.policy},
                          {"wave", row.wave},
                          {"firstInstall", row.is_first_install},
                          {"loaded", row.detail.loaded},
                          {"wanted", row.detail.wanted},
                          {"image", row.detail.image},
                          {"ends", word_of(row.end)},
                          {"evictions", std::move(evictions)}};
    if (row.starts_in) node["startsInSeconds"] = seconds(*row.starts_in);
    if (row.ends_in) node["endsInSeconds"] = seconds(*row.ends_in);
    if (row.end != forecast::Row::End::Done) node["reason"] = row.reason;
    nodes.push_back(std::move(node));
  }
  json::Array blockers;
  for (const forecast::Obstacle& one : forecast.obstacles) {
    blockers.push_back(json::Members{{"kind", one.kind},
                                     {"node", one.node},
                                     {"object", one.object},
                                     {"message", one.message},
                                     {"stops", one.stops},
                                     {"perhaps", !one.is_usual}});
  }
  json::Array times;
  for (const std::string& source : forecast.sources) times.emplace_back(source);
  json::Members plan = {{"getsThrough", forecast.gets_through},
                        {"forces", forecast.forces()},
                        {"takesSeconds", seconds(forecast.takes)},
                        {"takesAtLeastSeconds", seconds(forecast.takes_at_least)},
                        {"takesAtMostSeconds", seconds(forecast.takes_at_most)},
                        {"tries", forecast.tries},
                        {"triesThatEndOtherwise", forecast.others},
                        {"waves", forecast.waves},
                        {"nodes", std::move(nodes)},
                        {"blockers", std::move(blockers)},
                        {"times", std::move(times)}};
  if (forecast.limit) plan["mostNodesOutOfService"] = forecast.limit->max_unavailable();
  return plan;
}

}  // namespace drover::cli
