#include "sim/server/watches.h"

#include <algorithm>

#include "sim/draft.h"
#include "sim/server/rejections.h"

namespace drover::sim {
namespace {

using WatchKind = kube::WatchEvent::Kind;

constexpr std::string_view kDefinitions = "customresourcedefinitions.apiextensions.k8s.io";

// What a watcher sees of one commit; the state in which an object left its view is made once for all of them.
class CommitView {
 public:
  explicit CommitView(const Commit& commit) : commit_(commit) {}

  void show(const Filter& filter, const Server::Seen& seen) {
    const bool was = commit_.before && filter.matches(*commit_.before);
    const bool is = commit_.kind != Commit::Kind::Removed && filter.matches(*commit_.after);
    if (is) {
      seen(was ? WatchKind::Modified : WatchKind::Added, commit_.kept);
    } else if (was) {
      seen(WatchKind::Deleted, commit_.kind == Commit::Kind::Removed ? commit_.kept : as_it_left());
    }
  }

 private:
  // An object that stops matching is told as it last matched, with the version of the change.
  const Kept& as_it_left() {
    if (!left_) {
      Draft object(*commit_.before, 16);
      json::ensure(*object, {"metadata", "resourceVersion"}) = kube::version_of(*commit_.after);
      left_ = std::move(object).seal();
    }
    return left_;
  }

  const Commit& commit_;
  Kept left_;
};

}  // namespace

Watches::Watches(Store& store) : store_(store) {
  store_.subscribe([this](const Commit& commit) { hear(commit); });
}

Answer<int> Watches::start(const ResourceRules& rules, Filter filter, std::uint64_t since, Server::Seen seen,
                           std::function<void()> ended) {
  if (since != 0 && since < store_.oldest_replayable()) return too_old(since, store_.oldest_replayable());
  auto watcher =
      std::make_shared<Watcher>(Watcher{next_id_++, std::move(filter), since, std::move(seen), std::move(ended)});
  if (since == 0) {
    std::vector<Kept> existing;
    store_.each_after(rules.shelf, {}, {}, [&](const std::string&, const Kept& object) {
      if (watcher->filter.matches(*object.open())) existing.push_back(object);
      return true;
    });
    watcher->since = store_.version();
    for (const Kept& object : existing) watcher->seen(WatchKind::Added, object);
  } else {
    store_.replay(rules.shelf, since, [&](const Commit& commit) {
      CommitView(commit).show(watcher->filter, watcher->seen);
      watcher->since = commit.version;
    });
  }
  by_resource_[rules.shelf].push_back(watcher);
  return watcher->id;
}

void Watches::stop(int id) {
  for (auto& [resource, watchers] : by_resource_) {
    const auto at =
        std::find_if(watchers.begin(), watchers.end(), [id](const auto& watcher) { return watcher->id == id; });
    if (at == watchers.end()) continue;
    (*at)->stopped = true;
    if (!hearing_) watchers.erase(at);
    return;
  }
}

// A definition has the name of the resource that it defines.
void Watches::end(std::string_view resource) {
  const auto found = by_resource_.find(resource);
  if (found == by_resource_.end()) return;
  const Watchers watchers = found->second;  // each may be stopped now
  for (const auto& watcher : watchers) {
    if (!watcher->stopped && watcher->ended) watcher->ended();
  }
}

void Watches::hear(const Commit& commit) {
  if (commit.resource == kDefinitions && commit.kind == Commit::Kind::Removed) end(kube::name_of(*commit.after));
  const auto found = by_resource_.find(commit.resource);
  if (found == by_resource_.end()) return;
  CommitView view(commit);
  hearing_ = true;
  Watchers& watchers = found->second;
  const std::size_t count = watchers.size();
  bool any_stopped = false;
  for (std::size_t i = 0; i < count; ++i) {
    const std::shared_ptr<Watcher> watcher = watchers[i];
    // A watch that began while this commit waited to be told has replayed it already.
    if (!watcher->stopped && commit.version > watcher->since) view.show(watcher->filter, watcher->seen);
    any_stopped = any_stopped || watcher->stopped;
  }
  hearing_ = false;
  if (any_stopped) std::erase_if(watchers, [](const auto& watcher) { return watcher->stopped; });
}

}  // namespace drover::sim
