#include "vendors/tenstorrent/agent/flash_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace drover::agent {
namespace {

constexpr std::size_t kMostLineBytes = 400;
constexpr std::size_t kMostLines = 12;
constexpr int kNotConfined = 126;  // as Host::run says that it did not start it
constexpr int kNotThere = 127;
constexpr int kSignalled = 128;

bool has(std::string_view line, std::string_view words) { return line.find(words) != std::string_view::npos; }

// Without colours, and without what a log or a status could not carry.
std::string cleaned(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
      for (i += 2; i < line.size() && (line[i] < '@' || line[i] > '~');) ++i;
    } else if (const auto byte = static_cast<unsigned char>(line[i]); byte >= 0x80) {
      text += (byte & 0xC0U) == 0x80U ? "" : "?";
    } else {
      text += byte < 0x20 ? ' ' : line[i];
    }
  }
  return std::string(base::trim(text));
}

}  // namespace

void FlashOutput::hear(std::string_view piece) {
  for (const char c : piece) {
    if (c == '\n' || c == '\r')
      take_line();
    else if (line_.size() < kMostLineBytes)
      line_ += c;
  }
}

void FlashOutput::take_line() {
  const std::string line = cleaned(line_);
  line_.clear();
  if (line.empty()) return;
  has_spoken_ = true;
  has_begun_reset_ |= line == "Stage: RESET";
  failed_verification_ |= has(line, "Second verification") && has(line, "failed");
  failed_reset_ |= has(line, "Config space reset not completed for device");
  if (has(line, "do not reset or poweroff")) sentence_ = line;
  last_.push_back(line);
  if (last_.size() > kMostLines) last_.erase(last_.begin());
  say_(line);
}

FlashEnd FlashOutput::end(const base::Result<host::Ran>& ran) {
  take_line();
  FlashEnd end;
  end.lines = last_;
  end.sentence = sentence_;
  const bool could_not_start = ran && !has_spoken_ && (ran->code == kNotThere || ran->code == kNotConfined);
  if (!ran || could_not_start) {
    end.was_run = false;
    end.how = ran ? "it could not be started: is its interpreter in the image?" : ran.error().message;
    return end;
  }
  end.verified = (ran->code == 0 || has_begun_reset_) && !failed_verification_ && sentence_.empty();
  end.succeeded = end.verified && ran->code == 0 && !failed_reset_;
  end.how = ran->code > kSignalled ? fmt::format("was ended by signal {}", ran->code - kSignalled)
                                   : fmt::format("ended with code {}", ran->code);
  return end;
}

}  // namespace drover::agent
