// Any text as a rule: it is refused with a report or it is evaluated, within its cost, twice with the same answer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sim/cel/cel.h"
#include "sim/cel_table.h"
#include "sim/crd/cel_type.h"
#include "sim/crd/schema.h"

namespace {

using namespace drover;
using namespace drover::sim;

constexpr std::uint64_t kCost = 20'000;

std::string said(const cel::Evaluation& evaluation) {
  if (evaluation.failed()) return "error: " + std::string(evaluation.error());
  return evaluation.value.is_true() ? "true" : "other";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const cel::TypeRef type = crd::cel_type(**crd::read_schema(*json::parse(cel::kTableSchema)), false);
  static const json::Value self = *json::parse(cel::kTableSelf);
  static const json::Value old = *json::parse(R"({"i": 1, "s": "old", "ls": ["a"], "lo": [{"name": "n1", "v": 0}]})");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto program = cel::compile(text, type);
  if (!program) {
    if (program.error().message.empty()) std::abort();
    return 0;
  }
  const auto first = cel::run(*program, self, &old, kCost);
  const auto second = cel::run(*program, self, &old, kCost);
  if (said(first) != said(second) || first.cost != second.cost) std::abort();
  return 0;
}
