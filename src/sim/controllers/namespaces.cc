#include "sim/controllers/namespaces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "sim/controllers/objects.h"

namespace drover::sim {

// -- the end of a namespace -------------------------------------------------------------------------------------------

NamespaceController::NamespaceController(ControlPlane plane) : Controller(plane, "kube-controller-manager") {}

void NamespaceController::heard(const Commit& commit) {
  if (commit.resource == "namespaces") {
    if (commit.kind != Commit::Kind::Removed && kube::is_being_deleted(*commit.after)) {
      enqueue(std::string(kube::name_of(*commit.after)));
    }
    return;
  }
  // What leaves a namespace may have been the last thing in it; what enters slipped in while it ended.
  if (commit.kind == Commit::Kind::Changed) return;
  const std::string_view ns = kube::namespace_of(*commit.after);
  if (ns.empty()) return;
  const Stored its = store().find("namespaces", ns);
  if (its && kube::is_being_deleted(*its)) enqueue(std::string(ns));
}

std::expected<NamespaceController::Rest, Rejection> NamespaceController::delete_everything(const std::string& ns) {
  Rest rest;
  std::set<std::string> done;  // one resource may be served in several versions
  const std::vector<kube::Resource> resources = server().resources();
  for (const kube::Resource& resource : resources) {
    if (resource.scope != kube::Scope::Namespaced || !done.insert(resource.qualified()).second) continue;
    std::vector<Stored> objects;
    store().each(resource.qualified(), ns, [&](const Stored& object) { objects.push_back(object); });
    for (const Stored& object : objects) {
      if (kube::is_being_deleted(*object)) continue;
      kube::Request request =
          kube::remove(resource, ns, std::string(kube::name_of(*object)), std::string(kube::uid_of(*object)));
      request.propagation = kube::Propagation::Background;
      ASK_VOID(ask_unless_gone(std::move(request)));
    }
    store().each(resource.qualified(), ns, [&](const Stored& object) {
      ++rest.by_resource[fmt::format("{}.{}", resource.plural, resource.group)];
      for (const json::Value& finalizer : json::array_at(*object, {"metadata", "finalizers"})) {
        if (finalizer.is_string()) ++rest.by_finalizer[std::string(finalizer.get_string())];
      }
    });
  }
  return rest;
}

Done NamespaceController::tell(const Stored& ns, const Rest& rest) {
  const auto listed = [](const std::map<std::string, int>& counts, std::string_view verb) {
    std::vector<std::string> parts;
    for (const auto& [name, count] : counts)
      parts.push_back(fmt::format("{} {} {} resource instances", name, verb, count));
    return fmt::format("{}", fmt::join(parts, ", "));
  };
  kube::Object changed = copy_to_change(*ns);
  const std::string now = now_text();
  bool news = set_condition(
      changed,
      {"NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered", "All resources successfully discovered"},
      now);
  news |= set_condition(changed,
                        {"NamespaceDeletionGroupVersionParsingFailure", "False", "ParsedGroupVersions",
                         "All legacy kube types successfully parsed"},
                        now);
  news |= set_condition(changed,
                        {"NamespaceDeletionContentFailure", "False", "ContentDeleted",
                         "All content successfully deleted, may be waiting on finalization"},
                        now);
  news |= set_condition(
      changed,
      rest.by_resource.empty()
          ? Condition{"NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed"}
          : Condition{"NamespaceContentRemaining", "True", "SomeResourcesRemain",
                      "Some resources are remaining: " + listed(rest.by_resource, "has")},
      now);
  news |= set_condition(
      changed,
      rest.by_finalizer.empty()
          ? Condition{"NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers",
                      "All content-preserving finalizers finished"}
          : Condition{"NamespaceFinalizersRemaining", "True", "SomeFinalizersRemain",
                      "Some content in the namespace has finalizers remaining: " + listed(rest.by_finalizer, "in")},
      now);
  if (!news) return {};
  return ask_unless_gone(kube::replace(kube::kNamespaces, std::move(changed), "status"));
}

Done NamespaceController::sync(const std::string& name) {
  const Stored ns = store().find("namespaces", name);
  if (!ns || !kube::is_being_deleted(*ns)) return {};
  ASK(const Rest rest, delete_everything(name));
  ASK_VOID(tell(ns, rest));
  if (!rest.by_resource.empty()) return {};

  const Stored latest = store().find("namespaces", name);
  if (!latest) return {};
  json::Array kept;
  for (const json::Value& finalizer : json::array_at(*latest, {"spec", "finalizers"})) {
    if (finalizer != json::Value("kubernetes")) kept.push_back(finalizer);
  }
  if (kept.size() == json::array_at(*latest, {"spec", "finalizers"}).size()) return {};
  kube::Object finalized = copy_to_change(*latest);
  json::ensure(finalized, {"spec", "finalizers"}) = std::move(kept);
  return ask_unless_gone(kube::replace(kube::kNamespaces, std::move(finalized), "finalize"));
}

// -- bootstrap objects ------------------------------------------------------------------------------------------------

namespace {
constexpr std::string_view kRootCertificate = "kube-root-ca.crt";
const std::string kOldest = "the oldest event";
}  // namespace

ServiceAccounts::ServiceAccounts(ControlPlane plane) : Controller(plane, "kube-controller-manager") {}

void ServiceAccounts::heard(const Commit& commit) {
  if (commit.resource == "namespaces") {
    if (commit.kind == Commit::Kind::Created) enqueue(std::string(kube::name_of(*commit.after)));
  } else if (commit.kind == Commit::Kind::Removed &&
             (kube::name_of(*commit.after) == "default" || kube::name_of(*commit.after) == kRootCertificate)) {
    enqueue(std::string(kube::namespace_of(*commit.after)));
  }
}

// Every namespace has the authority's certificate, where the cluster has one.
Done ServiceAccounts::publish_certificate(const std::string& ns) {
  const Stored first = store().find("configmaps", key_in("kube-system", kRootCertificate));
  if (!first || store().find("configmaps", key_in(ns, kRootCertificate))) return {};
  kube::Object copy = {{"metadata",
                        {{"name", kRootCertificate},
                         {"namespace", ns},
                         {"annotations", json::members_at(*first, {"metadata", "annotations"})}}},
                       {"data", json::members_at(*first, {"data"})}};
  ASK_VOID(ask(kube::create(kube::kConfigMaps, ns, std::move(copy))));
  return {};
}

Done ServiceAccounts::sync(const std::string& name) {
  const Stored ns = store().find("namespaces", name);
  if (!ns || kube::is_being_deleted(*ns)) return {};
  ASK_VOID(publish_certificate(name));
  if (store().find("serviceaccounts", key_in(name, "default"))) return {};
  kube::Object account = {
      {"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", {{"name", "default"}, {"namespace", name}}}};
  ASK_VOID(ask(kube::create(kube::kServiceAccounts, name, std::move(account))));
  return {};
}

EventExpiry::EventExpiry(ControlPlane plane) : Controller(plane, "kube-apiserver") {}

void EventExpiry::heard(const Commit& commit) {
  if (commit.kind == Commit::Kind::Removed) return;
  const auto version = base::parse_int(kube::version_of(*commit.after)).value_or(0);
  ages_.push_back({loop().now(), version, kube::key_of(*commit.after)});
  if (ages_.size() == 1) enqueue_after(kOldest, Events::kLifetime);
}

Done EventExpiry::sync(const std::string& key) {
  while (!ages_.empty()) {
    const Age& oldest = ages_.front();
    const base::Span left = oldest.changed_at + Events::kLifetime - loop().now();
    if (left > base::Span::zero()) {
      enqueue_after(key, left);
      return {};
    }
    // One that has changed since is further back in the line as well.
    const Stored event = store().find("events", oldest.key);
    if (event && base::parse_int(kube::version_of(*event)) == oldest.version) {
      ASK_VOID(ask_unless_gone(kube::remove(kube::kEvents, std::string(kube::namespace_of(*event)),
                                            std::string(kube::name_of(*event)), std::string(kube::uid_of(*event)))));
    }
    ages_.pop_front();
  }
  return {};
}

}  // namespace drover::sim
