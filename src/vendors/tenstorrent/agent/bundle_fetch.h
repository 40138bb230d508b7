// Brings a bundle into this node's cache: from the cache if it is there, else by download, going on where an earlier
// one stopped. What was downloaded is an entry only after it was read and checked (bundle_cache.h).
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "agent/download.h"
#include "base/loop.h"
#include "vendors/tenstorrent/agent/bundle_cache.h"

namespace drover::agent {

class BundleFetch {
 public:
  using Say = std::function<void(std::string_view line)>;
  // Malformed, NotFound, Forbidden, Refused: the URL, its file or its checksum is wrong, and fetching it again would
  // not help. Others: it may be tried again.
  using Done = std::function<void(base::Result<CachedBundle>)>;

  // `wanted`: an entry of another version is fetched once more, as what the URL names may have changed since.
  // `done` is called once, later, unless this is destroyed before.
  BundleFetch(host::Host& host, base::Loop& loop, Downloads* downloads, vendors::BundleUrl url, FirmwareVersion wanted,
              Say say, Done done);
  ~BundleFetch();
  BundleFetch(const BundleFetch&) = delete;
  BundleFetch& operator=(const BundleFetch&) = delete;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace drover::agent
