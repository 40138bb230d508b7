#include "operator/node_pods.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "kube/version_order.h"

namespace drover::operate {
namespace {

constexpr base::Span kListAgain = std::chrono::seconds(2);

void complain(const kube::Fault& fault) { log::warn("watching pods is interrupted", {{"why", fault.message}}); }

std::string node_of(const kube::Object& pod) { return std::string(json::text_at(pod, {"spec", "nodeName"})); }

}  // namespace

NodePods::NodePods(kube::Api& api, base::Loop& loop, base::Random random, const vendors::WorkProfile& profile,
                   std::function<void(const std::string& node)> changed)
    : api_(api), loop_(loop), random_(std::move(random)), profile_(profile), changed_(std::move(changed)) {}

void NodePods::want(const std::set<std::string>& nodes) {
  std::erase_if(watched_, [&](const auto& one) { return !nodes.contains(one.first); });
  own_watches_ = static_cast<std::size_t>(
      std::count_if(watched_.begin(), watched_.end(), [](const auto& one) { return one.second->own != nullptr; }));
  if (own_watches_ == watched_.size()) wide_.reset();
  for (const std::string& node : nodes) {
    if (!watched_.contains(node)) begin(node);
  }
}

void NodePods::begin(const std::string& node) {
  auto& watched = *watched_
                       .emplace(node, std::make_unique<Watched>([this](const kube::Object& object) {
                                  return observe::pod_facts(object, profile_);
                                }))
                       .first->second;
  if (own_watches_ < kMostOwnWatches) {
    watch_alone(node, watched);
  } else if (wide_ == nullptr) {
    widen();
  } else if (wide_->is_synced()) {
    list(node);
  }
}

void NodePods::renew(const std::string& node) {
  const auto at = watched_.find(node);
  if (at == watched_.end() || of(node) == nullptr) return;
  if (at->second->own != nullptr) --own_watches_;
  watched_.erase(at);
  begin(node);
}

void NodePods::watch_alone(const std::string& node, Watched& watched) {
  ++own_watches_;
  kube::Listener listener = kube::feed(watched.pods, [this, node] { changed_(node); });
  listener.trouble = complain;
  watched.own = std::make_unique<kube::Reflector>(
      api_, loop_, random_.fork(node),
      kube::Range{.resource = kube::kPods, .ns = {}, .labels = {}, .fields = "spec.nodeName=" + node},
      observe::pod_projection(), std::move(listener));
  watched.own->start();
}

void NodePods::widen() {
  wide_ = std::make_unique<kube::Reflector>(api_, loop_, random_.fork("all"),
                                            kube::Range{.resource = kube::kPods, .ns = {}, .labels = {}, .fields = {}},
                                            observe::pod_projection(), wide_listener());
  wide_->start();
}

NodePods::Watched* NodePods::served(const std::string& node) {
  const auto at = watched_.find(node);
  return at == watched_.end() || at->second->own != nullptr ? nullptr : at->second.get();
}

kube::Listener NodePods::wide_listener() {
  kube::Listener listener;
  listener.trouble = complain;
  listener.sweep_began = [this] {
    for (const auto& [node, watched] : watched_) {
      if (watched->own != nullptr) continue;
      watched->is_swept = true;
      watched->pods.sweep_began();
    }
  };
  listener.put = [this](const kube::Object& pod) {
    const std::string node = node_of(pod);
    Watched* watched = served(node);
    if (watched != nullptr && watched->pods.put(pod) && watched->is_known) changed_(node);
  };
  listener.drop = [this](const kube::Object& pod) {
    const std::string node = node_of(pod);
    Watched* watched = served(node);
    if (watched == nullptr) return;
    if (watched->is_listing) watched->gone.insert(kube::key_of(pod));
    if (watched->pods.drop(pod) && watched->is_known) changed_(node);
  };
  listener.sweep_ended = [this] {
    for (const auto& [node, watched] : watched_) {
      if (watched->own != nullptr) continue;
      if (!watched->is_swept) {
        list(node);  // it came while the list was under way
        continue;
      }
      watched->is_swept = false;
      watched->is_known = true;
      watched->pods.sweep_ended();
      changed_(node);
    }
  };
  return listener;
}

// What the wide watch does not say again: the pods that are on the node already.
void NodePods::list(const std::string& node) {
  Watched* watched = served(node);
  if (watched == nullptr || watched->is_listing || watched->is_known) return;
  watched->is_listing = true;
  watched->gone.clear();
  kube::ListSink sink;
  sink.item = [this, node](const kube::Object& pod) {
    Watched* one = served(node);
    if (one == nullptr) return;
    const std::string key = kube::key_of(pod);
    const observe::PodFacts* there = one->pods.find(key);
    // The watch may be ahead of the list.
    const bool is_old = there != nullptr && kube::is_older(kube::version_of(pod), there->version);
    if (!is_old && !one->gone.contains(key)) one->pods.put(pod);
  };
  sink.done = [this, node](const kube::Result<kube::ListEnd>& end) {
    Watched* one = served(node);
    if (one == nullptr) return;
    one->is_listing = false;
    if (!end) {
      one->again = loop_.after(kListAgain, [this, node] { list(node); });
      return;
    }
    one->is_known = true;
    one->listed_at = loop_.now();
    changed_(node);
  };
  watched->listing =
      api_.list({.range = {.resource = kube::kPods, .ns = {}, .labels = {}, .fields = "spec.nodeName=" + node},
                 .resource_version = {},
                 .projection = observe::pod_projection()},
                std::move(sink));
}

std::map<std::string, const NodePods::Pods*> NodePods::known() const {
  std::map<std::string, const Pods*> known;
  for (const auto& [node, watched] : watched_) {
    if (const Pods* pods = of(node)) known.emplace(node, pods);
  }
  return known;
}

std::map<std::string, base::Instant> NodePods::heard_at() const {
  std::map<std::string, base::Instant> heard;
  for (const auto& [node, watched] : watched_) {
    const kube::Reflector* source = watched->own != nullptr ? watched->own.get() : wide_.get();
    const auto at = source == nullptr ? std::nullopt : source->heard_at();
    heard.emplace(node, std::max(at.value_or(base::Instant()), watched->listed_at));
  }
  return heard;
}

const NodePods::Pods* NodePods::of(const std::string& node) const {
  const auto at = watched_.find(node);
  if (at == watched_.end()) return nullptr;
  const bool is_known = at->second->own != nullptr ? at->second->own->is_synced() : at->second->is_known;
  return is_known ? &at->second->pods : nullptr;
}

}  // namespace drover::operate
