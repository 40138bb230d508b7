// The cluster's own Events (core/v1), as its controllers, scheduler and kubelets tell them.
//
// The same event again (source, object, type, reason, message) raises the count of the first; one object gets at most a
// burst of 25 from one source and then one in five minutes, so that a DaemonSet with ten thousand pods does not drown
// its own history. An Event lives for an hour. Told synchronously: what people read next to an object is there when the
// object is.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/loop.h"
#include "kube/object.h"
#include "kube/resource.h"
#include "sim/server.h"

namespace drover::sim {

// What an Event is about.
struct About {
  std::string api_version;
  std::string kind;
  std::string ns;
  std::string name;
  std::string uid;

  static About object(const kube::Resource& resource, const kube::Object& object);
};

class Events {
 public:
  static constexpr std::chrono::hours kLifetime{1};

  Events(base::Loop& loop, Server& server) : loop_(loop), server_(server) {}

  // `source` is the component ("daemonset-controller"), `host` the node for kubelets.
  void normal(const About& about, std::string_view source, std::string_view reason, std::string_view message,
              std::string_view host = {});
  void warning(const About& about, std::string_view source, std::string_view reason, std::string_view message,
               std::string_view host = {});

 private:
  // Of what makes two Events the same: there are hundreds of thousands in an hour.
  using Digest = std::uint64_t;
  struct Known {
    std::string name;
    std::int64_t count = 1;
    base::Instant last_at;
  };
  // Messages that differ in nothing else.
  struct Similar {
    std::vector<Digest> messages;
    base::Instant last_at;
  };
  struct Allowance {
    double tokens;
    base::Instant refilled_at;
  };

  void tell(const About& about, std::string_view type, std::string_view source, std::string_view reason,
            std::string_view message, std::string_view host);
  bool is_one_of_many(Digest kind, std::string_view message);
  bool raise_count(Known& known, const std::string& ns, std::string_view message);
  bool may_speak(Digest speaker);
  void tidy();

  base::Loop& loop_;
  Server& server_;
  std::unordered_map<Digest, Known> known_;       // looked up only; emptied whole, never walked for effect
  std::unordered_map<Digest, Similar> similar_;   // as above
  std::unordered_map<Digest, Allowance> spoken_;  // as above
  base::Instant tidied_at_{};
  std::uint64_t told_ = 0;
};

}  // namespace drover::sim
