// The embedded API server: what a request means.
//
// Everything an API server does between a request and the store: names and uids, generation and status subresource,
// defaulting, validation of what our objects use, optimistic concurrency, all four patch kinds, deletion with grace and
// finalizers, eviction with budgets, namespaces that end, pods that bind. Synchronous and without time of its own:
// `loop` only stamps objects. Controllers and kubelets (sim/controllers, sim/kubelet) are ordinary clients.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop.h"
#include "base/random.h"
#include "base/selector.h"
#include "kube/api.h"
#include "sim/store.h"

namespace drover::sim {

// A refusal: the parts of metav1.Status. The HTTP frontend sends it as it is; StoreApi turns it into a Fault.
struct Rejection {
  int code = 500;
  std::string reason;   // "NotFound", "AlreadyExists", "Conflict", "Invalid", "TooManyRequests", …
  std::string message;  // word for word as kube-apiserver says it
  json::Value details;  // metav1.StatusDetails
  std::optional<base::Span> retry_after = {};

  json::Value status() const;
};

template <class T>
using Answer = std::expected<T, Rejection>;

// A Range with its selectors parsed: which objects of a resource a request selects.
class Filter {
 public:
  // `selectable`: what a CRD adds to the fields that can be selected by (".spec.color").
  static Answer<Filter> make(const kube::Range& range, const std::vector<std::string>* selectable = nullptr);
  bool matches(const kube::Object& object) const;
  const kube::Range& range() const { return range_; }
  // By labels or fields, not only by namespace.
  bool selects_by_content() const { return !labels_.selects_everything() || !fields_.empty(); }
  // For a bug (sim/server/bugs.h): "a!=b" no longer matches objects without the label a.
  void want_unequal_keys();

 private:
  struct FieldTerm {
    std::vector<std::string> path;
    bool equal = true;
    std::string value;
  };
  kube::Range range_;
  base::Selector labels_;
  std::vector<FieldTerm> fields_;
  std::vector<std::string> wanted_keys_ = {};
};

struct CustomKind;
enum class Bug;
class Bugs;
namespace crd {
struct Definition;
}
namespace rbac {
struct User;
class Policy;
}  // namespace rbac

struct Reply {
  int code = 200;
  Stored object;
  std::vector<std::string> warnings = {};  // for Warning headers, without code and agent
};

struct ListPage {
  std::vector<Kept> items;
  std::string resource_version;
  std::string continue_token;
  std::int64_t remaining = 0;
};

class Server {
 public:
  Server(const base::Loop& loop, base::Random random);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Any single-object request. What comes back is what an API server sends: for Delete the object while it is still
  // going, then its last state or a Status (pods and namespaces: the object; nodes and workloads: a Status); a Status
  // for evictions.
  Answer<Stored> serve(const kube::Request& request);
  // The same with the HTTP code of success: 201 when an object was created, else 200.
  Answer<Reply> reply(const kube::Request& request);
  // The same for a user with RBAC rights: it must not grant rights that it does not have. (Authorization of the request
  // itself is the caller's task.)
  Answer<Reply> reply(const kube::Request& request, const rbac::User& user);
  // Deletes every object of the range, each by the rules of one delete; the objects as they were.
  Answer<ListPage> delete_collection(const kube::Range& range, const kube::Request& how);
  // One page; `limit` 0 = all. `continue_token` as given by the page before.
  Answer<ListPage> list(const kube::Range& range, int limit, const std::string& continue_token,
                        const std::string& resource_version);

  // Events after `since` (replayed at once), then each new one as it is committed; 410 when history does not reach back
  // so far. `since` 0: everything that exists, as Added, and then what happens. The callback runs inside the commit:
  // latency and queues are the caller's. `ended`, inside of a commit too: the definition of its kind is gone, so
  // nothing more will be told.
  using Seen = std::function<void(kube::WatchEvent::Kind, const Kept&)>;
  Answer<int> watch(const kube::Range& range, std::uint64_t since, Seen seen, std::function<void()> ended = {});
  void unwatch(int id);

  // The field manager of the request that is being served, for listeners of the store that report the writer; ""
  // between requests.
  std::string_view asker() const;

  Store& store();
  const Store& store() const;

  // Every resource that can be asked for: the built-in ones and, when a CRD is established, its own.
  const kube::Resource* find_resource(std::string_view group, std::string_view version, std::string_view plural) const;
  const std::vector<kube::Resource>& resources() const;
  // The established CRD of a custom resource, or nullptr; valid until the next request.
  const crd::Definition* definition(std::string_view group, std::string_view plural) const;
  // A custom resource that has no CRD, with the meaning of its schema (sim/server/catalog.h) where it has one. One of
  // the same group and plural is replaced. Its objects stay when it is removed; delete them first.
  void add_resource(kube::Resource resource, std::shared_ptr<const CustomKind> kind = nullptr);
  void remove_resource(std::string_view group, std::string_view plural);

  // metadata.managedFields for every object, not only for applied ones: what clients over HTTP expect;
  // slower.
  void always_manage_fields(bool always);

  // The bootstrap objects of every cluster: roles and bindings, priority classes, the service "kubernetes", and the CA
  // certificate (`ca`, PEM) for pods. Once is enough.
  void furnish(const std::string& ca);
  // The RBAC policy, following the objects; empty before `furnish`.
  const rbac::Policy& policy() const;

  // From now on the server makes this mistake.
  void commit_bug(Bug bug);
  const Bugs& bugs() const;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace drover::sim
