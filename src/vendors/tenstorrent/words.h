// Tenstorrent's words that operator and agent share, and what text from a policy, an order or a container's environment
// may become part of a path, a URL or a command line. What does not pass is named to the user and used nowhere.
#pragma once

#include <string_view>

#include "protocol/keys.h"

namespace drover::vendors {

inline constexpr protocol::Channel kTenstorrentDriverChannel{.order = "drover.dev/order-tenstorrent-driver",
                                                             .report = "drover.dev/report-tenstorrent-driver"};

// On the Node, by others.
inline constexpr std::string_view kTenstorrentPciLabel = "feature.node.kubernetes.io/pci-1200_1e52.present";
inline constexpr std::string_view kTenstorrentSkipLabel = "driver.tenstorrent.com/skip";  // "true" leaves the node out

// On the Node, by the agent.
inline constexpr std::string_view kInstallModeLabel = "driver.tenstorrent.com/install-mode";
inline constexpr std::string_view kHostMode = "host";
inline constexpr std::string_view kContainerMode = "container";
inline constexpr std::string_view kKmdVersionLabel = "driver.tenstorrent.com/kmd-version";
inline constexpr std::string_view kSmiVersionLabel = "tt-smi.driver.tenstorrent.com/version";

// The builder's environment.
inline constexpr std::string_view kKmdVersionVariable = "TT_KMD_VERSION";
inline constexpr std::string_view kForceUnloadVariable = "TT_FORCE_UNLOAD";
inline constexpr std::string_view kSmiVersionVariable = "TT_SMI_VERSION";  // baked into the image
inline constexpr std::string_view kKmdSourceVariable = "TT_KMD_SOURCE";

inline constexpr std::string_view kKmdSource = "https://github.com/tenstorrent/tt-kmd.git";
inline constexpr int kLoaderPort = 8082;  // where the builder answers whether its driver is loaded

// "2.8.0": three numbers, at most 32 bytes.
bool is_kmd_version(std::string_view text);
// https, a host, perhaps a port, a path of letters, digits and ._~/-; no user, no query, at most 512 bytes.
bool is_kmd_source(std::string_view text);
// A part of a path: what a kernel's release or a version of a tool looks like.
bool is_path_part(std::string_view text);

}  // namespace drover::vendors
