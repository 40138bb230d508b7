// What Prometheus is told: the gauges that the vendors' documents name, and drover's own.
//
// Everything is there at zero from the start, and nothing is asked of the API server: a scrape reads what the last pass
// left behind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "act/policy_status.h"
#include "base/time.h"
#include "operator/operator.h"
#include "vendors/work_profile.h"

namespace drover::operate {

// One page of Prometheus's text format, version 0.0.4.
class Exposition {
 public:
  enum class Kind { Counter, Gauge };
  using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

  // The samples that follow are of this family.
  void family(std::string_view name, Kind kind, std::string_view help);
  void sample(double value, const Labels& labels = {});

  const std::string& text() const { return text_; }

 private:
  std::string name_;
  std::string text_;
};

inline constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

// Everything that is told, as plain numbers.
struct Readings {
  struct Vendor {
    const vendors::WorkProfile* profile;
    act::Summary summary = {};
    bool upgrades_are_on = false;
    std::uint64_t failed_writes = 0;
    std::uint64_t forced_deletions = 0;
    std::vector<vendors::MetricFamily> own = {};  // that its documents name
  };

  bool is_leader = false;
  bool is_synced = false;
  std::uint64_t passes = 0;
  std::uint64_t api_requests = 0;
  std::optional<base::Span> silent_for = {};
  std::vector<Vendor> vendors = {};
};

Readings readings_of(const Operator& drover, std::uint64_t api_requests);

std::string metrics_text(const Readings& readings);

}  // namespace drover::operate
