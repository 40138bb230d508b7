#include "sim/door/door.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sim/door/accept.h"
#include "sim/door/authorization.h"
#include "sim/door/discovery.h"
#include "sim/door/listing.h"
#include "sim/door/logs.h"
#include "sim/door/reviews.h"
#include "sim/door/watching.h"
#include "sim/door/words.h"
#include "sim/door/writing.h"
#include "sim/openapi/openapi.h"
#include "sim/server/rejections.h"

namespace drover::sim {
namespace {

using door::Form;
using door::Spoken;
using door::Visit;
using door::Wanted;

Refusal no_such_method() {
  return Refusal(Rejection{405, "MethodNotAllowed", "the server does not allow this method on the requested resource",
                           json::Members()});
}

}  // namespace

struct Door::Body {
  Body(EmbeddedCluster& cluster, const DoorOptions& options)
      : random(cluster.random("door")),
        identities(cluster.loop(), cluster.server(), options.admin_token, options.signing_key),
        context{cluster.loop(), cluster.server(), options.logs, identities, random, streams} {}
  ~Body() { streams.drop_all(); }  // while what they refer to still exists
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  void answer(Visit visit);
  void answer_place(const Visit& visit);
  void answer_discovery(const Visit& visit, bool core);
  void answer_openapi(const Visit& visit, const std::string& path);
  void answer_resource(Visit visit);
  void answer_subresource(const Visit& visit, const kube::Resource& resource, const door::ApiResource& words);

  base::Random random;
  door::Identities identities;
  Streams streams;
  door::DoorContext context;
  openapi::Library documents;
};

Door::Door(EmbeddedCluster& cluster, const DoorOptions& options) : body_(std::make_unique<Body>(cluster, options)) {}
Door::~Door() = default;

std::size_t Door::streams() const { return body_->streams.count(); }

void Door::answer(HttpRequest request, std::shared_ptr<Exchange> exchange) {
  Visit visit;
  visit.request = std::move(request);
  visit.exchange = std::move(exchange);
  auto wanted = door::read_target(visit.request.method, visit.request.target);
  if (!wanted) return visit.say(wanted.error());
  visit.wanted = std::move(*wanted);
  visit.style = door::style_of(visit.request, visit.wanted);
  body_->answer(std::move(visit));
}

void Door::Body::answer(Visit visit) {
  // Authentication and authorization.
  auto caller = identities.identify(visit.request);
  if (!caller) return visit.say(caller.error());
  auto speaker = door::speaking_as(context, visit.request, visit.wanted, std::move(*caller));
  if (!speaker) return visit.say(speaker.error());
  visit.caller = std::move(*speaker);
  if (const auto allowed = door::authorize(context, visit.wanted, visit.caller); !allowed) {
    return visit.say(allowed.error());
  }
  // From here on the request is authorized: errors may tell what exists.
  const auto wish = door::read_accept(visit.request.header("Accept"), Spoken::ToObject);
  visit.style.yaml = visit.wanted.is_resource && wish && wish->yaml;
  if (visit.wanted.is_resource) return answer_resource(std::move(visit));
  answer_place(visit);
}

void Door::Body::answer_discovery(const Visit& visit, bool core) {
  const auto wish = door::read_accept(visit.request.header("Accept"), Spoken::ToDiscovery);
  if (!wish) return visit.say(wish.error());
  if (wish->form != Form::Discovery) {
    return visit.say(200, core ? door::core_versions(visit.request.header("Host")) : door::group_list(context.server));
  }
  HttpReply reply = reply_with(200, door::aggregated(context.server, core, wish->version), visit.style);
  reply.content_type =
      fmt::format("application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList", wish->version);
  visit.exchange->reply(std::move(reply));
}

// The schemas of everything, for `kubectl explain` and for clients that check before they send.
void Door::Body::answer_openapi(const Visit& visit, const std::string& path) {
  constexpr std::string_view kIndex = "/openapi/v3";
  documents.look(context.server);
  HttpReply reply;
  if (path == kIndex) {
    reply.content_type = "text/plain; charset=utf-8";  // as it is, although it is JSON
    reply.body = documents.index();
    return visit.exchange->reply(std::move(reply));
  }
  const openapi::CachedDocument* page = documents.find(std::string_view(path).substr(kIndex.size() + 1));
  if (page == nullptr) {
    reply.code = 404;
    reply.content_type.clear();
    return visit.exchange->reply(std::move(reply));
  }
  reply.headers = {{"Etag", "\"" + page->hash + "\""}, {"Vary", "Accept"}};
  const std::string_view asked = visit.wanted.query.text("hash");
  if (!asked.empty() && asked != page->hash) {
    reply.code = 301;
    reply.headers.push_back({"Location", fmt::format("{}?hash={}", path, page->hash)});
    return visit.exchange->reply(std::move(reply));
  }
  if (!asked.empty()) reply.headers.push_back({"Cache-Control", "public, immutable"});
  reply.body = page->body;
  visit.exchange->reply(std::move(reply));
}

// Everything that is not a resource: health, version, discovery.
void Door::Body::answer_place(const Visit& visit) {
  std::string path = visit.wanted.path;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const auto page = [&](std::optional<json::Value> value) {
    if (!value) return visit.exchange->reply(door::reply_no_such_page());
    visit.say(200, *value);
  };
  const bool is_health = path == "/healthz" || path == "/livez" || path == "/readyz" || path == "/healthz/ping" ||
                         path == "/livez/ping" || path == "/readyz/ping" || path == "/healthz/etcd" ||
                         path == "/livez/etcd" || path == "/readyz/etcd";
  if (is_health) {
    const bool verbose = visit.wanted.query.has("verbose") && std::count(path.begin(), path.end(), '/') == 1;
    if (!verbose) return visit.exchange->reply(door::reply_text(200, "ok"));
    return visit.exchange->reply(
        door::reply_text(200, fmt::format("[+]ping ok\n[+]etcd ok\n{} check passed\n", path.substr(1))));
  }
  const auto parts = base::split(std::string_view(path).substr(1), '/');
  const bool is_known = path == "/" || path == "/version" || parts[0] == "api" || parts[0] == "apis" ||
                        path == "/openapi/v3" || path.starts_with("/openapi/v3/");
  if (!is_known) return visit.exchange->reply(door::reply_no_such_page());
  if (visit.wanted.method != "GET") return visit.say(no_such_method().error());
  if (path == "/") return page(door::known_paths(context.server));
  if (path == "/version") return page(door::version_facts());
  if (parts[0] == "openapi") return answer_openapi(visit, path);
  if (path == "/api") return answer_discovery(visit, true);
  if (path == "/apis") return answer_discovery(visit, false);
  if (parts[0] == "api" && parts.size() == 2) {
    auto list = door::resource_list(context.server, "", parts[1]);
    if (!list) return visit.say(no_such_resource().error());
    return visit.say(200, *list);
  }
  if (parts[0] == "apis" && parts.size() == 2) return page(door::one_group(context.server, parts[1]));
  if (parts[0] == "apis" && parts.size() == 3) {
    auto list = door::resource_list(context.server, parts[1], parts[2]);
    if (!list && door::has_group(context.server, parts[1])) return visit.say(no_such_resource().error());
    return page(std::move(list));
  }
  visit.exchange->reply(door::reply_no_such_page());
}

void Door::Body::answer_resource(Visit visit) {
  const Wanted& wanted = visit.wanted;
  const auto reviews = door::review_resources();
  const auto review = std::find_if(reviews.begin(), reviews.end(), [&](const kube::Resource& one) {
    return one.group == wanted.group && one.version == wanted.version && one.plural == wanted.resource;
  });
  const bool is_review = review != reviews.end();
  const kube::Resource* found =
      is_review ? &*review : context.server.find_resource(wanted.group, wanted.version, wanted.resource);
  if (found == nullptr) {
    if (!door::has_group(context.server, wanted.group)) return visit.exchange->reply(door::reply_no_such_page());
    return visit.say(no_such_resource().error());
  }
  const kube::Resource resource = *found;  // a write may change the catalog under us
  const bool namespaced = resource.scope == kube::Scope::Namespaced;
  const bool is_namespace_itself = resource.plural == "namespaces" && resource.group.empty();
  const bool misplaced =
      namespaced ? wanted.ns.empty() && !wanted.name.empty() : !wanted.ns.empty() && !is_namespace_itself;
  if (misplaced || wanted.has_more) return visit.say(no_such_resource().error());

  visit.warnings = door::warnings_about(context.server, resource);
  const door::ApiResource words = door::api_resource_of(context.server, resource);
  if (!wanted.subresource.empty()) return answer_subresource(visit, resource, words);
  const bool is_collection = wanted.name.empty();
  const bool fits = is_collection ? wanted.verb == "list" || wanted.verb == "watch" ||
                                        ((wanted.verb == "create" || wanted.verb == "deletecollection") &&
                                         (!namespaced || !wanted.ns.empty()))
                                  : wanted.verb != "create" && wanted.verb != "list";
  if (!fits || !words.has_verb(wanted.verb) || wanted.method == "HEAD") return visit.say(no_such_method().error());
  if (is_review) {
    const auto answered = door::answer_review(context, visit, resource);
    return answered ? visit.say(201, *answered) : visit.say(answered.error());
  }
  if (wanted.verb == "watch") return door::answer_watch(context, visit, resource);
  if (wanted.verb == "list") return door::answer_list(context, visit, resource);
  if (wanted.verb == "deletecollection") return door::answer_delete_collection(context, visit, resource);
  door::answer_object(context, visit, resource, words);
}

void Door::Body::answer_subresource(const Visit& visit, const kube::Resource& resource,
                                    const door::ApiResource& words) {
  const Wanted& wanted = visit.wanted;
  const door::Subresource* sub = words.subresource(wanted.subresource);
  if (sub == nullptr) return visit.say(no_such_resource().error());
  if (std::find(sub->verbs.begin(), sub->verbs.end(), wanted.verb) == sub->verbs.end()) {
    return visit.say(no_such_method().error());
  }
  if (sub->name == "log") return door::answer_log(context, visit);
  if (sub->name == "token") {
    const auto answered = door::answer_token_request(context, visit);
    return answered ? visit.say(201, *answered) : visit.say(answered.error());
  }
  door::answer_object(context, visit, resource, words);
}

}  // namespace drover::sim
