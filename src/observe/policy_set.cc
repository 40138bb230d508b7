#include "observe/policy_set.h"

#include <algorithm>

namespace drover::observe {

vendors::LabelsOf labels_of(const NodeFacts& facts) {
  return [&facts](std::string_view key) { return facts.label(key); };
}

PolicyCaches policy_caches(const vendors::WorkProfile& profile) {
  PolicyCaches caches;
  for (std::size_t kind = 0; kind < profile.policy_kinds(); ++kind) {
    // Without what changes by our own writing.
    caches.emplace_back([](kube::Object object) {
      json::remove(object, {"metadata", "managedFields"});
      return object;
    });
  }
  return caches;
}

void PolicySet::read() {
  policies_.clear();
  objects_.clear();
  for (std::size_t kind = 0; kind < caches_.size(); ++kind) {
    caches_[kind].each([&](const std::string& key, const kube::Object& object) {
      policies_.push_back({.kind = kind, .key = key});
      objects_.push_back({.kind = kind, .object = &object});
    });
  }
  ownership_ = profile_.ownership(objects_);
}

std::vector<PolicyRef> PolicySet::counting() const {
  std::vector<PolicyRef> found;
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    if (ownership_.ignored_because[i].empty()) found.push_back(policies_[i]);
  }
  return found;
}

std::vector<PolicySet::Ignored> PolicySet::ignored() const {
  std::vector<Ignored> found;
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    if (!ownership_.ignored_because[i].empty()) found.push_back({policies_[i], ownership_.ignored_because[i]});
  }
  return found;
}

std::optional<std::size_t> PolicySet::index_of(const PolicyRef& policy) const {
  const auto at = std::find(policies_.begin(), policies_.end(), policy);
  return at == policies_.end() ? std::nullopt : std::optional<std::size_t>(at - policies_.begin());
}

bool PolicySet::is_owner(const std::optional<PolicyRef>& policy, const NodeFacts& facts) const {
  const vendors::Owner owner = ownership_.owner_of(labels_of(facts));
  if (!owner.policy || !policy) return !owner.policy && !policy;
  return policies_[*owner.policy] == *policy;
}

bool PolicySet::is_rival(const PolicyRef& policy, const NodeFacts& facts) const {
  const auto index = index_of(policy);
  if (!index) return false;
  const std::vector<std::size_t> rivals = ownership_.owner_of(labels_of(facts)).rivals;
  return std::find(rivals.begin(), rivals.end(), *index) != rivals.end();
}

}  // namespace drover::observe
