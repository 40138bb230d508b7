#include "base/log.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"

namespace drover::log {

namespace {

struct Sink {
  Level least = Level::Info;
  Format format = Format::Text;
  std::function<void(std::string_view)> redirected;
};

Sink& sink() {
  static Sink the_one;
  return the_one;
}

std::string_view word(Level level) {
  switch (level) {
    case Level::Debug: return "debug";
    case Level::Info: return "info";
    case Level::Warn: return "warn";
    case Level::Error: return "error";
  }
  return "unnamed";
}

bool needs_quotes(std::string_view value) {
  return value.empty() || value.find_first_of(" \"=\n\t\\") != std::string_view::npos;
}

std::string as_text(std::string_view at, Level level, std::string_view message, Fields fields) {
  std::string line = at.empty() ? std::string() : std::string(at) + " ";
  line += fmt::format("{:<5} {}", word(level), base::one_line(message, 4096));
  for (const Field& field : fields) {
    line += fmt::format("  {}={}", field.key,
                        needs_quotes(field.value) ? json::text_of(json::Value(field.value)) : field.value);
  }
  return line;
}

std::string as_json(std::string_view at, Level level, std::string_view message, Fields fields) {
  json::Members members;
  if (!at.empty()) members["ts"] = at;
  members["level"] = word(level);
  members["msg"] = message;
  for (const Field& field : fields) members[field.key] = field.value;
  return json::text_of(members);
}

void emit(Level level, std::string_view message, Fields fields) {
  const Sink& to = sink();
  if (level < to.least) return;
  // The one clock read outside a Loop: a log line is stamped when it is written.
  const std::string at =
      to.redirected
          ? std::string()
          : base::rfc3339_micro(std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()));
  std::string line =
      to.format == Format::Json ? as_json(at, level, message, fields) : as_text(at, level, message, fields);
  if (to.redirected) {
    to.redirected(line);
    return;
  }
  line += '\n';
  // One write, so that lines of several processes do not mix. An error cannot be reported when stderr is gone.
  [[maybe_unused]] const ssize_t put = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void debug(std::string_view message, Fields fields) { emit(Level::Debug, message, fields); }
void info(std::string_view message, Fields fields) { emit(Level::Info, message, fields); }
void warn(std::string_view message, Fields fields) { emit(Level::Warn, message, fields); }
void error(std::string_view message, Fields fields) { emit(Level::Error, message, fields); }

void configure(Level least, Format format) {
  sink().least = least;
  sink().format = format;
}

void redirect(std::function<void(std::string_view)> to) { sink().redirected = std::move(to); }

std::string redact(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t scheme = text.find("://");
    const std::size_t bearer = text.find("Bearer ");
    const std::size_t at = std::min(scheme, bearer);
    if (at == std::string_view::npos) break;
    const std::size_t begin = at + (at == scheme ? 3 : 7);
    result += text.substr(0, begin);
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(at == scheme ? "/?# \t\n\"'" : " \t\n\"',"), text.size());
    const std::size_t user_end = text.substr(0, end).rfind('@');
    if (at == bearer) {
      result += "***";
      text.remove_prefix(end);
    } else if (user_end != std::string_view::npos) {
      result += "***";
      text.remove_prefix(user_end);
    }
  }
  result += text;
  return result;
}

}  // namespace drover::log
