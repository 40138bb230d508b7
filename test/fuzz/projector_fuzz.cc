// Objects and lists through the projecting parser: whatever the text and wherever it is cut, it agrees with
// Boost.JSON's own parser about what is JSON and, where keys are not repeated, with Projection::applied_to about what
// is kept.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "kube/stream.h"
#include "pieces.h"

namespace {

using drover::fuzz::Input;
namespace json = drover::json;
namespace kube = drover::kube;

constexpr std::size_t kLimit = 1024 * 1024;

void check(bool holds) {
  if (!holds) std::abort();
}

// Equal but for the last bits of reals, which Boost.JSON 1.81 does not round as IEEE 754 wants.
bool alike(const json::Value& a, const json::Value& b) {
  if (a.is_double() && b.is_double()) {
    const double x = a.get_double();
    const double y = b.get_double();
    return x == y || std::abs(x - y) <= 1e-12 * std::abs(x) || (std::abs(x) < 1e-300 && std::abs(y) < 1e-300) ||
           (std::abs(x) > 1e300 && std::abs(y) > 1e300);
  }
  if (a.is_array() && b.is_array()) return std::ranges::equal(a.get_array(), b.get_array(), alike);
  if (a.is_object() && b.is_object()) {
    return std::ranges::equal(a.get_object(), b.get_object(), [](const auto& one, const auto& other) {
      return one.key() == other.key() && alike(one.value(), other.value());
    });
  }
  return a == b;
}

// Boost.JSON refuses exponents beyond 32 bits, which are zero or infinite to us.
bool is_only_about_exponents(const drover::base::Fault& fault) {
  return fault.message.find("exponent") != std::string::npos;
}

void through_object_parser(const Input& input, const kube::Projection& projection) {
  kube::ObjectParser parser(projection, kLimit);
  bool fed = true;
  for (const auto& piece : input.pieces()) fed = fed && parser.feed({piece.data(), piece.size()}).has_value();
  const auto object = parser.finish();
  check(fed || !object);
  const auto reference = json::parse(input.text);
  if (!reference && is_only_about_exponents(reference.error())) return;
  check(object.has_value() == (reference && reference->is_object()));
  if (object && projection.keeps_everything()) check(alike(*object, *reference));
}

void through_list_parser(const Input& input, const kube::Projection& projection) {
  std::size_t items = 0;
  kube::ListParser parser(
      projection, [&](const kube::Object& item) { items += item.is_object() ? 1 : 1000000; }, kLimit);
  for (const auto& piece : input.pieces()) (void)parser.feed({piece.data(), piece.size()});
  const auto end = parser.finish();
  check(items < 1000000);
  if (!end) return;
  check(end->kind.ends_with("List"));
  const auto reference = json::parse(input.text);
  check(reference || is_only_about_exponents(reference.error()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const kube::Projection kSome = {"a", "b.c", "metadata.labels", "spec.containers.name", "d.a.b.c"};
  const Input input(bytes, size);
  const kube::Projection projection = (input.choice & 1) != 0 ? kSome : kube::Projection();
  if ((input.choice & 2) != 0) {
    through_list_parser(input, projection);
  } else {
    through_object_parser(input, projection);
  }
  return 0;
}
