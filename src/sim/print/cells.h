// The cells that several sheets have in common, and the sheets themselves. Only src/sim/print includes this.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"
#include "kube/object.h"
#include "sim/print/table.h"

namespace drover::sim::print {

// The span from a timestamp to now; "<unknown>" when there is none.
std::string since(std::string_view timestamp, base::WallTime now);
// The age of the object itself.
std::string age_of(const kube::Object& object, base::WallTime now);
// The text there, or `fallback`.
std::string text_or(const json::Value& value, json::Path path, std::string_view fallback);
// "a=1,b=2" in the order of the keys; "<none>".
std::string labels_text(const json::Value& value, json::Path path);
// A metav1.LabelSelector as `kubectl -l` writes it; `none` when it selects nothing or everything, `broken` when it is
// garbled.
std::string selector_text(const json::Value& value, json::Path path, std::string_view none, std::string_view broken);
// A member of all elements, "a,b".
std::string joined(const json::Array& items, std::string_view member);
// Elements that are plain text, "a,b".
std::string joined_texts(const json::Array& items);
// The status of the condition of this type; "" when there is none.
std::string_view condition_of(const kube::Object& object, std::string_view type);
// An int-or-string or a quantity as text; `fallback` when missing.
std::string scalar_text(const json::Value& value, json::Path path, std::string_view fallback);
// Name as cell.
json::Value name_cell(const kube::Object& object);

struct SheetRow {
  std::string_view group;
  std::string_view plural;
  std::span<const Column> columns;
  Cells cells;
};

// The sheets of the built-in resources, by subject.
std::span<const SheetRow> pod_sheets();
std::span<const SheetRow> workload_sheets();
std::span<const SheetRow> cluster_sheets();
std::span<const SheetRow> storage_sheets();
std::span<const SheetRow> network_sheets();
std::span<const SheetRow> autoscaler_sheets();
std::span<const SheetRow> admission_sheets();

inline constexpr Column kName = {"Name", "string", "name", 0, "what the object is called"};
inline constexpr Column kAge = {"Age", "string", "", 0, "how long ago the object was made"};
inline constexpr Column kCreatedAt = {"Created At", "date", "", 0, "when the object was made"};
inline constexpr Column kContainers = {"Containers", "string", "", 1, "the names of the template's containers"};
inline constexpr Column kImages = {"Images", "string", "", 1, "the images of the template's containers"};
inline constexpr Column kSelector = {"Selector", "string", "", 1, "which pods belong to it"};

}  // namespace drover::sim::print
