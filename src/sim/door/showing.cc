#include "sim/door/showing.h"

#include <fmt/format.h>

#include "sim/server/rejections.h"

namespace drover::sim::door {
namespace {

std::string_view event_word(kube::WatchEvent::Kind kind) {
  switch (kind) {
    case kube::WatchEvent::Kind::Added: return "ADDED";
    case kube::WatchEvent::Kind::Modified: return "MODIFIED";
    case kube::WatchEvent::Kind::Deleted: return "DELETED";
    case kube::WatchEvent::Kind::Bookmark: break;
  }
  return "BOOKMARK";
}

json::Value list_metadata(const ListPage& page) {
  json::Members metadata = {{"resourceVersion", page.resource_version}};
  if (!page.continue_token.empty()) {
    metadata["continue"] = page.continue_token;
    if (page.remaining > 0) metadata["remainingItemCount"] = page.remaining;
  }
  return metadata;
}

std::string event_line(std::string_view word, std::string_view object) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", word, object);
}

// The columns of a custom resource, kept apart from its definition, which may change while they are used.
std::shared_ptr<const crd::Version> columns_of(const Server& server, const kube::Resource& resource) {
  const crd::Definition* definition = server.definition(resource.group, resource.plural);
  const crd::Version* version = definition == nullptr ? nullptr : definition->version(resource.version);
  if (version == nullptr) return nullptr;
  auto columns = std::make_shared<crd::Version>();
  columns->name = version->name;
  columns->columns = version->columns;
  return columns;
}

}  // namespace

Answer<Showing> Showing::make(const DoorContext& context, const Visit& visit, const kube::Resource& resource,
                              Quantity quantity) {
  TRY(AcceptedForm wish,
      read_accept(visit.request.header("Accept"), quantity == Quantity::One ? Spoken::ToObject : Spoken::ToList));
  if (wish.form == Form::PartialMetadataList && quantity == Quantity::One) {
    return Refusal(
        Rejection{406,
                  "NotAcceptable",
                  fmt::format("you requested PartialObjectMetadataList, but the requested object is not a "
                              "list (*{}.{})",
                              resource.group.empty() ? "core" : resource.group.substr(0, resource.group.find('.')),
                              resource.kind),
                  {}});
  }
  const std::string_view word = visit.wanted.query.text("includeObject");
  const auto include = print::include_of(word);
  if (wish.form == Form::Table && !include) return bad_request(print::include_error(word));
  auto columns = columns_of(context.server, resource);
  print::Sheet sheet = columns ? print::Sheet::of(*columns) : print::Sheet::of(resource.group, resource.plural);
  Showing showing(context.loop, std::move(wish), std::move(sheet), include.value_or(print::Include::Metadata));
  showing.columns_ = std::move(columns);
  showing.resource_ = resource;
  showing.list_kind_ = api_resource_of(context.server, resource).list_kind;
  showing.items_have_kind_ = is_custom(context.server, resource);
  return showing;
}

json::Value Showing::metadata_only(const kube::Object& object) const {
  json::Members shown = {{"kind", "PartialObjectMetadata"}, {"apiVersion", "meta.k8s.io/" + wish_.version}};
  const json::Value* metadata = json::find(object, {"metadata"});
  shown["metadata"] = metadata == nullptr ? json::Value(json::Members()) : *metadata;
  return shown;
}

json::Value Showing::whole(const kube::Object& object) const {
  if (json::text_at(object, {"kind"}) == "Status") return object;
  switch (wish_.form) {
    case Form::Table: {
      json::Value table = print::table_of_one(sheet_, object, loop_.wall(), include_);
      table.get_object()["apiVersion"] = "meta.k8s.io/" + wish_.version;
      return table;
    }
    case Form::PartialMetadata:
    case Form::PartialMetadataList: return metadata_only(object);
    default: return object;
  }
}

std::string Showing::head(const ListPage& page) const {
  switch (wish_.form) {
    case Form::Table: {
      json::Value table = print::table(sheet_, list_metadata(page));
      table.get_object()["apiVersion"] = "meta.k8s.io/" + wish_.version;
      table.get_object().erase("rows");
      std::string text = json::text_of(table);
      text.pop_back();
      return text + ",\"rows\":[";
    }
    case Form::PartialMetadata:
    case Form::PartialMetadataList:
      return fmt::format(
          R"({{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/{}","metadata":{},"items":[)",
          wish_.version, json::text_of(list_metadata(page)));
    default:
      return fmt::format(R"({{"kind":{},"apiVersion":{},"metadata":{},"items":[)", quoted(list_kind_),
                         quoted(resource_.api_version()), json::text_of(list_metadata(page)));
  }
}

void Showing::append_item(std::string& out, const kube::Object& object) const {
  switch (wish_.form) {
    case Form::Table: out += sheet_.row_text(object, loop_.wall(), include_); break;
    case Form::PartialMetadata:
    case Form::PartialMetadataList: out += json::text_of(metadata_only(object)); break;
    default: door::append_item(out, object, items_have_kind_); break;
  }
}

std::string Showing::event(kube::WatchEvent::Kind kind, const kube::Object& object) {
  if (wish_.form == Form::Table) {
    json::Value table = print::table_of_one(sheet_, object, loop_.wall(), include_, !columns_were_sent_);
    columns_were_sent_ = true;
    table.get_object()["apiVersion"] = "meta.k8s.io/" + wish_.version;
    return event_line(event_word(kind), json::text_of(table));
  }
  if (wish_.form != Form::Plain) return event_line(event_word(kind), json::text_of(metadata_only(object)));
  return event_line(event_word(kind), json::text_of(object));
}

std::string Showing::bookmark(std::uint64_t version, bool ends_initial_events) {
  json::Members metadata = {{"resourceVersion", std::to_string(version)}};
  if (ends_initial_events) metadata["annotations"] = json::Members{{"k8s.io/initial-events-end", "true"}};
  json::Value object = {
      {"kind", resource_.kind}, {"apiVersion", resource_.api_version()}, {"metadata", std::move(metadata)}};
  return event(kube::WatchEvent::Kind::Bookmark, object);
}

}  // namespace drover::sim::door
