// Small questions about text that several rooms ask.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace drover::base {

std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string lower(std::string_view text);

// The whole text as a decimal number, or nothing.
std::optional<std::int64_t> parse_int(std::string_view text);

// At most `most` bytes on one line: control characters become spaces, what is cut off is marked by "…".
std::string one_line(std::string_view text, std::size_t most = 200);

std::string base64_encode(std::string_view bytes);
// White space is skipped (certificates in kubeconfigs are often folded).
Result<std::string> base64_decode(std::string_view text);

// 64-bit FNV-1a: for stable names and digests that need no protection against attacks.
std::uint64_t fnv1a(std::string_view bytes);

// The whole file, at most `most` bytes; the message names the path and says what to do.
Result<std::string> read_file(const std::string& path, std::size_t most = 16 * 1024 * 1024);
// Writes to a sibling and renames it over `path`, so that a reader sees the old text or the new, never half; mode 0600
// unless given.
Result<void> write_file(const std::string& path, std::string_view text, unsigned mode = 0600);

}  // namespace drover::base
