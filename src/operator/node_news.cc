#include "operator/node_news.h"

#include <utility>

#include "base/log.h"
#include "kube/version_order.h"
#include "observe/ranges.h"

namespace drover::operate {
namespace {

constexpr base::Span kAskAgain = std::chrono::seconds(2);

// The watch may be ahead of the answer.
template <class Facts>
void put_newer(kube::Cache<Facts>& cache, const kube::Object& object) {
  const Facts* there = cache.find(kube::key_of(object));
  if (there == nullptr || !kube::is_older(kube::version_of(object), there->version)) cache.put(object);
}

}  // namespace

NodeNews::NodeNews(kube::Api& api, base::Loop& loop, const vendors::WorkProfile& profile, std::string ns,
                   kube::Cache<observe::NodeFacts>& nodes, kube::Cache<observe::PodFacts>& pods,
                   std::function<void()> wake)
    : api_(api),
      loop_(loop),
      profile_(profile),
      ns_(std::move(ns)),
      nodes_(nodes),
      pods_(pods),
      wake_(std::move(wake)) {}

void NodeNews::ask(const std::string& node) {
  if (under_way_.contains(node) || again_.contains(node)) return;
  under_way_[node] = api_.call(kube::get(kube::kNodes, "", node),
                               [this, node, sent_at = loop_.now()](const kube::Result<kube::Object>& answer) {
                                 if (!answer) return end(node, answer.error());
                                 put_newer(nodes_, *answer);
                                 ask_for_pods(node, sent_at);
                               });
}

// By value: the callback that holds it goes with its Call.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void NodeNews::ask_for_pods(std::string node, base::Instant sent_at) {
  kube::Range range = observe::operand_pods_of(profile_, ns_);
  range.fields = "spec.nodeName=" + node;
  kube::ListSink sink;
  sink.item = [this](const kube::Object& pod) { put_newer(pods_, pod); };
  sink.done = [this, node, sent_at](const kube::Result<kube::ListEnd>& listed) {
    if (!listed) return end(node, listed.error());
    asked_at_[node] = sent_at;
    end(node, {});
  };
  under_way_[node] = api_.list(
      {.range = std::move(range), .resource_version = {}, .projection = observe::operand_projection(profile_)},
      std::move(sink));
}

void NodeNews::end(std::string node, std::optional<base::Fault> fault) {
  under_way_.erase(node);
  if (fault) {
    log::warn("cannot look at a node again whose limit is over", {{"node", node}, {"why", fault->message}});
    again_[node] = loop_.after(kAskAgain, [this, node] {
      again_.erase(node);
      wake_();
    });
    return;
  }
  wake_();
}

}  // namespace drover::operate
