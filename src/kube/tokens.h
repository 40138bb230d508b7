// JSON in pieces, token by token: strict (RFC 8259, UTF-8 included), in place, and quick to pass over what is not
// wanted.
//
// Only stream.cc includes it. Most bytes of a list are passed over, so that path decides the speed: inside a container
// that the sink does not take, strings are scanned 16 bytes at a time, numbers and words are checked but not converted,
// and the sink is not called. A token that lies whole in a piece is handed on where it lies; one that is cut is
// collected in `scratch_`.
//
// At rest: the open containers, what may come next, and the token that was cut, if any.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace drover::kube {

// What a sink does with a container that begins.
enum class Reaction { Take, PassOver, Refuse };

// The end of the run of bytes from `p` that are plain in a string: ASCII, no quote, no backslash, no control character.
inline const char* end_of_plain(const char* p, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i space = _mm_set1_epi8(' ');
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    // Signed: bytes of multi-byte characters are negative, so one comparison finds them and the control characters.
    const __m128i special = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                                         _mm_cmplt_epi8(bytes, space));
    const int found = _mm_movemask_epi8(special);
    if (found != 0) return p + __builtin_ctz(static_cast<unsigned>(found));
  }
#endif
  while (p < end && *p != '"' && *p != '\\' && static_cast<unsigned char>(*p) >= ' ' &&
         static_cast<unsigned char>(*p) < 0x80)
    ++p;
  return p;
}

// A number as JSON writes it; nothing when it is none.
struct Number {
  enum class Kind { None, Signed, Unsigned, Real };
  Kind kind = Kind::None;
  std::int64_t as_signed = 0;
  std::uint64_t as_unsigned = 0;
  double as_real = 0;
};

inline const char* end_of_digits(const char* p, const char* end) {
  while (p < end && *p >= '0' && *p <= '9') ++p;
  return p;
}

// `convert` false: only whether it is one.
inline Number number_from(std::string_view text, bool convert) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* p = begin;
  const bool negative = p < end && *p == '-';
  if (negative) ++p;
  const char* const whole = p;
  p = end_of_digits(p, end);
  if (p == whole || (*whole == '0' && p - whole > 1)) return {};
  bool real = false;
  if (p < end && *p == '.') {
    real = true;
    const char* const fraction = ++p;
    p = end_of_digits(p, end);
    if (p == fraction) return {};
  }
  if (p < end && (*p == 'e' || *p == 'E')) {
    real = true;
    ++p;
    if (p < end && (*p == '+' || *p == '-')) ++p;
    const char* const exponent = p;
    p = end_of_digits(p, end);
    if (p == exponent) return {};
  }
  if (p != end) return {};
  Number number{.kind = Number::Kind::Signed};
  if (!convert) return number;
  if (!real) {
    if (std::from_chars(begin, end, number.as_signed).ec == std::errc()) return number;
    number.kind = Number::Kind::Unsigned;
    if (!negative && std::from_chars(begin, end, number.as_unsigned).ec == std::errc()) return number;
  }
  number.kind = Number::Kind::Real;
  if (std::from_chars(begin, end, number.as_real).ec == std::errc::result_out_of_range) {
    // Too small is zero, too large is infinite, as elsewhere in this program.
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && text.find('-', exponent) != std::string_view::npos;
    number.as_real = std::copysign(tiny ? 0.0 : std::numeric_limits<double>::infinity(), negative ? -1.0 : 1.0);
  }
  return number;
}

// The bytes of a multi-byte character after its first, checked one by one: no overlong forms, no surrogates, nothing
// beyond U+10FFFF.
class Utf8Tail {
 public:
  // False when no character begins with this byte.
  bool begin(unsigned char first) {
    low_ = 0x80;
    high_ = 0xBF;
    if (first >= 0xC2 && first <= 0xDF) {
      left_ = 1;
    } else if (first >= 0xE0 && first <= 0xEF) {
      left_ = 2;
      if (first == 0xE0) low_ = 0xA0;
      if (first == 0xED) high_ = 0x9F;
    } else if (first >= 0xF0 && first <= 0xF4) {
      left_ = 3;
      if (first == 0xF0) low_ = 0x90;
      if (first == 0xF4) high_ = 0x8F;
    } else {
      return false;
    }
    return true;
  }
  bool take(unsigned char byte) {
    if (byte < low_ || byte > high_) return false;
    low_ = 0x80;
    high_ = 0xBF;
    --left_;
    return true;
  }
  bool is_over() const { return left_ == 0; }

 private:
  int left_ = 0;
  unsigned char low_ = 0x80;
  unsigned char high_ = 0xBF;
};

// A string that could not be handed on where it lies: cut, escaped, or with characters beyond ASCII.
class StringRest {
 public:
  enum class Verdict { More, Complete, Garbled };

  void begin(bool keep) {
    text.clear();
    keep_ = keep;
    state_ = State::Plain;
  }
  void append(const char* from, const char* to) {
    if (keep_) text.append(from, to);
  }

  // Takes bytes up to and including the closing quote.
  Verdict feed(const char*& p, const char* end) {
    while (p < end) {
      if (state_ == State::Plain) {
        const char* const run = p;
        p = end_of_plain(p, end);
        append(run, p);
        if (p == end) break;
        if (*p == '"') {
          ++p;
          return Verdict::Complete;
        }
      }
      if (!take(static_cast<unsigned char>(*p))) return Verdict::Garbled;
      ++p;
    }
    return Verdict::More;
  }

  std::string text;

 private:
  enum class State { Plain, Tail, Escape, Hex, SecondEscape, SecondU };

  // One byte that is not plain.
  bool take(unsigned char byte) {
    switch (state_) {
      case State::Plain:
        if (byte == '\\') {
          state_ = State::Escape;
          return true;
        }
        state_ = State::Tail;
        add(byte);
        return tail_.begin(byte);
      case State::Tail:
        if (!tail_.take(byte)) return false;
        add(byte);
        if (tail_.is_over()) state_ = State::Plain;
        return true;
      case State::Escape: return take_escape(byte);
      case State::Hex: return take_hex(byte);
      case State::SecondEscape: state_ = State::SecondU; return byte == '\\';
      case State::SecondU: state_ = State::Hex; return byte == 'u';
    }
    return false;
  }

  bool take_escape(unsigned char byte) {
    if (byte == 'u') {
      state_ = State::Hex;
      return true;
    }
    static constexpr std::string_view kNames = "\"\\/bfnrt";
    static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t at = kNames.find(static_cast<char>(byte));
    if (at == std::string_view::npos) return false;
    add(static_cast<unsigned char>(kMeanings[at]));
    state_ = State::Plain;
    return true;
  }

  bool take_hex(unsigned char byte) {
    const unsigned char lower = byte | 0x20;
    unsigned digit = 0;
    if (byte >= '0' && byte <= '9') {
      digit = byte - '0';
    } else if (lower >= 'a' && lower <= 'f') {
      digit = lower - 'a' + 10U;
    } else {
      return false;
    }
    unit_ = unit_ << 4 | digit;
    if (++digits_ < 4) return true;
    const std::uint32_t unit = unit_;
    unit_ = 0;
    digits_ = 0;
    return take_unit(unit);
  }

  // A UTF-16 unit; two of them make a character beyond U+FFFF.
  bool take_unit(std::uint32_t unit) {
    const bool is_second = unit >= 0xDC00 && unit <= 0xDFFF;
    if (first_unit_ != 0) {
      if (!is_second) return false;
      add_character(0x10000 + ((first_unit_ - 0xD800) << 10) + (unit - 0xDC00));
      first_unit_ = 0;
    } else if (unit >= 0xD800 && unit <= 0xDBFF) {
      first_unit_ = unit;
      state_ = State::SecondEscape;
      return true;
    } else if (is_second) {
      return false;
    } else {
      add_character(unit);
    }
    state_ = State::Plain;
    return true;
  }

  void add(std::uint32_t byte) {
    if (keep_) text += static_cast<char>(byte);
  }
  void add_character(std::uint32_t c) {
    if (c < 0x80) return add(c);
    if (c < 0x800) {
      add(0xC0 | c >> 6);
    } else {
      if (c < 0x10000) {
        add(0xE0 | c >> 12);
      } else {
        add(0xF0 | c >> 18);
        add(0x80 | (c >> 12 & 0x3F));
      }
      add(0x80 | (c >> 6 & 0x3F));
    }
    add(0x80 | (c & 0x3F));
  }

  bool keep_ = false;
  State state_ = State::Plain;
  Utf8Tail tail_;
  std::uint32_t unit_ = 0;
  int digits_ = 0;
  std::uint32_t first_unit_ = 0;
};

}  // namespace drover::kube
