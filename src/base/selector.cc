#include "base/selector.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace drover::base {

namespace {

bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// A label value, or the name part of a key: at most 63 letters, digits, '-', '_', '.', beginning and ending with one of
// the first two.
bool is_label_word(std::string_view text) {
  return !text.empty() && text.size() <= 63 && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_dns_name(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  return std::ranges::all_of(split(text, '.'), [](std::string_view part) {
    return !part.empty() && is_alphanumeric(part.front()) && is_alphanumeric(part.back()) &&
           std::ranges::all_of(part,
                               [](char c) { return (is_alphanumeric(c) && !(c >= 'A' && c <= 'Z')) || c == '-'; });
  });
}

bool is_key(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return is_label_word(key);
  return is_dns_name(key.substr(0, slash)) && is_label_word(key.substr(slash + 1));
}

bool is_value(std::string_view value) { return value.empty() || is_label_word(value); }

std::unexpected<Fault> refused(std::string message) { return fault(Fault::Kind::Refused, std::move(message)); }

Result<Selector::Term> checked(Selector::Term term) {
  if (!is_key(term.key)) return refused(fmt::format("\"{}\" is not a label key", one_line(term.key, 80)));
  for (const std::string& value : term.values) {
    if (!is_value(value)) return refused(fmt::format("\"{}\" is not a label value", one_line(value, 80)));
  }
  using Op = Selector::Op;
  const bool compares = term.op == Op::GreaterThan || term.op == Op::LessThan;
  if (compares && !parse_int(term.values.front())) {
    return refused(fmt::format("\"{}\" must be a whole number to be compared with", term.values.front()));
  }
  return term;
}

// Reads the text form. Words are separated by blanks and the letters of the grammar.
class Reader {
 public:
  explicit Reader(std::string_view text) : whole_(text), rest_(text) {}

  Result<std::vector<Selector::Term>> terms() {
    std::vector<Selector::Term> terms;
    skip_blanks();
    while (!rest_.empty()) {
      TRY(auto term, one());
      TRY(auto good, checked(std::move(term)));
      terms.push_back(std::move(good));
      skip_blanks();
      if (rest_.empty()) break;
      if (!take(",")) return trouble("',' or the end");
      skip_blanks();
      if (rest_.empty()) return trouble("another term after ','");
    }
    return terms;
  }

 private:
  Result<Selector::Term> one() {
    using Op = Selector::Op;
    if (take("!")) {
      std::string key(word());
      if (key.empty()) return trouble("a key after '!'");
      return Selector::Term{std::move(key), Op::NotExists, {}};
    }
    std::string key(word());
    if (key.empty()) return trouble("a key");
    skip_blanks();
    if (rest_.empty() || rest_.front() == ',') return Selector::Term{std::move(key), Op::Exists, {}};
    for (auto [sign, op] : {std::pair{"==", Op::Equals},
                            {"!=", Op::NotEquals},
                            {"=", Op::Equals},
                            {">", Op::GreaterThan},
                            {"<", Op::LessThan}}) {
      if (take(sign)) {
        skip_blanks();
        return Selector::Term{std::move(key), op, {std::string(word())}};
      }
    }
    const std::string_view op_word = word();
    if (op_word != "in" && op_word != "notin") return trouble("'=', '==', '!=', 'in' or 'notin'");
    TRY(auto values, set());
    return Selector::Term{std::move(key), op_word == "in" ? Op::In : Op::NotIn, std::move(values)};
  }

  Result<std::vector<std::string>> set() {
    skip_blanks();
    if (!take("(")) return trouble("'('");
    std::vector<std::string> values;
    for (;;) {
      skip_blanks();
      values.emplace_back(word());
      skip_blanks();
      if (take(")")) return values;
      if (!take(",")) return trouble("',' or ')'");
    }
  }

  std::string_view word() {
    skip_blanks();
    const std::size_t end = std::min(rest_.find_first_of(" \t\n,()=!<>"), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return found;
  }
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\n'))
      rest_.remove_prefix(1);
  }
  std::unexpected<Fault> trouble(std::string_view wanted) const {
    return refused(fmt::format("selector \"{}\": expected {} at position {}", one_line(whole_, 120), wanted,
                               whole_.size() - rest_.size()));
  }

  std::string_view whole_;
  std::string_view rest_;
};

bool contains(const std::vector<std::string>& values, std::string_view value) {
  return std::ranges::find(values, value) != values.end();
}

bool holds(const Selector::Term& term, std::optional<std::string_view> value) {
  using Op = Selector::Op;
  switch (term.op) {
    case Op::Equals:
    case Op::In: return value && contains(term.values, *value);
    case Op::NotEquals:
    case Op::NotIn: return !value || !contains(term.values, *value);
    case Op::Exists: return value.has_value();
    case Op::NotExists: return !value.has_value();
    case Op::GreaterThan:
    case Op::LessThan: {
      const auto left = value ? parse_int(*value) : std::nullopt;
      const auto right = parse_int(term.values.front());
      if (!left || !right) return false;
      return term.op == Op::GreaterThan ? *left > *right : *left < *right;
    }
  }
  return false;
}

Result<Selector::Term> expression(const json::Value& value) {
  using Op = Selector::Op;
  const std::string_view op_word = json::text_at(value, {"operator"});
  std::vector<std::string> values;
  for (const json::Value& one : json::array_at(value, {"values"})) {
    if (!one.is_string()) return refused("matchExpressions: values must be strings");
    values.emplace_back(one.get_string());
  }
  const bool is_set = op_word == "In" || op_word == "NotIn";
  const bool is_presence = op_word == "Exists" || op_word == "DoesNotExist";
  if (!is_set && !is_presence) return refused(fmt::format("\"{}\" is not a valid label selector operator", op_word));
  if (is_set && values.empty()) return refused("matchExpressions: In and NotIn need values");
  if (is_presence && !values.empty()) return refused("matchExpressions: Exists and DoesNotExist take no values");
  const Op op = op_word == "In"       ? Op::In
                : op_word == "NotIn"  ? Op::NotIn
                : op_word == "Exists" ? Op::Exists
                                      : Op::NotExists;
  return checked({std::string(json::text_at(value, {"key"})), op, std::move(values)});
}

}  // namespace

Result<Selector> Selector::parse(std::string_view text) {
  TRY(auto terms, Reader(text).terms());
  Selector selector;
  selector.terms_ = std::move(terms);
  return selector;
}

Result<Selector> Selector::from_json(const json::Value& value) {
  Selector selector;
  for (const auto& [key, wanted] : json::members_at(value, {"matchLabels"})) {
    if (!wanted.is_string()) return refused("matchLabels: values must be strings");
    TRY(auto term, checked({std::string(key), Op::Equals, {std::string(wanted.get_string())}}));
    selector.terms_.push_back(std::move(term));
  }
  for (const json::Value& one : json::array_at(value, {"matchExpressions"})) {
    TRY(auto term, expression(one));
    selector.terms_.push_back(std::move(term));
  }
  return selector;
}

bool Selector::matches(const Lookup& labels) const {
  return std::ranges::all_of(terms_, [&](const Term& term) { return holds(term, labels(term.key)); });
}

bool Selector::matches(const json::Members& labels) const {
  return std::ranges::all_of(terms_, [&](const Term& term) {
    const json::Value* value = labels.if_contains(term.key);
    const bool is_there = value != nullptr && value->is_string();
    return holds(term, is_there ? std::optional<std::string_view>(value->get_string()) : std::nullopt);
  });
}

std::string Selector::text() const {
  std::vector<std::string> parts;
  for (const Term& term : terms_) {
    const std::string set = "(" + join(term.values, ",") + ")";
    switch (term.op) {
      case Op::Equals: parts.push_back(term.key + "=" + term.values.front()); break;
      case Op::NotEquals: parts.push_back(term.key + "!=" + term.values.front()); break;
      case Op::In: parts.push_back(term.key + " in " + set); break;
      case Op::NotIn: parts.push_back(term.key + " notin " + set); break;
      case Op::Exists: parts.push_back(term.key); break;
      case Op::NotExists: parts.push_back("!" + term.key); break;
      case Op::GreaterThan: parts.push_back(term.key + ">" + term.values.front()); break;
      case Op::LessThan: parts.push_back(term.key + "<" + term.values.front()); break;
    }
  }
  return join(parts, ",");
}

}  // namespace drover::base
