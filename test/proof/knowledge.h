// What one operator was shown of the API server's objects, when, and what it has asked for since. A promise binds it
// from the moment at which it could know: a checker that guesses that moment forgives too much.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"

namespace drover::proof {

// A commit that somebody may not have heard of. The empty one is known to all.
struct Change {
  base::Instant at = {};
  std::string resource = {};  // "nodes", "clusterpolicies.nvidia.com"
  std::string key = {};       // "nvidia-1", "ml/train"
  std::uint64_t version = 0;
};

class Knowledge {
 public:
  // An object, as a list or a watch brought it.
  void show(const std::string& resource, const std::string& key, std::uint64_t version, base::Instant now);
  // Everything of a resource up to a version: the end of a list, or anything that a watch over all of it brought.
  void show_all(const std::string& resource, std::uint64_t version, base::Instant now);

  bool is_blank() const { return objects_.empty() && resources_.empty(); }
  bool knew(const Change& change, base::Instant when) const;

  // It asks for a write, and hears how that went; the ticket is for `hears`.
  std::uint64_t asks(std::string resource, std::string key, base::Instant now);
  void hears(std::uint64_t ticket) { asked_.erase(ticket); }
  // When it asked for what has just happened to an object; the earliest, where it asked more than once.
  std::optional<base::Instant> asked(std::string_view resource, std::string_view key, base::Instant now) const;

 private:
  // How far it could see, and since when; both grow.
  using Horizon = std::vector<std::pair<std::uint64_t, base::Instant>>;
  struct Asked {
    std::string resource;
    std::string key;
    base::Instant at;
  };
  static void extend(Horizon& horizon, std::uint64_t version, base::Instant now);
  static bool reached(const Horizon& horizon, std::uint64_t version, base::Instant when);

  std::map<std::pair<std::string, std::string>, Horizon> objects_;
  std::map<std::string, Horizon> resources_;
  std::map<std::uint64_t, Asked> asked_;
  std::uint64_t tickets_ = 0;
};

}  // namespace drover::proof
