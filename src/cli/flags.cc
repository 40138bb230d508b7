#include "cli/flags.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace drover::cli {
namespace {

// A flag whose value is one of a few words.
template <class T>
void add_word_flag(Command command, const std::string& name, T& value, std::map<std::string, T> words,
                   const std::string& help) {
  const auto take = [&value, words = std::move(words), help](const std::string& word) -> base::Result<void> {
    const auto at = words.find(word);
    if (at == words.end()) {
      return base::fault(base::Fault::Kind::Malformed,
                         fmt::format("\"{}\" is none of {}", base::one_line(word, 40), help));
    }
    value = at->second;
    return {};
  };
  command.parsed(name, take, help, {.type_name = "WORD"});
}

// "10%" or "0.1", as a part of 1.
std::optional<double> parse_fraction(std::string_view text) {
  const bool is_percent = text.ends_with('%');
  if (is_percent) text.remove_suffix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  if (is_percent) number /= 100;
  return number >= 0 && number <= 1 ? std::optional(number) : std::nullopt;
}

}  // namespace

void add_log_flags(Command command, LogFlags& flags) {
  using log::Format;
  using log::Level;
  add_word_flag<Level>(command, "--log-level", flags.level,
                       {{"debug", Level::Debug}, {"info", Level::Info}, {"warn", Level::Warn}, {"error", Level::Error}},
                       "debug, info, warn, error (default: info)");
  add_word_flag<Format>(command, "--log-format", flags.format, {{"text", Format::Text}, {"json", Format::Json}},
                        "text, json (default: text)");
}

void add_target_flags(Command command, TargetFlags& flags) {
  command.option("--kubeconfig", flags.kubeconfig,
                 "kubeconfig file (default: $KUBECONFIG, then the pod's service account, then ~/.kube/config)",
                 {.type_name = "FILE"});
  command.option("--context", flags.context, "context in it (default: its current-context)", {.type_name = "NAME"});
}

void add_output_flag(Command command, std::string& value) {
  command.option("-o,--output", value, "text or json", {.shows_default = true, .words = {"text", "json"}});
}

void add_span_flag(Command command, const std::string& name, base::Span& value, const std::string& help) {
  const auto take = [&value](const std::string& text) -> base::Result<void> {
    const auto span = base::parse_span(text);
    if (!span || *span < base::Span::zero()) {
      return base::fault(base::Fault::Kind::Malformed,
                         fmt::format("invalid duration \"{}\": use 500ms, 2s or 1m30s", base::one_line(text, 40)));
    }
    value = *span;
    return {};
  };
  command.parsed(name, take, help, {.type_name = "TIME", .default_text = base::human(value)});
}

void add_fraction_flag(Command command, const std::string& name, double& value, const std::string& help) {
  const auto take = [&value](const std::string& text) -> base::Result<void> {
    const auto fraction = parse_fraction(text);
    if (!fraction) {
      return base::fault(base::Fault::Kind::Malformed,
                         fmt::format("invalid fraction \"{}\": use 10% or 0.1", base::one_line(text, 40)));
    }
    value = *fraction;
    return {};
  };
  command.parsed(name, take, help, {.type_name = "PART", .default_text = fmt::format("{}%", value * 100)});
}

}  // namespace drover::cli
