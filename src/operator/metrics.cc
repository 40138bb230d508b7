#include "operator/metrics.h"

#include <fmt/format.h>

#include <chrono>

#include "core/explain.h"

namespace drover::operate {
namespace {

using Kind = Exposition::Kind;

// Help texts have no quotes around them, so a quote needs no escape there.
std::string escaped(std::string_view text, bool is_quoted) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\' || (c == '"' && is_quoted)) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

double seconds_of(base::Span span) { return std::chrono::duration<double>(span).count(); }

// The gauges of the vendor's own document.
void tell_in_the_vendors_words(Exposition& page, const Readings::Vendor& vendor) {
  const vendors::WorkProfile& profile = *vendor.profile;
  if (profile.metric_prefix.empty()) return;
  const auto gauge = [&](std::string_view name, double value, std::string_view help) {
    page.family(fmt::format("{}_{}", profile.metric_prefix, name), Kind::Gauge, help);
    page.sample(value);
  };
  vendors::each_part(profile.metric_switches, [&](std::string_view name) {
    gauge(name, vendor.upgrades_are_on ? 1 : 0, "1 if driver auto upgrade is enabled; 0 if not.");
  });
  const act::Summary& summary = vendor.summary;
  gauge("nodes_upgrades_in_progress", summary.in_flight, "Nodes on which a driver pod is being upgraded.");
  gauge("nodes_upgrades_done", summary.done, "Nodes whose driver upgrade is done.");
  gauge("nodes_upgrades_failed", summary.failed, "Nodes on which a driver upgrade has failed.");
  gauge("nodes_upgrades_available", summary.available, "Nodes on which a driver upgrade can start now.");
  gauge("nodes_upgrades_pending", summary.pending, "Nodes on which a driver upgrade is pending.");
}

void tell_own(Exposition& page, const vendors::MetricFamily& family) {
  page.family(family.name, family.is_counter ? Kind::Counter : Kind::Gauge, family.help);
  for (const vendors::MetricFamily::Sample& sample : family.samples)
    page.sample(sample.value, {sample.labels.begin(), sample.labels.end()});
}

// By the vendor's word for each state, all of them, so that a graph has no holes.
void tell_states(Exposition& page, const std::vector<Readings::Vendor>& vendors) {
  page.family("drover_nodes", Kind::Gauge, "Nodes of a policy by the state of their driver.");
  for (const Readings::Vendor& vendor : vendors) {
    for (const core::PhaseRow& row : core::kPhaseTable) {
      const std::string_view word = vendor.profile->state(row.phase);
      if (word.empty() && row.phase != core::Phase::Idle) continue;
      const std::string state(word.empty() ? "unknown" : word);
      const auto at = vendor.summary.states.find(state);
      const int count = at == vendor.summary.states.end() ? 0 : at->second;
      page.sample(count, {{"vendor", vendor.profile->vendor.name}, {"state", state}});
    }
  }
}

// Every reason for which a node of the vendor's flow can stand still or fail.
void tell_reasons(Exposition& page, const std::vector<Readings::Vendor>& vendors) {
  page.family("drover_nodes_by_reason", Kind::Gauge,
              "Nodes of a policy by the reason why they stand where they stand.");
  for (const Readings::Vendor& vendor : vendors) {
    for (const core::Reason reason : core::standing_reasons(vendor.profile->flow)) {
      const auto at = vendor.summary.reasons.find(reason);
      const int count = at == vendor.summary.reasons.end() ? 0 : at->second;
      page.sample(count, {{"vendor", vendor.profile->vendor.name}, {"reason", core::name(reason)}});
    }
  }
}

}  // namespace

void Exposition::family(std::string_view name, Kind kind, std::string_view help) {
  name_ = name;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, escaped(help, false), name,
                       kind == Kind::Counter ? "counter" : "gauge");
}

void Exposition::sample(double value, const Labels& labels) {
  text_ += name_;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    text_ += fmt::format("{}{}=\"{}\"", i == 0 ? "{" : ",", labels[i].first, escaped(labels[i].second, true));
  }
  text_ += fmt::format("{} {}\n", labels.empty() ? "" : "}", value);
}

Readings readings_of(const Operator& drover, std::uint64_t api_requests) {
  Readings readings{.is_leader = drover.is_leader(),
                    .is_synced = drover.is_synced(),
                    .passes = drover.passes(),
                    .api_requests = api_requests,
                    .silent_for = drover.silent_for()};
  for (const auto& controller : drover.controllers()) {
    readings.vendors.push_back({.profile = &controller->profile(),
                                .summary = controller->summary(),
                                .upgrades_are_on = controller->upgrades_are_on(),
                                .failed_writes = controller->failed_writes(),
                                .forced_deletions = controller->forced_deletions(),
                                .own = controller->metrics()});
  }
  return readings;
}

std::string metrics_text(const Readings& readings) {
  Exposition page;
  for (const Readings::Vendor& vendor : readings.vendors) {
    tell_in_the_vendors_words(page, vendor);
    for (const vendors::MetricFamily& family : vendor.own) tell_own(page, family);
  }
  tell_states(page, readings.vendors);
  tell_reasons(page, readings.vendors);
  const auto tell = [&](std::string_view name, Kind kind, double value, std::string_view help) {
    page.family(name, kind, help);
    page.sample(value);
  };
  tell("drover_leader", Kind::Gauge, readings.is_leader ? 1 : 0, "1 if this replica works; 0 if it stands by.");
  tell("drover_synced", Kind::Gauge, readings.is_synced ? 1 : 0, "1 once everything watched has been listed.");
  tell("drover_reconcile_total", Kind::Counter, static_cast<double>(readings.passes),
       "Reconcile passes: from watched changes to API writes.");
  tell("drover_api_requests_total", Kind::Counter, static_cast<double>(readings.api_requests),
       "Requests sent to the API server.");
  page.family("drover_write_errors_total", Kind::Counter,
              "Failed API writes, excluding conflicts (409) and evictions refused by a PodDisruptionBudget (429).");
  for (const Readings::Vendor& vendor : readings.vendors) {
    page.sample(static_cast<double>(vendor.failed_writes), {{"vendor", vendor.profile->vendor.name}});
  }
  page.family("drover_forced_deletions_total", Kind::Counter,
              "Pods deleted because a documented time was over, whatever their PodDisruptionBudget says.");
  for (const Readings::Vendor& vendor : readings.vendors) {
    page.sample(static_cast<double>(vendor.forced_deletions), {{"vendor", vendor.profile->vendor.name}});
  }
  page.family("drover_watch_age_seconds", Kind::Gauge,
              "Since the API server was last heard about nodes; absent before the first time.");
  if (readings.silent_for) page.sample(seconds_of(*readings.silent_for));
  return page.text();
}

}  // namespace drover::operate
