// Splitting an expression into tokens: identifiers, numbers, the eight ways of quoting a string, symbols, comments.
#include "sim/cel/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "sim/cel/go_text.h"

namespace drover::sim::cel {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Lexer {
 public:
  Lexer(std::string_view text, Complaints& complaints) : text_(text), complaints_(complaints) {}

  std::vector<Token> run() {
    while (complaints_.empty()) {
      skip_space();
      if (at_ == text_.size()) break;
      if (!take_string() && !take_word() && !take_number() && !take_symbol()) {
        const std::string_view rune = text_.substr(at_, next_rune(text_, at_) - at_);
        complaints_.add(at_, fmt::format("Syntax error: token recognition error at: '{}'", rune));
      }
    }
    tokens_.push_back({.kind = Token::Kind::End, .at = text_.size(), .text = "<EOF>"});
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        return;
      }
    }
  }

  void push(Token::Kind kind, std::size_t start) {
    tokens_.push_back({.kind = kind, .at = start, .text = text_.substr(start, at_ - start)});
  }

  bool take_word() {
    if (!is_letter(peek())) return false;
    const std::size_t start = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    push(Token::Kind::Ident, start);
    return true;
  }

  bool take_number() {
    const bool leading_point = peek() == '.' && is_digit(peek(1));
    if (!is_digit(peek()) && !leading_point) return false;
    const std::size_t start = at_;
    auto kind = Token::Kind::Int;
    if (peek() == '0' && peek(1) == 'x' && hex_value(peek(2)) >= 0) {
      at_ += 2;
      while (hex_value(peek()) >= 0) ++at_;
    } else {
      while (is_digit(peek())) ++at_;
      if (peek() == '.' && is_digit(peek(1))) {
        kind = Token::Kind::Double;
        ++at_;
        while (is_digit(peek())) ++at_;
      }
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
        kind = Token::Kind::Double;
        at_ += 1 + sign;
        while (is_digit(peek())) ++at_;
      }
    }
    if (kind == Token::Kind::Int && (peek() == 'u' || peek() == 'U')) {
      ++at_;
      kind = Token::Kind::Uint;
    }
    push(kind, start);
    return true;
  }

  bool take_symbol() {
    constexpr std::array<std::string_view, 6> kLong = {"==", "!=", "<=", ">=", "&&", "||"};
    const std::size_t start = at_;
    if (std::find(kLong.begin(), kLong.end(), text_.substr(at_, 2)) != kLong.end()) {
      at_ += 2;
    } else if (std::string_view("()[]{}.,:?!-+*/%<>").find(peek()) != std::string_view::npos && peek() != '\0') {
      ++at_;
    } else {
      return false;
    }
    push(Token::Kind::Symbol, start);
    return true;
  }

  bool take_string() {
    std::size_t quote = at_;
    bool raw = false;
    bool bytes = false;
    for (; quote < text_.size() && quote < at_ + 2; ++quote) {
      const char c = text_[quote];
      if ((c == 'r' || c == 'R') && !raw) {
        raw = true;
      } else if ((c == 'b' || c == 'B') && !bytes) {
        bytes = true;
      } else {
        break;
      }
    }
    if (quote >= text_.size() || (text_[quote] != '\'' && text_[quote] != '"')) return false;
    const std::size_t start = at_;
    const bool triple = text_.substr(quote, 3) == std::string(3, text_[quote]);
    const std::string_view mark = text_.substr(quote, triple ? 3 : 1);
    std::size_t end = quote + mark.size();
    while (end < text_.size() && text_.substr(end, mark.size()) != mark) {
      if (!triple && (text_[end] == '\n' || text_[end] == '\r')) break;
      end += !raw && text_[end] == '\\' && end + 1 < text_.size() ? 2 : 1;
    }
    if (text_.substr(end, mark.size()) != mark) {
      complaints_.add(start, fmt::format("Syntax error: token recognition error at: '{}'", text_.substr(start)));
      return true;
    }
    at_ = end + mark.size();
    push(bytes ? Token::Kind::Bytes : Token::Kind::String, start);
    const std::string_view inside = text_.substr(quote + mark.size(), end - quote - mark.size());
    if (auto decoded = raw ? std::string(inside) : unescape(inside, bytes)) {
      tokens_.back().decoded = std::move(*decoded);
    } else {
      complaints_.add(start, "unable to unescape string");
    }
    return true;
  }

  static std::optional<std::string> unescape(std::string_view text, bool bytes) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\') {
        out += text[i];
        continue;
      }
      if (++i >= text.size()) return std::nullopt;
      constexpr std::string_view kLetters = "abfnrtv\\'\"`?";
      constexpr std::string_view kMeant = "\a\b\f\n\r\t\v\\'\"`?";
      if (const auto known = kLetters.find(text[i]); known != std::string_view::npos) {
        out += kMeant[known];
        continue;
      }
      const auto rune = take_rune(text, i, bytes);
      if (!rune) return std::nullopt;
      if (bytes) {
        out += static_cast<char>(static_cast<unsigned char>(*rune));
      } else {
        append_rune(out, *rune);
      }
    }
    return out;
  }

  // \xHH, \uHHHH, \UHHHHHHHH or \OOO, `i` at the letter or first digit; leaves it at the last character.
  static std::optional<std::uint32_t> take_rune(std::string_view text, std::size_t& i, bool bytes) {
    std::size_t digits = 0;
    std::uint32_t radix = 16;
    switch (text[i]) {
      case 'x':
      case 'X': digits = 2; break;
      case 'u': digits = 4; break;
      case 'U': digits = 8; break;
      case '0':
      case '1':
      case '2':
      case '3':
        digits = 3;
        radix = 8;
        break;
      default: return std::nullopt;
    }
    if (bytes && digits > 3) return std::nullopt;
    std::size_t from = radix == 8 ? i : i + 1;
    if (from + digits > text.size()) return std::nullopt;
    std::uint32_t rune = 0;
    for (std::size_t j = 0; j < digits; ++j) {
      const int digit = hex_value(text[from + j]);
      if (digit < 0 || digit >= static_cast<int>(radix)) return std::nullopt;
      rune = rune * radix + static_cast<std::uint32_t>(digit);
    }
    i = from + digits - 1;
    if (rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000)) return std::nullopt;
    return rune;
  }

  std::string_view text_;
  Complaints& complaints_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text, Complaints& complaints) { return Lexer(text, complaints).run(); }

namespace {

template <class T>
std::optional<Value> read_number(std::string_view text, auto... how) {
  T value{};
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value, how...);
  if (end.ec != std::errc{}) return std::nullopt;
  return Value{value};
}

}  // namespace

std::optional<Value> number_value(const Token& token, bool negative) {
  std::string text = (negative ? "-" : "") + std::string(token.text);
  if (token.kind == Token::Kind::Double) return read_number<double>(text);
  if (token.kind == Token::Kind::Uint) text.pop_back();
  const auto hex = text.find("0x");
  if (hex != std::string::npos) text.erase(hex, 2);
  const int radix = hex != std::string::npos ? 16 : 10;
  if (token.kind == Token::Kind::Uint) return read_number<std::uint64_t>(text, radix);
  return read_number<std::int64_t>(text, radix);
}

}  // namespace drover::sim::cel
