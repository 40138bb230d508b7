// Which fields of an object we want.
//
// A list of 20,000 pods is 160 MB of JSON; we need perhaps a twentieth of it. A Projection is compiled once from paths
// and then steers the parser, which builds only what is kept. Arrays are transparent: "spec.containers.resources" keeps
// the resources of every container. A key with dots stands in brackets: "metadata.annotations[drover.dev/record]".
//
// Always kept, because everything stands on them: kind, apiVersion, metadata.{name,namespace,uid,resourceVersion,
// deletionTimestamp}.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace drover::kube {

class Projection {
 public:
  // Keeps everything.
  Projection() = default;
  // Keeps these paths and the always-kept ones; a path keeps the whole subtree under it.
  Projection(std::initializer_list<std::string_view> paths) : Projection(std::span(paths.begin(), paths.size())) {}
  explicit Projection(std::span<const std::string_view> paths);

  bool keeps_everything() const { return root_ == nullptr; }

  // One step of the trie; what a key leads to.
  struct Step {
    std::string key;
    bool whole = false;  // everything below is kept
    std::vector<Step> next;
    const Step* find(std::string_view key) const;
  };
  const Step* root() const { return root_.get(); }

  // The same cut applied to a parsed value (the embedded cluster's door).
  json::Value applied_to(const json::Value& whole) const;

 private:
  std::shared_ptr<const Step> root_;
};

}  // namespace drover::kube
