// The objects of one range as last heard, and what changed since the last look.
//
// Owned by one thread, fed by a Reflector, which has already seen to order: what is put here replaces what was there.
// `T` is what the owner projects each object to (a view of its own, or Object). A relist is a sweep: objects that the
// new list does not name are removed when it ends, not before, so that a list that breaks half-way loses nothing.
//
// At rest: one view, one version and one sweep number per object; the keys that changed, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kube/object.h"

namespace drover::kube {

template <class T>
class Cache {
 public:
  using Make = std::function<T(const Object&)>;
  explicit Cache(Make make) : make_(std::move(make)) {}

  // The object's view, or nullptr. Valid until the object changes or goes.
  const T* find(std::string_view key) const {
    auto at = entries_.find(key);
    return at == entries_.end() ? nullptr : &at->second.view;
  }
  std::size_t size() const { return entries_.size(); }
  // In key order, so that every walk is the same walk.
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [key, entry] : entries_) visit(key, entry.view);
  }

  // Keys that changed (came, changed or went) since the last call, each once, in order of their first change.
  std::vector<std::string> take_changes() {
    changed_.clear();
    return std::exchange(changes_, {});
  }
  // True from the beginning of a sweep to its end: what is here may be partly of the new list, partly of the old.
  bool is_sweeping() const { return sweeping_; }

  // Views are to be made again of whatever comes next, also where its version is known.
  void doubt() {
    for (auto& [key, entry] : entries_) entry.version.clear();
  }

  // The Reflector's side. `put` and `drop` say whether anything changed.
  void sweep_began() {
    ++sweep_;
    sweeping_ = true;
  }
  bool put(const Object& object) {
    std::string key = key_of(object);
    const std::string_view version = version_of(object);
    auto at = entries_.find(key);
    if (at == entries_.end()) {
      at = entries_.try_emplace(key, Entry{make_(object), std::string(version), sweep_}).first;
    } else {
      at->second.sweep = sweep_;
      // Without a version it is not known whether it is the same again.
      if (!version.empty() && at->second.version == version) return false;
      at->second.view = make_(object);
      at->second.version = version;
    }
    note(std::move(key));
    return true;
  }
  bool drop(const Object& object) {
    std::string key = key_of(object);
    if (entries_.erase(key) == 0) return false;
    note(std::move(key));
    return true;
  }
  void sweep_ended() {
    sweeping_ = false;
    for (auto at = entries_.begin(); at != entries_.end();) {
      if (at->second.sweep == sweep_) {
        ++at;
      } else {
        note(at->first);
        at = entries_.erase(at);
      }
    }
  }

 private:
  struct Entry {
    T view;
    std::string version;
    std::uint64_t sweep;
  };
  void note(std::string key) {
    if (changed_.insert(key).second) changes_.push_back(std::move(key));
  }

  Make make_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<std::string> changes_;
  std::unordered_set<std::string> changed_;  // the same keys, only asked whether they are there
  std::uint64_t sweep_ = 0;
  bool sweeping_ = false;
};

}  // namespace drover::kube
