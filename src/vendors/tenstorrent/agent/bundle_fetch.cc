#include "vendors/tenstorrent/agent/bundle_fetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace drover::agent {
namespace {

using base::fault;
using base::Fault;
using base::Result;

// Between tries; after the last wait there is one more.
constexpr std::array<base::Span, 5> kWaits{std::chrono::seconds(1), std::chrono::seconds(2), std::chrono::seconds(4),
                                           std::chrono::seconds(8), std::chrono::seconds(16)};
constexpr base::Span kSayProgressEvery = std::chrono::seconds(10);
constexpr std::uint64_t kRoomNeeded = 2 * kMostBundleBytes;
constexpr std::uint64_t kMiB = 1024 * 1024;

bool is_worth_another_try(Fault::Kind kind) {
  return kind == Fault::Kind::Unreachable || kind == Fault::Kind::Unknown || kind == Fault::Kind::Failed;
}

}  // namespace

struct BundleFetch::Body : std::enable_shared_from_this<BundleFetch::Body> {
  Body(host::Host& machine, base::Loop& its_loop, Downloads* network, vendors::BundleUrl from, FirmwareVersion version,
       Say its_say, Done its_done)
      : host(machine),
        loop(its_loop),
        downloads(network),
        url(std::move(from)),
        wanted(version),
        say(std::move(its_say)),
        done(std::move(its_done)),
        part(bundle_part(url)) {}

  void start() {
    auto cached = find_bundle(host, url);
    if (cached && (cached->bundle.version == wanted || !url.sha256.empty())) {
      say(fmt::format("the bundle is in this node's cache: firmware {}, SHA-256 {}", cached->bundle.version.text(),
                      cached->sha256));
      return end(std::move(cached));
    }
    if (cached)
      say(fmt::format("the cached bundle holds firmware {}: fetching it again", cached->bundle.version.text()));
    if (!cached && cached.error().kind == Fault::Kind::Malformed) {
      say(cached.error().message);
      drop_bundle(host, url);
    }
    if (downloads == nullptr) return end(fault(Fault::Kind::Unreachable, "there is no network to fetch it from"));
    if (const auto ready = make_ready(); !ready) return end(std::unexpected(ready.error()));
    ask();
  }

  Result<void> make_ready() {
    TRY_VOID(host.make_folder(fmt::format("{}/part", vendors::kFirmwareFolder)));
    auto locked = host.lock(part + ".lock");
    if (!locked) {
      return fault(Fault::Kind::Failed,
                   fmt::format("another pod is fetching it on this node now ({}); try again when it has ended",
                               locked.error().message));
    }
    lock = std::move(*locked);
    sweep_parts();
    const auto room = host.free_bytes(part);
    if (room && *room < kRoomNeeded) {
      return fault(Fault::Kind::Failed,
                   fmt::format("only {} MiB are free on the disk of {}, and {} are needed; make room", *room / kMiB,
                               vendors::kFirmwareFolder, kRoomNeeded / kMiB));
    }
    return {};
  }

  // Downloads that no pod is at, of bundles that are not wanted any more, are large.
  void sweep_parts() {
    const std::string folder = part.substr(0, part.rfind('/'));
    for (const auto& name : host.list(folder).value_or(std::vector<std::string>{})) {
      const std::string other = fmt::format("{}/{}", folder, name.substr(0, name.find('.')));
      if (other == part) continue;
      const auto free = host.lock(other + ".lock");
      if (!free) continue;
      static_cast<void>(host.remove_tree(fmt::format("{}/{}", folder, name)));
      static_cast<void>(host.remove(other + ".lock"));
    }
  }

  void ask() {
    size = host.size(part).value_or(0);
    was_resumed = size > 0;
    if (was_resumed) say(fmt::format("going on with the download of {} after {} MiB", url.shown, size / kMiB));
    if (!was_resumed) say(fmt::format("downloading {}", url.shown));
    said_at = loop.now();
    download = downloads->get({.url = url.url, .from = size},
                              {.begin = [this](std::uint64_t from) { return begin(from); },
                               .piece = [this](std::string_view piece) { return take(piece); },
                               .done = [this](Result<void> result) { came(std::move(result)); }});
  }

  Result<void> begin(std::uint64_t from) {
    if (from == size) return {};
    if (from != 0) return fault(Fault::Kind::Refused, "the server began at another byte than was asked for");
    size = 0;
    was_resumed = false;
    return host.remove(part);
  }

  Result<void> take(std::string_view piece) {
    size += piece.size();
    if (size > kMostBundleBytes) {
      static_cast<void>(host.remove(part));
      return fault(Fault::Kind::Refused, "it is larger than 256 MiB, which no firmware bundle is");
    }
    if (loop.now() - said_at >= kSayProgressEvery) {
      said_at = loop.now();
      say(fmt::format("downloaded {} MiB", size / kMiB));
    }
    return host.append(part, piece);
  }

  void came(Result<void> result) {
    // Called from inside the download, which must outlive this call.
    loop.post([weak = weak_from_this(), result = std::move(result)] {
      if (const auto self = weak.lock()) self->judge(result);
    });
  }

  void judge(const Result<void>& result) {
    download.reset();
    if (!result) return try_again(result.error());
    auto kept = keep_bundle(host, url);
    // The part of an earlier download may have been of another file.
    if (!kept && kept.error().kind == Fault::Kind::Malformed && was_resumed && !std::exchange(began_anew, true)) {
      say(fmt::format("{}; downloading it from its beginning", kept.error().message));
      return ask();
    }
    if (kept)
      say(fmt::format("the bundle is whole: firmware {}, SHA-256 {}", kept->bundle.version.text(), kept->sha256));
    end(std::move(kept));
  }

  void try_again(const Fault& why) {
    if (!is_worth_another_try(why.kind) || tries >= kWaits.size()) {
      const std::string after = tries > 0 ? fmt::format(" (after {} tries)", tries + 1) : "";
      return end(fault(why.kind, fmt::format("cannot download {}: {}{}", url.shown, why.message, after)));
    }
    const base::Span wait = kWaits[tries++];
    say(fmt::format("the download stopped: {}; going on in {}", why.message, base::human(wait)));
    timer = loop.after(wait, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->ask();
    });
  }

  void end(Result<CachedBundle> result) {
    lock.reset();
    loop.post([weak = weak_from_this(), result = std::move(result)] {
      if (const auto self = weak.lock()) std::exchange(self->done, [](const Result<CachedBundle>&) {})(result);
    });
  }

  host::Host& host;
  base::Loop& loop;
  Downloads* downloads;
  vendors::BundleUrl url;
  FirmwareVersion wanted;
  Say say;
  Done done;
  std::string part;
  std::shared_ptr<void> lock;
  std::shared_ptr<void> download;
  std::uint64_t size = 0;  // of what is here
  bool was_resumed = false;
  bool began_anew = false;
  std::size_t tries = 0;
  base::Instant said_at = {};
  base::Timer timer;
};

BundleFetch::BundleFetch(host::Host& host, base::Loop& loop, Downloads* downloads, vendors::BundleUrl url,
                         FirmwareVersion wanted, Say say, Done done)
    : body_(std::make_shared<Body>(host, loop, downloads, std::move(url), wanted, std::move(say), std::move(done))) {
  body_->start();
}

BundleFetch::~BundleFetch() = default;

}  // namespace drover::agent
