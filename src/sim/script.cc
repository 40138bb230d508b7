#include "sim/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace drover::sim {
namespace {

using base::fault;
using base::Fault;
using StepKind = Step::Kind;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool quoted = false;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      quoted = true;
    } else if (c == ' ' || c == '\t') {
      if (!word.empty() || quoted) words.push_back(std::exchange(word, {}));
      quoted = false;
    } else {
      word += c;
    }
  }
  if (!word.empty() || quoted) words.push_back(word);
  return words;
}

// Statements end at ";" (and, for shells, at newlines and "&&") outside quotes.
std::vector<std::string> statements_of(std::string_view text, bool shell) {
  std::vector<std::string> all;
  std::string one;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ';' || (shell && c == '\n')) {
      all.push_back(std::exchange(one, {}));
      continue;
    } else if (shell && c == '&' && i + 1 < text.size() && text[i + 1] == '&') {
      all.push_back(std::exchange(one, {}));
      ++i;
      continue;
    }
    one += c;
  }
  all.push_back(one);
  std::vector<std::string> trimmed;
  for (const auto& statement : all) {
    if (const auto text_of_it = base::trim(statement); !text_of_it.empty()) trimmed.emplace_back(text_of_it);
  }
  return trimmed;
}

std::string rest_of(const std::vector<std::string>& words, std::size_t from) {
  return base::join(std::span(words).subspan(std::min(from, words.size())), " ");
}

std::unexpected<Fault> refuse(std::string_view statement, std::string_view why) {
  return fault(Fault::Kind::Refused,
               fmt::format("invalid script statement \"{}\": {}", base::one_line(statement, 80), why));
}

struct StatementForm {
  std::string_view word;
  StepKind kind;
  std::size_t fewest;  // arguments
  std::size_t most;
};
constexpr std::size_t kAny = 1000;
constexpr std::array<StatementForm, 17> kStatementForms{{
    {"say", StepKind::Say, 0, kAny},
    {"wait", StepKind::Wait, 1, 1},
    {"ready", StepKind::Ready, 0, 0},
    {"unready", StepKind::Unready, 0, 0},
    {"sick", StepKind::Sick, 0, 0},
    {"load", StepKind::Load, 2, 4},
    {"load-or-mark", StepKind::LoadOrMark, 3, 3},
    {"unload", StepKind::Unload, 1, 1},
    {"try-unload", StepKind::TryUnload, 1, 1},
    {"await", StepKind::Await, 1, 2},
    {"need", StepKind::Need, 1, 2},
    {"hold", StepKind::Hold, 1, 1},
    {"write", StepKind::Write, 1, kAny},
    {"remove", StepKind::Remove, 1, 1},
    {"reboot", StepKind::Reboot, 0, 0},
    {"exit", StepKind::Exit, 1, 1},
    {"repeat", StepKind::Repeat, 0, 0},
}};

Result<std::optional<base::Span>> parse_wait(std::string_view statement, const std::string& word) {
  if (word == "forever" || word == "infinity" || word == "inf") return std::nullopt;
  auto span = base::parse_span(word);
  if (!span || *span < base::Span::zero()) return refuse(statement, "it needs a time such as 5s or 250ms, or forever");
  return *span;
}

Result<Step> parse_step(std::string_view statement, const StatementForm& shape, const std::vector<std::string>& words) {
  const std::size_t given = words.size() - 1;
  if (given < shape.fewest || given > shape.most) {
    return refuse(statement, fmt::format("{} takes {} to {} words after it", shape.word, shape.fewest, shape.most));
  }
  Step step{shape.kind, {}, {}, {}, {}, 0};
  switch (shape.kind) {
    case StepKind::Say: step.what = rest_of(words, 1); break;
    case StepKind::Wait:
      if (words[1] == "driver" || words[1] == "task") {
        step.what = words[1];
      } else {
        TRY(step.span, parse_wait(statement, words[1]));
      }
      break;
    case StepKind::Exit: {
      const auto code = base::parse_int(words[1]);
      if (!code || *code < 0 || *code > 255) return refuse(statement, "the exit code must be 0 to 255");
      step.code = static_cast<int>(*code);
      break;
    }
    case StepKind::Load:
      if (given == 3 || (given == 4 && words[3] != "on")) {
        return refuse(statement, "it is written load MODULE VERSION [on MODULE]");
      }
      step.what = words[1];
      step.with = words[2];
      if (given == 4) step.on = words[4];
      break;
    case StepKind::LoadOrMark:
      step.what = words[1];
      step.with = words[2];
      step.on = words[3];
      break;
    default:
      if (given >= 1) step.what = words[1];
      if (given >= 2) step.with = rest_of(words, 2);
  }
  return step;
}

// True when the statement was a setting and has been taken.
Result<bool> take_setting(Script& script, std::string_view statement, const std::vector<std::string>& words) {
  const std::string& word = words[0];
  if (word == "deaf" && words.size() == 1) return script.is_deaf = true;
  if (word == "missing" && words.size() == 1) return script.image_is_missing = true;
  if (word == "program" && words.size() == 2) {
    script.program = words[1];
    return true;
  }
  std::optional<base::Span>* span = word == "pull"    ? &script.pull
                                    : word == "start" ? &script.start
                                    : word == "stop"  ? &script.stop
                                                      : nullptr;
  if (span == nullptr) return false;
  if (words.size() != 2) return refuse(statement, "it needs one time such as 5s or 250ms");
  TRY(*span, parse_wait(statement, words[1]));
  if (!span->has_value()) return refuse(statement, "it cannot take for ever");
  return true;
}

std::optional<Step> shell_step(const std::vector<std::string>& words) {
  const std::string& word = words[0];
  if (word == "echo") return Step{StepKind::Say, rest_of(words, 1), {}, {}, {}, 0};
  if (word == "true" || word == ":") return Step{StepKind::Wait, {}, {}, {}, base::Span::zero(), 0};
  if (word == "false") return Step{StepKind::Exit, {}, {}, {}, {}, 1};
  if (word == "reboot") return Step{StepKind::Reboot, {}, {}, {}, {}, 0};
  if (word == "exit") {
    const auto code = base::parse_int(words.size() > 1 ? words[1] : "0");
    return Step{StepKind::Exit, {}, {}, {}, {}, static_cast<int>(code.value_or(2) & 0xff)};
  }
  if (word == "sleep" && words.size() == 2) {
    auto span = parse_wait("sleep", words[1]);
    if (!span) return std::nullopt;
    return Step{StepKind::Wait, {}, {}, {}, *span, 0};
  }
  return std::nullopt;
}

std::optional<Script> script_of_shell(std::string_view text) {
  Script script;
  bool in_loop = false;
  for (const auto& statement : statements_of(text, true)) {
    auto words = words_of(statement);
    if (words.size() == 2 && words[0] == "while" && (words[1] == "true" || words[1] == ":") && script.steps.empty()) {
      in_loop = true;
      continue;
    }
    if (in_loop && !words.empty() && words[0] == "do") words.erase(words.begin());
    if (in_loop && words.size() == 1 && words[0] == "done") {
      script.steps.push_back({StepKind::Repeat, {}, {}, {}, {}, 0});
      return script;
    }
    if (!words.empty() && words[0] == "exec") words.erase(words.begin());
    if (words.empty()) continue;
    auto step = shell_step(words);
    if (!step) return std::nullopt;
    script.steps.push_back(std::move(*step));
  }
  if (in_loop || script.steps.empty()) return std::nullopt;
  return script;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

bool Script::says_when_ready() const {
  return std::any_of(steps.begin(), steps.end(), [](const Step& step) { return step.kind == StepKind::Ready; });
}

Result<Script> parse_script(std::string_view text) {
  Script script;
  auto* steps = &script.steps;
  for (const auto& statement : statements_of(text, false)) {
    const auto words = words_of(statement);
    if (words.empty()) continue;
    if (words[0] == "when-stopped" && words.size() == 1) {
      steps = &script.when_stopped;
      continue;
    }
    TRY(const bool taken, take_setting(script, statement, words));
    if (taken) continue;
    const auto shape = std::find_if(kStatementForms.begin(), kStatementForms.end(),
                                    [&](const StatementForm& one) { return one.word == words[0]; });
    if (shape == kStatementForms.end()) return refuse(statement, "nothing begins with that word");
    TRY(auto step, parse_step(statement, *shape, words));
    steps->push_back(std::move(step));
  }
  // A script of settings only says nothing about running: it runs on.
  if (script.steps.empty() && script.program.empty()) script.steps.push_back({StepKind::Wait, {}, {}, {}, {}, 0});
  return script;
}

std::optional<Script> script_of_command(const std::vector<std::string>& argv) {
  if (argv.empty()) return std::nullopt;
  const std::string name = base_name(argv[0]);
  if (name == "nsenter" && base_name(argv.back()) == "reboot") return script_of_shell("reboot; sleep infinity");
  if ((name == "sh" || name == "bash" || name == "ash") && argv.size() >= 3 && argv[1] == "-c") {
    return script_of_shell(argv[2]);
  }
  std::vector<std::string> words = argv;
  words[0] = name;
  auto step = shell_step(words);
  if (!step) return std::nullopt;
  Script script;
  script.steps.push_back(std::move(*step));
  return script;
}

std::optional<base::Span> span_of(const Step& wait, const Tempo& tempo) {
  if (wait.what == "driver") return tempo.driver;
  if (wait.what == "task") return tempo.task;
  return wait.span;
}

}  // namespace drover::sim
