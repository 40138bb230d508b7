// Reading JSON paths and making cells of what they find.
#include "sim/crd/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "sim/cel/go_text.h"

namespace drover::sim::crd {

namespace {

std::unexpected<base::Fault> refuse(std::string_view text, std::string_view why) {
  return base::fault(base::Fault::Kind::Refused, fmt::format("unrecognized column definition \"{}\": {}", text, why));
}

bool is_quoted(std::string_view text) {
  return text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0];
}

// ".a.b\.c" into names.
std::vector<std::string> split_path(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.') {
      names.emplace_back();
    } else if (names.empty()) {
      names.emplace_back(1, text[i]);
    } else {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      names.back() += text[i];
    }
  }
  return names;
}

// A cell of type string shows scalars plainly and everything else as JSON.
json::Value printed(const json::Value& value) {
  if (value.is_null()) return json::Value("<no value>");
  if (value.is_string()) return value;
  if (value.is_double()) return json::Value(cel::go_float(value.get_double()));
  return json::Value(cel::go_json(value));
}

}  // namespace

base::Result<JsonPath> JsonPath::parse(std::string_view text) {
  JsonPath made;
  std::string_view rest = text;
  while (!rest.empty()) {
    if (rest.starts_with("..")) {
      made.steps_.emplace_back(Anywhere{});
      rest.remove_prefix(1);
    }
    if (rest[0] == '.') {
      std::string name;
      std::size_t i = 1;
      for (; i < rest.size() && rest[i] != '.' && rest[i] != '['; ++i) {
        if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
        name += rest[i];
      }
      rest.remove_prefix(i);
      if (name == "*") {
        made.steps_.emplace_back(Every{});
      } else if (!name.empty()) {
        made.steps_.emplace_back(Member{std::move(name)});
      }
    } else if (rest[0] == '[') {
      // A quoted name or a filter may hold a bracket of its own.
      char quote = 0;
      std::size_t close = 1;
      for (; close < rest.size() && (quote != 0 || rest[close] != ']'); ++close) {
        const char c = rest[close];
        if (quote == 0 && (c == '\'' || c == '"')) {
          quote = c;
        } else if (c == quote) {
          quote = 0;
        }
      }
      if (close >= rest.size()) return refuse(text, "a bracket is not closed");
      auto step = bracket(rest.substr(1, close - 1));
      if (!step) return refuse(text, step.error().message);
      made.steps_.push_back(std::move(*step));
      rest.remove_prefix(close + 1);
    } else {
      return refuse(text, fmt::format("unexpected \"{}\"", rest));
    }
  }
  return made;
}

base::Result<JsonPath::Step> JsonPath::bracket(std::string_view inside) {
  inside = base::trim(inside);
  if (inside == "*") return Every{};
  if (is_quoted(inside)) {
    std::string name;
    for (std::size_t i = 1; i + 1 < inside.size(); ++i) {
      if (inside[i] == '\\' && i + 2 < inside.size()) ++i;
      name += inside[i];
    }
    return Member{std::move(name)};
  }
  if (const auto colon = inside.find(':'); colon != std::string_view::npos) {
    const auto from = base::parse_int(inside.substr(0, colon));
    const auto to = base::parse_int(inside.substr(colon + 1));
    const bool fine = (from || colon == 0) && (to || colon + 1 == inside.size());
    if (fine) return Slice{from, to};
  }
  if (inside.starts_with("?(") && inside.ends_with(")")) {
    TRY(Filter made, filter(inside.substr(2, inside.size() - 3)));
    return made;
  }
  if (const auto index = base::parse_int(inside)) return At{*index};
  return base::fault(base::Fault::Kind::Refused, fmt::format("\"[{}]\" is left out", inside));
}

base::Result<JsonPath::Filter> JsonPath::filter(std::string_view text) {
  constexpr std::array<std::string_view, 6> kOperators = {"==", "!=", "<=", ">=", "<", ">"};
  Filter made;
  std::string_view left = base::trim(text);
  std::string_view right;
  for (const auto op : kOperators) {
    const auto at = text.find(op);
    if (at == std::string_view::npos) continue;
    made.op = op;
    left = base::trim(text.substr(0, at));
    right = base::trim(text.substr(at + op.size()));
    break;
  }
  if (!left.starts_with("@")) return base::fault(base::Fault::Kind::Refused, "a filter must begin with @");
  made.path = split_path(left.substr(1));
  if (made.op.empty()) return made;
  if (is_quoted(right)) {
    made.operand = json::Value(right.substr(1, right.size() - 2));
  } else {
    TRY(made.operand, json::parse(right));
  }
  return made;
}

bool JsonPath::passes(const Filter& filter, const json::Value& item) {
  const json::Value* value = &item;
  for (const auto& name : filter.path) {
    value = value->is_object() ? value->get_object().if_contains(name) : nullptr;
    if (value == nullptr) return false;
  }
  if (filter.op.empty()) return true;
  int order = 0;
  if (value->is_string() && filter.operand.is_string()) {
    order = std::string_view(value->get_string()).compare(std::string_view(filter.operand.get_string()));
  } else if (value->is_number() && filter.operand.is_number()) {
    const double a = value->to_number<double>();
    const double b = filter.operand.to_number<double>();
    order = a < b ? -1 : a > b ? 1 : 0;
  } else if (value->is_bool() && filter.operand.is_bool()) {
    order = static_cast<int>(value->get_bool()) - static_cast<int>(filter.operand.get_bool());
  } else {
    return false;
  }
  if (filter.op == "==") return order == 0;
  if (filter.op == "!=") return order != 0;
  if (filter.op == "<") return order < 0;
  if (filter.op == ">") return order > 0;
  return filter.op == "<=" ? order <= 0 : order >= 0;
}

void JsonPath::follow(const Step& step, const json::Value& value, std::vector<const json::Value*>& found) {
  const auto* array = value.if_array();
  const auto* object = value.if_object();
  if (const auto* member = std::get_if<Member>(&step)) {
    const auto* below = object != nullptr ? object->if_contains(member->name) : nullptr;
    if (below != nullptr) found.push_back(below);
  } else if (const auto* at = std::get_if<At>(&step); at != nullptr && array != nullptr) {
    const auto size = static_cast<std::int64_t>(array->size());
    const std::int64_t index = at->index < 0 ? at->index + size : at->index;
    if (index >= 0 && index < size) found.push_back(&(*array)[static_cast<std::size_t>(index)]);
  } else if (const auto* filter = std::get_if<Filter>(&step); filter != nullptr && array != nullptr) {
    for (const auto& item : *array) {
      if (passes(*filter, item)) found.push_back(&item);
    }
  } else if (const auto* slice = std::get_if<Slice>(&step); slice != nullptr && array != nullptr) {
    const auto size = static_cast<std::int64_t>(array->size());
    const auto place = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size); };
    for (std::int64_t i = place(slice->from.value_or(0)); i < place(slice->to.value_or(size)); ++i) {
      found.push_back(&(*array)[static_cast<std::size_t>(i)]);
    }
  } else if (std::holds_alternative<Anywhere>(step)) {
    found.push_back(&value);
    for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) follow(step, (*array)[i], found);
    if (object != nullptr) {
      for (const auto& member : *object) follow(step, member.value(), found);
    }
  } else if (std::holds_alternative<Every>(step)) {
    if (array != nullptr) {
      for (const auto& item : *array) found.push_back(&item);
    }
    if (object != nullptr) {
      for (const auto& member : *object) found.push_back(&member.value());
    }
  }
}

std::vector<const json::Value*> JsonPath::find(const json::Value& value) const {
  if (steps_.empty()) return {};
  std::vector<const json::Value*> found = {&value};
  for (const auto& step : steps_) {
    std::vector<const json::Value*> next;
    for (const auto* one : found) follow(step, *one, next);
    found = std::move(next);
  }
  return found;
}

Column Column::make(const json::Value& column) {
  Column made;
  made.name = json::text_at(column, {"name"});
  made.type = json::text_at(column, {"type"});
  made.format = json::text_at(column, {"format"});
  made.description = json::text_at(column, {"description"});
  made.priority = json::int_at(column, {"priority"});
  made.json_path = json::text_at(column, {"jsonPath"});
  if (auto path = JsonPath::parse(made.json_path)) made.path = std::move(*path);
  return made;
}

json::Value Column::header() const {
  return json::Members{
      {"name", name},
      {"type", type},
      {"format", format},
      {"description",
       description.empty() ? "Custom resource definition column (in JSONPath format): " + json_path : description},
      {"priority", priority}};
}

json::Value Column::cell(const json::Value& object, base::WallTime now) const {
  const auto found = path ? path->find(object) : std::vector<const json::Value*>();
  if (found.empty()) return {};
  const json::Value& value = *found.front();
  if (type == "string") return printed(value);
  if (type == "integer") {
    if (value.is_double()) return json::Value(static_cast<std::int64_t>(std::clamp(value.get_double(), -9e18, 9e18)));
    return value.is_int64() ? value : json::Value();
  }
  if (type == "number") return value.is_number() ? json::Value(value.to_number<double>()) : json::Value();
  if (type == "boolean") return value.is_bool() ? value : json::Value();
  if (type == "date" && value.is_string()) {
    const auto at = base::parse_rfc3339(std::string_view(value.get_string()));
    return json::Value(at ? age(*at, now) : "<invalid>");
  }
  return {};
}

json::Value name_header() {
  return json::Members{
      {"name", "Name"},
      {"type", "string"},
      {"format", "name"},
      {"description",
       "Name must be unique within a namespace. Is required when creating resources, although some resources may allow "
       "a "
       "client to request the generation of an appropriate name automatically. Name is primarily intended for creation "
       "idempotence and configuration definition. Cannot be updated. More info: "
       "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"},
      {"priority", 0}};
}

std::string age(base::WallTime since, base::WallTime now) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - since).count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return fmt::format("{}s", seconds);
  const auto minutes = seconds / 60;
  if (minutes < 10)
    return seconds % 60 == 0 ? fmt::format("{}m", minutes) : fmt::format("{}m{}s", minutes, seconds % 60);
  if (minutes < 180) return fmt::format("{}m", minutes);
  const auto hours = minutes / 60;
  if (hours < 8) return minutes % 60 == 0 ? fmt::format("{}h", hours) : fmt::format("{}h{}m", hours, minutes % 60);
  if (hours < 48) return fmt::format("{}h", hours);
  const auto days = hours / 24;
  if (hours < 192) return hours % 24 == 0 ? fmt::format("{}d", days) : fmt::format("{}d{}h", days, hours % 24);
  if (days < 730) return fmt::format("{}d", days);
  const auto years = days / 365;
  if (years < 8) return days % 365 == 0 ? fmt::format("{}y", years) : fmt::format("{}y{}d", years, days % 365);
  return fmt::format("{}y", years);
}

}  // namespace drover::sim::crd
