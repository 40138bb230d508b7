// Running rules over an object.
#include "sim/crd/rules.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/text.h"
#include "sim/cel/go_text.h"
#include "sim/crd/cel_type.h"

namespace drover::sim::crd {

namespace {

// Longer messages of a messageExpression are not used.
constexpr std::size_t kLongestMessage = 5 * 1024;

std::string said(const Rule& rule) { return std::string(base::trim(rule.message.empty() ? rule.rule : rule.message)); }

bool gives(const cel::Expression& program, cel::Type::Kind kind) { return program.gives().kind == kind; }

// Two names may be escaped inside quotes: \' and \\ and the usual letters.
std::optional<std::string> unquote(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    constexpr std::string_view kLetters = "abfnrtv'\\";
    constexpr std::string_view kMeant = "\a\b\f\n\r\t\v'\\";
    const auto known = ++i < text.size() ? kLetters.find(text[i]) : std::string_view::npos;
    if (known == std::string_view::npos) return std::nullopt;
    out += kMeant[known];
  }
  return out;
}

base::Result<const Schema*> step(const Schema* schema, std::string_view name, std::string& path) {
  const bool named = !schema->properties.empty();
  if (!named && !schema->additional) return base::fault(base::Fault::Kind::Refused, "does not refer to a valid field");
  if (!named) {
    path = key(path, name);
    return schema->additional.get();
  }
  const auto found = schema->properties.find(name);
  if (found == schema->properties.end()) {
    return base::fault(base::Fault::Kind::Refused, "does not refer to a valid field");
  }
  path = child(path, name);
  return found->second.get();
}

}  // namespace

RuleFault examine_rule(const Rule& rule, const cel::TypeRef& self) {
  RuleFault fault;
  const bool optional = rule.optional_old_self.value_or(false);
  const auto program = cel::compile(rule.rule, self, optional);
  if (!program) {
    fault.rule = program.error().message;
    return fault;
  }
  if (!gives(*program, cel::Type::Kind::Bool)) {
    fault.rule = "cel expression must evaluate to a bool";
    return fault;
  }
  fault.uses_old_self = program->uses_old_self();
  if (rule.message_expression.empty()) return fault;
  const auto message = cel::compile(rule.message_expression, self, optional);
  if (!message) {
    const std::string& text = message.error().message;
    fault.message_expression = text.starts_with("program")
                                   ? "messageExpression instantiation failed" + text.substr(text.find(':'))
                                   : "messageExpression " + text;
  } else if (!gives(*message, cel::Type::Kind::String)) {
    fault.message_expression = "messageExpression must evaluate to a string";
  }
  return fault;
}

base::Result<std::string> relative_path(std::string_view text, const Schema& schema) {
  const Schema* at = &schema;
  std::string path;
  const auto refuse = [](std::string words) { return base::fault(base::Fault::Kind::Refused, std::move(words)); };
  while (!text.empty()) {
    if (text[0] == '.') {
      const auto end = text.find_first_of(".[]", 1);
      const std::string_view name = text.substr(1, end == std::string_view::npos ? end : end - 1);
      if (name.empty()) return refuse("unexpected end of JSON path");
      TRY(at, step(at, name, path));
      text.remove_prefix(1 + name.size());
    } else if (text[0] == '[') {
      std::size_t close = text.starts_with("['") ? 2 : std::string_view::npos;
      while (close < text.size() && text[close] != '\'') close += text[close] == '\\' ? 2 : 1;
      if (close >= text.size()) return refuse("expected single quoted string");
      const auto name = unquote(text.substr(2, close - 2));
      if (!name) return refuse("invalid string literal");
      if (text.substr(close + 1, 1) != "]") return refuse("expected ]");
      TRY(at, step(at, *name, path));
      text.remove_prefix(close + 2);
    } else {
      return refuse(fmt::format("expected [ or . but got: {}", text));
    }
  }
  return path;
}

// A place of the schema with rules at it or below.
struct CelRules::Place {
  struct Compiled {
    const Rule* rule;
    std::optional<cel::Expression> program = {};
    std::optional<cel::Expression> message = {};
    std::string path = {};   // relative
    std::string fault = {};  // why it does not compile
  };
  const Schema* schema = nullptr;
  std::vector<Compiled> rules = {};
  std::map<std::string, std::shared_ptr<const Place>, std::less<>> properties = {};
  std::shared_ptr<const Place> items = {};
  std::shared_ptr<const Place> additional = {};
};

std::shared_ptr<const CelRules::Place> CelRules::build(const Schema& schema, bool resource_root) {
  auto place = std::make_shared<Place>();
  place->schema = &schema;
  const cel::TypeRef self = schema.rules.empty() ? nullptr : cel_type(schema, resource_root);
  for (const Rule& rule : schema.rules) {
    Place::Compiled compiled{.rule = &rule};
    if (!self) {
      compiled.fault = "failed to convert to declType for CEL validation rules";
    } else if (auto program = cel::compile(rule.rule, self, rule.optional_old_self.value_or(false))) {
      compiled.program = std::move(*program);
      if (auto message = rule.message_expression.empty()
                             ? base::Result<cel::Expression>(base::fault(base::Fault::Kind::Refused, ""))
                             : cel::compile(rule.message_expression, self, rule.optional_old_self.value_or(false))) {
        compiled.message = std::move(*message);
      }
      if (auto path = relative_path(rule.field_path, schema)) compiled.path = std::move(*path);
    } else {
      compiled.fault = program.error().message;
    }
    place->rules.push_back(std::move(compiled));
  }
  for (const auto& [name, part] : schema.properties) {
    if (auto below = build(*part, part->embedded_resource)) place->properties.emplace(name, std::move(below));
  }
  if (schema.items) place->items = build(*schema.items, schema.items->embedded_resource);
  if (schema.additional) place->additional = build(*schema.additional, schema.additional->embedded_resource);
  const bool nothing = place->rules.empty() && place->properties.empty() && !place->items && !place->additional;
  return nothing ? nullptr : place;
}

CelRules::CelRules(SchemaRef root, bool resource_root)
    : schema_(std::move(root)), root_(build(*schema_, resource_root)) {}

// One walk over one object.
struct CelRules::Checker {
  // The correlated value of a place, and the nearest one above that had one.
  struct Before {
    Correlation here = {};
    Correlation above = {};
    bool at_root = false;

    bool unchanged() const { return here ? here.unchanged() : above.unchanged(); }
    Before member(std::string_view name) const {
      if (!here) return *this;
      if (at_root && (name == "apiVersion" || name == "kind")) return {};
      return {here.member(name), here};
    }
    Before item(std::size_t index) const { return here ? Before{here.item(index), here} : *this; }
  };

  Verdict verdict = {};
  std::int64_t left = 0;

  static std::string shown_path(const std::string& path) { return path.empty() ? "<nil>" : path; }

  void visit(const Place& place, const json::Value& value, const json::Value* old, const Before& before,
             const std::string& path) {
    if (value.is_null() || left < 0) return;
    run_rules(place, value, old != nullptr && old->is_null() ? nullptr : old, before, path);
    if (const auto* array = value.if_array(); array != nullptr && place.items) {
      const auto* old_array = old != nullptr && place.schema->list_type == "map" ? old->if_array() : nullptr;
      for (std::size_t i = 0; i < array->size() && left >= 0; ++i) {
        const json::Value* old_item =
            old_array == nullptr
                ? nullptr
                : find_by_keys(*old_array, (*array)[i], place.schema->list_keys, place.schema->items.get());
        visit(*place.items, (*array)[i], old_item, before.item(i), index(path, i));
      }
    }
    const auto* object = value.if_object();
    if (object == nullptr) return;
    const auto* old_object = old != nullptr ? old->if_object() : nullptr;
    for (const auto& member : *object) {
      const std::string_view name = member.key();
      const json::Value* old_member = old_object != nullptr ? old_object->if_contains(name) : nullptr;
      if (place.additional) visit(*place.additional, member.value(), old_member, before.member(name), key(path, name));
    }
    for (const auto& [name, below] : place.properties) {
      const auto* found = object->if_contains(name);
      if (found == nullptr) continue;
      const json::Value* old_member = old_object != nullptr ? old_object->if_contains(name) : nullptr;
      visit(*below, *found, old_member, before.member(name), child(path, name));
    }
  }

  void broken(const Place& place, const std::string& path, std::string detail) {
    verdict.errors.push_back(invalid(shown_path(path), json::Value(place.schema->type), std::move(detail)));
  }

  void run_rules(const Place& place, const json::Value& value, const json::Value* old, const Before& before,
                 const std::string& path) {
    for (const auto& compiled : place.rules) {
      if (left < 0) return;
      if (!compiled.program) {
        broken(place, path, "rule compile error: " + compiled.fault);
        continue;
      }
      const bool wants_old = compiled.program->uses_old_self() && !compiled.rule->optional_old_self.value_or(false);
      if (wants_old && old == nullptr) continue;
      const auto evaluation = cel::run(*compiled.program, value, old);
      if (static_cast<std::int64_t>(evaluation.cost) > left) {
        broken(place, path,
               "validation failed due to running out of cost budget, no further validation rules will be run");
        left = -1;
        return;
      }
      left -= static_cast<std::int64_t>(evaluation.cost);
      if (evaluation.failed()) {
        report_failure(place, *compiled.rule, evaluation.error(), path);
      } else if (!evaluation.value.is_true()) {
        report_false(place, compiled, value, old, before, path);
      }
    }
  }

  void report_failure(const Place& place, const Rule& rule, std::string_view error, const std::string& path) {
    if (error.starts_with("no such overload")) {
      broken(place, path,
             fmt::format(
                 "'{}': call arguments did not match a supported operator, function or macro signature for rule: {}",
                 error, said(rule)));
    } else if (error.starts_with(cel::kTooCostly)) {
      broken(place, path,
             fmt::format("'{}': no further validation rules will be run due to call cost exceeds limit for rule: {}",
                         error, said(rule)));
      left = -1;
    } else {
      broken(place, path, fmt::format("{} evaluating rule: {}", error, said(rule)));
    }
  }

  std::optional<std::string> made_message(const Place::Compiled& compiled, const json::Value& value,
                                          const json::Value* old) {
    if (!compiled.message) return std::nullopt;
    const auto evaluation = cel::run(*compiled.message, value, old);
    left -= static_cast<std::int64_t>(evaluation.cost);
    const auto* text = evaluation.value.get<std::string>();
    if (text == nullptr) return std::nullopt;
    const std::string trimmed(base::trim(*text));
    if (trimmed.empty() || trimmed.size() > kLongestMessage || trimmed.find('\n') != std::string::npos)
      return std::nullopt;
    return trimmed;
  }

  void report_false(const Place& place, const Place::Compiled& compiled, const json::Value& value,
                    const json::Value* old, const Before& before, const std::string& path) {
    const Rule& rule = *compiled.rule;
    const std::string at = compiled.path.empty() ? shown_path(path) : child(path, compiled.path);
    const auto message = made_message(compiled, value, old);
    const std::string detail = message ? *message : rule.message.empty() ? "failed rule: " + said(rule) : said(rule);
    FieldError error = invalid(at, value, detail);
    if (place.schema->type == "object" || place.schema->type == "array") error.bad_value.reset();
    if (rule.reason == "FieldValueForbidden") error = forbidden(at, detail);
    if (rule.reason == "FieldValueRequired") error = required(at, detail);
    if (rule.reason == "FieldValueDuplicate") {
      error.type = FieldError::Type::Duplicate;
      error.detail.clear();
    }
    if (!compiled.program->uses_old_self() && before.unchanged()) {
      verdict.warnings.push_back(error.text());
    } else {
      verdict.errors.push_back(std::move(error));
    }
  }
};

CelRules::Verdict CelRules::check(const json::Value& value, const json::Value* old, const Correlation& correlation,
                                  std::string_view path, std::uint64_t budget) const {
  if (!root_) return {};
  Checker walk;
  walk.left = static_cast<std::int64_t>(budget);
  walk.visit(*root_, value, old, {correlation, {}, true}, std::string(path));
  return std::move(walk.verdict);
}

}  // namespace drover::sim::crd
