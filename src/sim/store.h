// The data at rest of the embedded cluster: immutable objects under (resource, namespace/name), one version counter,
// and the recent history that watches replay.
//
// The store has no API logic: no defaulting, no finalizers, no budgets (that is Server). It keeps objects,
// gives each commit the next resourceVersion, and calls the listeners, in order, before the commit returns.
//
// A small cluster's objects are all unpacked, and its history is short. When there are many, those that have not
// changed lately are packed (packed_store.h) and unpacked when they are read; so is the history, of which more can be
// kept then: a list of thousands of objects takes time, and they change while it is read.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/loop.h"
#include "kube/object.h"
#include "kube/resource.h"
#include "sim/draft.h"
#include "sim/packed_store.h"

namespace drover::sim {

// "pods", "daemonsets.apps": the resource's identity in the store; versions of one resource share their objects.
using ResourceName = std::string;

struct Commit {
  enum class Kind { Created, Changed, Removed };
  Kind kind;
  std::uint64_t version;
  ResourceName resource;
  Stored before;   // not for Created
  Stored after;    // for Removed: the last state, with the version of the removal
  Kept kept = {};  // `after`, to keep for later
};

class Store {
 public:
  // With a clock, history that is packed away is forgotten after five minutes, as by an API server that compacts.
  explicit Store(const base::Loop* clock = nullptr) : clock_(clock) {}
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Nothing when absent. `key` is "ns/name" or "name".
  Stored find(std::string_view resource, std::string_view key) const;
  // In key order; `ns` limits it to one namespace. `visit` must not write to the store.
  void each(std::string_view resource, std::string_view ns, const std::function<void(const Stored&)>& visit) const;
  // In key order, beginning with the first key after `after`; ends when `visit` returns false.
  void each_after(std::string_view resource, std::string_view ns, std::string_view after,
                  const std::function<bool(const std::string& key, const Kept&)>& visit) const;
  std::size_t count(std::string_view resource) const;
  // Pods on a node and objects owned by a uid, without walking everything; in key order.
  std::vector<Stored> pods_on(std::string_view node) const;
  std::vector<std::pair<ResourceName, Stored>> owned_by(std::string_view uid) const;

  // Writes `object` under its own name with the next version in metadata.resourceVersion, and tells the listeners.
  Stored put(const std::string& resource, Draft object);
  Stored put(const std::string& resource, const kube::Object& object) { return put(resource, Draft(object, 64)); }
  // Removes it and tells the listeners; the removal has a version of its own. The last state with that version, or
  // nothing when there was none.
  Stored erase(const std::string& resource, const std::string& key);

  // Puts an object back as it was (here, or in another store), its resourceVersion included, and tells of it like of
  // any other commit, which has a version of its own.
  void restore(const std::string& resource, const Stored& object);

  std::uint64_t version() const { return version_; }
  // History back to (excluding) this version can be replayed.
  std::uint64_t oldest_replayable() const { return compacted_; }
  // Commits of one resource after `since`, oldest first; only valid when since >= oldest_replayable(). `visit` may
  // write; what it writes is not visited.
  void replay(std::string_view resource, std::uint64_t since, const std::function<void(const Commit&)>& visit) const;
  // The objects of one resource that have changed after `since`, as they were then; none where there was none.
  std::map<std::string, Kept> before(std::string_view resource, std::uint64_t since) const;
  // Forgets history up to and including `version`: watches that start there get 410.
  void compact(std::uint64_t version);
  // How many commits lie open for replay, fewer when they are of large objects; those before them are forgotten, or
  // packed when there are many objects.
  void keep_history(std::size_t commits);
  // How many commits can be replayed.
  std::size_t history() const { return history_.size(); }
  // How many objects may lie open before old ones are packed away.
  void keep_open(std::size_t objects) { most_open_ = objects; }
  // How many are unpacked now, besides copies in use.
  std::size_t open() const { return open_; }

  // Called after every commit, in the order of subscribing, for ever (listeners live as long as the store, or
  // unsubscribe by the id). A listener may write; that commit is delivered after the one being delivered.
  using Heard = std::function<void(const Commit&)>;
  int subscribe(Heard heard);
  void unsubscribe(int id);

 private:
  using Shelf = std::map<std::string, Kept, std::less<>>;
  struct Past {
    Commit::Kind kind;
    std::uint64_t version;
    const ResourceName* resource;  // the shelf's, which stays
    base::Instant at;
    Kept before;
    Kept after;
    std::string key;  // once it is packed
  };
  struct Listener {
    int id;
    Heard heard;
    bool gone = false;  // unsubscribed while a commit was told, perhaps by itself
  };

  bool is_large() const { return objects_ > most_open_; }
  void lay_aside(const Kept& object);
  void pack(const Kept& object);
  void pack_oldest_open();
  void forget_oldest();
  std::deque<Past>::const_iterator first_after(std::uint64_t since) const;
  Stored stamp(Draft object);
  Stored put_stamped(const std::string& resource, Stored object);
  void move_in_indexes(const ResourceName& resource, const std::string& key, const kube::Object* before,
                       const kube::Object* after);
  void commit(Commit::Kind kind, const ResourceName& resource, Kept before, Kept after);
  void tell(Commit commit);
  void trim_history();

  const base::Loop* clock_;
  std::shared_ptr<PackedStore> packed_ = std::make_shared<PackedStore>();
  std::map<ResourceName, Shelf, std::less<>> shelves_;
  std::map<std::string, std::set<std::string>, std::less<>> pods_by_node_;
  std::map<std::string, std::set<std::pair<ResourceName, std::string>>, std::less<>> by_owner_;

  std::uint64_t version_ = 0;
  std::uint64_t compacted_ = 0;
  std::size_t history_limit_ = 10'000;
  std::deque<Past> history_;
  std::size_t packed_history_ = 0;         // how many of them, from the oldest on, are packed
  std::size_t packed_history_weight_ = 0;  // the memory of those
  std::size_t open_history_weight_ = 0;    // the memory under the objects that the others led to

  int next_id_ = 1;
  bool telling_ = false;
  std::deque<Commit> untold_;
  std::vector<std::unique_ptr<Listener>> listeners_;

  std::size_t objects_ = 0;
  std::size_t open_ = 0;
  std::size_t most_open_ = 4096;
};

}  // namespace drover::sim
