#include "sim/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/server/access.h"
#include "sim/server/bootstrap_objects.h"
#include "sim/server/catalog.h"
#include "sim/server/context.h"
#include "sim/server/custom_kinds.h"
#include "sim/server/definitions.h"
#include "sim/server/listing.h"
#include "sim/server/rejections.h"
#include "sim/server/watches.h"

namespace drover::sim {

struct Server::Body {
  base::Random random;
  Store store;
  Catalog catalog;
  Context context;
  Watches watches;
  Definitions definitions;
  Access access;
  std::string_view asker;
  int underway = 0;  // requests inside requests

  Body(const base::Loop& loop, base::Random random)
      : random(std::move(random)),
        store(&loop),
        context{.loop = loop, .random = this->random, .store = store, .catalog = catalog},
        watches(store),
        definitions(context),
        access(context) {}

  Answer<Stored> serve_whole(const ResourceRules& rules, const kube::Request& request);
  Answer<Stored> serve_subresource(const ResourceRules& rules, const kube::Request& request);
  Answer<Stored> replace(const ResourceRules& rules, const kube::Request& request);
  Answer<Stored> patch(const ResourceRules& rules, const kube::Request& request);
};

namespace {

// While a request is under way, the rules it reads stay, even if it ends the definition they come from.
template <class Body>
class Underway {
 public:
  explicit Underway(Body& body) : body_(body) { ++body_.underway; }
  ~Underway() {
    if (--body_.underway == 0) body_.catalog.sweep();
  }
  Underway(const Underway&) = delete;
  Underway& operator=(const Underway&) = delete;

 private:
  Body& body_;
};

// What a CRD lets its objects be selected by; nullptr for built-in kinds.
const std::vector<std::string>* selectable_fields(const ResourceRules& rules) {
  return rules.custom && rules.custom->version != nullptr ? &rules.custom->version->selectable_fields : nullptr;
}

// For the bug DeletedWithoutState.
Stored only_name(const kube::Object& object) {
  Draft bare(
      kube::Object{{"apiVersion", json::text_at(object, {"apiVersion"})}, {"kind", json::text_at(object, {"kind"})}});
  for (const std::string_view key : {"name", "namespace", "resourceVersion"}) {
    if (const json::Value* value = json::find(object, {"metadata", key}))
      json::ensure(*bare, {"metadata", key}) = *value;
  }
  return std::move(bare).seal();
}

}  // namespace

Server::Server(const base::Loop& loop, base::Random random) : body_(std::make_unique<Body>(loop, std::move(random))) {
  for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    (void)serve(kube::create(kube::kNamespaces, "", {{"metadata", json::Members{{"name", name}}}}));
  }
}

Server::~Server() = default;

Answer<Stored> Server::serve(const kube::Request& request) {
  const Underway guard(*body_);
  const ResourceRules* rules = body_->catalog.find(request.resource);
  if (rules == nullptr) return no_such_resource();
  if (rules->resource.scope == kube::Scope::Namespaced && request.ns.empty()) {
    if (request.verb == kube::Verb::Create) return bad_request("an empty namespace may not be set during creation");
    return no_such_resource();
  }
  const std::string_view before = std::exchange(body_->asker, request.field_manager);
  auto answer =
      request.subresource.empty() ? body_->serve_whole(*rules, request) : body_->serve_subresource(*rules, request);
  body_->asker = before;
  return answer;
}

Answer<Reply> Server::reply(const kube::Request& request, const rbac::User& user) {
  const auto* const before = std::exchange(body_->context.user, &user);
  auto answer = reply(request);
  body_->context.user = before;
  return answer;
}

Answer<Reply> Server::reply(const kube::Request& request) {
  const Underway guard(*body_);
  const ResourceRules* rules = body_->catalog.find(request.resource);
  const bool may_make = request.verb == kube::Verb::Replace || request.verb == kube::Verb::Patch;
  const bool was_there = rules == nullptr || body_->store.find(rules->shelf, key_of(*rules, request)) != nullptr;
  std::vector<std::string> warnings;
  auto* const before = std::exchange(body_->context.warnings, &warnings);
  auto answer = serve(request);
  body_->context.warnings = before;
  if (!answer && answer.error().reason == "AlreadyExists" && body_->context.bugs.has(Bug::WrongReason)) {
    answer.error().reason = "Conflict";
  }
  TRY(Stored object, std::move(answer));
  const bool made = request.verb == kube::Verb::Create || (may_make && !was_there);
  return Reply{made ? 201 : 200, std::move(object), std::move(warnings)};
}

Answer<Stored> Server::Body::serve_whole(const ResourceRules& rules, const kube::Request& request) {
  switch (request.verb) {
    case kube::Verb::Get: return look_up(context, rules, request);
    case kube::Verb::Create: return create_object(context, rules, request, Draft(request.body, 512));
    case kube::Verb::Replace: return replace(rules, request);
    case kube::Verb::Patch: return patch(rules, request);
    case kube::Verb::Delete: return delete_object(context, rules, request);
  }
  return internal_error("a verb that does not exist");
}

Answer<Stored> Server::Body::serve_subresource(const ResourceRules& rules, const kube::Request& request) {
  if (request.subresource == "status" && rules.has_status) {
    switch (request.verb) {
      case kube::Verb::Get: return look_up(context, rules, request);
      case kube::Verb::Replace: return replace(rules, request);
      case kube::Verb::Patch: return patch(rules, request);
      default: return method_not_supported(rules.resource, request.verb == kube::Verb::Create ? "create" : "delete");
    }
  }
  if (request.subresource == "eviction" && rules.shelf == "pods") return evict_pod(context, rules, request);
  if (request.subresource == "binding" && rules.shelf == "pods") return bind_pod(context, rules, request);
  if (request.subresource == "scale" && rules.has_scale) return serve_scale(context, rules, request);
  if (request.subresource == "finalize" && rules.shelf == "namespaces")
    return finalize_namespace(context, rules, request);
  return no_such_resource();
}

Answer<Stored> Server::Body::replace(const ResourceRules& rules, const kube::Request& request) {
  const Stored old = as_seen(rules, store.find(rules.shelf, key_of(rules, request)));
  if (old) return update_object(context, rules, request, old, Draft(request.body, 256));
  if (!rules.creates_on_update || !request.subresource.empty()) return not_found(rules.resource, request.name);
  Draft fresh(request.body, 512);
  if (!kube::uid_of(*fresh).empty() || !kube::version_of(*fresh).empty()) {
    return conflict(
        rules.resource, request.name,
        fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: ", kube::uid_of(*fresh)));
  }
  json::ensure(*fresh, {"metadata", "name"}) = request.name;
  return create_object(context, rules, request, std::move(fresh));
}

Answer<Stored> Server::Body::patch(const ResourceRules& rules, const kube::Request& request) {
  const Stored old = as_seen(rules, store.find(rules.shelf, key_of(rules, request)));
  const bool may_create = request.patch == kube::PatchKind::Apply && request.subresource.empty();
  if (!old && !may_create) return not_found(rules.resource, request.name);
  TRY(Draft fresh, patched(context, rules, request, old.get()));
  if (!old) return create_object(context, rules, request, std::move(fresh));
  return update_object(context, rules, request, old, std::move(fresh));
}

Answer<ListPage> Server::list(const kube::Range& range, int limit, const std::string& continue_token,
                              const std::string& resource_version) {
  const ResourceRules* rules = body_->catalog.find(range.resource);
  if (rules == nullptr) return no_such_resource();
  TRY(Filter filter, Filter::make(range, selectable_fields(*rules)));
  if (body_->context.bugs.has(Bug::UnequalWantsTheKey)) filter.want_unequal_keys();
  TRY(ListPage page, list_page(body_->store, *rules, filter, limit, continue_token, resource_version));
  if (rules->custom) {
    for (Kept& item : page.items) item = as_seen(*rules, item.open());
  }
  return page;
}

Answer<ListPage> Server::delete_collection(const kube::Range& range, const kube::Request& how) {
  TRY(ListPage page, list(range, 0, {}, {}));
  for (const Stored object : page.items) {
    kube::Request request = how;
    request.verb = kube::Verb::Delete;
    request.resource = range.resource;
    request.ns = kube::namespace_of(*object);
    request.name = kube::name_of(*object);
    auto gone = serve(request);
    if (!gone && gone.error().code != 404) return Refusal(std::move(gone).error());
  }
  return page;
}

Answer<int> Server::watch(const kube::Range& range, std::uint64_t since, Seen seen, std::function<void()> ended) {
  const Underway guard(*body_);
  const ResourceRules* rules = body_->catalog.find(range.resource);
  if (rules == nullptr) return no_such_resource();
  TRY(Filter filter, Filter::make(range, selectable_fields(*rules)));
  if (body_->context.bugs.has(Bug::UnequalWantsTheKey)) filter.want_unequal_keys();
  if (body_->context.bugs.has(Bug::DeletedWithoutState)) {
    seen = [seen = std::move(seen)](kube::WatchEvent::Kind kind, const Kept& object) {
      seen(kind, kind == kube::WatchEvent::Kind::Deleted ? Kept(only_name(*object.open())) : object);
    };
  }
  if (rules->custom && rules->custom->definition) {
    // The definition may change while the watch runs.
    seen = [this, resource = range.resource, seen = std::move(seen)](kube::WatchEvent::Kind kind, const Kept& object) {
      const ResourceRules* now = body_->catalog.find(resource);
      seen(kind, now == nullptr ? object : Kept(as_seen(*now, object.open())));
    };
  }
  return body_->watches.start(*rules, std::move(filter), since, std::move(seen), std::move(ended));
}

void Server::unwatch(int id) { body_->watches.stop(id); }

std::string_view Server::asker() const { return body_->asker; }
Store& Server::store() { return body_->store; }
const Store& Server::store() const { return body_->store; }

const kube::Resource* Server::find_resource(std::string_view group, std::string_view version,
                                            std::string_view plural) const {
  return body_->catalog.find(group, version, plural);
}

const std::vector<kube::Resource>& Server::resources() const { return body_->catalog.resources(); }

void Server::add_resource(kube::Resource resource, std::shared_ptr<const CustomKind> kind) {
  ResourceRules rules;
  rules.resource = std::move(resource);
  rules.has_status = !kind || kind->has_status;
  rules.has_scale = kind && kind->has_scale;
  rules.has_generation = true;
  rules.may_overwrite = false;
  rules.is_custom = true;
  rules.custom = std::move(kind);
  body_->catalog.add(std::move(rules));
}

const crd::Definition* Server::definition(std::string_view group, std::string_view plural) const {
  return body_->definitions.find(group, plural);
}

void Server::remove_resource(std::string_view group, std::string_view plural) { body_->catalog.remove(group, plural); }

void Server::furnish(const std::string& ca) {
  const Underway guard(*body_);
  body_->context.policy = &body_->access.policy();
  body_->access.found();
  for (const kube::Request& request : bootstrap_objects(ca)) {
    const ResourceRules* rules = body_->catalog.find(request.resource);
    if (!body_->store.find(rules->shelf, kube::key_of(request.body))) (void)serve(request);
  }
}

const rbac::Policy& Server::policy() const { return body_->access.policy(); }

void Server::commit_bug(Bug bug) {
  body_->context.bugs.commit(bug);
  if (bug == Bug::RoleNamesIgnored) body_->access.policy().ignore_names();
}

const Bugs& Server::bugs() const { return body_->context.bugs; }

void Server::always_manage_fields(bool always) { body_->context.always_manage_fields = always; }

}  // namespace drover::sim
