// RE2 behind Go's words.
#include "sim/cel/regex.h"

#include <fmt/format.h>
#include <re2/re2.h>

namespace drover::sim::cel {

namespace {

std::string_view go_words(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape: return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass: return "invalid character class";
    case re2::RE2::ErrorBadCharRange: return "invalid character class range";
    case re2::RE2::ErrorMissingBracket: return "missing closing ]";
    case re2::RE2::ErrorMissingParen: return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen: return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize: return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp: return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8: return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture: return "invalid named capture";
    default: return "expression nests too deeply or is too large";
  }
}

}  // namespace

base::Result<Pattern> compile_pattern(std::string_view text) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto made = std::make_shared<const re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
  if (!made->ok()) {
    const bool named = made->error_code() == re2::RE2::ErrorMissingParen || made->error_arg().empty();
    const std::string argument = named ? std::string(text) : made->error_arg();
    return base::fault(base::Fault::Kind::Refused,
                       fmt::format("error parsing regexp: {}: `{}`", go_words(made->error_code()), argument));
  }
  return made;
}

bool occurs_in(const re2::RE2& pattern, std::string_view text) {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

}  // namespace drover::sim::cel
