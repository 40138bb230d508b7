#include "sim/door/accept.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

#include "base/order.h"
#include "base/text.h"
#include "sim/server/rejections.h"

namespace drover::sim::door {
namespace {

struct MediaRange {
  std::string type;
  std::map<std::string, std::string, std::less<>> parameters = {};
  double quality = 1;

  std::string_view parameter(std::string_view key) const {
    const auto at = parameters.find(key);
    return at == parameters.end() ? std::string_view() : std::string_view(at->second);
  }
};

MediaRange read_range(std::string_view text) {
  MediaRange range;
  for (std::string_view part : base::split(text, ';')) {
    part = base::trim(part);
    if (range.type.empty()) {
      range.type = base::lower(part);
      continue;
    }
    const std::size_t at = part.find('=');
    if (at == std::string_view::npos) continue;
    const std::string value(base::trim(part.substr(at + 1)));
    const std::string key = base::lower(base::trim(part.substr(0, at)));
    if (key == "q") {
      range.quality = std::strtod(value.c_str(), nullptr);
    } else {
      range.parameters[key] = value;
    }
  }
  return range;
}

std::optional<Form> form_of(const MediaRange& range, Spoken where) {
  const std::string_view as = range.parameter("as");
  const std::string_view group = range.parameter("g");
  const std::string_view version = range.parameter("v");
  if (as.empty()) return Form::Plain;
  if (where == Spoken::ToDiscovery) {
    if (as == "APIGroupDiscoveryList" && group == "apidiscovery.k8s.io" && (version == "v2" || version == "v2beta1")) {
      return Form::Discovery;
    }
    return {};
  }
  if (group != "meta.k8s.io" || (version != "v1" && version != "v1beta1")) return {};
  if (as == "Table") return Form::Table;
  if (as == "PartialObjectMetadata") return Form::PartialMetadata;
  if (as == "PartialObjectMetadataList") return Form::PartialMetadataList;
  return {};
}

constexpr std::string_view kTypes = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

// kube-apiserver refuses an unknown media type and an unknown `as=` form at two places, with two messages.
Refusal not_acceptable(bool known_type, Spoken where) {
  if (known_type) {
    return Refusal(Rejection{406, "NotAcceptable",
                             "only the following media types are accepted: " + std::string(kTypes), json::Value()});
  }
  std::string message = "406: Not Acceptable\n\nAvailable representations: " + std::string(kTypes);
  if (where == Spoken::ToList) {
    message += ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
  }
  return Refusal(Rejection{406, "NotAcceptable", std::move(message), json::Members()});
}

}  // namespace

Answer<AcceptedForm> read_accept(std::string_view header, Spoken where) {
  if (base::trim(header).empty()) return AcceptedForm{};
  std::vector<MediaRange> ranges;
  for (const std::string_view part : base::split(header, ',')) {
    if (!base::trim(part).empty() && ranges.size() < 32) ranges.push_back(read_range(part));
  }
  base::sort_keeping_order(ranges, [](const MediaRange& a, const MediaRange& b) { return a.quality > b.quality; });
  bool known_type = false;
  for (const MediaRange& range : ranges) {
    if (range.quality <= 0) continue;
    const bool any = range.type == "*/*" || range.type == "application/*";
    const bool json = any || range.type == "application/json";
    const bool yaml = range.type == "application/yaml";
    // Protobuf is known and never chosen: a client that accepts only protobuf gets the list of supported types.
    known_type = known_type || json || yaml || range.type == "application/vnd.kubernetes.protobuf";
    if (!json && !yaml) continue;
    if (const auto form = form_of(range, where)) {
      AcceptedForm wish{*form, yaml, "v1"};
      if (const auto version = range.parameter("v"); !version.empty()) wish.version = version;
      return wish;
    }
  }
  return not_acceptable(known_type, where);
}

}  // namespace drover::sim::door
