#include "sim/store.h"

#include <fmt/format.h>

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <iterator>

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

// The most bytes of unpacked history, once it is longer than kLeastOpen.
constexpr std::size_t kMostOpenBytes = 32 << 20;
constexpr std::size_t kLeastOpen = 1000;
// The most bytes of packed history before it, and how long it is kept.
constexpr std::size_t kMostPackedBytes = 40 << 20;
constexpr base::Span kPackedFor = std::chrono::minutes(5);
// Of a packed commit, besides the bytes of the object.
constexpr std::size_t kPackedCommit = 256;
// Between two moments at which the memory of many packed objects goes back to the system, in commits.
constexpr std::uint64_t kTidyEvery = 1 << 15;

}  // namespace

// Looking.

Stored Store::find(std::string_view resource, std::string_view key) const {
  const auto shelf = shelves_.find(resource);
  if (shelf == shelves_.end()) return nullptr;
  const auto at = shelf->second.find(key);
  return at == shelf->second.end() ? nullptr : at->second.open();
}

void Store::each(std::string_view resource, std::string_view ns,
                 const std::function<void(const Stored&)>& visit) const {
  each_after(resource, ns, {}, [&](const std::string&, const Kept& object) {
    visit(object.open());
    return true;
  });
}

void Store::each_after(std::string_view resource, std::string_view ns, std::string_view after,
                       const std::function<bool(const std::string& key, const Kept&)>& visit) const {
  const auto shelf = shelves_.find(resource);
  if (shelf == shelves_.end()) return;
  const std::string prefix = ns.empty() ? std::string() : std::string(ns) + "/";
  auto at = after > prefix ? shelf->second.upper_bound(after) : shelf->second.lower_bound(prefix);
  for (; at != shelf->second.end() && at->first.starts_with(prefix); ++at) {
    if (!visit(at->first, at->second)) return;
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

// The object is not the current version any longer.
void Store::lay_aside(const Kept& object) {
  StoredState& state = *object.state();
  state.is_current = false;
  open_ -= state.open != nullptr;
}

Stored Store::put(const std::string& resource, Draft object) { return put_stamped(resource, stamp(std::move(object))); }

void Store::restore(const std::string& resource, const Stored& object) {
  ++version_;
  put_stamped(resource, object);
}

Stored Store::put_stamped(const std::string& resource, Stored is) {
  std::string key = kube::key_of(*is);
  const Kept after(is);
  auto shelf = shelves_.try_emplace(resource).first;
  auto [at, is_new] = shelf->second.try_emplace(std::move(key));
  const Kept before = std::exchange(at->second, after);
  const Stored was = before.open();
  if (before) lay_aside(before);
  objects_ += is_new;
  after.state()->is_current = true;
  ++open_;
  move_in_indexes(resource, at->first, was.get(), is.get());
  Commit told{is_new ? Commit::Kind::Created : Commit::Kind::Changed, version_, resource, was, is, after};
  commit(told.kind, shelf->first, before, after);
  tell(std::move(told));
  return is;
}

Stored Store::erase(const std::string& resource, const std::string& key) {
  const auto shelf = shelves_.find(resource);
  if (shelf == shelves_.end()) return nullptr;
  const auto at = shelf->second.find(key);
  if (at == shelf->second.end()) return nullptr;
  const Kept before = at->second;
  const Stored was = before.open();
  lay_aside(before);
  --objects_;
  shelf->second.erase(at);
  move_in_indexes(resource, key, was.get(), nullptr);
  Stored is = stamp(Draft(*was));
  const Kept after(is);
  commit(Commit::Kind::Removed, shelf->first, before, after);
  tell({Commit::Kind::Removed, version_, resource, was, is, after});
  return is;
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

void Store::commit(Commit::Kind kind, const ResourceName& resource, Kept before, Kept after) {
  if (history_limit_ > 0) {
    open_history_weight_ += Draft::weight(*after.state()->open);
    const base::Instant at = clock_ != nullptr ? clock_->now() : base::Instant();
    history_.push_back({kind, version_, &resource, at, std::move(before), std::move(after), {}});
  }
  trim_history();
  if (version_ % kTidyEvery == 0 && is_large()) malloc_trim(0);
}

void Store::tell(Commit commit) {
  untold_.push_back(std::move(commit));
  if (telling_) return;  // the call that is already running delivers this one too
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
  const auto open = [this] { return history_.size() - packed_history_; };
  while (open() > history_limit_ || (open_history_weight_ > kMostOpenBytes && open() > kLeastOpen)) {
    is_large() ? pack_oldest_open() : forget_oldest();
  }
  const auto has_aged = [this] { return clock_ != nullptr && clock_->now() - history_.front().at > kPackedFor; };
  while (packed_history_ > 0 && (packed_history_weight_ > kMostPackedBytes || has_aged())) forget_oldest();
  if (history_limit_ == 0) compacted_ = version_;
}

void Store::pack_oldest_open() {
  Past& past = history_[packed_history_];
  const kube::Object& object = *past.after.state()->open;
  open_history_weight_ -= Draft::weight(object);
  past.key = kube::key_of(object);
  pack(past.after);
  // What an object was before lies packed already, unless that was forgotten while there were few.
  if (past.before && past.before.state()->open) pack(past.before);
  packed_history_weight_ += past.after.state()->packed.size() + kPackedCommit;
  ++packed_history_;
}

void Store::pack(const Kept& object) {
  object.state()->pack(packed_);
  open_ -= object.state()->is_current;
}

void Store::forget_oldest() {
  const Past& oldest = history_.front();
  compacted_ = oldest.version;
  if (packed_history_ > 0) {
    --packed_history_;
    packed_history_weight_ -= oldest.after.state()->packed.size() + kPackedCommit;
  } else {
    open_history_weight_ -= Draft::weight(*oldest.after.state()->open);
    if (oldest.after.state()->is_current && is_large()) pack(oldest.after);
  }
  history_.pop_front();
}

void Store::keep_history(std::size_t commits) {
  history_limit_ = commits;
  trim_history();
}

std::deque<Store::Past>::const_iterator Store::first_after(std::uint64_t since) const {
  return std::upper_bound(history_.begin(), history_.end(), since,
                          [](std::uint64_t version, const Past& past) { return version < past.version; });
}

void Store::replay(std::string_view resource, std::uint64_t since,
                   const std::function<void(const Commit&)>& visit) const {
  const auto shelf = shelves_.find(resource);
  if (shelf == shelves_.end()) return;
  std::vector<Past> wanted;
  std::copy_if(first_after(since), history_.end(), std::back_inserter(wanted),
               [&](const Past& past) { return past.resource == &shelf->first; });
  for (const Past& past : wanted) {
    visit({past.kind, past.version, *past.resource, past.before.open(), past.after.open(), past.after});
  }
}

std::map<std::string, Kept> Store::before(std::string_view resource, std::uint64_t since) const {
  std::map<std::string, Kept> then;
  const auto shelf = shelves_.find(resource);
  if (shelf == shelves_.end()) return then;
  for (auto at = first_after(since); at != history_.end(); ++at) {
    if (at->resource != &shelf->first) continue;
    then.try_emplace(at->key.empty() ? kube::key_of(*at->after.state()->open) : at->key, at->before);
  }
  return then;
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
