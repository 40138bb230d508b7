#include "base/text.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace drover::base {

namespace {

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

// An open file that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::unexpected<Fault> file_fault(const std::string& path, const char* doing, int error) {
  const auto kind = error == ENOENT                     ? Fault::Kind::NotFound
                    : error == EACCES || error == EPERM ? Fault::Kind::Forbidden
                                                        : Fault::Kind::Failed;
  return fault(kind, fmt::format("cannot {} {}: {}", doing, path, std::strerror(error)));
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != parts.data()) text += separator;
    text += part;
  }
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

std::string one_line(std::string_view text, std::size_t most) {
  const bool is_cut = text.size() > most;
  std::string line(text.substr(0, most));
  // A cut must not leave half a character behind.
  while (is_cut && !line.empty() && (static_cast<unsigned char>(line.back()) & 0xC0U) == 0x80U) line.pop_back();
  if (is_cut && !line.empty() && static_cast<unsigned char>(line.back()) >= 0xC0U) line.pop_back();
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return is_cut ? line + "…" : line;
}

std::string base64_encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j) word = word << 8U | (j < have ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) text += j <= have ? kBase64[word >> (18 - 6 * j) & 63U] : '=';
  }
  return text;
}

Result<std::string> base64_decode(std::string_view text) {
  std::string bytes;
  std::uint32_t word = 0;
  int bits = 0;
  std::size_t letters = 0;
  std::size_t padding = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_space(c)) continue;
    ++letters;
    if (c == '=') {
      ++padding;
      continue;
    }
    const std::size_t value = kBase64.find(c);
    if (value == std::string_view::npos || padding > 0) {
      return fault(Fault::Kind::Malformed, fmt::format("not base64: unexpected byte at position {}", i));
    }
    word = word << 6U | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(word >> bits & 0xFFU);
    }
  }
  if (letters % 4 != 0 || padding > 2) return fault(Fault::Kind::Malformed, "not base64: it is cut short");
  return bytes;
}

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

Result<std::string> read_file(const std::string& path, std::size_t most) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return file_fault(path, "open", errno);
  std::string text;
  std::array<char, 65536> piece;
  for (;;) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_fault(path, "read", errno);
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > most) {
      return fault(Fault::Kind::Malformed,
                   fmt::format("{} is larger than {} bytes; is it the right file?", path, most));
    }
  }
}

Result<void> write_file(const std::string& path, std::string_view text, unsigned mode) {
  const std::string sibling = fmt::format("{}.{}.new", path, ::getpid());
  {
    const Descriptor file(::open(sibling.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
    if (file.get() < 0) return file_fault(sibling, "create", errno);
    while (!text.empty()) {
      const ssize_t put = ::write(file.get(), text.data(), text.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) {
        const int error = errno;
        ::unlink(sibling.c_str());
        return file_fault(sibling, "write", error);
      }
      text.remove_prefix(static_cast<std::size_t>(put));
    }
    if (::fsync(file.get()) != 0) {
      const int error = errno;
      ::unlink(sibling.c_str());
      return file_fault(sibling, "write", error);
    }
  }
  if (::rename(sibling.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(sibling.c_str());
    return file_fault(path, "replace", error);
  }
  return {};
}

}  // namespace drover::base
