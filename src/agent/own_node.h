// Our own Node: watched, and patched where an agent may.
//
// The newest of what the watch and our own writes have shown; an older one never takes its place.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/loop.h"
#include "base/random.h"
#include "kube/reflector.h"
#include "protocol/order.h"

namespace drover::agent {

// What labels are to say; no value: the label goes.
using LabelChanges = std::map<std::string, std::optional<std::string>>;

// The id of the claim that the record says is open on this very Node; "" where there is none.
std::string open_claim(const kube::Object& node);
// The id of the claim in the record on it, whatever Node that was made for; nothing where there is none.
std::optional<std::string> recorded_claim(const kube::Object& node);
// What the operator has written for the agent, in this annotation; where that cannot be read, why.
void read_order(const kube::Object& node, std::string_view annotation, std::optional<protocol::Order>& order,
                std::string& trouble);

class OwnNode {
 public:
  OwnNode(kube::Api& api, base::Loop& loop, base::Random random, std::string name, std::function<void()> changed);

  void start() { reflector_.start(); }
  // Nothing until the API server has told, or when the Node is gone.
  const std::optional<kube::Object>& seen() const { return seen_; }
  // Why the last try to hear of it failed; "" when it did not.
  const std::string& trouble() const { return trouble_; }

  // One patch at a time: changes these labels and sets this annotation of the Node that was seen. With labels it is
  // guarded by the version that was seen, because other people write labels too.
  void patch(const LabelChanges& labels, std::string_view annotation, const std::string& text,
             std::function<void(std::optional<base::Fault>)> done);
  bool is_patching() const { return is_patching_; }

 private:
  void put(const kube::Object& object);

  kube::Api& api_;
  std::string name_;
  std::function<void()> changed_;
  std::optional<kube::Object> seen_;
  std::string trouble_;
  bool is_patching_ = false;
  kube::Call call_;
  kube::Reflector reflector_;
};

}  // namespace drover::agent
