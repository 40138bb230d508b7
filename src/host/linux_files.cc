// The machine's folders and large files, and modules that are loaded only if they are the very bytes we know.
//
// A file in a folder of ours is opened from that folder's descriptor with every link on the way refused, must be a
// plain file with one name that only its owner can write, and what is checked, hashed and loaded is one descriptor:
// swapping the file meanwhile changes nothing.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/text.h"
#include "host/fingerprint.h"
#include "host/linux_host.h"

namespace drover::host {
namespace {

namespace fs = std::filesystem;
using base::fault;
using base::Fault;

constexpr off_t kMostModuleBytes = 256 * 1024 * 1024;

std::unexpected<Fault> failed(std::string_view what, int error) {
  const auto kind = error == ENOENT || error == ENOTDIR ? Fault::Kind::NotFound
                    : error == EACCES || error == EPERM ? Fault::Kind::Forbidden
                                                        : Fault::Kind::Failed;
  return fault(kind, fmt::format("cannot {}: {}", what, std::strerror(error)));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// Calls `take` with every piece.
template <class Take>
Result<void> each_piece(int fd, const std::string& place, const Take& take) {
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read " + place, errno);
    if (got == 0) return {};
    TRY_VOID(take(std::string_view(piece.data(), static_cast<std::size_t>(got))));
  }
}

Result<void> put(int fd, const std::string& place, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed("write " + place, errno);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

// A folder's list of names is on the disk when it returns.
Result<void> flush_folder(const std::string& place) {
  const Descriptor folder(::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 || ::fsync(folder.get()) != 0) return failed("flush " + place, errno);
  return {};
}

bool others_write(const struct stat& of) {
  return (of.st_mode & (S_IWGRP | S_IWOTH)) != 0 || (of.st_uid != 0 && of.st_uid != ::geteuid());
}

int open_beneath(int folder, const std::string& path, std::uint64_t flags) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how));
}

// Whether others could have put something into the folder or into one on the way to the file.
bool others_write_on_the_way(int folder, const std::string& path) {
  struct stat facts{};
  if (::fstat(folder, &facts) != 0 || others_write(facts)) return true;
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const Descriptor on_the_way(open_beneath(folder, path.substr(0, slash), O_PATH | O_DIRECTORY));
    if (on_the_way.get() < 0 || ::fstat(on_the_way.get(), &facts) != 0 || others_write(facts)) return true;
  }
  return false;
}

Result<Descriptor> open_inside(const std::string& folder_place, const std::string& path) {
  const std::string whole = folder_place + "/" + path;
  const Descriptor folder(::open(folder_place.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return failed("open " + folder_place, errno);
  Descriptor file(open_beneath(folder.get(), path, O_RDONLY | O_NONBLOCK));
  if (file.get() < 0 && (errno == ELOOP || errno == EXDEV))
    return fault(Fault::Kind::Refused, fmt::format("will not open {}: there is a link on the way", whole));
  if (file.get() < 0) return failed("open " + whole, errno);
  struct stat facts{};
  if (::fstat(file.get(), &facts) != 0) return failed("look at " + whole, errno);
  if (!S_ISREG(facts.st_mode) || facts.st_nlink != 1 || facts.st_size > kMostModuleBytes)
    return fault(Fault::Kind::Refused, fmt::format("will not open {}: it is not a regular file with one link", whole));
  if (others_write(facts) || others_write_on_the_way(folder.get(), path)) {
    return fault(Fault::Kind::Refused,
                 fmt::format("will not open {}: others than root could have written it or a folder on the way", whole));
  }
  return file;
}

Result<std::string> fingerprint_of(int fd, const std::string& place) {
  Fingerprint fingerprint;
  TRY_VOID(each_piece(fd, place, [&](std::string_view piece) -> Result<void> {
    fingerprint.add(piece);
    return {};
  }));
  return fingerprint.text();
}

}  // namespace

Result<void> LinuxHost::make_folder(const std::string& path) {
  TRY(const auto place, place(path));
  std::string so_far;
  for (const auto part : base::split(place, '/')) {
    if (part.empty()) continue;
    so_far += "/" + std::string(part);
    if (::mkdir(so_far.c_str(), 0700) != 0 && errno != EEXIST) return failed("make the folder " + so_far, errno);
  }
  return {};
}

Result<void> LinuxHost::rename(const std::string& from, const std::string& to) {
  TRY(const auto source, place(from));
  TRY(const auto target, place(to));
  struct stat facts{};
  if (::lstat(source.c_str(), &facts) != 0) return failed("rename " + source, errno);
  if (S_ISDIR(facts.st_mode)) TRY_VOID(flush_folder(source));
  if (::rename(source.c_str(), target.c_str()) != 0) return failed("rename " + source + " to " + target, errno);
  return flush_folder(fs::path(target).parent_path());
}

Result<void> LinuxHost::remove_tree(const std::string& path) {
  TRY(const auto place, place(path));
  std::error_code error;
  fs::remove_all(place, error);  // a link goes, not what it points to
  if (error && error.value() != ENOENT) return failed("remove " + place, error.value());
  return {};
}

Result<void> LinuxHost::copy(const std::string& from, const std::string& to, unsigned mode) {
  TRY(const auto source, place(from));
  TRY(const auto target, place(to));
  const Descriptor input(::open(source.c_str(), O_RDONLY | O_CLOEXEC));
  if (input.get() < 0) return failed("open " + source, errno);
  const fs::path parted(target);
  const std::string sibling = (parted.parent_path() / fmt::format(".{}.new", parted.filename().string())).string();
  ::unlink(sibling.c_str());
  const auto fill = [&]() -> Result<void> {
    const Descriptor output(::open(sibling.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    if (output.get() < 0) return failed("create " + sibling, errno);
    TRY_VOID(
        each_piece(input.get(), source, [&](std::string_view piece) { return put(output.get(), sibling, piece); }));
    if (::fchmod(output.get(), mode) != 0 || ::fsync(output.get()) != 0) return failed("write " + sibling, errno);
    return {};
  };
  auto filled = fill();
  if (filled && ::rename(sibling.c_str(), target.c_str()) != 0) filled = failed("replace " + target, errno);
  if (!filled) {
    ::unlink(sibling.c_str());
    return filled;
  }
  return flush_folder(parted.parent_path());
}

Result<std::vector<std::string>> LinuxHost::find(const std::string& folder, const std::string& name) {
  TRY(const auto start, place(folder));
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator walk(start, fs::directory_options::skip_permission_denied, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    std::error_code unknown;
    const bool is_file = walk->is_symlink(unknown) || walk->is_regular_file(unknown);
    const std::string path = walk->path().string();
    if (is_file && walk->path().filename().string().starts_with(name))
      found.push_back(folder + path.substr(start.size()));
  }
  if (error) return failed("search " + start, error.value());
  std::sort(found.begin(), found.end());
  return found;
}

Result<std::uint64_t> LinuxHost::free_bytes(const std::string& path) {
  TRY(auto place, place(path));
  struct statvfs facts{};
  // What is not there yet will be made on the disk of what is.
  while (::statvfs(place.c_str(), &facts) != 0) {
    if (errno != ENOENT || place.size() <= 1) return failed("tell the space at " + place, errno);
    place = fs::path(place).parent_path().string();
  }
  return static_cast<std::uint64_t>(facts.f_bavail) * facts.f_frsize;
}

Result<std::string> LinuxHost::fingerprint(const Inside& file) {
  TRY(const auto whole, place(file.whole()));
  TRY(const auto folder, place(file.folder));
  TRY(const auto descriptor, open_inside(folder, file.path));
  return fingerprint_of(descriptor.get(), whole);
}

Result<void> LinuxHost::append(const std::string& path, std::string_view bytes) {
  TRY(const auto place, place(path));
  const Descriptor file(::open(place.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.get() < 0) return failed("open " + place, errno);
  return put(file.get(), place, bytes);
}

Result<std::uint64_t> LinuxHost::size(const std::string& path) {
  TRY(const auto place, place(path));
  struct stat facts{};
  if (::lstat(place.c_str(), &facts) != 0) return failed("look at " + place, errno);
  return static_cast<std::uint64_t>(facts.st_size);
}

Result<void> LinuxHost::read_in_pieces(const Inside& file, const std::function<Result<void>(std::string_view)>& take) {
  TRY(const auto whole, place(file.whole()));
  TRY(const auto folder, place(file.folder));
  TRY(const auto descriptor, open_inside(folder, file.path));
  return each_piece(descriptor.get(), whole, take);
}

Result<std::shared_ptr<void>> LinuxHost::lock(const std::string& path) {
  TRY(const auto place, place(path));
  auto file = std::make_shared<Descriptor>(::open(place.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file->get() < 0) return failed("open " + place, errno);
  if (::flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failed("lock " + place, errno);
    return fault(Fault::Kind::Conflict, fmt::format("cannot lock {}: another process has it", place));
  }
  return file;
}

Result<void> LinuxHost::load_verified(const Inside& file, const std::string& sha256) {
  TRY(const auto whole, place(file.whole()));
  TRY(const auto folder, place(file.folder));
  TRY(const auto descriptor, open_inside(folder, file.path));
  TRY(const auto found, fingerprint_of(descriptor.get(), whole));
  if (found.empty() || found != sha256) {
    return fault(Fault::Kind::Malformed,
                 fmt::format("will not load {}: it is not what was built (its SHA-256 differs)", whole));
  }
  // finit_module reads from the beginning, wherever the descriptor stands.
  return give_to_kernel(descriptor.get(), whole, "");
}

std::string module_word(std::string_view file, std::string_view key) {
  const std::string wanted = std::string(1, '\0') + std::string(key) + "=";
  std::size_t at = file.find(wanted);
  if (at == std::string_view::npos) return {};
  at += wanted.size();
  return std::string(file.substr(at, file.find('\0', at) - at));
}

Result<ModuleFile> LinuxHost::module_file(const std::string& path) {
  TRY(const auto place, place(path));
  TRY(const auto bytes, base::read_file(place, kMostModuleBytes));
  if (!bytes.starts_with("\x7f"
                         "ELF"))
    return fault(Fault::Kind::Malformed, fmt::format("{} is not a kernel module: it does not begin as one", place));
  const std::string magic = module_word(bytes, "vermagic");
  if (magic.empty())
    return fault(Fault::Kind::Malformed, fmt::format("{} does not say for which kernel it was built", place));
  return ModuleFile{base::one_line(module_word(bytes, "version"), 64), magic.substr(0, magic.find(' '))};
}

std::string LinuxHost::machine() {
  utsname names{};
  return ::uname(&names) == 0 ? names.machine : "";
}

}  // namespace drover::host
