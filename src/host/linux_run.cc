// Runs a program beside us: fork and exec, no shell, no environment of ours, no open files of ours.
//
// Nothing waits: a timer looks ten times a second whether it has written something or ended. What runs out of time is
// killed, and so is what is still running when the loop forgets about it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>

#include "base/text.h"
#include "host/linux_host.h"

namespace drover::host {
namespace {

using base::fault;
using base::Fault;

constexpr std::size_t kMostOutput = 16 * 1024;
constexpr base::Span kLookEvery = std::chrono::milliseconds(100);
constexpr int kNotThere = 127;  // as shells say it

class Child : public std::enable_shared_from_this<Child> {
 public:
  Child(pid_t pid, int pipe, base::Loop& loop, base::Span within, std::function<void(Result<Ran>)> done)
      : pid_(pid), pipe_(pipe), loop_(loop), until_(loop.now() + within), done_(std::move(done)) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) {
      ::kill(-pid_, SIGKILL);  // with what it started
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(pipe_);
  }

  void look_later() {
    timer_ = loop_.after(kLookEvery, [self = shared_from_this()] { self->look(); });
  }

 private:
  void look() {
    take_output();
    int status = 0;
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == 0 && loop_.now() < until_) return look_later();
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
    }
  }

  pid_t pid_;
  int pipe_;
  base::Loop& loop_;
  base::Instant until_;
  std::function<void(Result<Ran>)> done_;
  Ran ran_ = {};
  base::Timer timer_;
};

// In the child, between fork and exec: only what may be called there.
[[noreturn]] void become(const char* root, const char* path, char* const* argv, int out) {
  static const char* const kEnvironment[] = {"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C", nullptr};
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, 0);
  ::dup2(out, 1);
  ::dup2(out, 2);
  ::close_range(3, ~0U, 0);
  ::setpgid(0, 0);
  if (*root != '\0' && ::chroot(root) != 0) _exit(kNotThere);
  if (::chdir("/") != 0) _exit(kNotThere);
  ::execve(path, argv, const_cast<char* const*>(kEnvironment));
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
  std::vector<std::string> words{path};
  words.insert(words.end(), command.args.begin(), command.args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) become(root.c_str(), path.c_str(), argv.data(), ends[1]);
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    return refuse(Fault::Kind::Failed, fmt::format("cannot run {}: {}", *inside, std::strerror(errno)));
  }
  std::make_shared<Child>(pid, ends[0], loop, command.within, std::move(done))->look_later();
}

}  // namespace drover::host
