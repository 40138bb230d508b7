// How a complaint about an expression is shown: position, line, caret.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/cel/ast.h"
#include "sim/cel/go_text.h"

namespace drover::sim::cel {

namespace {

// More errors than this are not reported.
constexpr std::size_t kMost = 100;

}  // namespace

void Complaints::add(std::size_t at, std::string message) {
  if (found_.size() < kMost) found_.push_back({std::min(at, text_.size()), found_.size(), std::move(message)});
}

std::string Complaints::report() const {
  std::vector<Complaint> sorted = found_;
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return std::tie(a.at, a.order) < std::tie(b.at, b.order); });
  std::string report;
  for (const Complaint& complaint : sorted) {
    const std::string_view before = text_.substr(0, complaint.at);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const auto newline = before.rfind('\n');
    const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    const auto end = text_.find('\n', start);
    const std::string_view shown = text_.substr(start, end == std::string_view::npos ? end : end - start);
    const std::size_t column = count_runes(before.substr(start));
    if (!report.empty()) report += '\n';
    report += fmt::format("ERROR: <input>:{}:{}: {}\n | {}\n | {}^", line, column + 1, complaint.message, shown,
                          std::string(column, '.'));
  }
  return report;
}

}  // namespace drover::sim::cel
