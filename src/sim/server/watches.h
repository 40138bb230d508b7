// Open watches: turns commits into the events that each watcher's selectors let it see.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/server.h"
#include "sim/server/catalog.h"
#include "sim/store.h"

namespace drover::sim {

class Watches {
 public:
  explicit Watches(Store& store);
  Watches(const Watches&) = delete;
  Watches& operator=(const Watches&) = delete;

  Answer<int> start(const ResourceRules& rules, Filter filter, std::uint64_t since, Server::Seen seen,
                    std::function<void()> ended);
  void stop(int id);

 private:
  struct Watcher {
    int id;
    Filter filter;
    std::uint64_t since;
    Server::Seen seen;
    std::function<void()> ended = {};
    bool stopped = false;
  };
  using Watchers = std::vector<std::shared_ptr<Watcher>>;

  void hear(const Commit& commit);
  void end(std::string_view resource);

  Store& store_;
  int next_id_ = 1;
  bool hearing_ = false;
  std::map<ResourceName, Watchers, std::less<>> by_resource_;
};

}  // namespace drover::sim
