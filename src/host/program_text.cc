#include "host/program_text.h"

#include <sys/mman.h>

#include <charconv>
#include <cstdint>
#include <vector>

#include "base/text.h"

namespace drover::host {
namespace {

struct Range {
  std::uintptr_t from = 0;
  std::uintptr_t to = 0;
};

bool parse_hex(std::string_view text, std::uintptr_t& number) {
  const auto end = text.data() + text.size();
  return std::from_chars(text.data(), end, number, 16).ptr == end;
}

// "55d0c8a4e000-55d0c8a5f000 r-xp 00038000 fe:00 1234  /usr/bin/drover". Only text: it is never written to, while
// read-only data has been, by relocations. Inode 0 is not a file.
bool is_text(std::string_view line, Range& range) {
  std::vector<std::string_view> words;
  for (const std::string_view word : base::split(line, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  if (words.size() < 6 || words[1] != "r-xp" || words[4] == "0") return false;
  const std::size_t dash = words[0].find('-');
  return dash != std::string_view::npos && parse_hex(words[0].substr(0, dash), range.from) &&
         parse_hex(words[0].substr(dash + 1), range.to) && range.from < range.to;
}

}  // namespace

void give_back_program_text() {
  const auto maps = base::read_file("/proc/self/maps");
  if (!maps) return;
  for (const std::string_view line : base::split(*maps, '\n')) {
    Range range;
    if (!is_text(line, range)) continue;
    // Addresses come as numbers; there is no other way to say them to the kernel.
    static_cast<void>(::madvise(reinterpret_cast<void*>(range.from), range.to - range.from, MADV_DONTNEED));
  }
}

}  // namespace drover::host
