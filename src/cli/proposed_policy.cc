#include "cli/proposed_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "cli/plan_others.h"
#include "kube/yaml.h"
#include "observe/ranges.h"

namespace drover::cli {
namespace {

using base::Fault;

std::string api_version_of(const vendors::WorkProfile::Kind& kind) {
  return fmt::format("{}/{}", kind.group, kind.version);
}

// A policy of another vendor.
bool is_of_another(const kube::Object& document, const vendors::WorkProfile& planned, vendors::WorkProfiles profiles) {
  const std::string_view said = json::text_at(document, {"kind"});
  for (const vendors::WorkProfile* profile : profiles) {
    for (std::size_t kind = 0; profile != &planned && kind < profile->policy_kinds(); ++kind) {
      const bool is_its = json::text_at(document, {"apiVersion"}) == api_version_of(profile->policy_kind(kind));
      if (is_its && said == profile->policy_kind(kind).kind) return true;
    }
  }
  return false;
}

// Which of the vendor's kinds a document is; nothing for one that is none of them.
base::Result<std::optional<std::size_t>> kind_of(const kube::Object& document, const vendors::WorkProfile& profile) {
  const std::string_view said = json::text_at(document, {"kind"});
  for (std::size_t kind = 0; kind < profile.policy_kinds(); ++kind) {
    const vendors::WorkProfile::Kind& known = profile.policy_kind(kind);
    if (said != known.kind) continue;
    const std::string_view version = json::text_at(document, {"apiVersion"});
    if (version == api_version_of(known)) return std::optional(kind);
    return base::fault(Fault::Kind::Refused, fmt::format("the {} in it has apiVersion \"{}\"; write {}", known.kind,
                                                         base::one_line(version, 60), api_version_of(known)));
  }
  return std::optional<std::size_t>();
}

// What kubectl prints of several is one list.
std::vector<kube::Object> without_lists(std::vector<kube::Object> documents) {
  std::vector<kube::Object> all;
  for (kube::Object& document : documents) {
    if (json::text_at(document, {"kind"}) != "List") {
      all.push_back(std::move(document));
      continue;
    }
    for (const json::Value& item : json::array_at(document, {"items"})) all.push_back(item);
  }
  return all;
}

}  // namespace

base::Result<std::vector<ProposedPolicy>> policies_in(std::string_view text, const vendors::WorkProfile& profile,
                                                      vendors::WorkProfiles profiles) {
  TRY(auto documents, kube::parse_manifests(text));
  std::vector<ProposedPolicy> found;
  std::set<std::pair<std::size_t, std::string>> names;
  for (kube::Object& document : without_lists(std::move(documents))) {
    if (is_of_another(document, profile, profiles)) {
      const std::string name = fmt::format("{} {}", json::text_at(document, {"kind"}), kube::name_of(document));
      return base::fault(Fault::Kind::Refused, not_planned(base::one_line(name, 120), profile));
    }
    TRY(const auto kind, kind_of(document, profile));
    if (!kind) continue;
    const std::string_view word = profile.policy_kind(*kind).kind;
    const std::string name(kube::name_of(document));
    if (name.empty()) return base::fault(Fault::Kind::Refused, fmt::format("a {} in it has no metadata.name", word));
    if (!names.emplace(*kind, name).second) {
      return base::fault(Fault::Kind::Refused,
                         fmt::format("{} {} is in it twice; leave one", word, base::one_line(name, 60)));
    }
    found.push_back({.kind = *kind, .object = std::move(document)});
  }
  if (!found.empty()) return found;
  return base::fault(Fault::Kind::Refused,
                     fmt::format("there is no {} in it; give the manifest that you mean to apply", kinds_of(profile)));
}

kube::Call ProposedApi::call(kube::Request request, Answer answer) {
  loop_.post([what = sentence(request), answer = std::move(answer)] {
    answer(base::fault(Fault::Kind::Refused, fmt::format("{}: a plan only lists", what)));
  });
  return {};
}

kube::Call ProposedApi::watch(kube::WatchRequest, kube::WatchSink sink) {
  loop_.post(
      [sink = std::move(sink)] { sink.ended(Fault{.kind = Fault::Kind::Refused, .message = "a plan only lists"}); });
  return {};
}

const ProposedPolicy* ProposedApi::find(std::size_t kind, std::string_view name) const {
  const auto at = std::find_if(policies_.begin(), policies_.end(), [&](const ProposedPolicy& one) {
    return one.kind == kind && kube::name_of(one.object) == name;
  });
  return at == policies_.end() ? nullptr : &*at;
}

kube::Call ProposedApi::list(kube::ListRequest request, kube::ListSink sink) {
  std::size_t kind = 0;
  const std::string asked = request.range.resource.qualified();
  while (kind < profile_.policy_kinds() && observe::policy_kind_of(profile_, kind).qualified() != asked) ++kind;
  std::vector<const ProposedPolicy*> ours;
  for (const ProposedPolicy& one : policies_) {
    if (one.kind == kind) ours.push_back(&one);
  }
  if (ours.empty()) return api_.list(std::move(request), std::move(sink));
  const auto missing = std::make_shared<std::vector<const ProposedPolicy*>>(std::move(ours));
  kube::ListSink changed;
  changed.item = [this, kind, missing, item = sink.item](kube::Object object) {
    const ProposedPolicy* meant = find(kind, kube::name_of(object));
    std::erase(*missing, meant);
    item(meant != nullptr ? in_place_of(object, *meant) : std::move(object));
  };
  changed.done = [this, asked, missing, item = sink.item, done = sink.done](kube::Result<kube::ListEnd> end) {
    if (!end && end.error().kind == Fault::Kind::NotFound) {
      return done(base::fault(
          Fault::Kind::Refused,
          fmt::format("the server does not know {}; install their definition first (charts/drover/crds)", asked)));
    }
    if (end) {
      for (const ProposedPolicy* one : *missing) item(in_place_of({}, *one));
    }
    done(std::move(end));
  };
  return api_.list(std::move(request), std::move(changed));
}

kube::Object ProposedApi::in_place_of(const kube::Object& there, const ProposedPolicy& proposed) const {
  kube::Object object = proposed.object;
  json::ensure(object, {"metadata"});
  if (const json::Value* metadata = json::find(there, {"metadata"})) json::ensure(object, {"metadata"}) = *metadata;
  if (const json::Value* status = json::find(there, {"status"})) {
    json::ensure(object, {"status"}) = *status;
  } else {
    json::remove(object, {"status"});
  }
  if (kube::uid_of(object).empty()) {
    json::ensure(object, {"metadata", "uid"}) = fmt::format("supposed-{}-{}", proposed.kind, kube::name_of(object));
  }
  // One that is not there yet is younger than all that are.
  if (json::text_at(object, {"metadata", "creationTimestamp"}).empty()) {
    json::ensure(object, {"metadata", "creationTimestamp"}) = base::rfc3339(loop_.wall());
  }
  return object;
}

}  // namespace drover::cli
