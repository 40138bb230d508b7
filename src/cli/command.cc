#include "cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace drover::cli {
namespace {

// A flag whose value is one of a few words.
template <class T>
void add_word_flag(CLI::App& app, const std::string& name, T& value, std::map<std::string, T> words,
                   const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [name, &value, words = std::move(words), help](const std::string& word) {
           const auto at = words.find(word);
           if (at == words.end())
             throw CLI::ValidationError(name, "\"" + base::one_line(word, 40) + "\" is none of " + help);
           value = at->second;
         },
         help)
      ->type_name("WORD");
}

}  // namespace

void add_log_flags(CLI::App& app, LogFlags& flags) {
  using log::Format;
  using log::Level;
  add_word_flag<Level>(app, "--log-level", flags.level,
                       {{"debug", Level::Debug}, {"info", Level::Info}, {"warn", Level::Warn}, {"error", Level::Error}},
                       "debug, info, warn, error (default: info)");
  add_word_flag<Format>(app, "--log-format", flags.format, {{"text", Format::Text}, {"json", Format::Json}},
                        "text, json (default: text)");
}

void add_target_flags(CLI::App& app, TargetFlags& flags) {
  app.add_option("--kubeconfig", flags.kubeconfig,
                 "kubeconfig file (default: $KUBECONFIG, then the pod's service account, then ~/.kube/config)")
      ->type_name("FILE");
  app.add_option("--context", flags.context, "context in it (default: its current-context)")->type_name("NAME");
}

void add_span_flag(CLI::App& app, const std::string& name, base::Span& value, const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [name, &value](const std::string& text) {
           const auto span = base::parse_span(text);
           if (!span || *span < base::Span::zero()) {
             throw CLI::ValidationError(name,
                                        "\"" + base::one_line(text, 40) + "\" is no time: write 500ms, 2s or 1m30s");
           }
           value = *span;
         },
         help)
      ->type_name("TIME")
      ->default_str(base::human(value));
}

void add_fraction_flag(CLI::App& app, const std::string& name, double& value, const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [name, &value](const std::string& text) {
           const bool percent = text.ends_with('%');
           double number = 0;
           const auto digits = percent ? text.substr(0, text.size() - 1) : text;
           if (!CLI::detail::lexical_cast(digits, number) || number < 0 || number > (percent ? 100 : 1)) {
             throw CLI::ValidationError(name,
                                        "\"" + base::one_line(text, 40) + "\" is no part of a whole: write 10% or 0.1");
           }
           value = percent ? number / 100 : number;
         },
         help)
      ->type_name("PART")
      ->default_str(fmt::format("{}%", value * 100));
}

int complain(const base::Fault& fault) {
  // The longest message that still is one line of a terminal or two; servers can answer with anything.
  fmt::print(stderr, "drover: {}\n", base::one_line(log::redact(fault.message), 600));
  return 1;
}

}  // namespace drover::cli
