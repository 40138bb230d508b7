// A set of enumerators, as bits of one word: for small enums that are combined in tables.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace drover::base {

template <class Enum>
class Set {
 public:
  constexpr Set() = default;
  constexpr Set(Enum one) : bits_(bit(one)) {}  // NOLINT(google-explicit-constructor): one enumerator is a set
  constexpr Set(std::initializer_list<Enum> all) {
    for (const Enum one : all) bits_ |= bit(one);
  }

  constexpr bool has(Enum one) const { return (bits_ & bit(one)) != 0; }
  constexpr bool has_all(Set other) const { return (bits_ & other.bits_) == other.bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr int size() const { return std::popcount(bits_); }
  constexpr Set without(Set other) const {
    Set left;
    left.bits_ = bits_ & ~other.bits_;
    return left;
  }
  // With `what` exchanged for `by`, where it has it.
  constexpr Set replaced(Enum what, Enum by) const { return has(what) ? without(what) | by : *this; }

  constexpr bool operator==(const Set&) const = default;
  friend constexpr Set operator|(Set a, Set b) {
    Set both;
    both.bits_ = a.bits_ | b.bits_;
    return both;
  }
  friend constexpr Set operator&(Set a, Set b) {
    Set both;
    both.bits_ = a.bits_ & b.bits_;
    return both;
  }

 private:
  static constexpr std::uint32_t bit(Enum one) { return std::uint32_t{1} << static_cast<unsigned>(one); }
  std::uint32_t bits_ = 0;
};

}  // namespace drover::base
