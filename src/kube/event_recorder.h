// Events for people: `kubectl get events`, `kubectl describe`.
//
// core/v1 Events. The same event again (object, type, reason, message) within ten minutes raises the count of the first
// instead of making another; one object gets at most a burst of 25 and then one every 5 s, and the whole recorder has a
// limit too, so that no trouble can turn into a flood. Never a list, never blocks: what cannot be sent is counted and
// dropped. Events about one object arrive in the order in which they were recorded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/loop.h"
#include "base/random.h"
#include "kube/api.h"

namespace drover::kube {

struct Event {
  enum class Type { Normal, Warning };
  // What it is about. Events about cluster-scoped objects (Nodes) live in namespace "default".
  Resource resource;
  std::string ns;
  std::string name;
  std::string uid;

  Type type = Type::Normal;
  std::string reason;   // CamelCase word
  std::string message;  // at most 1,024 bytes are kept
};

class EventRecorder {
 public:
  // `component` and `instance` are shown as the source ("drover", the pod's name). A repeat of one of the last
  // `remembers` events raises its count; a repeat of an older one is a new event.
  // `seconds_apart`: each Event about an object is sent in a second of its own, since `kubectl get events --sort-by`
  // sees whole seconds only and shuffles what shares one.
  EventRecorder(Api& api, base::Loop& loop, base::Random random, std::string component, std::string instance,
                std::size_t remembers = 4096, bool seconds_apart = false);
  // What was recorded and not yet sent is lost; what is under way still goes.
  ~EventRecorder();
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  void record(const Event& event);

  std::uint64_t sent() const;     // writes that the server accepted
  std::uint64_t dropped() const;  // events that were never written

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace drover::kube
