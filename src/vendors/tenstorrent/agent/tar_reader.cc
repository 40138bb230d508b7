#include "vendors/tenstorrent/agent/tar_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace drover::agent {
namespace {

using base::fault;
using base::Fault;
using base::Result;

constexpr std::size_t kBlock = 512;
constexpr std::size_t kMostNameBytes = 255;
constexpr std::size_t kMostExtensionBytes = 64 * 1024;

std::unexpected<Fault> bad_tar(std::string why) { return fault(Fault::Kind::Malformed, std::move(why)); }

// A field of the header, up to its first NUL.
std::string_view field(std::string_view header, std::size_t at, std::size_t size) {
  const std::string_view text = header.substr(at, size);
  return text.substr(0, text.find('\0'));
}

// Numbers are octal digits, with spaces around them.
std::optional<std::uint64_t> octal(std::string_view text) {
  text = base::trim(text);
  if (text.empty() || text.size() > 12) return {};
  std::uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') return {};
    number = number * 8 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

bool checksum_is_right(std::string_view header) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < header.size(); ++i)
    sum += i >= 148 && i < 156 ? static_cast<unsigned char>(' ') : static_cast<unsigned char>(header[i]);
  return octal(field(header, 148, 8)) == sum;
}

// What stays below the folder in which it would be unpacked, however it is read.
bool is_plain(std::string_view name) {
  if (name.empty() || name.size() > kMostNameBytes || name.front() == '/') return false;
  if (!std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7f && c != '\\'; })) return false;
  const auto parts = base::split(name, '/');
  return std::find(parts.begin(), parts.end(), "..") == parts.end();
}

// "30 mtime=1731680524.123456789\n" after another. Python's tarfile writes such; times and owners do not matter here,
// but another name or size would be believed by tt-flash and not by us.
Result<void> check_extension(std::string_view text) {
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const auto size = base::parse_int(text.substr(0, space));
    if (space == std::string_view::npos || !size || *size <= static_cast<std::int64_t>(space) + 1 ||
        static_cast<std::uint64_t>(*size) > text.size())
      return bad_tar("one of its extended headers cannot be read");
    const std::string_view record = text.substr(space + 1, static_cast<std::size_t>(*size) - space - 1);
    const std::string_view key = record.substr(0, record.find('='));
    const bool is_harmless = key == "mtime" || key == "atime" || key == "ctime" || key == "uid" || key == "gid" ||
                             key == "uname" || key == "gname" || key == "comment";
    if (!is_harmless) {
      return bad_tar(
          fmt::format("an extended header in it sets \"{}\", which is not read; make it with tar --format=ustar",
                      base::one_line(key, 40)));
    }
    text.remove_prefix(static_cast<std::size_t>(*size));
  }
  return {};
}

}  // namespace

Result<void> TarReader::take(std::string_view piece) {
  while (!piece.empty() && !has_ended_) {
    if (left_ > 0) {
      const std::size_t size = std::min<std::uint64_t>(left_, piece.size());
      left_ -= size;
      TRY_VOID(take_bytes(piece.substr(0, size)));
      piece.remove_prefix(size);
    } else if (padding_ > 0) {
      const std::size_t size = std::min<std::uint64_t>(padding_, piece.size());
      padding_ -= size;
      piece.remove_prefix(size);
    } else {
      const std::size_t size = std::min(kBlock - header_.size(), piece.size());
      header_.append(piece.substr(0, size));
      piece.remove_prefix(size);
      if (header_.size() == kBlock) TRY_VOID(take_header());
    }
  }
  return {};
}

Result<void> TarReader::take_header() {
  const std::string header = std::exchange(header_, {});
  if (std::all_of(header.begin(), header.end(), [](char c) { return c == '\0'; })) {
    has_ended_ = true;
    return {};
  }
  if (!checksum_is_right(header)) return bad_tar("it is not a tar archive, or garbled");
  const auto size = octal(field(header, 124, 12));
  if (!size) return bad_tar("the size of one of its files cannot be read");
  left_ = *size;
  padding_ = (kBlock - *size % kBlock) % kBlock;
  const char kind = header[156];
  is_wanted_ = false;
  is_extension_ = kind == 'x' || kind == 'g';
  if (is_extension_) {
    if (*size > kMostExtensionBytes) return bad_tar("one of its extended headers is larger than 64 KiB");
    return {};
  }
  TarEntry entry{.name = std::string(field(header, 0, 100)), .size = *size, .is_folder = kind == '5'};
  const std::string_view prefix = header.substr(257, 5) == "ustar" ? field(header, 345, 155) : std::string_view();
  if (!prefix.empty() && header.substr(257, 8) != "ustar  \0") entry.name = fmt::format("{}/{}", prefix, entry.name);
  if (kind != '0' && kind != '\0' && kind != '5') {
    return bad_tar(fmt::format("\"{}\" in it is not a file or a folder but a link or a device (type \"{}\")",
                               base::one_line(entry.name, 80), base::one_line({&kind, 1}, 4)));
  }
  if (!is_plain(entry.name))
    return bad_tar(
        fmt::format("the name \"{}\" in it leads elsewhere or is not a name", base::one_line(entry.name, 80)));
  if (entry.is_folder && entry.size > 0) return bad_tar("a folder in it has bytes");
  if (!names_.insert(entry.name).second)
    return bad_tar(fmt::format("\"{}\" is in it twice", base::one_line(entry.name, 80)));
  if (names_.size() > most_entries_) return bad_tar(fmt::format("it holds more than {} files", most_entries_));
  is_wanted_ = wants_(entry);
  if (is_wanted_ && entry.size > kMostWanted)
    return bad_tar(fmt::format("\"{}\" in it is larger than 1 MiB", base::one_line(entry.name, 80)));
  return {};
}

Result<void> TarReader::take_bytes(std::string_view bytes) {
  if (is_wanted_) bytes_(bytes);
  if (!is_extension_) return {};
  extension_.append(bytes);
  if (left_ > 0) return {};
  const std::string extension = std::exchange(extension_, {});
  return check_extension(extension);
}

Result<void> TarReader::end() const {
  // Some writers leave the empty blocks at the end out.
  if (has_ended_ || (header_.empty() && left_ == 0 && padding_ == 0)) return {};
  return bad_tar("it ends in the middle of a file");
}

}  // namespace drover::agent
