// Walking a checked tree. Depth is bounded by the parser, steps by the meter. && and || look at all their operands
// before they let a failure through, because any of them may decide alone.
#include <fmt/format.h>

#include <array>
#include <ranges>
#include <utility>

#include "sim/cel/ast.h"
#include "sim/cel/cel.h"
#include "sim/cel/library.h"

namespace drover::sim::cel {

namespace {

class Evaluator {
 public:
  Evaluator(Value self, Value old_self, Meter& meter)
      : self_(std::move(self)), old_self_(std::move(old_self)), meter_(meter) {}

  Value eval(const Node& node) {
    if (!meter_.spend(1)) return failure(std::string(kTooCostly));
    switch (node.kind) {
      case Node::Kind::Literal: return node.literal;
      case Node::Kind::Ident: return ident(node.text);
      case Node::Kind::Select: return select(node);
      case Node::Kind::Has: return has(node);
      case Node::Kind::Call: return call(node);
      case Node::Kind::List: return list(node);
      case Node::Kind::Map: return map(node);
      case Node::Kind::Loop: return loop(node);
    }
    return no_such_overload();
  }

 private:
  Value ident(const std::string& name) const {
    for (const auto& [variable, value] : std::views::reverse(variables_)) {
      if (*variable == name) return value;
    }
    if (name == "self") return self_;
    if (name == "oldSelf") return old_self_;
    return failure(fmt::format("no such attribute(s): {}", name));
  }

  static std::optional<Value> field_of(const Value& operand, const std::string& name, Meter& meter) {
    if (const auto* record = operand.get<Record>()) return record->find(name);
    if (const auto* dict = operand.get<Dict>()) {
      for (const auto& [key, value] : *dict->entries) {
        if (!meter.spend(1)) return std::nullopt;
        if (const auto* text = key.get<std::string>(); text != nullptr && *text == name) return value;
      }
      return std::nullopt;
    }
    return std::nullopt;
  }

  Value select(const Node& node) {
    Value operand = eval(*node.parts[0]);
    if (operand.failed()) return operand;
    if (operand.get<Record>() == nullptr && operand.get<Dict>() == nullptr) return no_such_overload();
    if (auto found = field_of(operand, node.text, meter_)) return std::move(*found);
    return failure("no such key: " + node.text);
  }

  Value has(const Node& node) {
    Value operand = eval(*node.parts[0]);
    if (operand.failed()) return operand;
    if (operand.get<Record>() == nullptr && operand.get<Dict>() == nullptr) return no_such_overload();
    return Value{field_of(operand, node.text, meter_).has_value()};
  }

  // && and ||: `decisive` alone decides.
  Value logic(const Node& node, bool decisive) {
    Value first_failure;
    for (const auto& part : node.parts) {
      Value value = eval(*part);
      const auto* flag = value.get<bool>();
      if (flag != nullptr && *flag == decisive) return Value{decisive};
      if (flag == nullptr && !first_failure.failed()) {
        first_failure = value.failed() ? std::move(value) : no_such_overload();
      }
      if (meter_.empty()) return failure(std::string(kTooCostly));
    }
    return first_failure.failed() ? first_failure : Value{!decisive};
  }

  Value call(const Node& node) {
    if (node.text == "_&&_") return logic(node, false);
    if (node.text == "_||_") return logic(node, true);
    if (node.text == "_?_:_") {
      Value condition = eval(*node.parts[0]);
      if (condition.failed()) return condition;
      const auto* flag = condition.get<bool>();
      if (flag == nullptr) return no_such_overload();
      return eval(*node.parts[*flag ? 1 : 2]);
    }
    std::vector<Value> arguments;
    arguments.reserve(node.parts.size());
    for (const auto& part : node.parts) {
      Value value = eval(*part);
      if (value.failed()) return value;
      arguments.push_back(std::move(value));
    }
    Value result = node.function->code(arguments, meter_, node);
    return meter_.empty() ? failure(std::string(kTooCostly)) : result;
  }

  Value list(const Node& node) {
    std::vector<Value> items;
    items.reserve(node.parts.size());
    for (const auto& part : node.parts) {
      Value value = eval(*part);
      if (value.failed()) return value;
      items.push_back(std::move(value));
    }
    return make_list(std::move(items));
  }

  Value map(const Node& node) {
    std::vector<std::pair<Value, Value>> entries;
    for (std::size_t i = 0; i + 1 < node.parts.size(); i += 2) {
      Value key = eval(*node.parts[i]);
      if (key.failed()) return key;
      for (const auto& entry : entries) {
        if (equal(entry.first, key, meter_)) {
          const Value text = text_value(key);
          return failure("insert failed: key " + (text.failed() ? std::string("?") : *text.get<std::string>()) +
                         " already exists");
        }
        if (meter_.empty()) return failure(std::string(kTooCostly));
      }
      Value value = eval(*node.parts[i + 1]);
      if (value.failed()) return value;
      entries.emplace_back(std::move(key), std::move(value));
    }
    return make_dict(std::move(entries));
  }

  // Calls `step` with the variables bound for each element; `step` says whether to go on.
  template <class Step>
  Value walk(const Node& node, Step step) {
    const Value range = eval(*node.parts[0]);
    if (range.failed()) return range;
    const bool pairs = !node.second_variable.empty();
    const auto visit = [&](Value first, Value second) {
      if (!meter_.spend(1)) return false;
      variables_.emplace_back(&node.variable, std::move(first));
      if (pairs) variables_.emplace_back(&node.second_variable, std::move(second));
      const bool go_on = step();
      variables_.resize(variables_.size() - (pairs ? 2 : 1));
      return go_on;
    };
    if (const auto* list = range.get<List>()) {
      for (std::size_t i = 0; i < list->size(); ++i) {
        if (!visit(pairs ? Value{static_cast<std::int64_t>(i)} : list->at(i), pairs ? list->at(i) : Value{})) break;
      }
    } else if (const auto* record = range.get<Record>()) {
      for (const auto& member : *record->members) {
        const std::string name(member.key());
        if (!visit(Value{name}, pairs ? record->find(name).value_or(Value{}) : Value{})) break;
      }
    } else if (const auto* dict = range.get<Dict>()) {
      for (const auto& [key, value] : *dict->entries) {
        if (!visit(key, value)) break;
      }
    } else {
      return no_such_overload();
    }
    return meter_.empty() ? failure(std::string(kTooCostly)) : Value{true};
  }

  Value loop(const Node& node) {
    switch (node.macro) {
      case Node::Macro::All: return quantified(node, false);
      case Node::Macro::Exists: return quantified(node, true);
      case Node::Macro::ExistsOne: return exactly_one(node);
      case Node::Macro::Map:
      case Node::Macro::Filter: return collected(node);
    }
    return no_such_overload();
  }

  Value quantified(const Node& node, bool decisive) {
    Value first_failure;
    bool decided = false;
    Value walked = walk(node, [&] {
      Value value = eval(*node.parts[1]);
      const auto* flag = value.get<bool>();
      decided = flag != nullptr && *flag == decisive;
      if (flag == nullptr && !first_failure.failed()) {
        first_failure = value.failed() ? std::move(value) : no_such_overload();
      }
      return !decided && !meter_.empty();
    });
    if (walked.failed()) return walked;
    if (decided) return Value{decisive};
    return first_failure.failed() ? first_failure : Value{!decisive};
  }

  Value exactly_one(const Node& node) {
    std::size_t found = 0;
    Value broken;
    Value walked = walk(node, [&] {
      Value value = eval(*node.parts[1]);
      if (value.get<bool>() == nullptr) {
        broken = value.failed() ? std::move(value) : no_such_overload();
        return false;
      }
      if (value.is_true()) ++found;
      return true;
    });
    if (walked.failed()) return walked;
    return broken.failed() ? broken : Value{found == 1};
  }

  Value collected(const Node& node) {
    std::vector<Value> items;
    Value broken;
    const bool filters = node.macro == Node::Macro::Filter || node.parts.size() == 3;
    Value walked = walk(node, [&] {
      if (filters) {
        Value value = eval(*node.parts[1]);
        if (value.get<bool>() == nullptr) {
          broken = value.failed() ? std::move(value) : no_such_overload();
          return false;
        }
        if (value.is_false()) return true;
      }
      Value item = node.macro == Node::Macro::Filter ? variables_.back().second : eval(*node.parts.back());
      if (item.failed()) {
        broken = std::move(item);
        return false;
      }
      items.push_back(std::move(item));
      return true;
    });
    if (walked.failed()) return walked;
    return broken.failed() ? broken : make_list(std::move(items));
  }

  Value self_;
  Value old_self_;
  Meter& meter_;
  std::vector<std::pair<const std::string*, Value>> variables_;
};

}  // namespace

// Has access to an Expression's syntax tree.
struct Runner {
  static Evaluation run(const Expression& program, const json::Value& self, const json::Value* old_self,
                        std::uint64_t cost_limit) {
    Meter meter(cost_limit);
    Value old = old_self != nullptr ? from_json(*old_self, program.self_) : failure("no such attribute(s): oldSelf");
    if (program.optional_old_self_) {
      old = Value{old_self != nullptr ? Maybe{std::make_shared<const Value>(std::move(old))} : Maybe{}};
    }
    Evaluator evaluator(from_json(self, program.self_), std::move(old), meter);
    Value value = evaluator.eval(*program.root_);
    return {std::move(value), meter.spent()};
  }
};

Evaluation run(const Expression& program, const json::Value& self, const json::Value* old_self,
               std::uint64_t cost_limit) {
  return Runner::run(program, self, old_self, cost_limit);
}

}  // namespace drover::sim::cel
