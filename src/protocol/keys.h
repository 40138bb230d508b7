// The annotations, labels and taints by which drover's programs know each other's words, and people drover's.
#pragma once

#include <string_view>

namespace drover::protocol {

// On the Node.
inline constexpr std::string_view kRecordAnnotation = "drover.dev/record";
inline constexpr std::string_view kHoldAnnotation = "drover.dev/hold";
inline constexpr std::string_view kSwapTaint = "drover.dev/driver-swap";
inline constexpr std::string_view kBlockedSuffix = "Blocked";  // of a condition's type: what keeps a work waiting
inline constexpr std::string_view kScaleDownAnnotation = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

// Where operator and agents speak of one kind of work: "drover.dev/order-acme-driver". Each kind has its own, so that
// the agents of several works on one node do not overwrite each other's words.
inline constexpr std::string_view kReportPrefix = "drover.dev/report-";
struct Channel {
  std::string_view order;
  std::string_view report;
};

inline constexpr std::string_view kDigestLabel = "drover.dev/driver-digest";  // on pods: which driver they carry
// On DaemonSets and pods: what their template is made of besides the driver.
inline constexpr std::string_view kTemplateAnnotation = "drover.dev/template-hash";
inline constexpr std::string_view kPolicyAnnotation = "drover.dev/policy";  // on DaemonSets: the policy's name

}  // namespace drover::protocol
