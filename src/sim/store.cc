#include "sim/store.h"

#include <fmt/format.h>

#include <malloc.h>

#include <algorithm>

#include "sim/same.h"

namespace drover::sim {
namespace {

std::string_view node_of(const ResourceName& resource, const kube::Object* object) {
  if (object == nullptr || resource != "pods") return {};
  return json::text_at(*object, {"spec", "nodeName"});
}

const json::Array& owners_of(const kube::Object* object) {
  static const json::Array kNone;
  return object == nullptr ? kNone : json::array_at(*object, {"metadata", "ownerReferences"});
}

// What the history may weigh when it is longer than the least.
constexpr std::size_t kMostHistoryBytes = 32 << 20;
constexpr std::size_t kLeastHistory = 1000;
// Between two moments at which the memory of many packed objects goes back to the system, in commits.
constexpr std::uint64_t kTidyEvery = 1 << 15;

}  // namespace

// Looking.

Stored Store::find(std::string_view resource, std::string_view key) const {
  const auto shelf = shelves_.find(resource);
  if (shelf == shelves_.end()) return nullptr;
  const auto at = shelf->second.find(key);
  return at == shelf->second.end() ? nullptr : look(at->second);
}

Stored Store::look(const Place& place) const {
  if (place.open) return place.open;
  Stored object = place.lent.lock();
  if (!object) place.lent = object = cellar_.unpack(place.packed);
  return object;
}

void Store::each(std::string_view resource, std::string_view ns,
                 const std::function<void(const Stored&)>& visit) const {
  each_after(resource, ns, {}, [&](const std::string&, const Stored& object) {
    visit(object);
    return true;
  });
}

void Store::each_after(std::string_view resource, std::string_view ns, std::string_view after,
                       const std::function<bool(const std::string& key, const Stored&)>& visit) const {
  const auto shelf = shelves_.find(resource);
  if (shelf == shelves_.end()) return;
  const std::string prefix = ns.empty() ? std::string() : std::string(ns) + "/";
  auto at = after > prefix ? shelf->second.upper_bound(after) : shelf->second.lower_bound(prefix);
  for (; at != shelf->second.end() && at->first.starts_with(prefix); ++at) {
    if (!visit(at->first, look(at->second))) return;
  }
}

std::size_t Store::count(std::string_view resource) const {
  const auto shelf = shelves_.find(resource);
  return shelf == shelves_.end() ? 0 : shelf->second.size();
}

std::vector<Stored> Store::pods_on(std::string_view node) const {
  std::vector<Stored> pods;
  const auto keys = pods_by_node_.find(node);
  if (keys == pods_by_node_.end()) return pods;
  for (const std::string& key : keys->second) pods.push_back(find("pods", key));
  return pods;
}

std::vector<std::pair<ResourceName, Stored>> Store::owned_by(std::string_view uid) const {
  std::vector<std::pair<ResourceName, Stored>> owned;
  const auto places = by_owner_.find(uid);
  if (places == by_owner_.end()) return owned;
  for (const auto& [resource, key] : places->second) owned.emplace_back(resource, find(resource, key));
  return owned;
}

// Writing.

Stored Store::stamp(Draft object) {
  ++version_;
  const fmt::format_int digits(version_);
  json::ensure(*object, {"metadata", "resourceVersion"}) = std::string_view(digits.data(), digits.size());
  return std::move(object).seal();
}

Stored Store::put(const std::string& resource, Draft object) {
  std::string key = kube::key_of(*object);
  Stored after = stamp(std::move(object));
  auto [at, is_new] = shelves_[resource].try_emplace(std::move(key));
  Place& place = at->second;
  Stored before = is_new ? nullptr : look(place);
  if (!place.open) {
    ++open_;
    place.packed = {};
    place.lent.reset();
  }
  place.open = after;
  move_in_indexes(resource, at->first, before.get(), after.get());
  commit({is_new ? Commit::Kind::Created : Commit::Kind::Changed, version_, resource, std::move(before), after});
  return after;
}

Stored Store::erase(const std::string& resource, const std::string& key) {
  const auto shelf = shelves_.find(resource);
  if (shelf == shelves_.end()) return nullptr;
  const auto at = shelf->second.find(key);
  if (at == shelf->second.end()) return nullptr;
  Stored before = look(at->second);
  open_ -= at->second.open != nullptr;
  shelf->second.erase(at);
  move_in_indexes(resource, key, before.get(), nullptr);
  Stored after = stamp(Draft(*before));
  commit({Commit::Kind::Removed, version_, resource, std::move(before), after});
  return after;
}

void Store::move_in_indexes(const ResourceName& resource, const std::string& key, const kube::Object* before,
                            const kube::Object* after) {
  const std::string_view from = node_of(resource, before);
  const std::string_view to = node_of(resource, after);
  if (from != to) {
    if (!from.empty()) {
      const auto keys = pods_by_node_.find(from);
      keys->second.erase(key);
      if (keys->second.empty()) pods_by_node_.erase(keys);
    }
    if (!to.empty()) pods_by_node_[std::string(to)].insert(key);
  }

  const json::Array& old_owners = owners_of(before);
  const json::Array& new_owners = owners_of(after);
  if (old_owners.empty() && new_owners.empty()) return;
  if (same(old_owners, new_owners)) return;
  for (const json::Value& owner : old_owners) {
    const auto places = by_owner_.find(json::text_at(owner, {"uid"}));
    if (places == by_owner_.end()) continue;  // the same owner named twice
    places->second.erase({resource, key});
    if (places->second.empty()) by_owner_.erase(places);
  }
  for (const json::Value& owner : new_owners) {
    by_owner_[std::string(json::text_at(owner, {"uid"}))].emplace(resource, key);
  }
}

// History and listeners.

void Store::commit(Commit commit) {
  if (history_limit_ > 0) {
    history_weight_ += Draft::weight(*commit.after);
    history_.push_back(commit);
  }
  trim_history();
  if (version_ % kTidyEvery == 0 && open_ > most_open_) malloc_trim(0);
  untold_.push_back(std::move(commit));
  if (telling_) return;  // whoever is telling goes on with this one
  telling_ = true;
  while (!untold_.empty()) {
    const Commit next = std::move(untold_.front());
    untold_.pop_front();
    // By index and count: a listener may subscribe another, which hears from the next commit on.
    const std::size_t count = listeners_.size();
    for (std::size_t i = 0; i < count; ++i) {
      Listener& listener = *listeners_[i];
      if (!listener.gone) listener.heard(next);
    }
  }
  telling_ = false;
  std::erase_if(listeners_, [](const auto& listener) { return listener->gone; });
}

void Store::trim_history() {
  while (history_.size() > history_limit_ || (history_weight_ > kMostHistoryBytes && history_.size() > kLeastHistory)) {
    forget_oldest();
  }
  if (history_limit_ == 0) compacted_ = version_;
}

void Store::forget_oldest() {
  const Commit& oldest = history_.front();
  compacted_ = oldest.version;
  history_weight_ -= Draft::weight(*oldest.after);
  if (open_ > most_open_ && oldest.kind != Commit::Kind::Removed) pack_away(oldest);
  history_.pop_front();
}

// Unless it has changed since.
void Store::pack_away(const Commit& forgotten) {
  const auto shelf = shelves_.find(forgotten.resource);
  if (shelf == shelves_.end()) return;
  const auto at = shelf->second.find(kube::key_of(*forgotten.after));
  if (at == shelf->second.end() || at->second.open != forgotten.after) return;
  Place& place = at->second;
  place.packed = cellar_.pack(*place.open);
  // Besides this place and the commit that is being forgotten.
  const bool is_held = place.open.use_count() > 2;
  const Stored object = std::exchange(place.open, nullptr);
  if (is_held) place.lent = object;
  --open_;
}

void Store::keep_history(std::size_t commits) {
  history_limit_ = commits;
  trim_history();
}

void Store::replay(std::string_view resource, std::uint64_t since,
                   const std::function<void(const Commit&)>& visit) const {
  auto at = std::upper_bound(history_.begin(), history_.end(), since,
                             [](std::uint64_t version, const Commit& commit) { return version < commit.version; });
  for (; at != history_.end(); ++at) {
    if (at->resource == resource) visit(*at);
  }
}

void Store::compact(std::uint64_t version) {
  compacted_ = std::max(compacted_, std::min(version, version_));
  const std::uint64_t up_to = compacted_;
  while (!history_.empty() && history_.front().version <= up_to) forget_oldest();
  compacted_ = up_to;
}

int Store::subscribe(Heard heard) {
  listeners_.push_back(std::make_unique<Listener>(Listener{.id = next_id_, .heard = std::move(heard)}));
  return next_id_++;
}

void Store::unsubscribe(int id) {
  const auto at = std::find_if(listeners_.begin(), listeners_.end(), [id](const auto& l) { return l->id == id; });
  if (at == listeners_.end()) return;
  // While a commit is told, listeners stay where they are: the one that leaves may be the one that runs.
  if (telling_) {
    (*at)->gone = true;
  } else {
    listeners_.erase(at);
  }
}

}  // namespace drover::sim
