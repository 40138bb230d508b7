// Base of the controllers: commits enqueue keys, and each key is reconciled a little later.
//
// A controller never acts inside a commit: it only enqueues keys (and may update small indexes, so that one event costs
// one step and not a scan). It acts in `sync`, on the loop, through the Server like every other client. When it starts,
// it is told of all existing objects. It keeps no state of its own: a controller that is destroyed and created again
// finds everything in the store.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop.h"
#include "kube/api.h"
#include "sim/controllers/events.h"
#include "sim/controllers/work_queue.h"
#include "sim/server.h"

namespace drover::sim {

// What all controllers of one cluster share.
struct ControlPlane {
  base::Loop& loop;
  Server& server;
  Events& events;
  // Between a commit and the controllers' reaction: long enough that a burst of events is one piece of work.
  base::Span reaction = std::chrono::milliseconds(20);

  const Store& store() const { return server.store(); }
  std::string wall_text() const { return base::rfc3339(loop.wall()); }
};

// Nothing, or the server's refusal; the key is then tried again later.
using Done = std::expected<void, Rejection>;

class Controller {
 public:
  // `field_manager` is the field manager of its requests.
  Controller(ControlPlane plane, std::string field_manager);
  virtual ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Calls `heard` for every existing object as if it had just been created, and then for every commit.
  void start();

 protected:
  // The resources ("pods", "daemonsets.apps") whose commits `heard` is called for, in the order they are told at the
  // start; none means all.
  virtual std::vector<std::string> interests() const = 0;
  // Inside the commit: note, index, enqueue; no requests.
  virtual void heard(const Commit& commit) = 0;
  // On the loop: make what `key` names as it should be.
  virtual Done sync(const std::string& key) = 0;

  void enqueue(const std::string& key) { queue_.add(key, plane_.reaction); }
  void enqueue_after(const std::string& key, base::Span span) { queue_.add(key, span); }
  void forget(const std::string& key) { queue_.forget(key); }
  // Of the pods that are missing, how many one look makes (as kube-controller-manager); the next look makes more.
  static constexpr std::int64_t kBurst = 500;
  base::Span reaction() const { return plane_.reaction; }

  // One request, signed with this controller's name.
  Answer<Stored> ask(kube::Request request) const;
  // The same; an object that is gone or has been replaced counts as success.
  Done ask_unless_gone(kube::Request request) const;

  base::Loop& loop() const { return plane_.loop; }
  Server& server() const { return plane_.server; }
  const Store& store() const { return plane_.store(); }
  Events& events() const { return plane_.events; }
  std::string now_text() const { return plane_.wall_text(); }

 private:
  bool look_at(const std::string& key);
  Done sync_guarded(const std::string& key);

  ControlPlane plane_;
  std::string field_manager_;
  WorkQueue queue_;
  int subscription_ = -1;
};

inline bool says(const Rejection& rejection, std::string_view reason) { return rejection.reason == reason; }

// TRY for Answers and Dones: the value, or return the Rejection to our caller.
#define ASK(decl, ...) DROVER_TRY_(DROVER_JOIN(ask_, __LINE__), decl, __VA_ARGS__)
#define ASK_VOID(...)                                                                 \
  if (auto DROVER_JOIN(ask_, __LINE__) = (__VA_ARGS__); !DROVER_JOIN(ask_, __LINE__)) \
  return std::unexpected(std::move(DROVER_JOIN(ask_, __LINE__)).error())

}  // namespace drover::sim
