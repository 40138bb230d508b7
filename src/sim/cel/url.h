// URLs as Go's url.ParseRequestURI sees them: what isURL() accepts, and the schema format "uri".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/cel/value.h"

namespace drover::sim::cel {

// An absolute URI or an absolute path; nothing (and Go's words in `why`, when given) otherwise.
std::optional<Url> parse_url(std::string_view text, std::string* why = nullptr);
// The host without port and brackets, and the port.
std::pair<std::string, std::string> split_host(std::string_view host);
// Keys and values, decoded; pairs that cannot be decoded are left out.
std::vector<std::pair<std::string, std::string>> split_query(std::string_view query);

}  // namespace drover::sim::cel
