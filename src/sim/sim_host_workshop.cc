// A simulated machine's folders, and the few programs that are installed on it: git, make, depmod and modprobe.
//
// A clone leaves the version that its tag names; make turns that into a module file for the kernel whose headers it is
// given. Both take the makeup's time and have the machine's faults.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "host/fingerprint.h"
#include "sim/sim_host.h"

namespace drover::sim {
namespace {

using base::fault;
using base::Fault;

bool is_below(std::string_view path, std::string_view folder) {
  return path == folder || (path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/');
}

// The value after an argument; "" when it is not there.
std::string after(const std::vector<std::string>& args, std::string_view name) {
  const auto at = std::find(args.begin(), args.end(), name);
  return at == args.end() || at + 1 == args.end() ? std::string() : *(at + 1);
}

// "M=/x" for "M=" is "/x".
std::string valued(const std::vector<std::string>& args, std::string_view beginning) {
  const auto at = std::find_if(args.begin(), args.end(), [&](const auto& arg) { return arg.starts_with(beginning); });
  return at == args.end() ? std::string() : at->substr(beginning.size());
}

}  // namespace

Result<void> SimHost::make_folder(const std::string& path) {
  if (has(HostFault::DiskFull))
    return fault(Fault::Kind::Failed, fmt::format("cannot make the folder {}: no space left on device", path));
  return {};
}

Result<void> SimHost::rename(const std::string& from, const std::string& to) {
  if (exists(to)) return fault(Fault::Kind::Failed, fmt::format("cannot rename {} to {}: not empty", from, to));
  std::map<std::string, std::string> moved;
  for (const auto& [path, text] : files_) {
    if (is_below(path, from)) moved[to + path.substr(from.size())] = text;
  }
  if (moved.empty()) return fault(Fault::Kind::NotFound, fmt::format("cannot rename {}: no such file", from));
  std::erase_if(files_, [&](const auto& file) { return is_below(file.first, from); });
  if (is_below(written_last_, from)) written_last_ = to + written_last_.substr(from.size());
  files_.merge(moved);
  return {};
}

Result<void> SimHost::remove_tree(const std::string& path) {
  std::erase_if(files_, [&](const auto& file) { return is_below(file.first, path); });
  return {};
}

Result<void> SimHost::copy(const std::string& from, const std::string& to, unsigned mode) {
  static_cast<void>(mode);
  TRY(const std::string text, read(from));
  return write(to, text);
}

Result<std::vector<std::string>> SimHost::find(const std::string& folder, const std::string& name) {
  if (!exists(folder)) return fault(Fault::Kind::NotFound, fmt::format("cannot search {}: no such folder", folder));
  std::vector<std::string> found;
  for (const auto& [path, text] : files_) {
    if (is_below(path, folder) && path.substr(path.rfind('/') + 1).starts_with(name)) found.push_back(path);
  }
  return found;
}

Result<std::uint64_t> SimHost::free_bytes(const std::string& path) {
  static_cast<void>(path);
  return has(HostFault::DiskFull) ? 0 : 100'000'000'000;
}

Result<std::string> SimHost::fingerprint(const host::Inside& file) {
  TRY(const std::string text, read(file.whole()));
  return host::Fingerprint::of(text);
}

Result<void> SimHost::load_verified(const host::Inside& file, const std::string& sha256) {
  TRY(const std::string found, fingerprint(file));
  if (found != sha256)
    return fault(Fault::Kind::Malformed, fmt::format("will not load {}: it is not what was built", file.whole()));
  return load(file.whole(), "");
}

Result<host::ModuleFile> SimHost::module_file(const std::string& path) {
  TRY(const std::string text, read(path));
  const auto words = base::split(base::trim(text), ' ');
  if (words.size() < 5 || words[0] != "module" || words[words.size() - 2] != "for")
    return fault(Fault::Kind::Malformed, fmt::format("{} is not a kernel module", path));
  return host::ModuleFile{std::string(words[2]), std::string(words.back())};
}

// ---- programs

host::Ran SimHost::clone(const host::Command& command) {
  const std::string tag = after(command.args, "--branch");
  if (has(HostFault::SourceAway)) return {128, "fatal: unable to access the repository: could not resolve host\n"};
  const auto into = command.args.back();
  const std::string version = tag.substr(tag.rfind('-') + 1);
  for (const auto& [name, text] : std::map<std::string, std::string>{
           {"VERSION", version + "\n"}, {".git/HEAD", host::Fingerprint::of(tag).substr(0, 40) + "\n"}}) {
    if (const auto written = write(into + "/" + name, text); !written) return {128, written.error().message};
  }
  return {0, ""};
}

host::Ran SimHost::make(const host::Command& command) {
  const std::string headers = after(command.args, "-C");
  const std::string source = valued(command.args, "M=");
  if (!exists(headers + "/Makefile")) return {2, fmt::format("make: *** {}: no such file or directory\n", headers)};
  if (has(HostFault::MakeFails))
    return {2, "chardev.c:12: error: implicit declaration of function\nmake: *** Error 2\n"};
  const auto version = read(source + "/VERSION");
  if (!version) return {2, "make: *** No rule to make target\n"};
  // /lib/modules/KERNEL/build
  const auto parts = base::split(headers, '/');
  const std::string kernel(parts.size() > 3 ? parts[3] : "");
  const std::string& module = makeup_.builds;
  const auto written =
      write(fmt::format("{}/{}.ko", source, module), module_text(module, base::trim(*version), "", kernel));
  return written ? host::Ran{0, ""} : host::Ran{2, written.error().message};
}

void SimHost::run(const host::Command& command, base::Loop& loop, std::function<void(Result<host::Ran>)> done) {
  if (on_run) on_run(command);
  const bool is_git = command.path == "/usr/bin/git" && !after(command.args, "--branch").empty();
  const bool is_make = command.path == "/usr/bin/make";
  const bool is_depmod = command.path.ends_with("/depmod");
  if (!is_git && !is_make && !is_depmod && !command.path.ends_with("/modprobe"))
    return Host::run(command, loop, std::move(done));
  const base::Span takes = is_git ? makeup_.clone : is_make ? makeup_.make : std::chrono::seconds(1);
  const int number = next_program_++;
  running_[number] = loop.after(takes, [this, number, command, is_git, is_make, is_depmod, done = std::move(done)] {
    const auto timer = running_.extract(number);  // what it holds is what runs now
    host::Ran ran;
    if (is_git) ran = clone(command);
    if (is_make) ran = make(command);
    if (!is_git && !is_make && !is_depmod) {
      const auto found = find("/lib/modules/" + makeup_.kernel_release, command.args.back() + ".ko");
      ran.code = found && !found->empty() ? 0 : 1;
    }
    done(ran);
  });
}

}  // namespace drover::sim
