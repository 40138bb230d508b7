// What the parts of one node's kubelet share. Owned by NodeLife; everything here outlives the pods.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "kube/event_recorder.h"
#include "sim/kubelet.h"

namespace drover::sim {

// The projection of an answer that is not read.
inline const kube::Projection& only_the_uid() {
  static const kube::Projection kOnlyTheUid = {"metadata.uid"};
  return kOnlyTheUid;
}

// Shared by all nodes.
struct KubeletShared {
  kube::Api& api;
  base::Loop& loop;
  base::Random random;
  KubeletPlan plan;
  ImageTable images;
  Programs programs;
  Journal* journal = nullptr;
  LogBook* logs = nullptr;
  std::function<void(std::string_view)> notable = {};
  std::uint32_t next_address = 0x800001;  // of pods, under 10/8
  std::uint64_t writes = 0;
  std::uint64_t failed_writes = 0;
};

struct KubeletContext {
  KubeletShared& shared;
  std::string node;
  SimHost host;
  std::set<std::string> images = {};  // pulled before; survives reboots
  std::unique_ptr<kube::EventRecorder> recorder = {};
  bool is_up = true;

  base::Loop& loop() const { return shared.loop; }
  base::Span about(base::Span span) const { return shared.random.jitter(span, shared.plan.tempo.jitter); }
  void note(std::string_view event, Journal::Where where, Journal::More more = {}) const {
    where.node = node;
    if (shared.journal != nullptr) shared.journal->note(event, where, more);
  }
  void tell(std::string_view line) const {
    if (shared.notable) shared.notable(line);
  }
};

}  // namespace drover::sim
