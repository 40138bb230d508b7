// Tenstorrent's words that operator and agent share, and what text from a policy, an order or a container's environment
// may become part of a path, a URL or a command line. What does not pass is named to the user and used nowhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
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

// What the two pods run: `drover agent <this>`.
inline constexpr std::string_view kFlashProgram = "flash";
inline constexpr std::string_view kFirmwareProbeProgram = "firmware-probe";

// The environment of the flash Job and of the firmware probe; what the vendor's flasher has a name for keeps it.
inline constexpr std::string_view kFlashClaimVariable = "DROVER_CLAIM";    // the claim that this pod works for
inline constexpr std::string_view kFlashBootVariable = "DROVER_BOOT_ID";   // of the node when the claim was made
inline constexpr std::string_view kFlashTargetVariable = "DROVER_TARGET";  // "19.9.0.0#7", as flash_target() makes it
inline constexpr std::string_view kBundleUrlVariable = "TT_FW_BUNDLE_URL";
inline constexpr std::string_view kForceWriteVariable = "TT_FORCE_WRITE";
inline constexpr std::string_view kContinueUnreadVariable = "TT_CONTINUE_ON_READBACK_FAILURE";
inline constexpr std::string_view kHomogenizeVariable = "TT_HOMOGENIZE_FIRMWARE_VERSIONS";

// What the flasher's image runs, by these paths only: what its PATH finds may be a shell script.
inline constexpr std::string_view kTtFlash = "/opt/tt/bin/tt-flash";
inline constexpr std::string_view kTtSmi = "/opt/tt/bin/tt-smi";

// The machine's folder that flash Job and probe share, in its own place in both: journal, lock, bundles.
inline constexpr std::string_view kFirmwareFolder = "/var/lib/drover/tenstorrent-firmware";

// "2.8.0": three numbers, at most 32 bytes.
bool is_kmd_version(std::string_view text);
// https, a host, perhaps a port, a path of letters, digits and ._~/-; no user, no query, at most 512 bytes.
bool is_kmd_source(std::string_view text);
// "19.9.0.0": three or four numbers of at most four digits.
bool is_firmware_version(std::string_view text);

// What a flash is to lead to, in clear: the version that the chips must say, and the epoch. Another epoch is another
// request for the same version (forceWrite, a retry by a person).
struct FlashTarget {
  std::string version;
  std::int64_t epoch = 0;
};
std::string flash_target(std::string_view version, std::int64_t epoch);
// Refused where that is not "VERSION#NUMBER".
base::Result<FlashTarget> parse_flash_target(std::string_view text);

// Where a bundle comes from, as spec.bundleURL says it: https, a host, no user, perhaps "#sha256=" with 64 digits.
struct BundleUrl {
  std::string url;     // without that checksum
  std::string sha256;  // lower case; "" where none is given
  std::string shown;   // for messages: a query may carry a token
};
base::Result<BundleUrl> parse_bundle_url(std::string_view text);

// A part of a path: what a kernel's release or a version of a tool looks like.
bool is_path_part(std::string_view text);

}  // namespace drover::vendors
