// Compiling is parsing, then checking; running is evaluate.cc.
#include "sim/cel/cel.h"

#include <algorithm>
#include <array>
#include <optional>

#include "sim/cel/ast.h"
#include "sim/cel/check.h"
#include "sim/cel/library.h"

namespace drover::sim::cel {

namespace {

// int('x') would fail every time: the first conversion of a constant that fails, or nothing.
std::optional<std::string> broken_constant(const Node& node) {
  for (const auto& part : node.parts) {
    if (auto broken = broken_constant(*part)) return broken;
  }
  constexpr std::array<std::string_view, 8> kConversions = {"bool", "bytes",  "double",    "duration",
                                                            "int",  "string", "timestamp", "uint"};
  const bool converts = node.kind == Node::Kind::Call && !node.on_target && node.parts.size() == 1 &&
                        std::find(kConversions.begin(), kConversions.end(), node.text) != kConversions.end();
  if (!converts || node.parts[0]->kind != Node::Kind::Literal) return std::nullopt;
  Meter meter(kCostPerRule);
  const Value value = node.function->code({&node.parts[0]->literal, 1}, meter, node);
  if (!value.failed()) return std::nullopt;
  return value.get<Failure>()->text;
}

}  // namespace

base::Result<Expression> compile(std::string_view text, const TypeRef& self, bool optional_old_self) {
  Complaints complaints(text);
  NodeRef root = parse(text, complaints);
  if (!root) return base::fault(base::Fault::Kind::Refused, "compilation failed: " + complaints.report());
  Checked checked = check(*root, self, optional_old_self ? optional_of(self) : self, complaints);
  if (!complaints.empty()) return base::fault(base::Fault::Kind::Refused, "compilation failed: " + complaints.report());
  if (const auto broken = broken_constant(*root)) {
    return base::fault(base::Fault::Kind::Refused, "program instantiation failed: " + *broken);
  }
  Expression program;
  program.root_ = std::shared_ptr<const Node>(std::move(root));
  program.self_ = self;
  program.gives_ = std::move(checked.gives);
  program.uses_old_self_ = checked.uses_old_self;
  program.optional_old_self_ = optional_old_self;
  return program;
}

}  // namespace drover::sim::cel
