// Text as Go writes it: an API server's messages quote strings, floats and JSON the way Go's fmt and encoding/json do,
// and people (and the conformance table) compare them word for word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace drover::sim::cel {

// A double-quoted Go string literal: control characters and broken UTF-8 escaped, printable characters kept.
std::string go_quote(std::string_view text);
// The fewest digits that read back as the same double, with an exponent below 1e-4 and from 1e6 on (%v).
std::string go_float(double value);
// The same without an exponent.
std::string go_fixed(double value);
// Compact JSON with sorted keys and <, > and & escaped, as json.Marshal writes it.
std::string go_json(const json::Value& value);

// "1h2m3.5s", "-300ms": nanoseconds, or nothing when Go's time.ParseDuration would refuse it.
std::optional<std::int64_t> go_parse_duration(std::string_view text);
// The same, or what the schema format "duration" also takes: "2 days", "1 hour 30 min".
std::optional<std::int64_t> parse_loose_duration(std::string_view text);
// "1h2m3.5s", as time.Duration prints itself.
std::string go_duration(std::int64_t nanoseconds);

// Characters (code points) of a UTF-8 text; a broken byte counts as one.
std::size_t count_runes(std::string_view text);
// The byte at which the next character after `at` begins.
std::size_t next_rune(std::string_view text, std::size_t at);
// The byte at which character number `index` begins; the length of the text when there are fewer.
std::size_t rune_offset(std::string_view text, std::size_t index);
// Appends one code point as UTF-8.
void append_rune(std::string& text, std::uint32_t rune);

}  // namespace drover::sim::cel
