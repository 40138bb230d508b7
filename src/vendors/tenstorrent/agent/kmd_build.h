// Builds tt-kmd for one kernel: looks whether it can be done, fetches the tag, runs make, and puts the module into the
// cache. The loaded driver is not touched.
//
// git and make run by their absolute paths with fixed arguments; versions, kernels and URLs were checked. git has the
// network and the proxies, make has neither; both see no token. A build that is destroyed has never happened: what it
// leaves is swept by the next start.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/environment.h"
#include "base/loop.h"
#include "vendors/tenstorrent/agent/kmd_cache.h"

namespace drover::agent {

struct BuildAsk {
  KmdKey key;
  std::string source;         // where the repository is
  Environment proxies = {};   // for git only
  bool in_background = true;  // the node serves meanwhile
};

// Why it cannot be built here and now: no headers, no room; "" when nothing is in the way.
std::string build_trouble(host::Host& host, const KmdKey& key);
// Kernels that are installed with their headers, in order.
std::vector<std::string> kernels_with_headers(host::Host& host);

class KmdBuild {
 public:
  using Done = std::function<void(const base::Result<KmdEntry>&)>;
  // `done` is called once, later, unless the build is destroyed before.
  KmdBuild(host::Host& host, base::Loop& loop, std::function<void(std::string_view)> say, BuildAsk ask, Done done);
  ~KmdBuild();
  KmdBuild(const KmdBuild&) = delete;
  KmdBuild& operator=(const KmdBuild&) = delete;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace drover::agent
