// Structured logs: one event, one line, on stderr.
//
//   log::info("leader elected", {{"lease", "drover-system/drover"}, {"holder", name}});
//
// As text for people at a terminal, as JSON lines for machines. Never a token, an Authorization header or a URL with
// user information: what may hold one passes through `redact` first.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace drover::log {

enum class Level { Debug, Info, Warn, Error };
enum class Format { Text, Json };

struct Field {
  std::string_view key;
  std::string value;
};
using Fields = std::initializer_list<Field>;

void debug(std::string_view message, Fields fields = {});
void info(std::string_view message, Fields fields = {});
void warn(std::string_view message, Fields fields = {});
void error(std::string_view message, Fields fields = {});

// Once, in main, before anything logs.
void configure(Level least, Format format);
// Where the finished lines go (tests, the simulator); an empty function gives stderr back. The timestamp is left out
// then.
void redirect(std::function<void(std::string_view line)> sink);

// The text with the user information of URLs and anything that looks like a bearer token replaced by "***".
std::string redact(std::string_view text);

}  // namespace drover::log
