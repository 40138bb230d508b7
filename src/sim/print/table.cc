#include "sim/print/table.h"

#include <fmt/format.h>

#include "sim/crd/columns.h"
#include "sim/print/cells.h"

namespace drover::sim::print {
namespace {

constexpr Column kPlainColumns[] = {kName, kCreatedAt};

json::Array plain_cells(const kube::Object& object, base::WallTime) {
  return {name_cell(object), json::Value(json::text_at(object, {"metadata", "creationTimestamp"}))};
}

// kubectl shows rows of finished pods, but other clients may hide them.
json::Value over(std::string_view phase) {
  const bool well = phase == "Succeeded";
  return json::Array{json::Members{
      {"type", "Completed"},
      {"status", "True"},
      {"reason", phase},
      {"message", well ? "The pod has completed successfully." : "The pod failed."},
  }};
}

json::Value conditions_of(const kube::Object& object) {
  if (json::text_at(object, {"kind"}) != "Pod" || json::text_at(object, {"apiVersion"}) != "v1") return {};
  const std::string_view phase = json::text_at(object, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed" ? over(phase) : json::Value();
}

constexpr std::string_view kPartial = R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)";
constexpr std::string_view kDaemonGeneration = "deprecated.daemonset.template.generation";

// A row is made from the object that the server works with, where this annotation of DaemonSets is a field. (The whole
// object is turned back into what its version shows.)
const json::Value* shown_metadata(const kube::Object& object, json::Value& room) {
  const json::Value* metadata = json::find(object, {"metadata"});
  if (metadata == nullptr || json::text_at(object, {"kind"}) != "DaemonSet") return metadata;
  if (json::find(*metadata, {"annotations", kDaemonGeneration}) == nullptr) return metadata;
  room = *metadata;
  json::remove(room, {"annotations", kDaemonGeneration});
  if (json::members_at(room, {"annotations"}).empty()) json::remove(room, {"annotations"});
  return &room;
}

}  // namespace

std::optional<Include> include_of(std::string_view word) {
  if (word.empty() || word == "Metadata") return Include::Metadata;
  if (word == "None") return Include::None;
  if (word == "Object") return Include::Object;
  return std::nullopt;
}

std::string include_error(std::string_view word) {
  return fmt::format(
      "Unable to convert to Table as requested: includeObject: Invalid value: {}: must be 'Metadata', 'Object', "
      "'None', or empty",
      json::text_of(json::Value(word)));
}

Sheet Sheet::of(std::string_view group, std::string_view plural) {
  Sheet sheet;
  sheet.columns_ = kPlainColumns;
  sheet.cells_ = plain_cells;
  for (const auto rows : {pod_sheets(), cluster_sheets(), workload_sheets(), storage_sheets(), network_sheets(),
                          autoscaler_sheets(), admission_sheets()}) {
    for (const SheetRow& row : rows) {
      if (row.plural != plural || row.group != group) continue;
      sheet.columns_ = row.columns;
      sheet.cells_ = row.cells;
    }
  }
  return sheet;
}

Sheet Sheet::of(const crd::Version& version) {
  Sheet sheet;
  sheet.custom_ = &version;
  return sheet;
}

json::Array Sheet::columns() const {
  json::Array columns;
  if (custom_ != nullptr) {
    columns.push_back(crd::name_header());
    for (const crd::Column& column : custom_->columns) columns.push_back(column.header());
  }
  for (const Column& column : columns_) {
    columns.push_back(json::Members{{"name", column.name},
                                    {"type", column.type},
                                    {"format", column.format},
                                    {"description", column.about},
                                    {"priority", column.priority}});
  }
  return columns;
}

json::Array Sheet::cells(const kube::Object& object, base::WallTime now) const {
  if (custom_ == nullptr) return cells_(object, now);
  json::Array cells{name_cell(object)};
  for (const crd::Column& column : custom_->columns) cells.push_back(column.cell(object, now));
  return cells;
}

json::Value Sheet::row(const kube::Object& object, base::WallTime now, Include include) const {
  json::Members row{{"cells", cells(object, now)}};
  if (json::Value conditions = conditions_of(object); !conditions.is_null())
    row.emplace("conditions", std::move(conditions));
  json::Value& shown = row["object"];
  if (include == Include::Object) shown = object;
  if (include == Include::Metadata) {
    json::Value room;
    const json::Value* metadata = shown_metadata(object, room);
    shown = json::Members{{"kind", "PartialObjectMetadata"},
                          {"apiVersion", "meta.k8s.io/v1"},
                          {"metadata", metadata == nullptr ? json::Value(json::Members()) : *metadata}};
  }
  return row;
}

std::string Sheet::row_text(const kube::Object& object, base::WallTime now, Include include) const {
  std::string text = R"({"cells":)" + json::text_of(cells(object, now));
  if (const json::Value conditions = conditions_of(object); !conditions.is_null())
    text.append(R"(,"conditions":)").append(json::text_of(conditions));
  text.append(R"(,"object":)");
  if (include == Include::None) text.append("null");
  if (include == Include::Object) text.append(json::text_of(object));
  if (include == Include::Metadata) {
    json::Value room;
    const json::Value* metadata = shown_metadata(object, room);
    text.append(kPartial).append(metadata == nullptr ? "{}" : json::text_of(*metadata)).append("}");
  }
  return text.append("}");
}

bool Sheet::no_rows_is_null() const { return custom_ != nullptr || cells_ == plain_cells; }

json::Value table(const Sheet& sheet, json::Value metadata) {
  return json::Members{{"kind", "Table"},
                       {"apiVersion", "meta.k8s.io/v1"},
                       {"metadata", std::move(metadata)},
                       {"columnDefinitions", sheet.columns()},
                       {"rows", json::Array()}};
}

json::Value table_of_one(const Sheet& sheet, const kube::Object& object, base::WallTime now, Include include,
                         bool with_columns) {
  json::Members metadata;
  if (const std::string_view version = kube::version_of(object); !version.empty())
    metadata.emplace("resourceVersion", version);
  return json::Members{{"kind", "Table"},
                       {"apiVersion", "meta.k8s.io/v1"},
                       {"metadata", std::move(metadata)},
                       {"columnDefinitions", with_columns ? json::Value(sheet.columns()) : json::Value()},
                       {"rows", json::Array{sheet.row(object, now, include)}}};
}

}  // namespace drover::sim::print
