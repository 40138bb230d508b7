// Regular expressions, meaning what Go's regexp means by them (RE2 is where both come from) and complaining in its
// words.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace drover::sim::cel {

using Pattern = std::shared_ptr<const re2::RE2>;

// Compiles once, within bounded memory. The fault is Go's: "error parsing regexp: missing closing ]: `[a`".
base::Result<Pattern> compile_pattern(std::string_view text);
// Does the pattern occur anywhere in the text?
bool occurs_in(const re2::RE2& pattern, std::string_view text);

}  // namespace drover::sim::cel
