// The validator. It keeps the order in which an API server finds things, and its count of checks that passed: with
// anyOf and oneOf, the branch that passed most is the one whose complaints are shown.
#include "sim/crd/validate.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/cel/go_text.h"
#include "sim/cel/regex.h"
#include "sim/crd/formats.h"

namespace drover::sim::crd {

namespace {

struct Outcome {
  FieldErrors errors;
  int passed = 0;

  void merge(Outcome other) {
    passed += other.passed;
    for (auto& error : other.errors) errors.push_back(std::move(error));
  }
};

// The JSON type, and what Go calls the number.
struct Seen {
  std::string_view type;
  std::string_view format;
};
Seen look(const json::Value& value) {
  if (value.is_bool()) return {"boolean", ""};
  if (value.is_string()) return {"string", ""};
  if (value.is_int64()) return {"integer", "int64"};
  if (value.is_number()) return {"number", "float64"};
  if (value.is_array()) return {"array", ""};
  if (value.is_object()) return {"object", ""};
  return {"null", ""};
}

bool is_whole(double value) {
  return std::isfinite(value) && std::trunc(value) == value && std::fabs(value) < 9007199254740992.0;
}
double as_double(const json::Value& value) {
  return value.is_double() ? value.get_double() : value.to_number<double>();
}

bool same_number(const json::Value& a, const json::Value& b) {
  return a.is_number() && b.is_number() && as_double(a) == as_double(b);
}

class ValueValidator {
 public:
  explicit ValueValidator(std::string_view root) : root_(root) {}

  // One value against one schema; the caller decides about ratcheting.
  Outcome check(const json::Value& value, const Schema& schema, const std::string& path,
                const Correlation& correlation) {
    Outcome outcome;
    if (value.is_null()) {
      check_type(value, schema, path, outcome);
      check_enum(value, schema, path, outcome);
      return outcome;
    }
    const std::string_view format = effective_format(schema.int_or_string ? "" : schema.type, schema.format);
    if (!schema.type.empty() || schema.int_or_string || !format.empty()) {
      check_type(value, schema, path, outcome);
      ++outcome.passed;
    }
    check_branches(value, schema, path, correlation, outcome);
    ++outcome.passed;
    if (value.is_string()) {
      check_string(value, schema, path, outcome);
      ++outcome.passed;
      if (!format.empty() && (schema.type.empty() || schema.type == "string")) {
        check_format(value, format, path, outcome);
        ++outcome.passed;
      }
    }
    if (value.is_number()) {
      check_number(value, schema, path, outcome);
      outcome.passed += 2;
    }
    if (value.is_array()) {
      check_array(value.get_array(), schema, path, correlation, outcome);
      outcome.passed += 2;
    }
    check_enum(value, schema, path, outcome);
    ++outcome.passed;
    if (value.is_object()) {
      check_object(value.get_object(), schema, path, correlation, outcome);
      ++outcome.passed;
    }
    ++outcome.passed;
    return outcome;
  }

  // About any place below the root, whatever came of it.
  bool has_complained() const { return has_complained_; }

 private:
  std::string full(const std::string& path) const {
    return child(root_, path.starts_with(".") ? path.substr(1) : path);
  }
  // "spec.x in body": the path here starts below the root that was given.
  static std::string in_body(const std::string& path) { return path + " in body"; }
  void add(Outcome& outcome, FieldError::Type type, const std::string& path, const json::Value& bad,
           std::string detail) const {
    const std::string where = path.empty() ? (root_.empty() ? "<nil>" : std::string(root_)) : full(path);
    outcome.errors.push_back({type, where, shown(bad), std::move(detail)});
  }
  void add_invalid(Outcome& outcome, const std::string& path, const json::Value& bad, std::string detail) const {
    add(outcome, FieldError::Type::Invalid, path, bad, std::move(detail));
  }
  // A complaint that names its place only in words.
  void add_general(Outcome& outcome, std::string detail) const {
    outcome.errors.push_back(
        {FieldError::Type::Invalid, root_.empty() ? "<nil>" : std::string(root_), "\"\"", std::move(detail)});
  }

  // Changed or new places keep their complaints, others are let through.
  Outcome check_place(const json::Value& value, const Schema& schema, const std::string& path,
                      const Correlation& correlation) {
    Outcome outcome = check(value, schema, path, correlation);
    if (outcome.errors.empty()) return outcome;
    has_complained_ = true;
    if (correlation && correlation.unchanged()) outcome.errors.clear();
    return outcome;
  }

  void check_type(const json::Value& value, const Schema& schema, const std::string& path, Outcome& outcome) const {
    const std::string_view type = schema.int_or_string ? std::string_view("integer,string") : schema.type;
    const auto wrong = [&](std::string_view wanted, std::string_view seen) {
      add(outcome, FieldError::Type::TypeInvalid, path, json::Value(seen),
          fmt::format("{} must be of type {}: {}", in_body(path), wanted, cel::go_quote(seen)));
    };
    const Seen seen = look(value);
    if (value.is_null()) {
      if (!type.empty() && !schema.nullable) {
        wrong(type, "null");
      } else {
        ++outcome.passed;
      }
      return;
    }
    const auto allows = [&](std::string_view wanted) {
      return schema.type == wanted || (schema.int_or_string && (wanted == "integer" || wanted == "string"));
    };
    const std::string_view format = effective_format(schema.int_or_string ? "" : schema.type, schema.format);
    const bool whole_number = seen.type == "number" && is_whole(as_double(value)) && allows("integer");
    const bool fits = allows(seen.type) || whole_number || (seen.type == "integer" && allows("number"));
    const bool text_or_list = value.is_string() || value.is_array();
    if (!text_or_list && !format.empty() && !fits && seen.format != format) return wrong(format, seen.format);
    const bool numeric = allows("number") || allows("integer");
    if (!(text_or_list && !format.empty() && !numeric) && !fits) return wrong(type, seen.type);
    ++outcome.passed;
  }

  void check_branches(const json::Value& value, const Schema& schema, const std::string& path,
                      const Correlation& correlation, Outcome& outcome) {
    if (!schema.any_of.empty()) {
      check_alternatives(value, schema.any_of, path, correlation, outcome, false);
    }
    if (!schema.one_of.empty()) check_alternatives(value, schema.one_of, path, correlation, outcome, true);
    if (!schema.all_of.empty()) {
      std::size_t valid = 0;
      for (const auto& branch : schema.all_of) {
        Outcome result = check(value, *branch, path, correlation);
        if (result.errors.empty()) ++valid;
        outcome.merge(std::move(result));
      }
      if (valid != schema.all_of.size()) {
        add_general(outcome, fmt::format("{} must validate all the schemas (allOf){}", cel::go_quote(path),
                                         valid == 0 ? ". None validated" : ""));
      }
    }
    if (schema.negated && check(value, *schema.negated, path, correlation).errors.empty()) {
      add_general(outcome, fmt::format("{} must not validate the schema (not)", cel::go_quote(path)));
    }
    ++outcome.passed;
  }

  void check_alternatives(const json::Value& value, const std::vector<SchemaRef>& branches, const std::string& path,
                          const Correlation& correlation, Outcome& outcome, bool exactly_one) {
    std::optional<Outcome> best;
    std::optional<Outcome> success;
    std::size_t valid = 0;
    for (const auto& branch : branches) {
      Outcome result = check(value, *branch, path, correlation);
      if (result.errors.empty()) {
        ++valid;
        best.reset();
        if (!success) success = std::move(result);
        if (!exactly_one) break;
      } else if (valid == 0 && (!best || result.passed > best->passed)) {
        best = std::move(result);
      }
    }
    if (exactly_one && valid != 1) {
      add_general(outcome,
                  fmt::format("{} must validate one and only one schema (oneOf). {}", cel::go_quote(path),
                              valid == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", valid)));
    } else if (!exactly_one && valid == 0) {
      add_general(outcome, fmt::format("{} must validate at least one schema (anyOf)", cel::go_quote(path)));
    }
    if (best) {
      outcome.merge(std::move(*best));
    } else if (success && (!exactly_one || valid == 1)) {
      outcome.merge(std::move(*success));
    }
  }

  void check_string(const json::Value& value, const Schema& schema, const std::string& path, Outcome& outcome) const {
    const std::string_view text = value.get_string();
    const auto length = static_cast<std::int64_t>(cel::count_runes(text));
    if (schema.max_length && length > *schema.max_length) {
      outcome.errors.push_back(
          {FieldError::Type::TooLong, full(path), std::nullopt,
           fmt::format("may not be more than {} {}", *schema.max_length, *schema.max_length == 1 ? "byte" : "bytes")});
    } else if (schema.min_length && length < *schema.min_length) {
      add_invalid(outcome, path, value,
                  fmt::format("{} should be at least {} chars long", in_body(path), *schema.min_length));
    } else if (schema.compiled_pattern && !cel::occurs_in(*schema.compiled_pattern, text)) {
      add_invalid(outcome, path, value, fmt::format("{} should match '{}'", in_body(path), schema.pattern));
    }
  }

  void check_format(const json::Value& value, std::string_view format, const std::string& path,
                    Outcome& outcome) const {
    if (has_format(format, std::string_view(value.get_string()))) return;
    add(outcome, FieldError::Type::TypeInvalid, path, value,
        fmt::format("{} must be of type {}: {}", in_body(path), format,
                    cel::go_quote(std::string_view(value.get_string()))));
  }

  // "Checked value must be of type integer with format int32 in spec.x": nothing when the number fits.
  static std::optional<std::string> out_of_range(double number, const Schema& schema, std::string_view what,
                                                 const std::string& path) {
    const std::string_view format = effective_format(schema.type, schema.format);
    bool fits = true;
    if (schema.type == "integer") {
      fits = std::trunc(number) == number && std::fabs(number) < 9223372036854775808.0 &&
             (format != "int32" || (number >= INT32_MIN && number <= INT32_MAX));
    } else if (schema.type == "number" && format == "float") {
      fits = std::fabs(number) <= 3.4028234663852886e38;
    }
    if (fits) return std::nullopt;
    return fmt::format("{} value must be of type {} {} in {}", what, schema.type,
                       format.empty() ? std::string("(default format)") : fmt::format("with format {}", format), path);
  }

  // Bounds of a whole number are shown as whole numbers.
  static std::string bound_text(const json::Value& value, double bound) {
    if (value.is_int64() && std::fabs(bound) < 9e18) return fmt::format("{}", static_cast<std::int64_t>(bound));
    return cel::go_float(bound);
  }

  void check_number(const json::Value& value, const Schema& schema, const std::string& path, Outcome& outcome) const {
    const double number = as_double(value);
    if (auto complaint = out_of_range(number, schema, "Checked", path)) add_general(outcome, std::move(*complaint));
    const auto report = [&](std::string_view words, double bound) {
      add_invalid(outcome, path, value.is_uint64() ? json::Value(number) : value,
                  fmt::format("{} should be {} {}", in_body(path), words, bound_text(value, bound)));
    };
    const auto check_bound = [&](const std::optional<double>& bound, std::string_view what) {
      if (!bound) return false;
      if (auto complaint = out_of_range(*bound, schema, what, path)) add_general(outcome, std::move(*complaint));
      return true;
    };
    if (check_bound(schema.multiple_of, "MultipleOf")) {
      const double factor = *schema.multiple_of;
      const double times = factor < 1 ? 1 / factor * number : number / factor;
      if (factor <= 0) {
        add_invalid(
            outcome, path, json::Value(factor),
            fmt::format("factor MultipleOf declared for {} must be positive: {}", path, bound_text(value, factor)));
      } else if (std::fabs(times - std::round(times)) > 1e-9 * std::max(1.0, std::fabs(times))) {
        report("a multiple of", factor);
      }
    }
    if (check_bound(schema.minimum, "Minimum boundary")) {
      const bool exclusive = schema.exclusive_minimum;
      if (number < *schema.minimum || (exclusive && number == *schema.minimum)) {
        report(exclusive ? "greater than" : "greater than or equal to", *schema.minimum);
      }
    }
    if (check_bound(schema.maximum, "Maximum boundary")) {
      const bool exclusive = schema.exclusive_maximum;
      if (number > *schema.maximum || (exclusive && number == *schema.maximum)) {
        report(exclusive ? "less than" : "less than or equal to", *schema.maximum);
      }
    }
  }

  void check_enum(const json::Value& value, const Schema& schema, const std::string& path, Outcome& outcome) const {
    if (schema.enumeration.empty()) return;
    std::vector<std::string> supported;
    for (const auto& allowed : schema.enumeration) {
      if (allowed == value || same_number(allowed, value)) return;
      supported.push_back(allowed.is_string() ? std::string(allowed.get_string()) : cel::go_json(allowed));
    }
    outcome.errors.push_back(not_supported(full(path), value, supported));
  }

  void check_array(const json::Array& array, const Schema& schema, const std::string& path,
                   const Correlation& correlation, Outcome& outcome) {
    const auto size = static_cast<std::int64_t>(array.size());
    if (schema.items) {
      for (std::size_t i = 0; i < array.size(); ++i) {
        outcome.merge(check_place(array[i], *schema.items, fmt::format("{}[{}]", path, i), correlation.item(i)));
      }
    }
    if (schema.min_items && size < *schema.min_items) {
      add_invalid(outcome, path, json::Value(size),
                  fmt::format("{} should have at least {} items", in_body(path), *schema.min_items));
    }
    if (schema.max_items && size > *schema.max_items) {
      outcome.errors.push_back(too_many(full(path), size, *schema.max_items));
    }
    for (std::size_t i = 0; schema.unique_items && i < array.size(); ++i) {
      if (std::find(array.begin(), array.begin() + static_cast<std::ptrdiff_t>(i), array[i]) ==
          array.begin() + static_cast<std::ptrdiff_t>(i)) {
        continue;
      }
      add_invalid(outcome, path, json::Value(""), fmt::format("{} shouldn't contain duplicates", in_body(path)));
      break;
    }
  }

  void check_object(const json::Members& object, const Schema& schema, const std::string& path,
                    const Correlation& correlation, Outcome& outcome) {
    const auto size = static_cast<std::int64_t>(object.size());
    if (schema.min_properties && size < *schema.min_properties) {
      add_invalid(outcome, path, json::Value(size),
                  fmt::format("{} should have at least {} properties", in_body(path), *schema.min_properties));
    }
    if (schema.max_properties && size > *schema.max_properties) {
      outcome.errors.push_back(too_many(full(path), size, *schema.max_properties));
    }
    for (const auto& member : object) {
      const std::string_view name = member.key();
      if (schema.properties.contains(name)) continue;
      if (schema.additional_allowed == false) {
        add_invalid(outcome, path, json::Value(name), fmt::format("{}.{} in body is a forbidden property", path, name));
      } else if (schema.additional) {
        outcome.merge(check_place(member.value(), *schema.additional, fmt::format("{}.{}", path, name),
                                  correlation.member(name)));
      }
    }
    for (const auto& [name, part] : schema.properties) {
      const auto* found = object.if_contains(name);
      if (found == nullptr) continue;
      const bool type_meta = path.empty() && root_.empty() && (name == "kind" || name == "apiVersion");
      outcome.merge(check_place(*found, *part, path.empty() ? name : path + "." + name,
                                type_meta ? Correlation() : correlation.member(name)));
    }
    for (const auto& name : schema.required) {
      if (!object.contains(name)) outcome.errors.push_back(required(full(path + "." + name)));
    }
  }

  std::string_view root_;
  bool has_complained_ = false;
};

}  // namespace

FieldErrors validate(const json::Value& value, const Schema& schema, std::string_view root,
                     const Correlation& correlation) {
  // What was there before matters only to complaints, and costs more to find than the rest takes.
  ValueValidator hasty(root);
  Outcome outcome = hasty.check(value, schema, "", {});
  if (!hasty.has_complained() && outcome.errors.empty()) return {};
  if (hasty.has_complained() && correlation) outcome = ValueValidator(root).check(value, schema, "", correlation);
  if (!outcome.errors.empty() && correlation && correlation.unchanged()) return {};
  return std::move(outcome.errors);
}

}  // namespace drover::sim::crd
