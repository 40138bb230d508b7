// Runs a program beside us: fork and exec, no shell, no environment of ours, no open files of ours.
//
// Nothing waits: a timer looks ten times a second whether it has written something or ended. What runs out of time is
// killed, and so is what is still running when the loop forgets about it; what is not to be interrupted never is.
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>

#include "base/text.h"
#include "host/linux_host.h"

namespace drover::host {
namespace {

using base::fault;
using base::Fault;

constexpr std::size_t kMostOutput = 16 * 1024;
constexpr base::Span kLookEvery = std::chrono::milliseconds(100);
constexpr int kNotThere = 127;     // as shells say it
constexpr int kNotConfined = 126;  // found, and not run

class Child : public std::enable_shared_from_this<Child> {
 public:
  Child(pid_t pid, int pipe, base::Loop& loop, const Command& command, std::function<void(Result<Ran>)> done)
      : pid_(pid), pipe_(pipe), loop_(loop), heard_(command.heard), done_(std::move(done)) {
    if (!command.uninterrupted) until_ = loop.now() + command.within;
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    // What is not to be interrupted keeps its pipe too, until this process ends: a closed one would end it.
    if (pid_ > 0 && !until_) return;
    if (pid_ > 0) {
      ::kill(-pid_, SIGKILL);  // with what it started
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(pipe_);
  }

  void look_later() {
    loop_.after(kLookEvery, [self = shared_from_this()] { self->look(); }).let_go();
  }

 private:
  void look() {
    take_output();
    int status = 0;
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == 0 && (!until_ || loop_.now() < *until_)) return look_later();
    if (ended == 0) {
      ran_.ran_out = true;
      ::kill(-pid_, SIGKILL);  // with what it started
      ::waitpid(pid_, &status, 0);
    }
    pid_ = 0;
    take_output();
    ran_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    done_(std::move(ran_));
  }

  void take_output() {
    char bytes[4096];
    for (;;) {
      const auto count = ::read(pipe_, bytes, sizeof bytes);
      if (count <= 0) return;
      // The rest is read too, so that the program does not wait for us.
      const std::size_t room = kMostOutput - std::min(kMostOutput, ran_.output.size());
      ran_.output.append(bytes, std::min(room, static_cast<std::size_t>(count)));
      if (heard_) heard_({bytes, static_cast<std::size_t>(count)});
    }
  }

  pid_t pid_;
  int pipe_;
  base::Loop& loop_;
  std::optional<base::Instant> until_ = {};  // nothing: it takes as long as it takes
  std::function<void(std::string_view)> heard_;
  std::function<void(Result<Ran>)> done_;
  Ran ran_ = {};
};

// Everything that the child needs, made before the fork: after it nothing may be allocated.
struct Plan {
  explicit Plan(const Command& command, std::string its_root, std::string its_path)
      : root(std::move(its_root)),
        path(std::move(its_path)),
        uninterrupted(command.uninterrupted),
        offline(command.offline),
        in_background(command.in_background),
        hidden(command.hidden),
        shown(command.shown),
        words{path},
        variables{"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C"} {
    words.insert(words.end(), command.args.begin(), command.args.end());
    for (const auto& [name, value] : command.environment) variables.push_back(name + "=" + value);
    for (std::string& word : words) argv.push_back(word.data());
    for (std::string& variable : variables) envp.push_back(variable.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
  }

  std::string root;
  std::string path;
  bool uninterrupted;
  bool offline;
  bool in_background;
  std::vector<std::string> hidden;
  std::vector<std::pair<std::string, std::string>> shown;
  std::vector<std::string> words;
  std::vector<std::string> variables;
  std::vector<char*> argv = {};
  std::vector<char*> envp = {};
};

// A container's root is often read-only only to those who look at it through this mount: here, where the mount is our
// own, it is opened for the moment that a link takes.
bool show(const Plan& plan) {
  struct statvfs root = {};
  if (::statvfs("/", &root) != 0) return false;
  const unsigned long flags = root.f_flag & (MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC);
  const bool is_closed = (flags & MS_RDONLY) != 0;
  bool is_open = !is_closed;
  for (const auto& [from, at] : plan.shown) {
    if (::access(at.c_str(), F_OK) == 0) continue;
    if (!is_open && ::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | (flags & ~MS_RDONLY), nullptr) != 0)
      return false;
    is_open = true;
    if (::symlink(from.c_str(), at.c_str()) != 0 && errno != EEXIST) return false;
  }
  return !is_closed || !is_open || ::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | flags, nullptr) == 0;
}

// What it may not see, and what it sees elsewhere. A program that cannot be confined is not run.
bool confine(const Plan& plan) {
  if (plan.offline && ::unshare(CLONE_NEWNET) != 0) return false;
  if (plan.hidden.empty() && plan.shown.empty()) return true;
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  for (const std::string& folder : plan.hidden) {
    if (::access(folder.c_str(), F_OK) != 0) continue;
    if (::mount("none", folder.c_str(), "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
      return false;
  }
  return plan.shown.empty() || show(plan);
}

// In the child, between fork and exec: only what may be called there.
[[noreturn]] void become(const Plan& plan, int out) {
  if (!plan.uninterrupted) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, 0);
  ::dup2(out, 1);
  ::dup2(out, 2);
  ::close_range(3, ~0U, 0);
  if (plan.uninterrupted)
    ::setsid();
  else
    ::setpgid(0, 0);
  if (plan.in_background) ::setpriority(PRIO_PROCESS, 0, 19);
  if (!confine(plan)) {
    static constexpr std::string_view kWhy = "it cannot be shut off from network and tokens: run with CAP_SYS_ADMIN\n";
    static_cast<void>(!::write(2, kWhy.data(), kWhy.size()));
    _exit(kNotConfined);
  }
  if (!plan.root.empty() && ::chroot(plan.root.c_str()) != 0) _exit(kNotThere);
  if (::chdir("/") != 0) _exit(kNotThere);
  ::execve(plan.path.c_str(), plan.argv.data(), plan.envp.data());
  _exit(kNotThere);
}

}  // namespace

void LinuxHost::run(const Command& command, base::Loop& loop, std::function<void(Result<Ran>)> done) {
  const auto refuse = [&](Fault::Kind kind, std::string message) {
    loop.post([done, answer = fault(kind, std::move(message))] { done(answer); });
  };
  const auto inside = place(command.root + command.path);
  if (!inside || !command.path.starts_with('/')) {
    return refuse(Fault::Kind::Refused,
                  fmt::format("will not run \"{}\": an absolute path is wanted", base::one_line(command.path, 120)));
  }
  if (::access(inside->c_str(), X_OK) != 0)
    return refuse(Fault::Kind::NotFound, fmt::format("cannot run {}: no such program", *inside));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0 || ::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
    return refuse(Fault::Kind::Failed, fmt::format("cannot run {}: {}", *inside, std::strerror(errno)));
  // With a root of its own the program sees its path from there.
  std::string root = command.root.empty() ? std::string() : place(command.root).value_or("");
  if (root == "/") root.clear();
  const std::string path = root.empty() ? *inside : command.path;
  const Plan plan(command, root, path);
  const pid_t pid = ::fork();
  if (pid == 0) become(plan, ends[1]);
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    return refuse(Fault::Kind::Failed, fmt::format("cannot run {}: {}", *inside, std::strerror(errno)));
  }
  std::make_shared<Child>(pid, ends[0], loop, command, std::move(done))->look_later();
}

}  // namespace drover::host
