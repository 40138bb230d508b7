#include "sim/door/go_json.h"

#include <fmt/format.h>

#include <cstddef>

namespace drover::sim::door {
namespace {

// Walks a text once, without recursion into itself deeper than JSON is nested; stops at the first complaint.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  std::string complaint() {
    if (!value(0)) return said_;
    skip_space();
    if (at_ < text_.size()) return unexpected("after top-level value");
    return {};
  }

 private:
  static constexpr int kMostDepth = 10'000 / 10;

  bool fail(std::string said) {
    said_ = std::move(said);
    return false;
  }
  bool complain(std::string_view context) { return fail(unexpected(context)); }

  std::string unexpected(std::string_view context) const {
    if (at_ >= text_.size()) return "unexpected end of JSON input";
    return fmt::format("invalid character {} {}", shown(text_[at_]), context);
  }

  static std::string shown(char c) {
    if (c == '\'') return R"('\'')";
    if (c == '"') return "'\"'";
    if (c == '\n') return R"('\n')";
    if (c == '\t') return R"('\t')";
    if (c == '\r') return R"('\r')";
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return fmt::format("'\\x{:02x}'", byte);
    if (byte < 0x80) return fmt::format("'{}'", c);
    if (byte <= 0xa0 || byte == 0xad) return fmt::format("'\\u{:04x}'", byte);  // nothing that could be shown
    // A byte of a longer character is shown as if it were a character of its own.
    const char two[] = {static_cast<char>(0xc0 | (byte >> 6)), static_cast<char>(0x80 | (byte & 0x3f)), 0};
    return fmt::format("'{}'", two);
  }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool value(int depth) {
    skip_space();
    if (depth > kMostDepth) return fail("exceeded max depth");
    switch (here()) {
      case '{': return object(depth);
      case '[': return array(depth);
      case '"': return text();
      case 't': return word("true");
      case 'f': return word("false");
      case 'n': return word("null");
      default: return number();
    }
  }

  bool object(int depth) {
    ++at_;
    skip_space();
    if (here() == '}') return step();
    while (true) {
      skip_space();
      if (here() != '"') return complain("looking for beginning of object key string");
      if (!text()) return false;
      skip_space();
      if (here() != ':') return complain("after object key");
      ++at_;
      if (!value(depth + 1)) return false;
      skip_space();
      if (here() == '}') return step();
      if (here() != ',') return complain("after object key:value pair");
      ++at_;
    }
  }

  bool array(int depth) {
    ++at_;
    skip_space();
    if (here() == ']') return step();
    while (true) {
      if (!value(depth + 1)) return false;
      skip_space();
      if (here() == ']') return step();
      if (here() != ',') return complain("after array element");
      ++at_;
    }
  }

  bool step() {
    ++at_;
    return true;
  }

  bool text() {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') return step();
      if (static_cast<unsigned char>(c) < 0x20) return complain("in string literal");
      if (c == '\\' && !escape()) return false;
      ++at_;
    }
    return complain("");
  }

  bool escape() {
    ++at_;
    if (here() == 'u' && at_ < text_.size()) {
      for (int i = 0; i < 4; ++i) {
        ++at_;
        const char c = here();
        const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (!hex) return complain("in \\u hexadecimal character escape");
      }
      return true;
    }
    if (at_ >= text_.size() || std::string_view("bfnrt\\/\"").find(here()) == std::string_view::npos) {
      return complain("in string escape code");
    }
    return true;
  }

  bool word(std::string_view word) {
    for (std::size_t i = 0; i < word.size(); ++i, ++at_) {
      if (at_ >= text_.size() || text_[at_] != word[i]) {
        return complain(fmt::format("in literal {} (expecting '{}')", word, word[i]));
      }
    }
    return true;
  }

  bool is_digit() const { return here() >= '0' && here() <= '9'; }
  void digits() {
    while (is_digit()) ++at_;
  }

  bool number() {
    const bool negative = here() == '-';
    if (negative) ++at_;
    if (!is_digit()) return complain(negative ? "in numeric literal" : "looking for beginning of value");
    if (here() == '0') {
      ++at_;
    } else {
      digits();
    }
    if (here() == '.') {
      ++at_;
      if (!is_digit()) return complain("after decimal point in numeric literal");
      digits();
    }
    if (here() == 'e' || here() == 'E') {
      ++at_;
      if (here() == '+' || here() == '-') ++at_;
      if (!is_digit()) return complain("in exponent of numeric literal");
      digits();
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string said_;
};

}  // namespace

std::string go_json_complaint(std::string_view text) { return Scan(text).complaint(); }

}  // namespace drover::sim::door
