#include "kube/net/exec_plugin.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "kube/net/asio_loop_body.h"
#include "kube/net/request_text.h"

extern char** environ;

namespace drover::kube::net {
namespace {

namespace asio = boost::asio;
using base::Fault;
using base::Result;

constexpr std::size_t kMostOutput = 1024 * 1024;
constexpr std::size_t kMostComplaint = 4096;

std::unexpected<Fault> unreachable(const ExecPlugin& plugin, std::string_view why) {
  return base::fault(Fault::Kind::Unreachable, fmt::format("credential plugin {}: {}", plugin.command, why));
}

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) == 0) {
      read = ends[0];
      write = ends[1];
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    if (read >= 0) ::close(read);
    if (write >= 0) ::close(write);
  }
  int take_read() { return std::exchange(read, -1); }
};

// Our environment, the plugin's additions over it, and the question.
std::vector<std::string> environment(const ExecPlugin& plugin, const Target& target) {
  std::vector<std::string> out;
  const auto is_replaced = [&](std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('='));
    if (name == "KUBERNETES_EXEC_INFO") return true;
    for (const auto& [key, value] : plugin.env) {
      if (key == name) return true;
    }
    return false;
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!is_replaced(*entry)) out.emplace_back(*entry);
  }
  for (const auto& [key, value] : plugin.env) out.push_back(fmt::format("{}={}", key, value));
  out.push_back("KUBERNETES_EXEC_INFO=" + exec_info(plugin, target));
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// The child's pid, or errno as an error.
std::expected<pid_t, int> spawn(const ExecPlugin& plugin, const Target& target, int out, int complaints) {
  std::vector<std::string> words = {plugin.command};
  words.insert(words.end(), plugin.args.begin(), plugin.args.end());
  std::vector<std::string> env = environment(plugin, target);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, complaints, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own, so that what the plugin starts can be ended with it; our ignored signals are not its business.
  sigset_t none;
  sigemptyset(&none);
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int error = ::posix_spawnp(&child, plugin.command.c_str(), &actions, &attributes, pointers(words).data(),
                                   pointers(env).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return std::unexpected(error);
  return child;
}

}  // namespace

std::string exec_info(const ExecPlugin& plugin, const Target& target) {
  json::Members spec = {{"interactive", false}};
  if (plugin.provide_cluster_info) {
    json::Members cluster = {{"server", fmt::format("{}://{}{}", target.tls ? "https" : "http",
                                                    authority(target.host, target.port), target.base_path)}};
    if (!target.tls_server_name.empty()) cluster["tls-server-name"] = target.tls_server_name;
    if (!target.verify) cluster["insecure-skip-tls-verify"] = true;
    if (!target.ca_pem.empty()) cluster["certificate-authority-data"] = base::base64_encode(target.ca_pem);
    if (!target.proxy_url.empty()) cluster["proxy-url"] = target.proxy_url;
    spec["cluster"] = std::move(cluster);
  }
  return json::text_of(
      json::Value{{"apiVersion", plugin.api_version}, {"kind", "ExecCredential"}, {"spec", std::move(spec)}});
}

Result<ExecCredential> parse_exec_credential(std::string_view text, const ExecPlugin& plugin) {
  // What was printed is not quoted in any fault: it may be a credential.
  const auto parsed = json::parse(text);
  if (!parsed) return unreachable(plugin, "what it printed is not JSON; run it by hand to see");
  const json::Value& value = *parsed;
  if (json::text_at(value, {"kind"}) != "ExecCredential")
    return unreachable(plugin, "what it printed is not an ExecCredential");
  const std::string_view version = json::text_at(value, {"apiVersion"});
  if (version != plugin.api_version) {
    return unreachable(plugin, fmt::format("it speaks \"{}\" but the kubeconfig says {}", base::one_line(version, 60),
                                           plugin.api_version));
  }
  ExecCredential credential{.token = std::string(json::text_at(value, {"status", "token"})),
                            .certificate_pem = std::string(json::text_at(value, {"status", "clientCertificateData"})),
                            .key_pem = std::string(json::text_at(value, {"status", "clientKeyData"})),
                            .expires_at = {}};
  if (credential.certificate_pem.empty() != credential.key_pem.empty()) {
    return unreachable(plugin, "it gave a certificate without a key, or a key without a certificate");
  }
  if (credential.token.empty() && credential.certificate_pem.empty()) {
    return unreachable(plugin, "it gave neither a token nor a certificate");
  }
  if (const auto expires = json::text_at(value, {"status", "expirationTimestamp"}); !expires.empty()) {
    const auto at = base::parse_rfc3339(expires);
    if (!at) return unreachable(plugin, "its expirationTimestamp is not a time");
    credential.expires_at = *at;
  }
  return credential;
}

struct ExecRun::Body : std::enable_shared_from_this<ExecRun::Body> {
  Body(AsioLoop& events, ExecPlugin what, Done then)
      : loop(events),
        plugin(std::move(what)),
        done(std::move(then)),
        out(events.body().io),
        complaints(events.body().io) {}

  AsioLoop& loop;
  ExecPlugin plugin;
  Done done;
  asio::posix::stream_descriptor out;
  asio::posix::stream_descriptor complaints;
  std::array<char, 4096> out_piece = {};
  std::array<char, 1024> complaints_piece = {};
  std::string out_text;
  std::string complaints_text;
  int open_pipes = 2;
  pid_t child = -1;
  base::Timer limit;
  base::Timer look_again;

  void begin(const Target& target, base::Span within) {
    Pipe out_pipe;
    Pipe complaints_pipe;
    if (out_pipe.read < 0 || complaints_pipe.read < 0)
      return later(unreachable(plugin, "no pipe could be made for it"));
    const auto spawned = spawn(plugin, target, out_pipe.write, complaints_pipe.write);
    if (!spawned) {
      std::string why = fmt::format("cannot be started: {}", std::strerror(spawned.error()));
      if (!plugin.install_hint.empty()) why += "; " + base::one_line(plugin.install_hint, 300);
      return later(unreachable(plugin, why));
    }
    child = *spawned;
    out.assign(out_pipe.take_read());
    complaints.assign(complaints_pipe.take_read());
    limit = loop.after(within, [this, within] {
      finish(unreachable(plugin, fmt::format("gave no answer within {}{}", base::human(within), complaint())));
    });
    read(out, out_piece, out_text, kMostOutput);
    read(complaints, complaints_piece, complaints_text, kMostComplaint);
  }

  void later(Result<ExecCredential> result) {
    loop.post([self = shared_from_this(), result = std::move(result)]() mutable { self->finish(std::move(result)); });
  }

  template <class Piece>
  void read(asio::posix::stream_descriptor& pipe, Piece& piece, std::string& text, std::size_t most) {
    pipe.async_read_some(asio::buffer(piece),
                         [self = shared_from_this(), &pipe, &piece, &text, most](const auto& error, std::size_t bytes) {
                           if (!self->done) return;
                           if (error) return self->pipe_ended();
                           // Too long is only noticed at the end: a plugin whose pipe is not read would hang.
                           text.append(piece.data(), std::min(bytes, most - std::min(most, text.size())));
                           self->read(pipe, piece, text, most);
                         });
  }

  void pipe_ended() {
    if (--open_pipes == 0) reap();
  }

  void reap() {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == 0) {  // closed its output but lives on; the time limit holds
      look_again = loop.after(std::chrono::milliseconds(10), [this] { reap(); });
      return;
    }
    child = -1;
    if (ended < 0) return finish(unreachable(plugin, fmt::format("was lost: {}", std::strerror(errno))));
    if (WIFSIGNALED(status))
      return finish(unreachable(plugin, fmt::format("was ended by signal {}{}", WTERMSIG(status), complaint())));
    if (WEXITSTATUS(status) != 0) {
      return finish(unreachable(plugin, fmt::format("ended with code {}{}", WEXITSTATUS(status), complaint())));
    }
    if (out_text.size() >= kMostOutput) return finish(unreachable(plugin, "printed more than 1 MB"));
    finish(parse_exec_credential(out_text, plugin));
  }

  std::string complaint() const {
    const std::string_view text = base::trim(complaints_text);
    return text.empty() ? std::string() : ": " + base::one_line(log::redact(text), 300);
  }

  void finish(Result<ExecCredential> result) {
    auto then = std::exchange(done, nullptr);
    stop();
    if (then) then(std::move(result));
  }

  void stop() {
    limit.cancel();
    look_again.cancel();
    boost::system::error_code ignored;
    out.close(ignored);
    complaints.close(ignored);
    if (child <= 0) return;
    ::kill(-child, SIGKILL);
    int status = 0;
    ::waitpid(std::exchange(child, -1), &status, 0);  // a killed child ends at once
  }
};

ExecRun::ExecRun(std::shared_ptr<Body> body) : body_(std::move(body)) {}

ExecRun::~ExecRun() {
  body_->done = nullptr;
  body_->stop();
}

std::unique_ptr<ExecRun> ExecRun::start(AsioLoop& loop, const ExecPlugin& plugin, const Target& target,
                                        base::Span within, Done done) {
  auto body = std::make_shared<Body>(loop, plugin, std::move(done));
  body->begin(target, within);
  return std::unique_ptr<ExecRun>(new ExecRun(std::move(body)));
}

}  // namespace drover::kube::net
