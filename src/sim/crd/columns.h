// Printer columns: where a cell's value is found in an object, and how a Table shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace drover::sim::crd {

// The part of JSONPath that columns use: .a.b, .a\.b, ..a, ['k'], [0], [-1], [0:2], [*], [?(@.type=="Ready")].status
class JsonPath {
 public:
  static base::Result<JsonPath> parse(std::string_view text);
  // Everything the path leads to, in order; missing members lead nowhere.
  std::vector<const json::Value*> find(const json::Value& value) const;

 private:
  struct Member {
    std::string name;
  };
  struct At {
    std::int64_t index;
  };
  struct Every {};
  struct Slice {
    std::optional<std::int64_t> from;
    std::optional<std::int64_t> to;
  };
  struct Anywhere {  // the value itself and everything below it
  };
  struct Filter {
    std::vector<std::string> path;  // below the item
    std::string op;                 // "", "==", "!=", "<", …; "" asks only whether it is there
    json::Value operand;
  };
  using Step = std::variant<Member, At, Every, Slice, Anywhere, Filter>;

  static base::Result<Step> bracket(std::string_view inside);
  static base::Result<Filter> filter(std::string_view text);
  static bool passes(const Filter& filter, const json::Value& item);
  static void follow(const Step& step, const json::Value& value, std::vector<const json::Value*>& found);

  std::vector<Step> steps_;
};

struct Column {
  std::string name;
  std::string type;  // "string", "integer", "number", "boolean", "date"
  std::string format;
  std::string description;
  std::int64_t priority = 0;
  std::string json_path;
  std::optional<JsonPath> path = {};  // nothing when it cannot be read: its cells stay empty

  static Column make(const json::Value& column);
  // metav1.TableColumnDefinition
  json::Value header() const;
  // The cell for an object; null when there is nothing to show.
  json::Value cell(const json::Value& object, base::WallTime now) const;
};

// The header of the first column, which every Table has.
json::Value name_header();

// "5d", "3h20m": the age of something as kubectl shows it.
std::string age(base::WallTime since, base::WallTime now);

}  // namespace drover::sim::crd
