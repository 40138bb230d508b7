// The data at rest of the embedded cluster: immutable objects under (resource, namespace/name), one version counter, and the
// recent history that watches replay.
//
// The store knows nothing of meaning: no defaulting, no finalizers, no budgets (that is Server). It keeps objects, gives each
// commit the next resourceVersion, and tells whoever listens, in order, before the commit returns.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/object.h"
#include "kube/resource.h"

namespace drover::sim {

// An object as committed. Shared, never changed.
using Stored = std::shared_ptr<const kube::Object>;

// "pods", "daemonsets.apps": the resource's identity in the store; versions of one resource share their objects.
using ResourceName = std::string;

struct Commit {
  enum class Kind { Created, Changed, Removed };
  Kind kind;
  std::uint64_t version;
  ResourceName resource;
  Stored before;  // not for Created
  Stored after;   // for Removed: the last state, with the version of the removal
};

class Store {
 public:
  // Nothing when absent. `key` is "ns/name" or "name".
  Stored find(std::string_view resource, std::string_view key) const;
  // In key order; `ns` limits it to one namespace.
  void each(std::string_view resource, std::string_view ns, const std::function<void(const Stored&)>& visit) const;
  std::size_t count(std::string_view resource) const;
  // Pods on a node and objects owned by a uid, without walking everything; in key order.
  std::vector<Stored> pods_on(std::string_view node) const;
  std::vector<std::pair<ResourceName, Stored>> owned_by(std::string_view uid) const;

  // Writes `object` under its own name with the next version in metadata.resourceVersion, and tells the listeners.
  Stored put(const std::string& resource, kube::Object object);
  // Removes it and tells the listeners; the removal has a version of its own.
  void erase(const std::string& resource, const std::string& key);

  std::uint64_t version() const { return version_; }
  // History back to (excluding) this version can be replayed.
  std::uint64_t oldest_replayable() const { return compacted_; }
  // Commits of one resource after `since`, oldest first; only valid when since >= oldest_replayable().
  void replay(std::string_view resource, std::uint64_t since, const std::function<void(const Commit&)>& visit) const;
  // Forgets history up to and including `version`: watches that start there get 410.
  void compact(std::uint64_t version);
  // How many commits are kept for replay.
  void keep_history(std::size_t commits) { history_limit_ = commits; }

  // Called after every commit, in the order of subscribing, for ever (listeners live as long as the store, or unsubscribe by the id).
  using Heard = std::function<void(const Commit&)>;
  int subscribe(Heard heard);
  void unsubscribe(int id);
};

}  // namespace drover::sim
