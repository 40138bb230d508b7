#include "operator/node_pods.h"

#include <utility>

namespace drover::operate {

NodePods::NodePods(kube::Api& api, base::Loop& loop, base::Random random, const vendors::Profile& profile,
                   std::function<void(const std::string& node)> changed)
    : api_(api), loop_(loop), random_(std::move(random)), profile_(profile), changed_(std::move(changed)) {}

void NodePods::want(const std::set<std::string>& nodes) {
  std::erase_if(watched_, [&](const auto& one) { return !nodes.contains(one.first); });
  for (const std::string& node : nodes) {
    if (watched_.contains(node)) continue;
    auto watched =
        std::make_unique<Watched>([this](const kube::Object& object) { return observe::pod_facts(object, profile_); });
    const kube::Range range{.resource = kube::kPods, .ns = {}, .labels = {}, .fields = "spec.nodeName=" + node};
    watched->reflector =
        std::make_unique<kube::Reflector>(api_, loop_, random_.fork(node), range, observe::pod_projection(),
                                          kube::feed(watched->pods, [this, node] { changed_(node); }));
    watched->reflector->start();
    watched_.emplace(node, std::move(watched));
  }
}

const kube::Cache<observe::PodFacts>* NodePods::of(const std::string& node) const {
  const auto at = watched_.find(node);
  return at == watched_.end() || !at->second->reflector->is_synced() ? nullptr : &at->second->pods;
}

}  // namespace drover::operate
