#include "vendors/tenstorrent/agent/bundle_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "vendors/tenstorrent/agent/gunzip.h"
#include "vendors/tenstorrent/agent/tar_reader.h"

namespace drover::agent {
namespace {

using base::fault;
using base::Fault;
using base::Result;

// As tt-flash asks for them.
constexpr std::string_view kBundleManifest = "./manifest.json";
constexpr std::string_view kImage = "image.bin";
constexpr std::string_view kMask = "mask.json";
constexpr std::uint64_t kMostKeptBytes = 8 * 1024 * 1024;

std::unexpected<Fault> bad_bundle(std::string why) { return fault(Fault::Kind::Malformed, std::move(why)); }

struct Board {
  bool has_image = false;
  bool has_mask = false;
};

// The folders that tt-flash reads for a board, by the subsystem id of its PCI functions: one of a group will do, all of
// an P300 are needed (its two chips differ).
struct KnownBoard {
  int subsystem;
  std::string_view name;
  std::string_view all = {};  // comma-separated
  std::string_view one = {};
};
constexpr std::array<KnownBoard, 12> kBoards{{
    {0x14, "n300", "NEBULA_X2"},
    {0x18, "n150", "NEBULA_X1"},
    {0x35, "galaxy-wormhole", "WH_UBB"},
    {0x36, "p100", "P100-1"},
    {0x40, "p150a", "P150A-1"},
    {0x41, "p150b", "P150B-1"},
    {0x42, "p150c", "P150C-1"},
    {0x43, "p100a", "P100A-1"},
    {0x44, "p300b", "P300B-1_left,P300B-1_right"},
    {0x45, "p300a", "P300A-1_left,P300A-1_right"},
    {0x46, "p300c", "P300C-1_left,P300C-1_right"},
    {0x47, "galaxy-blackhole", "", "GALAXY-1,GALAXY-3"},
}};

Result<FirmwareVersion> bundle_version_in(const json::Value& manifest) {
  const json::Value* version = json::find(manifest, {"bundle_version"});
  if (version == nullptr || !version->is_object()) return bad_bundle("its manifest.json names no bundle_version");
  std::array<int, 4> parts{};
  constexpr std::array<std::string_view, 4> kKeys{"fwId", "releaseId", "patch", "debug"};
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const std::int64_t part = json::int_at(*version, {kKeys[i]}, i == 0 ? -1 : 0);
    if (part < 0 || part > 9999)
      return bad_bundle(fmt::format("its manifest.json has no number for bundle_version.{}", kKeys[i]));
    parts[i] = static_cast<int>(part);
  }
  return firmware_version_of(parts);
}

}  // namespace

struct BundleReader::Body {
  bool wants(const TarEntry& entry) {
    is_mask = false;
    if (entry.is_folder) return false;
    kept += entry.name == kBundleManifest || entry.name.ends_with(kMask) ? entry.size : 0;
    if (kept > kMostKeptBytes) return false;
    if (entry.name == kBundleManifest) return true;
    const auto parts = base::split(entry.name, '/');
    if (parts.size() != 3 || parts[0] != ".") return false;
    Board& board = boards[std::string(parts[1])];
    if (parts[2] == kImage) board.has_image = entry.size > 0;
    if (parts[2] != kMask) return false;
    mask_of = parts[1];
    return is_mask = entry.size > 0;
  }
  // Called with each piece; the entry is whole when the next one begins, or the archive ends.
  void bytes(std::string_view piece) { (is_mask ? masks[mask_of] : manifest).append(piece); }

  Result<Bundle> read() {
    if (kept > kMostKeptBytes) return bad_bundle("its manifest and masks are larger than 8 MiB together");
    if (manifest.empty()) return bad_bundle("there is no ./manifest.json in it: it is not a firmware bundle");
    const auto value = json::parse(manifest, 16);
    if (!value) return bad_bundle("its manifest.json is not JSON");
    if (json::text_at(*value, {"version"}).empty())
      return bad_bundle("its manifest.json does not say the version of its own format, which tt-flash asks for");
    Bundle bundle;
    TRY(bundle.version, bundle_version_in(*value));
    for (const auto& [name, text] : masks) {
      if (!json::parse(text, 32))
        return bad_bundle(fmt::format("{}/mask.json in it is not JSON", base::one_line(name, 40)));
      boards[name].has_mask = true;
    }
    for (const auto& [name, board] : boards) {
      if (board.has_image && board.has_mask) bundle.boards.push_back(name);
    }
    if (bundle.boards.empty()) return bad_bundle("there is no board in it with an image.bin and a mask.json");
    return bundle;
  }

  std::string manifest;
  std::map<std::string, Board> boards;
  std::map<std::string, std::string> masks;
  std::string mask_of;
  bool is_mask = false;
  std::uint64_t kept = 0;
  std::uint64_t size = 0;
  TarReader tar{kMostBundleFiles, [this](const TarEntry& entry) { return wants(entry); },
                [this](std::string_view piece) { bytes(piece); }};
  Gunzip gunzip{kMostUnpackedBytes, [this](std::string_view piece) { return tar.take(piece); }};
};

BundleReader::BundleReader() : body_(std::make_unique<Body>()) {}
BundleReader::~BundleReader() = default;

Result<void> BundleReader::take(std::string_view piece) {
  body_->size += piece.size();
  if (body_->size > kMostBundleBytes) return bad_bundle("it is larger than 256 MiB");
  return body_->gunzip.take(piece);
}

Result<Bundle> BundleReader::end() {
  TRY_VOID(body_->gunzip.end());
  TRY_VOID(body_->tar.end());
  return body_->read();
}

std::string boards_missing(const Bundle& bundle, const std::vector<int>& subsystem_ids) {
  const auto has = [&](std::string_view folder) {
    return std::find(bundle.boards.begin(), bundle.boards.end(), folder) != bundle.boards.end();
  };
  std::set<std::string> missing;
  for (const int id : subsystem_ids) {
    const auto board =
        std::find_if(kBoards.begin(), kBoards.end(), [&](const auto& one) { return one.subsystem == id; });
    if (board == kBoards.end()) continue;
    const auto all = base::split(board->all, ',');
    const auto one = base::split(board->one, ',');
    const bool is_there =
        board->all.empty() ? std::any_of(one.begin(), one.end(), has) : std::all_of(all.begin(), all.end(), has);
    if (!is_there) missing.emplace(board->name);
  }
  return base::join(std::vector<std::string>(missing.begin(), missing.end()), ", ");
}

}  // namespace drover::agent
