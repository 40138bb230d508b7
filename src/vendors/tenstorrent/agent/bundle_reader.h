// Reads a firmware bundle: a gzip'd tar archive with manifest.json and a folder per board.
//
// Pure: bytes in, facts out. Nothing is written or unpacked to a disk, and nothing of the archive becomes a path of
// ours. An archive that holds more than plain files and folders with plain names (links, "..", absolute names, device
// files, extended names, one name twice) is refused as a whole, and so is what grows beyond its limits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "vendors/tenstorrent/agent/firmware_version.h"

namespace drover::agent {

inline constexpr std::uint64_t kMostBundleBytes = 256ULL * 1024 * 1024;         // as it is downloaded
inline constexpr std::uint64_t kMostUnpackedBytes = 2ULL * 1024 * 1024 * 1024;  // what it may grow to
inline constexpr std::size_t kMostBundleFiles = 4096;

struct Bundle {
  FirmwareVersion version;          // of the firmware, not of the manifest's format
  std::vector<std::string> boards;  // folders that are whole ("P150A-1", "P300B-1_left"), sorted

  bool operator==(const Bundle&) const = default;
};

class BundleReader {
 public:
  BundleReader();
  ~BundleReader();
  BundleReader(const BundleReader&) = delete;
  BundleReader& operator=(const BundleReader&) = delete;

  // The bytes of the file, in order. Malformed says what is wrong; nothing may follow it.
  base::Result<void> take(std::string_view piece);
  // After the last.
  base::Result<Bundle> end();

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

// What the bundle has nothing for, of boards by the subsystem ids of their PCI functions: "" when all are there. A
// board that this drover does not know is left to tt-flash.
std::string boards_missing(const Bundle& bundle, const std::vector<int>& subsystem_ids);

}  // namespace drover::agent
