#include "vendors/tenstorrent/agent/bundle_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "host/fingerprint.h"

namespace drover::agent {
namespace {

using base::fault;
using base::Fault;
using base::Result;
using vendors::BundleUrl;
using vendors::kFirmwareFolder;

constexpr std::string_view kFile = "bundle.fwbundle";
constexpr std::string_view kEntry = "entry.json";
constexpr std::size_t kMostEntries = 3;
constexpr std::size_t kKeyDigits = 16;

std::string key_of(const BundleUrl& url) { return host::Fingerprint::of(url.url).substr(0, kKeyDigits); }
std::string entries() { return fmt::format("{}/bundles", kFirmwareFolder); }
std::string bundle_entry_of(const BundleUrl& url) { return fmt::format("{}/{}", entries(), key_of(url)); }

host::Inside inside(std::string path) { return {std::string(kFirmwareFolder), std::move(path)}; }

std::unexpected<Fault> unusable(const BundleUrl& url, std::string_view why) {
  return fault(Fault::Kind::Malformed,
               fmt::format("the bundle of {} in {} cannot be used: {}", url.shown, bundle_entry_of(url), why));
}

std::int64_t number_of(host::Host& host, const std::string& name) {
  const auto text = host.read(fmt::format("{}/{}/{}", entries(), name, kEntry));
  const auto entry = text ? json::parse(*text, 8) : base::Result<json::Value>(json::Value());
  return entry ? json::int_at(*entry, {"number"}) : 0;
}

// The oldest go, so that with the one that comes there are not too many. The number for that one.
std::int64_t make_place(host::Host& host) {
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (const auto& name : host.list(entries()).value_or(std::vector<std::string>{}))
    found.emplace_back(number_of(host, name), name);
  std::sort(found.begin(), found.end());
  const std::int64_t last = found.empty() ? 0 : found.back().first;
  for (std::size_t i = 0; found.size() - i >= kMostEntries; ++i)
    static_cast<void>(host.remove_tree(fmt::format("{}/{}", entries(), found[i].second)));
  return last + 1;
}

Result<std::string> fingerprint_and_read(host::Host& host, const host::Inside& file, Bundle& bundle) {
  BundleReader reader;
  host::Fingerprint fingerprint;
  TRY_VOID(host.read_in_pieces(file, [&](std::string_view piece) {
    fingerprint.add(piece);
    return reader.take(piece);
  }));
  TRY(bundle, reader.end());
  return fingerprint.text();
}

Result<void> check_download(host::Host& host, const BundleUrl& url, CachedBundle& found) {
  const host::Inside part = inside("part/" + key_of(url));
  // The checksum first: it says what a cut or exchanged file is in one word.
  TRY(const std::string sha256, host.fingerprint(part));
  if (!url.sha256.empty() && sha256 != url.sha256) {
    return fault(Fault::Kind::Malformed,
                 fmt::format("the file at {} has the SHA-256 {}, and spec.bundleURL names {}; correct one of them",
                             url.shown, sha256, url.sha256));
  }
  const auto again = fingerprint_and_read(host, part, found.bundle);
  if (!again) {
    return fault(again.error().kind == Fault::Kind::Malformed ? Fault::Kind::Malformed : again.error().kind,
                 fmt::format("the file at {} is not a firmware bundle: {}; correct spec.bundleURL", url.shown,
                             again.error().message));
  }
  if (*again != sha256) return fault(Fault::Kind::Failed, "the download changed while it was read");
  found.sha256 = sha256;
  return {};
}

std::string entry_text(const BundleUrl& url, const CachedBundle& found, std::int64_t number) {
  json::Array boards;
  for (const std::string& board : found.bundle.boards) boards.emplace_back(board);
  return json::text_of(json::Members{{"v", 1},
                                     {"number", number},
                                     {"url", url.shown},
                                     {"sha256", found.sha256},
                                     {"version", found.bundle.version.text()},
                                     {"boards", std::move(boards)}}) +
         "\n";
}

}  // namespace

std::string bundle_part(const BundleUrl& url) { return fmt::format("{}/part/{}", kFirmwareFolder, key_of(url)); }

void drop_bundle(host::Host& host, const BundleUrl& url) { static_cast<void>(host.remove_tree(bundle_entry_of(url))); }

Result<CachedBundle> find_bundle(host::Host& host, const BundleUrl& url) {
  const std::string entry = bundle_entry_of(url);
  if (!host.exists(entry))
    return fault(Fault::Kind::NotFound,
                 fmt::format("the bundle of {} is not in this node's cache {}", url.shown, entry));
  const auto text = host.read(fmt::format("{}/{}", entry, kEntry));
  if (!text) return unusable(url, "it has no entry.json");
  const auto value = json::parse(*text, 8);
  if (!value || json::int_at(*value, {"v"}) != 1)
    return unusable(url, "its entry.json is garbled, or of another release");
  const auto version = parse_firmware_version(json::text_at(*value, {"version"}));
  if (!version) return unusable(url, "its entry.json names no version");
  CachedBundle found{.path = fmt::format("{}/{}", entry, kFile),
                     .sha256 = std::string(json::text_at(*value, {"sha256"})),
                     .bundle = {.version = *version, .boards = {}}};
  for (const json::Value& board : json::array_at(*value, {"boards"})) {
    if (board.is_string()) found.bundle.boards.emplace_back(std::string_view(board.get_string()));
  }
  if (!url.sha256.empty() && url.sha256 != found.sha256)
    return unusable(url, "it has not the SHA-256 that the URL names");
  const auto sha256 = host.fingerprint(inside(fmt::format("bundles/{}/{}", key_of(url), kFile)));
  if (!sha256) return unusable(url, sha256.error().message);
  if (sha256->empty() || *sha256 != found.sha256) return unusable(url, "the file was changed since it was checked");
  return found;
}

Result<CachedBundle> keep_bundle(host::Host& host, const BundleUrl& url) {
  CachedBundle found;
  if (const auto good = check_download(host, url, found); !good) {
    static_cast<void>(host.remove(bundle_part(url)));
    return std::unexpected(good.error());
  }
  const std::string staged = bundle_part(url) + ".entry";
  TRY_VOID(host.remove_tree(staged));
  TRY_VOID(host.make_folder(staged));
  TRY_VOID(host.make_folder(entries()));
  drop_bundle(host, url);
  TRY_VOID(host.write(fmt::format("{}/{}", staged, kEntry), entry_text(url, found, make_place(host))));
  TRY_VOID(host.rename(bundle_part(url), fmt::format("{}/{}", staged, kFile)));
  TRY_VOID(host.rename(staged, bundle_entry_of(url)));
  return find_bundle(host, url);
}

}  // namespace drover::agent
