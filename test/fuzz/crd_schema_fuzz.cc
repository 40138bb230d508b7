// Any JSON as a schema, and (after a line "---") as an object and as its older self: a schema that passes its checks
// can be used; pruning and defaulting twice is the same as once.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json.h"
#include "sim/crd/definition.h"
#include "sim/crd/schema_check.h"
#include "sim/crd/shape.h"
#include "sim/crd/validate.h"

namespace {

using namespace drover;
using namespace drover::sim::crd;

constexpr std::uint64_t kBudget = 20'000;

std::string_view take_document(std::string_view& text) {
  constexpr std::string_view kLine = "\n---\n";
  const auto at = text.find(kLine);
  const std::string_view document = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + kLine.size());
  return document;
}

void use(const SchemaRef& schema, json::Value object, const json::Value& old) {
  prune(object, *schema);
  json::Value again = object;
  if (!prune(again, *schema).empty() || again != object) std::abort();
  drop_nulls(object, *schema);
  apply_defaults(object, *schema);
  again = object;
  apply_defaults(again, *schema);
  if (again != object) std::abort();
  const Correlation correlation{&object, &old, schema.get()};
  for (const auto& error : validate(object, *schema)) (void)error.text();
  for (const auto& error : validate(object, *schema, "status", correlation)) (void)error.text();
  // Items that share their keys all correlate with the first of them, so only lists without such are like themselves.
  const bool keys_are_unique = check_list_types(object, *schema).empty();
  if (keys_are_unique && !validate(object, *schema, {}, {&object, &object, schema.get()}).empty()) std::abort();
  (void)check_embedded_resources(object, *schema);
  const CelRules rules(schema);
  (void)rules.check(object, nullptr, {}, {}, kBudget);
  (void)rules.check(object, &old, correlation, {}, kBudget);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto first = json::parse(take_document(text));
  if (!first) return 0;
  (void)check_definition(with_defaults(*first));
  const auto schema = read_schema(*first);
  if (!schema) return 0;
  if (!check_schema(*schema, "S", true).empty()) return 0;
  const auto object = json::parse(take_document(text));
  const auto old = json::parse(take_document(text));
  use(*schema, object ? *object : json::Value(), old ? *old : json::Value());
  return 0;
}
