#include "cli/screen.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace drover::cli {

namespace {

// How many characters a UTF-8 text shows; escape sequences are ours and never reach here.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string cut_to(std::string_view text, std::size_t width) {
  std::size_t shown = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const bool starts_character = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
    if (starts_character && shown == width) break;
    shown += starts_character ? 1 : 0;
    ++end;
  }
  return std::string(text.substr(0, end));
}

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

TerminalSize terminal_size(std::FILE* out) {
  winsize size{};
  if (::ioctl(::fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

constexpr std::string_view kClearLine = "\x1b[K";
constexpr std::string_view kClearBelow = "\x1b[J";

}  // namespace

Screen::Screen(std::FILE* out) : out_(out), is_terminal_(::isatty(::fileno(out)) == 1) {}

Screen::~Screen() { keep(); }

// Each line is written over the one that stood there and then cleared behind its end: nothing is ever blank in between,
// so nothing flickers. One write for the whole.
void Screen::paint(std::string_view above) {
  std::string text;
  if (height_ > 0) text += fmt::format("\x1b[{}A", height_);
  if (!above.empty()) text += fmt::format("{}{}\n", above, kClearLine);
  for (const std::string& line : picture_) text += fmt::format("{}{}\n", line, kClearLine);
  text += kClearBelow;
  height_ = picture_.size();
  std::fwrite(text.data(), 1, text.size(), out_);
  std::fflush(out_);
}

void Screen::say(std::string_view line) {
  if (is_terminal_) return paint(line.empty() ? " " : line);
  fmt::print(out_, "{}\n", line);
  std::fflush(out_);
}

void Screen::draw(std::vector<std::string> picture) {
  if (!is_terminal_) return;
  const TerminalSize size = terminal_size(out_);
  // The cursor cannot go up beyond the first row, so a higher picture could not be drawn over.
  if (picture.size() >= size.rows) picture.resize(size.rows - 1);
  for (std::string& line : picture) line = cut_to(line, size.columns);
  if (picture == picture_) return;
  picture_ = std::move(picture);
  paint({});
}

void Screen::keep() {
  picture_.clear();
  height_ = 0;
}

std::string bar(double part, int cells) {
  const int full = std::clamp(static_cast<int>(std::floor(part * cells + 1e-9)), 0, cells);
  std::string text;
  for (int i = 0; i < cells; ++i) text += i < full ? "█" : "░";
  return text;
}

std::vector<std::string> table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace drover::cli
