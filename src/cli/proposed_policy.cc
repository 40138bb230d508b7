#include "cli/proposed_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "kube/yaml.h"
#include "observe/ranges.h"

namespace drover::cli {
namespace {

using base::Fault;

std::string api_version_of(const vendors::WorkProfile::Kind& kind) {
  return fmt::format("{}/{}", kind.group, kind.version);
}

template <class Visit>
void each_kind(vendors::WorkProfiles profiles, const Visit& visit) {
  for (const vendors::WorkProfile* profile : profiles) {
    for (std::size_t kind = 0; kind < profile->policy_kinds(); ++kind) visit(*profile, kind);
  }
}

// "AcmePolicy, AcmeDriver or OtherPolicy"
std::string kinds_of(vendors::WorkProfiles profiles) {
  std::vector<std::string_view> kinds;
  each_kind(profiles, [&](const vendors::WorkProfile& profile, std::size_t kind) {
    kinds.push_back(profile.policy_kind(kind).kind);
  });
  std::string text;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 < kinds.size() ? ", " : " or ", kinds[i]);
  return text;
}

// Which policy a document is, without its object; nothing for another kind.
base::Result<std::optional<ProposedPolicy>> kind_of(const kube::Object& document, vendors::WorkProfiles profiles) {
  const std::string_view said = json::text_at(document, {"kind"});
  const std::string_view version = json::text_at(document, {"apiVersion"});
  std::optional<ProposedPolicy> found;
  std::string right_version;
  each_kind(profiles, [&](const vendors::WorkProfile& profile, std::size_t kind) {
    if (said != profile.policy_kind(kind).kind) return;
    right_version = api_version_of(profile.policy_kind(kind));
    if (version == right_version) found = ProposedPolicy{.profile = &profile, .kind = kind, .object = {}};
  });
  if (found || right_version.empty()) return found;
  return base::fault(Fault::Kind::Refused, fmt::format("the {} in it has apiVersion \"{}\"; write {}", said,
                                                       base::one_line(version, 60), right_version));
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

base::Result<std::vector<ProposedPolicy>> policies_in(std::string_view text, vendors::WorkProfiles profiles) {
  TRY(auto documents, kube::parse_manifests(text));
  std::vector<ProposedPolicy> found;
  std::set<std::pair<std::string_view, std::string>> names;
  for (kube::Object& document : without_lists(std::move(documents))) {
    TRY(auto policy, kind_of(document, profiles));
    if (!policy) continue;
    const std::string_view word = policy->profile->policy_kind(policy->kind).kind;
    const std::string name(kube::name_of(document));
    if (name.empty()) return base::fault(Fault::Kind::Refused, fmt::format("a {} in it has no metadata.name", word));
    if (!names.emplace(word, name).second) {
      return base::fault(Fault::Kind::Refused,
                         fmt::format("{} {} is in it twice; leave one", word, base::one_line(name, 60)));
    }
    policy->object = std::move(document);
    found.push_back(std::move(*policy));
  }
  if (!found.empty()) return found;
  return base::fault(Fault::Kind::Refused,
                     fmt::format("there is no {} in it; give the manifest that you mean to apply", kinds_of(profiles)));
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

bool ProposedApi::has(const vendors::WorkProfile& profile, std::size_t kind, std::string_view name) const {
  return std::any_of(policies_.begin(), policies_.end(), [&](const ProposedPolicy& one) {
    return one.profile == &profile && one.kind == kind && kube::name_of(one.object) == name;
  });
}

kube::Call ProposedApi::list(kube::ListRequest request, kube::ListSink sink) {
  const std::string asked = request.range.resource.qualified();
  const auto missing = std::make_shared<std::vector<const ProposedPolicy*>>();  // of this kind, not listed yet
  bool is_needed = false;
  for (const ProposedPolicy& one : policies_) {
    if (observe::policy_kind_of(*one.profile, one.kind).qualified() == asked) missing->push_back(&one);
    // Without the first of its kinds a vendor is not served.
    is_needed = is_needed || observe::policy_kind_of(*one.profile).qualified() == asked;
  }
  is_needed = is_needed || !missing->empty();
  kube::ListSink changed;
  changed.item = [this, missing, item = sink.item](kube::Object object) {
    const auto at = std::find_if(missing->begin(), missing->end(), [&](const ProposedPolicy* one) {
      return kube::name_of(one->object) == kube::name_of(object);
    });
    if (at == missing->end()) return item(std::move(object));
    item(in_place_of(object, **at));
    missing->erase(at);
  };
  changed.done = [this, asked, is_needed, missing, item = sink.item,
                  done = sink.done](kube::Result<kube::ListEnd> end) {
    if (!end && is_needed && end.error().kind == Fault::Kind::NotFound) {
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
    json::ensure(object, {"metadata", "uid"}) =
        fmt::format("proposed-{}-{}-{}", proposed.profile->vendor.name, proposed.kind, kube::name_of(object));
  }
  // One that is not there yet is younger than all that are.
  if (json::text_at(object, {"metadata", "creationTimestamp"}).empty()) {
    json::ensure(object, {"metadata", "creationTimestamp"}) = base::rfc3339(loop_.wall());
  }
  return object;
}

}  // namespace drover::cli
