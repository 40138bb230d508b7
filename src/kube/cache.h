// The objects of one range as last heard, and what changed since somebody looked.
//
// Owned by one thread, fed by a Reflector. `T` is what the owner projects each object to (a view of its own, or
// Object). A relist is a sweep: objects that the new list does not name are removed when it ends, not before, so that a
// list that breaks half-way loses nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kube/object.h"

namespace drover::kube {

template <class T>
class Cache {
 public:
  using Make = std::function<T(const Object&)>;
  explicit Cache(Make make) : make_(std::move(make)) {}

  const T* find(const std::string& key) const {
    auto at = entries_.find(key);
    return at == entries_.end() ? nullptr : &at->second.view;
  }
  std::size_t size() const { return entries_.size(); }
  // In key order, so that every walk is the same walk.
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [key, entry] : entries_) visit(key, entry.view);
  }

  // Keys that changed (came, changed or went) since the last call, in order of their first change.
  std::vector<std::string> take_changes() { return std::exchange(changes_, {}); }

  // The Reflector's side.
  void sweep_began() { ++sweep_; }
  void put(const Object& object) {
    std::string key = key_of(object);
    auto version = version_of(object);
    auto [at, is_new] = entries_.try_emplace(key);
    const bool same = !is_new && at->second.version == version;
    at->second.sweep = sweep_;
    if (same) return;
    at->second.version = version;
    at->second.view = make_(object);
    changes_.push_back(std::move(key));
  }
  void drop(const Object& object) { drop_key(key_of(object)); }
  void sweep_ended() {
    for (auto at = entries_.begin(); at != entries_.end();) {
      if (at->second.sweep == sweep_) {
        ++at;
      } else {
        changes_.push_back(at->first);
        at = entries_.erase(at);
      }
    }
  }

 private:
  struct Entry {
    T view = {};
    std::string version;
    std::uint64_t sweep = 0;
  };
  void drop_key(const std::string& key) {
    if (entries_.erase(key) > 0) changes_.push_back(key);
  }

  Make make_;
  std::map<std::string, Entry> entries_;
  std::vector<std::string> changes_;
  std::uint64_t sweep_ = 0;
};

}  // namespace drover::kube
