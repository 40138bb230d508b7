// The grammar of `-l` once more, followed only as far as the first thing that does not fit, because that is what the
// message names.
#include "sim/server/selector_words.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/text.h"
#include "sim/server/names.h"

namespace drover::sim {
namespace {

enum class Token { Word, Symbol, End };

struct Lexeme {
  Token token = Token::End;
  std::string text;
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_symbol(char c) { return c == '=' || c == '!' || c == '(' || c == ')' || c == ',' || c == '>' || c == '<'; }

std::vector<Lexeme> lexemes(std::string_view text) {
  std::vector<Lexeme> all;
  for (std::size_t i = 0; i < text.size();) {
    if (is_blank(text[i])) {
      ++i;
    } else if (is_symbol(text[i])) {
      std::size_t length = 1;
      const bool pair = (text[i] == '=' || text[i] == '!') && i + 1 < text.size() && text[i + 1] == '=';
      if (pair) length = 2;
      all.push_back({Token::Symbol, std::string(text.substr(i, length))});
      i += length;
    } else {
      std::size_t end = i;
      while (end < text.size() && !is_blank(text[end]) && !is_symbol(text[end])) ++end;
      all.push_back({Token::Word, std::string(text.substr(i, end - i))});
      i = end;
    }
  }
  all.push_back({});
  return all;
}

// Each step returns the complaint, or nothing and goes on.
using Complaint = std::optional<std::string>;

class SelectorReader {
 public:
  explicit SelectorReader(std::string_view text) : all_(lexemes(text)) {}

  std::string complaint() {
    while (true) {
      const Lexeme& first = next();
      if (first.token == Token::End) return {};
      if (first.token != Token::Word && first.text != "!") {
        return fmt::format("found '{}', expected: !, identifier, or 'end of string'", first.text);
      }
      if (const Complaint wrong = requirement()) return "unable to parse requirement: " + *wrong;
      const Lexeme after = take();
      if (after.token == Token::End) return {};
      if (after.text != ",") return fmt::format("found '{}', expected: ',' or 'end of string'", after.text);
      if (next().token != Token::Word && next().text != "!") {
        return fmt::format("found '{}', expected: identifier after ','", next().text);
      }
    }
  }

 private:
  const Lexeme& next() const { return all_[at_]; }
  Lexeme take() {
    Lexeme lexeme = all_[at_];
    if (at_ + 1 < all_.size()) ++at_;
    return lexeme;
  }
  bool ends_here() const { return next().token == Token::End || next().text == ","; }

  Complaint requirement() {
    Lexeme key = take();
    const bool absent = key.text == "!";
    if (absent) key = take();
    if (key.token != Token::Word) return fmt::format("found '{}', expected: identifier", key.text);
    for (const std::string& wrong : complaints_about_key(key.text)) {
      return fmt::format("<nil>: Invalid value: {}: {}", quoted(key.text), wrong);
    }
    if (ends_here()) return {};
    if (absent) return {};  // the caller finds what should not follow
    const Lexeme op = take();
    if (op.text == "in" || op.text == "notin") return values(key.text);
    if (op.text == "=" || op.text == "==" || op.text == "!=") return exact_value(key.text);
    if (op.text == ">" || op.text == "<") return number();
    return fmt::format("found '{}', expected: in, notin, =, ==, !=, gt, lt", op.text);
  }

  Complaint exact_value(const std::string& key) {
    if (ends_here()) return {};
    const Lexeme value = take();
    if (value.token != Token::Word) return fmt::format("found '{}', expected: identifier", value.text);
    return value_is_wrong(key, value.text, 0);
  }

  Complaint number() {
    const Lexeme value = take();
    if (value.token != Token::Word) return fmt::format("found '{}', expected: identifier", value.text);
    if (base::parse_int(value.text)) return {};
    return fmt::format("values[0]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer",
                       quoted(value.text));
  }

  Complaint values(const std::string& key) {
    const Lexeme open = take();
    if (open.text != "(") return fmt::format("found '{}' expected: '('", open.text);
    for (int index = 0;; ++index) {
      const Lexeme value = take();
      if (value.text == ")") return {};
      if (value.token != Token::Word && value.text != ",") {
        return fmt::format("found '{}', expected: ',', ')' or identifier", value.text);
      }
      if (value.text == ",") continue;
      if (const Complaint wrong = value_is_wrong(key, value.text, index)) return wrong;
      const Lexeme after = take();
      if (after.text == ")") return {};
      if (after.text != ",") return fmt::format("found '{}', expected: ',' or ')'", after.text);
    }
  }

  static Complaint value_is_wrong(const std::string& key, const std::string& value, int index) {
    for (const std::string& wrong : complaints_about_label_value(value)) {
      return fmt::format("values[{}][{}]: Invalid value: {}: {}", index, key, quoted(value), wrong);
    }
    return {};
  }

  std::vector<Lexeme> all_;
  std::size_t at_ = 0;
};

}  // namespace

std::string complaint_about_selector(std::string_view text) { return SelectorReader(text).complaint(); }

}  // namespace drover::sim
