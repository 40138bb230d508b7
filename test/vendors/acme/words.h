// Acme's words on nodes and pods.
#pragma once

#include <string_view>

namespace drover::vendors {

// On the Node: it has such devices; and what keeps the check away while the driver is swapped.
inline constexpr std::string_view kAcmePresent = "feature.node.kubernetes.io/pci-acac.present";
inline constexpr std::string_view kAcmeGate = "acme.example/npu-check";

// On our pods: which part one is.
inline constexpr std::string_view kAcmePart = "acme.example/part";
inline constexpr std::string_view kAcmeDriver = "acme-driver";
inline constexpr std::string_view kAcmeCheck = "acme-check";
inline constexpr std::string_view kAcmePreflight = "acme-preflight";

}  // namespace drover::vendors
