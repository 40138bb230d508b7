// metav1.Table: how `kubectl get` shows objects.
//
// A Sheet is one resource's columns and the function that fills them, as kube-apiserver 1.36 fills them; custom
// resources bring the columns of their definition. Pure: the time comes in with the object. Rows can be had one at a
// time, so that a list of any length is streamed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "kube/object.h"
#include "kube/resource.h"
#include "sim/crd/definition.h"

namespace drover::sim::print {

struct Column {
  std::string_view name;
  std::string_view type = "string";  // "string", "integer", "boolean", "date"
  std::string_view format = "";      // "name" for the column that names the object
  int priority = 0;                  // above 0: only in -o wide
  std::string_view about = "";
};

// What a row carries besides its cells: ?includeObject=.
enum class Include { None, Metadata, Object };

// "None", "Metadata", "Object" or "" (Metadata); nothing for other words, which are answered with include_error.
std::optional<Include> include_of(std::string_view word);
// The message of the 400 for a word that include_of does not know.
std::string include_error(std::string_view word);

using Cells = json::Array (*)(const kube::Object& object, base::WallTime now);

// How the objects of one resource are shown.
class Sheet {
 public:
  // A built-in resource; one without columns of its own shows its name and when it was made.
  static Sheet of(std::string_view group, std::string_view plural);
  // A custom resource; `version` must outlive the sheet.
  static Sheet of(const crd::Version& version);

  // metav1.TableColumnDefinition, one for each cell.
  json::Array columns() const;
  json::Array cells(const kube::Object& object, base::WallTime now) const;
  // metav1.TableRow.
  json::Value row(const kube::Object& object, base::WallTime now, Include include) const;
  // The same as JSON text, without a copy of the object on the way.
  std::string row_text(const kube::Object& object, base::WallTime now, Include include) const;
  // A list without objects has "rows": null where the sheet is not the resource's own, else [].
  bool no_rows_is_null() const;

 private:
  std::span<const Column> columns_ = {};
  Cells cells_ = nullptr;
  const crd::Version* custom_ = nullptr;
};

// {"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":…,"columnDefinitions":…,"rows":[]}. `metadata` is the
// ListMeta of a list; a single object's Table has its resourceVersion there.
json::Value table(const Sheet& sheet, json::Value metadata);

// The Table of one object, as a GET of it or a watch event has it; a watch gives the columns only with its first event.
json::Value table_of_one(const Sheet& sheet, const kube::Object& object, base::WallTime now, Include include,
                         bool with_columns = true);

}  // namespace drover::sim::print
