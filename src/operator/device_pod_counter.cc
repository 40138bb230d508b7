#include "operator/device_pod_counter.h"

#include <utility>

#include "observe/pod_facts.h"

namespace drover::operate {
namespace {

constexpr base::Span kGoodFor = std::chrono::minutes(10);
constexpr base::Span kPatience = std::chrono::seconds(30);

}  // namespace

DevicePodCounter::DevicePodCounter(kube::Api& api, base::Loop& loop, const vendors::WorkProfile& profile,
                                   const observe::ResourceClaims& claims, std::function<void()> counted)
    : api_(api), loop_(loop), profile_(profile), claims_(claims), counted_(std::move(counted)) {}

void DevicePodCounter::wanted() {
  if (begun_at_ && loop_.now() - *begun_at_ < kGoodFor) return;
  begun_at_ = loop_.now();
  counting_.clear();
  kube::ListSink sink;
  sink.item = [this](const kube::Object& object) {
    const observe::PodFacts pod = observe::pod_facts(object, profile_);
    if (observe::uses_device(pod, &claims_) && !pod.is_finished && !pod.node.empty()) ++counting_[pod.node];
  };
  sink.done = [this](const kube::Result<kube::ListEnd>& end) {
    has_ended_ = true;
    if (end) count_ = std::exchange(counting_, {});
    counted_();
  };
  call_ = api_.list({.range = {.resource = kube::kPods, .ns = {}, .labels = {}, .fields = {}},
                     .resource_version = "0",
                     .projection = observe::pod_projection()},
                    std::move(sink));
}

bool DevicePodCounter::is_over() const { return has_ended_ || (begun_at_ && loop_.now() - *begun_at_ >= kPatience); }

std::optional<base::Span> DevicePodCounter::next_in() const {
  if (!begun_at_) return {};
  const base::Span gone = loop_.now() - *begun_at_;
  const base::Span wait = is_over() ? kGoodFor : kPatience;
  return gone < wait ? std::optional(wait - gone) : std::nullopt;
}

}  // namespace drover::operate
