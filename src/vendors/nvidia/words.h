// NVIDIA's words that operator and agent share.
#pragma once

#include <string_view>

#include "protocol/keys.h"

namespace drover::vendors {

inline constexpr protocol::Channel kNvidiaDriverChannel{.order = "drover.dev/order-nvidia-driver",
                                                        .report = "drover.dev/report-nvidia-driver"};

// On the Node: gives it a driver, or says that the host brings its own.
inline constexpr std::string_view kNvidiaDeployLabel = "nvidia.com/gpu.deploy.driver";
inline constexpr std::string_view kNvidiaHostsOwn = "pre-installed";
// Tells the driver's init container that an operator is at work.
inline constexpr std::string_view kNvidiaManagedAnnotation = "nvidia.com/gpu-driver-upgrade-enabled";
// Labels that keep siblings away from the device, comma-separated, and what one says while it is paused.
inline constexpr std::string_view kNvidiaGates =
    "nvidia.com/gpu.deploy.operator-validator,nvidia.com/gpu.deploy.container-toolkit,"
    "nvidia.com/gpu.deploy.device-plugin,nvidia.com/gpu.deploy.gpu-feature-discovery,"
    "nvidia.com/gpu.deploy.dcgm-exporter,nvidia.com/gpu.deploy.dcgm,nvidia.com/gpu.deploy.mig-manager,"
    "nvidia.com/gpu.deploy.nvsm,nvidia.com/gpu.deploy.dra-driver";
inline constexpr std::string_view kNvidiaGatePaused = "paused-for-driver-upgrade";

}  // namespace drover::vendors
