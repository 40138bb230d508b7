// A terminal in two parts: lines that stay, and below them a picture that is drawn again and again.
//
// Where there is no terminal (a pipe, CI) only the lines that stay are printed, so that a log stays a log.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace drover::cli {

class Screen {
 public:
  explicit Screen(std::FILE* out);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  bool is_terminal() const { return is_terminal_; }

  // Prints a line above the picture, for good.
  void say(std::string_view line);
  // Replaces the picture. It is cut to the terminal's size.
  void draw(std::vector<std::string> picture);
  // Leaves the last picture standing and forgets it.
  void keep();

 private:
  void paint(std::string_view above);

  std::FILE* out_;
  bool is_terminal_;
  std::vector<std::string> picture_;
  std::size_t height_ = 0;  // of what stands on the screen
};

// "██████░░░░" for the part of the whole that is done; ten cells unless given.
std::string bar(double part, int cells = 10);

// Columns padded to their widest cell, two blanks between them; the first row is the heading.
std::vector<std::string> table(const std::vector<std::vector<std::string>>& rows);

}  // namespace drover::cli
