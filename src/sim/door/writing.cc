#include "sim/door/writing.h"

#include <fmt/format.h>

#include <charconv>

#include "kube/object.h"
#include "sim/door/body.h"
#include "sim/door/listing.h"
#include "sim/door/options.h"
#include "sim/door/showing.h"
#include "sim/server/rejections.h"
#include "sim/types/types.h"

namespace drover::sim::door {
namespace {

kube::Request request_for(const Visit& visit, const kube::Resource& resource, kube::Verb verb) {
  kube::Request request;
  request.verb = verb;
  request.resource = resource;
  if (resource.scope == kube::Scope::Namespaced) request.ns = visit.wanted.ns;
  request.name = visit.wanted.name;
  request.subresource = visit.wanted.subresource;
  return request;
}

// The kind of body that a request brings: the resource's own, or its subresource's.
Answer<json::Value> read_body(const DoorContext& context, const Visit& visit, const kube::Resource& resource,
                              const ApiResource& words) {
  const Subresource* sub = words.subresource(visit.wanted.subresource);
  if (sub != nullptr && !sub->group.empty()) {
    return read_object(visit.request, sub->group, sub->version, sub->kind, false);
  }
  const std::string& kind = sub == nullptr ? resource.kind : sub->kind;
  return read_object(visit.request, resource.group, resource.version, kind, is_custom(context.server, resource));
}

// What the URL says and the object says must not contradict each other.
Answer<void> check_address(const Visit& visit, const kube::Resource& resource, const json::Value& object) {
  const std::string_view ns = kube::namespace_of(object);
  if (resource.scope == kube::Scope::Namespaced && !ns.empty() && ns != visit.wanted.ns) {
    return bad_request("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (visit.wanted.name.empty()) return {};
  const std::string_view name = kube::name_of(object);
  if (visit.wanted.verb == "create") {
    if (visit.wanted.subresource == "eviction" && name != visit.wanted.name) {
      return bad_request("name in URL does not match name in Eviction object");
    }
    if (name.empty() || name == visit.wanted.name) return {};
    return bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, visit.wanted.name));
  }
  if (name.empty()) {
    return bad_request(fmt::format("the name of the object ({} based on URL) was undeterminable: name must be provided",
                                   visit.wanted.name));
  }
  if (name != visit.wanted.name) {
    return bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, visit.wanted.name));
  }
  return {};
}

Answer<void> check_version_asked(const DoorContext& context, const Visit& visit) {
  const std::string_view text = visit.wanted.query.text("resourceVersion");
  if (text.empty()) return {};
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Refusal(Rejection{500,
                             "",
                             fmt::format("resourceVersion: Invalid value: {}: strconv.ParseUint: parsing {}: invalid "
                                         "syntax",
                                         quoted(text), quoted(text)),
                             {}});
  }
  const std::uint64_t newest = context.server.store().version();
  if (version <= newest) return {};
  Rejection rejection{504, "Timeout",
                      fmt::format("Timeout: Too large resource version: {}, current: {}", version, newest),
                      json::Value{{"causes", json::Array{json::Value{{"reason", "ResourceVersionTooLarge"},
                                                                     {"message", "Too large resource version"}}}},
                                  {"retryAfterSeconds", 1}}};
  rejection.retry_after = std::chrono::seconds(1);
  return Refusal(std::move(rejection));
}

Answer<kube::Request> read_request(const DoorContext& context, const Visit& visit, const kube::Resource& resource,
                                   const ApiResource& words) {
  const std::string& verb = visit.wanted.verb;
  if (verb == "get") {
    TRY_VOID(check_version_asked(context, visit));
    return request_for(visit, resource, kube::Verb::Get);
  }
  if (verb == "patch") {
    kube::Request request = request_for(visit, resource, kube::Verb::Patch);
    TRY(request.patch, patch_kind_of(visit.request));
    TRY_VOID(read_write_options(visit.request, visit.wanted, request));
    TRY(request.body, read_patch(visit.request, request.patch));
    return request;
  }
  kube::Request request = request_for(visit, resource, verb == "create" ? kube::Verb::Create : kube::Verb::Replace);
  TRY_VOID(read_write_options(visit.request, visit.wanted, request));
  TRY(request.body, read_body(context, visit, resource, words));
  TRY_VOID(check_address(visit, resource, request.body));
  TRY(const Encoding encoding, encoding_of(visit.request));
  if (encoding == Encoding::Json && request.field_validation != kube::FieldValidation::Ignore) {
    request.duplicates = types::duplicate_fields(visit.request.body);
  }
  return request;
}

Answer<Reply> reply_to(const DoorContext& context, const Visit& visit, const kube::Request& request) {
  if (visit.caller.is_master()) return context.server.reply(request);
  return context.server.reply(request, visit.caller.user);
}

bool is_still_there(const DoorContext& context, const kube::Request& request, const kube::Object& answered) {
  const std::string key = request.ns.empty() ? request.name : request.ns + "/" + request.name;
  const Stored now = context.server.store().find(request.resource.qualified(), key);
  return now && kube::uid_of(*now) == kube::uid_of(answered);
}

}  // namespace

void answer_object(DoorContext& context, const Visit& visit, const kube::Resource& resource, const ApiResource& words) {
  const auto showing = Showing::make(context, visit, resource, Quantity::One);
  if (!showing) return visit.say(showing.error());
  if (visit.wanted.verb == "delete") {
    kube::Request request = request_for(visit, resource, kube::Verb::Delete);
    const auto wish = read_delete_wish(visit.request, visit.wanted, request);
    if (!wish) return visit.say(wish.error());
    const auto reply = reply_to(context, visit, request);
    if (!reply) return visit.say(reply.error());
    const bool accepted = wish->is_accepted_only && is_still_there(context, request, *reply->object);
    return visit.say(accepted ? 202 : reply->code, showing->whole(*reply->object), reply->warnings);
  }
  const auto request = read_request(context, visit, resource, words);
  if (!request) return visit.say(request.error());
  const auto reply = reply_to(context, visit, *request);
  if (!reply) return visit.say(reply.error());
  visit.say(reply->code, showing->whole(*reply->object), reply->warnings);
}

void answer_delete_collection(DoorContext& context, const Visit& visit, const kube::Resource& resource) {
  auto showing = Showing::make(context, visit, resource, Quantity::Many);
  if (!showing) return visit.say(showing.error());
  const auto options = read_list_options(visit.wanted, false);
  if (!options) return visit.say(options.error());
  kube::Request how = request_for(visit, resource, kube::Verb::Delete);
  if (const auto wish = read_delete_wish(visit.request, visit.wanted, how); !wish) return visit.say(wish.error());
  const kube::Range range{resource, visit.wanted.ns, std::string(visit.wanted.query.text("labelSelector")),
                          std::string(visit.wanted.query.text("fieldSelector"))};
  auto page = context.server.delete_collection(range, how);
  if (!page) return visit.say(page.error());
  send_page(context, visit, std::move(*showing), std::move(*page));
}

}  // namespace drover::sim::door
