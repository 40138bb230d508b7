// Quantities as whole numbers of nanos in base 10^9.
#include "sim/cel/quantity.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/text.h"

namespace drover::sim::cel {

namespace {

constexpr std::uint32_t kBase = 1'000'000'000;
// Beyond this many digits kube clamps; they do not occur in practice, and parsing must be linear in the text's length.
constexpr std::size_t kMostDigits = 64;

struct Suffix {
  std::string_view text;
  int tens;      // powers of ten
  int binaries;  // powers of 1024
};
constexpr std::array<Suffix, 16> kSuffixes = {{{"", 0, 0},
                                               {"n", -9, 0},
                                               {"u", -6, 0},
                                               {"m", -3, 0},
                                               {"k", 3, 0},
                                               {"M", 6, 0},
                                               {"G", 9, 0},
                                               {"T", 12, 0},
                                               {"P", 15, 0},
                                               {"E", 18, 0},
                                               {"Ki", 0, 1},
                                               {"Mi", 0, 2},
                                               {"Gi", 0, 3},
                                               {"Ti", 0, 4},
                                               {"Pi", 0, 5},
                                               {"Ei", 0, 6}}};

std::optional<Suffix> find_suffix(std::string_view text) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text == text) return suffix;
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  std::string_view digits = text.substr(1);
  if (digits[0] == '+') digits.remove_prefix(1);
  if (digits.empty() || digits[0] == '+') return std::nullopt;
  const auto exponent = base::parse_int(digits);
  if (!exponent || *exponent > 100 || *exponent < -100) return std::nullopt;
  return Suffix{text, static_cast<int>(*exponent), 0};
}

}  // namespace

Quantity::Quantity(std::int64_t whole) : negative_(whole < 0) {
  auto size = negative_ ? -static_cast<std::uint64_t>(whole) : static_cast<std::uint64_t>(whole);
  limbs_.push_back(0);
  for (; size > 0; size /= kBase) limbs_.push_back(static_cast<std::uint32_t>(size % kBase));
  trim();
}

std::optional<Quantity> Quantity::parse(std::string_view text) {
  Quantity made;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    made.negative_ = text[0] == '-';
    text.remove_prefix(1);
  }
  std::size_t end = 0;
  std::string digits;
  int fraction = 0;
  bool point = false;
  for (; end < text.size(); ++end) {
    if (text[end] == '.' && !point) {
      point = true;
    } else if (text[end] >= '0' && text[end] <= '9') {
      digits += text[end];
      if (point) ++fraction;
    } else {
      break;
    }
  }
  if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
  const auto suffix = find_suffix(text.substr(end));
  if (!suffix) return std::nullopt;
  for (const char digit : digits) {
    made.multiply(10);
    if (made.limbs_.empty()) made.limbs_.push_back(0);
    made.limbs_[0] += static_cast<std::uint32_t>(digit - '0');
  }
  for (int i = 0; i < suffix->binaries; ++i) made.multiply(1024);
  int tens = suffix->tens - fraction + 9;
  for (; tens > 0; --tens) made.multiply(10);
  for (; tens < 0; ++tens) made.divide_by_ten_rounding_up();
  made.trim();
  return made;
}

int Quantity::compare_size(const Quantity& a, const Quantity& b) {
  if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() < b.limbs_.size() ? -1 : 1;
  for (std::size_t i = a.limbs_.size(); i-- > 0;) {
    if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i] ? -1 : 1;
  }
  return 0;
}

int Quantity::compare(const Quantity& other) const {
  if (negative_ != other.negative_) return negative_ ? -1 : 1;
  return negative_ ? compare_size(other, *this) : compare_size(*this, other);
}

int Quantity::sign() const { return limbs_.empty() ? 0 : negative_ ? -1 : 1; }

Quantity Quantity::negated() const {
  Quantity made = *this;
  made.negative_ = !negative_;
  made.trim();
  return made;
}

Quantity Quantity::plus(const Quantity& other) const {
  const bool same_sign = negative_ == other.negative_;
  const Quantity& big = compare_size(*this, other) >= 0 ? *this : other;
  const Quantity& small = &big == this ? other : *this;
  Quantity made = big;
  std::int64_t carry = 0;
  for (std::size_t i = 0; i < big.limbs_.size(); ++i) {
    const std::int64_t part = i < small.limbs_.size() ? small.limbs_[i] : 0;
    std::int64_t sum = static_cast<std::int64_t>(big.limbs_[i]) + carry + (same_sign ? part : -part);
    carry = 0;
    if (sum < 0) {
      sum += kBase;
      carry = -1;
    } else if (sum >= kBase) {
      sum -= kBase;
      carry = 1;
    }
    made.limbs_[i] = static_cast<std::uint32_t>(sum);
  }
  if (carry > 0) made.limbs_.push_back(1);
  made.trim();
  return made;
}

std::optional<std::int64_t> Quantity::integer() const {
  if (limbs_.empty()) return 0;
  if (limbs_[0] != 0 || limbs_.size() > 4) return std::nullopt;
  std::uint64_t size = 0;
  for (std::size_t i = limbs_.size(); i-- > 1;) {
    if (size > (UINT64_MAX - limbs_[i]) / kBase) return std::nullopt;
    size = size * kBase + limbs_[i];
  }
  if (negative_) {
    if (size > 1ULL << 63U) return std::nullopt;
    return static_cast<std::int64_t>(-size);
  }
  if (size > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<std::int64_t>(size);
}

double Quantity::approximate() const {
  double value = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) value = value * kBase + limbs_[i];
  value /= kBase;
  return negative_ ? -value : value;
}

void Quantity::multiply(std::uint32_t factor) {
  std::uint64_t carry = 0;
  for (auto& limb : limbs_) {
    const std::uint64_t product = static_cast<std::uint64_t>(limb) * factor + carry;
    limb = static_cast<std::uint32_t>(product % kBase);
    carry = product / kBase;
  }
  if (carry > 0) limbs_.push_back(static_cast<std::uint32_t>(carry));
}

void Quantity::divide_by_ten_rounding_up() {
  std::uint64_t rest = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) {
    const std::uint64_t part = rest * kBase + limbs_[i];
    limbs_[i] = static_cast<std::uint32_t>(part / 10);
    rest = part % 10;
  }
  if (rest > 0) {
    std::size_t i = 0;
    while (i < limbs_.size() && ++limbs_[i] == kBase) limbs_[i++] = 0;
    if (i == limbs_.size()) limbs_.push_back(1);
  }
}

void Quantity::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
  if (limbs_.empty()) negative_ = false;
}

}  // namespace drover::sim::cel
