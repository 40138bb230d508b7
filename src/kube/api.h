// The one door to a Kubernetes API server.
//
// Behind it stands HTTPS in production (kube/http_api.h) and the embedded cluster in tests and demos (sim/store_api.h),
// so that the same code runs against both, in real time and in virtual time. Answers always come later, on the loop's
// thread, one at a time, never from inside the call that asked.
//
// An outcome is an object or a Fault (base/result.h); the fault's kind says what the caller can do. Nothing behind this
// door repeats a write by itself.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "kube/object.h"
#include "kube/projection.h"
#include "kube/resource.h"

namespace drover::kube {

using base::Fault;
using base::Result;

enum class Verb { Get, Create, Replace, Patch, Delete };
enum class PatchKind { Merge, Strategic, Json, Apply };
enum class Propagation { Default, Background, Foreground, Orphan };
// What the server does about fields it does not know: nothing said is its own choice (a real server warns).
enum class FieldValidation { Unsaid, Ignore, Warn, Strict };

// Lanes: the lease has its own connection and no limiter, so that no other traffic can make us lose it.
enum class Lane { Ordinary, Lease };

// One request for one object. Made by the functions below, which set what their verb needs.
struct Request {
  Verb verb = Verb::Get;
  Resource resource;
  std::string ns;
  std::string name;
  std::string subresource;  // "status", "eviction", "scale", "log", "token"; empty for the object itself
  json::Value body;         // Create, Replace, Patch; an Eviction goes as Create on "eviction"

  PatchKind patch = PatchKind::Merge;
  std::string field_manager = "drover";
  bool force = false;    // Apply: take fields from other managers
  bool dry_run = false;  // validated and admitted, not kept
  FieldValidation field_validation = FieldValidation::Unsaid;
  // `duplicate field "spec.x"` for each field that the text of the body gave twice; only its reader can tell.
  std::vector<std::string> duplicates = {};

  // Delete
  std::string uid_precondition;
  std::string version_precondition;
  std::optional<base::Span> grace = {};
  Propagation propagation = Propagation::Default;

  Lane lane = Lane::Ordinary;
  Projection projection = {};  // of the answer
};

Request get(Resource resource, std::string ns, std::string name);
Request create(Resource resource, std::string ns, Object object);
// Guarded by the object's own resourceVersion when it has one.
Request replace(Resource resource, Object object, std::string subresource = {});
// To guard a merge or strategic patch by version, put metadata.resourceVersion into the body.
Request patch(Resource resource, std::string ns, std::string name, PatchKind kind, json::Value body,
              std::string subresource = {});
// Deletes only the object with this uid; an empty uid means whatever has the name.
Request remove(Resource resource, std::string ns, std::string name, std::string uid);
// Asks for the eviction of this very pod. Blocked when a budget holds it.
Request evict(std::string ns, std::string pod, std::string uid);

// "patch nodes/gpu-7", "evict pods/ml/train-7": for messages and transcripts.
std::string sentence(const Request& request);

// A call under way. Destroying it means that the answer is not wanted any more: nothing of it is called back.
// A write whose Call is destroyed may still happen.
class Call {
 public:
  class Ticket {
   public:
    virtual ~Ticket() = default;
    virtual void cancel() = 0;
  };

  Call() = default;
  explicit Call(std::shared_ptr<Ticket> ticket) : ticket_(std::move(ticket)) {}
  Call(Call&&) noexcept = default;
  Call& operator=(Call&& other) noexcept {
    if (this != &other) {
      cancel();
      ticket_ = std::move(other.ticket_);
    }
    return *this;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() { cancel(); }

  void cancel() {
    if (auto ticket = std::move(ticket_)) ticket->cancel();
  }
  // The answer is still delivered although the Call is no longer held.
  void let_go() { ticket_.reset(); }

 private:
  std::shared_ptr<Ticket> ticket_;
};

// Which objects: of a namespace ("" = all), by labels and fields, as kubectl writes them.
struct Range {
  Resource resource;
  std::string ns;
  std::string labels;  // "app=web"
  std::string fields;  // "spec.nodeName=gpu-7"
};

struct ListRequest {
  Range range;
  int page = 500;                // objects per page; 0 asks for all at once
  std::string resource_version;  // "" = the newest; "0" = whatever the server has at hand
  Projection projection = {};
};

struct ListEnd {
  std::string resource_version;  // a watch may start here
};

// Items arrive one by one, in the server's order, as the text streams in; then `done`, once. After a fault the items
// that came before it are not a whole list.
struct ListSink {
  std::function<void(Object)> item;
  std::function<void(Result<ListEnd>)> done;
};

struct WatchRequest {
  Range range;
  std::string resource_version;                  // events after this one
  base::Span timeout = std::chrono::minutes(5);  // the server ends the watch after about this long
  Projection projection = {};
};

struct WatchEvent {
  enum class Kind { Added, Modified, Deleted, Bookmark };
  Kind kind;
  Object object;  // a Bookmark has only kind and metadata.resourceVersion
};

// Events in order; then `ended`, once: nothing for the server's ordinary end, Expired when the watch must begin with a
// new list, else what broke it.
struct WatchSink {
  std::function<void(WatchEvent)> event;
  std::function<void(std::optional<Fault>)> ended;
};

class Api {
 public:
  virtual ~Api() = default;

  using Answer = std::function<void(Result<Object>)>;

  [[nodiscard]] virtual Call call(Request request, Answer answer) = 0;
  // All pages, one after the other.
  [[nodiscard]] virtual Call list(ListRequest request, ListSink sink) = 0;
  // On a connection of its own. Always asks for bookmarks.
  [[nodiscard]] virtual Call watch(WatchRequest request, WatchSink sink) = 0;
};

}  // namespace drover::kube
