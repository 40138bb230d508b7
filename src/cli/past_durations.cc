#include "cli/past_durations.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace drover::cli {
namespace {

using base::Span;
using base::WallTime;

constexpr Span kLongest = std::chrono::hours(1);
// A container whose image is there.
constexpr Span kPodStart = std::chrono::seconds(1);
// A pod that is made so soon after its node or its DaemonSet brings the node's first driver.
constexpr Span kFirstDriverWithin = std::chrono::minutes(2);

// Where neither pods nor nodes say it.
constexpr Span kUsualBuild = std::chrono::minutes(1);
constexpr Span kUsualLoad = std::chrono::seconds(10);
constexpr Span kUsualEndOfAgent = std::chrono::seconds(1);

// The mean of the middle half: a node that was out of reach for a while does not count, and chance counts less.
std::optional<Span> usual(std::vector<Span> spans) {
  if (spans.empty()) return {};
  std::sort(spans.begin(), spans.end());
  const auto cut = static_cast<std::ptrdiff_t>(spans.size() / 4);
  const Span sum = std::accumulate(spans.begin() + cut, spans.end() - cut, Span::zero());
  return sum / (static_cast<std::ptrdiff_t>(spans.size()) - 2 * cut);
}

std::string source(std::string_view what, Span span, std::size_t known, std::string_view which) {
  const std::string text = base::human(std::chrono::round<std::chrono::seconds>(span));
  if (known == 0) return fmt::format("{} {}, assumed: no pod here says it", what, text);
  return fmt::format("{} {}, as {} {}{} say{}", what, text, known, which, known == 1 ? "" : "s", known == 1 ? "s" : "");
}

}  // namespace

std::optional<WallTime> time_at(const json::Value& value, json::Path path) {
  const auto parsed = base::parse_rfc3339(json::text_at(value, path));
  return parsed ? std::optional(*parsed) : std::nullopt;
}

std::optional<WallTime> true_since(const kube::Object& object, std::string_view type) {
  for (const json::Value& one : json::array_at(object, {"status", "conditions"})) {
    if (json::text_at(one, {"type"}) != type || json::text_at(one, {"status"}) != "True") continue;
    return time_at(one, {"lastTransitionTime"});
  }
  return {};
}

std::optional<Span> between(const std::optional<WallTime>& from, const std::optional<WallTime>& to, Span most) {
  if (!from || !to || *to < *from || *to - *from > most) return {};
  return Span(*to - *from);
}

void PastDurations::learn(const kube::Object& pod, const observe::PodFacts& facts, const NodePast& node) {
  const std::string_view role = facts.label(profile_.role_label);
  if (!role.empty() && role == profile_.validator_role) {
    Validation& validation = validations_[facts.node];
    validation.made_at = time_at(pod, {"metadata", "creationTimestamp"});
    validation.ready_at = true_since(pod, "Ready");
  }
  if (role != profile_.driver_role || facts.is_going) return;
  if (has_agent()) {
    learn_agent(pod, facts, node);
  } else {
    learn_container(pod, facts);
  }
}

void PastDurations::learn_container(const kube::Object& pod, const observe::PodFacts& facts) {
  const auto ready_at = validations_[facts.node].driver_ready_at = true_since(pod, "Ready");
  // Fetching the image does not count: that is done while the node still serves.
  Span before{};
  std::optional<WallTime> begun = true_since(pod, "PodScheduled");
  for (const json::Value& status : json::array_at(pod, {"status", "initContainerStatuses"})) {
    const auto ended = time_at(status, {"state", "terminated", "finishedAt"});
    before +=
        kPodStart + between(time_at(status, {"state", "terminated", "startedAt"}), ended, kLongest).value_or(Span{});
    if (ended) begun = ended;
  }
  if (const auto itself = between(facts.running_since, ready_at, kLongest))
    drivers_.push_back(before + kPodStart + *itself);
  if (const auto pull = between(begun, facts.running_since, kLongest)) preparations_.push_back(*pull);
}

// An agent that brought its node's first driver built it first; any other one found it prepared.
void PastDurations::learn_agent(const kube::Object& pod, const observe::PodFacts& facts, const NodePast& node) {
  const auto made_at = time_at(pod, {"metadata", "creationTimestamp"});
  const bool is_first = between(node.joined_at, made_at, kFirstDriverWithin).has_value();
  const auto took = between(is_first ? facts.running_since : made_at, node.done_at, kLongest);
  if (took) (is_first ? preparations_ : drivers_).push_back(*took);
}

std::vector<Span> PastDurations::validations() const {
  std::vector<Span> spans;
  for (const auto& [node, one] : validations_) {
    if (!one.made_at || !one.driver_ready_at) continue;
    if (const auto took = between(std::max(*one.made_at, *one.driver_ready_at), one.ready_at, kLongest))
      spans.push_back(*took);
  }
  return spans;
}

forecast::DurationStats PastDurations::stats() const {
  forecast::DurationStats stats;
  if (has_agent()) {
    stats.preparation = kUsualBuild;
    stats.driver = kUsualLoad;
    stats.stop = kUsualEndOfAgent;
  }
  stats.preparations = preparations_;
  stats.drivers = drivers_;
  stats.validations = validations();
  stats.preparation = usual(stats.preparations).value_or(stats.preparation);
  stats.driver = usual(stats.drivers).value_or(stats.driver);
  stats.validation = usual(stats.validations).value_or(stats.validation);
  return stats;
}

std::vector<std::string> PastDurations::sources() const {
  const forecast::DurationStats stats = this->stats();
  std::vector<std::string> lines;
  if (has_agent()) {
    lines.push_back(source("building the driver", stats.preparation, stats.preparations.size(), "node"));
    lines.push_back(source("loading it", stats.driver, stats.drivers.size(), "node"));
  } else {
    lines.push_back(source("fetching the driver's image", stats.preparation, stats.preparations.size(), "driver pod"));
    lines.push_back(source("a driver's start", stats.driver, stats.drivers.size(), "driver pod"));
  }
  if (profile_.flow.has(core::Trait::Validator))
    lines.push_back(source("its validation", stats.validation, stats.validations.size(), "validator pod"));
  lines.push_back(fmt::format("the end of a driver's pod {}, assumed", base::human(stats.stop)));
  return lines;
}

}  // namespace drover::cli
