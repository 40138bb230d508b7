// A Kubernetes quantity ("500m", "1.5Gi", "1e3"), exact: comparisons of resources must not depend on a double's
// mantissa.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace drover::sim::cel {

class Quantity {
 public:
  Quantity() = default;
  explicit Quantity(std::int64_t whole);

  // Nothing when the text is not a quantity.
  static std::optional<Quantity> parse(std::string_view text);

  // Less than, equal to or greater than zero.
  int compare(const Quantity& other) const;
  int sign() const;
  Quantity plus(const Quantity& other) const;
  Quantity negated() const;
  // The whole number, when it is one and fits.
  std::optional<std::int64_t> integer() const;
  double approximate() const;

 private:
  static int compare_size(const Quantity& a, const Quantity& b);
  void multiply(std::uint32_t factor);
  void divide_by_ten_rounding_up();
  void trim();

  // Base 10^9, least significant first; the first limb counts nanos, the smallest unit a quantity has.
  std::vector<std::uint32_t> limbs_;
  bool negative_ = false;
};

}  // namespace drover::sim::cel
