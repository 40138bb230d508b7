#include "sim/kubelet_logs.h"

#include <utility>
#include <vector>

#include "base/text.h"

namespace drover::sim {

void LogBook::begin_run(const std::string& container) {
  auto& runs = books_[container];
  runs.previous = std::move(runs.current);
  runs.current = Run{};
  runs.current.id = next_run_++;
  tell(container);
}

void LogBook::append(const std::string& container, base::WallTime at, std::string_view text) {
  const auto book = books_.find(container);
  if (book == books_.end()) return;
  Run& run = book->second.current;
  run.lines.push_back({run.next_number++, at, base::one_line(text, most_line_bytes_)});
  if (run.lines.size() > most_lines_) run.lines.pop_front();
  tell(container);
}

void LogBook::end_run(const std::string& container) {
  const auto book = books_.find(container);
  if (book == books_.end()) return;
  book->second.current.has_ended = true;
  tell(container);
}

void LogBook::forget_pod(const std::string& pod) {
  const std::string prefix = pod + "/";
  std::vector<std::string> forgotten;
  for (auto at = books_.lower_bound(prefix); at != books_.end() && at->first.starts_with(prefix);) {
    forgotten.push_back(at->first);
    at = books_.erase(at);
  }
  for (const auto& container : forgotten) tell(container);
}

const LogBook::Run* LogBook::run(const std::string& container, bool previous) const {
  const auto book = books_.find(container);
  if (book == books_.end()) return nullptr;
  const Run& run = previous ? book->second.previous : book->second.current;
  return run.id == 0 ? nullptr : &run;
}

int LogBook::listen(const std::string& container, std::function<void()> heard) {
  listeners_[next_listener_] = {container, std::move(heard)};
  return next_listener_++;
}

void LogBook::unlisten(int id) { listeners_.erase(id); }

void LogBook::tell(const std::string& container) {
  // Copied first: a listener may unsubscribe while it is called.
  std::vector<std::function<void()>> ears;
  for (const auto& [id, ear] : listeners_) {
    if (ear.container == container) ears.push_back(ear.heard);
  }
  for (const auto& heard : ears) heard();
}

}  // namespace drover::sim
