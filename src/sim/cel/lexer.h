// Words of an expression.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cel/ast.h"

namespace drover::sim::cel {

struct Token {
  enum class Kind { End, Ident, Int, Uint, Double, String, Bytes, Symbol };
  Kind kind = Kind::End;
  std::size_t at = 0;
  std::string_view text = {};  // as written
  std::string decoded = {};    // String and Bytes: without quotes and escapes
};

// All tokens with an End; complains (and stops) at the first character that begins none.
std::vector<Token> tokenize(std::string_view text, Complaints& complaints);

// The value of an Int, Uint or Double token, with a minus before it or not; nothing when it does not fit.
std::optional<Value> number_value(const Token& token, bool negative);

}  // namespace drover::sim::cel
