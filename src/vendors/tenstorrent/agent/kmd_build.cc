#include "vendors/tenstorrent/agent/kmd_build.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "vendors/tenstorrent/words.h"

namespace drover::agent {
namespace {

using base::fault;
using base::Fault;
using base::Result;

constexpr std::string_view kGit = "/usr/bin/git";
constexpr std::string_view kMake = "/usr/bin/make";
constexpr std::uint64_t kWantedBytes = 256ULL * 1024 * 1024;  // a clone, a build and the result are a tenth of it
constexpr base::Span kCloneWithin = std::chrono::minutes(10);
constexpr base::Span kMakeWithin = std::chrono::minutes(20);
constexpr base::Span kSayEvery = std::chrono::seconds(30);

// Where a pod finds its token, under both names.
const std::vector<std::string> kTokens = {"/var/run/secrets", "/run/secrets"};

std::string headers_of(std::string_view kernel) { return fmt::format("/lib/modules/{}/build", kernel); }

host::Command clone(const BuildAsk& ask, const std::string& into) {
  host::Command command{
      .path = std::string(kGit),
      .args = {"-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never", "-c", "protocol.https.allow=always",
               "-c", "advice.detachedHead=false", "clone", "--quiet", "--depth", "1", "--single-branch",
               "--no-recurse-submodules", "--branch", "ttkmd-" + ask.key.version, "--", ask.source, into},
      .within = kCloneWithin,
      .environment = {{"GIT_ALLOW_PROTOCOL", "https"},
                      {"GIT_CONFIG_NOSYSTEM", "1"},
                      {"GIT_CONFIG_GLOBAL", "/dev/null"},
                      {"GIT_TERMINAL_PROMPT", "0"},
                      {"HOME", "/nonexistent"}},
      .in_background = ask.in_background,
      .hidden = kTokens};
  command.environment.insert(command.environment.end(), ask.proxies.begin(), ask.proxies.end());
  return command;
}

// Debian keeps the programs that its headers link to beside the libraries of the machine, where a container has its
// own.
std::vector<std::pair<std::string, std::string>> kernel_programs(host::Host& host) {
  constexpr std::string_view kTheirs = "/host/usr/lib/";
  constexpr std::string_view kOurs = "/usr/lib/";
  std::vector<std::pair<std::string, std::string>> shown;
  for (const auto& name : host.list("/host/usr/lib").value_or(std::vector<std::string>{})) {
    if (name.starts_with("linux-kbuild-") && vendors::is_path_part(name))
      shown.emplace_back(std::string(kTheirs) + name, std::string(kOurs) + name);
  }
  return shown;
}

host::Command make(host::Host& host, const BuildAsk& ask, const std::string& source) {
  return {.path = std::string(kMake),
          .args = {"-j4", "-C", headers_of(ask.key.kernel), "M=" + source, "modules"},
          .within = kMakeWithin,
          .offline = true,
          .in_background = ask.in_background,
          .hidden = kTokens,
          .shown = kernel_programs(host)};
}

// The last lines are where compilers and git say what was wrong.
std::string end_of(std::string_view output) {
  output = base::trim(output);
  constexpr std::size_t kMost = 400;
  if (output.size() > kMost) output.remove_prefix(output.size() - kMost);
  return base::one_line(output, kMost + 8);
}

}  // namespace

std::string build_trouble(host::Host& host, const KmdKey& key) {
  if (!host.exists(headers_of(key.kernel) + "/Makefile")) {
    return fmt::format(
        "the headers of kernel {0} are not installed ({1}/Makefile is missing); install linux-headers-{0}", key.kernel,
        headers_of(key.kernel));
  }
  const auto room = host.free_bytes(std::string(kKmdCache));
  if (!room) return room.error().message;
  if (*room < kWantedBytes) {
    return fmt::format("{} has {} MB left and a build needs {}; free some space on its disk", kKmdCache,
                       *room / 1024 / 1024, kWantedBytes / 1024 / 1024);
  }
  return {};
}

std::vector<std::string> kernels_with_headers(host::Host& host) {
  std::vector<std::string> kernels;
  for (const auto& name : host.list("/lib/modules").value_or(std::vector<std::string>{})) {
    if (vendors::is_path_part(name) && host.exists(headers_of(name) + "/Makefile")) kernels.push_back(name);
  }
  return kernels;
}

struct KmdBuild::Body : std::enable_shared_from_this<KmdBuild::Body> {
  Body(host::Host& machine, base::Loop& its_loop, std::function<void(std::string_view)> its_say, BuildAsk asked,
       Done its_done)
      : host(machine),
        loop(its_loop),
        say(std::move(its_say)),
        ask(std::move(asked)),
        done(std::move(its_done)),
        began(loop.now()) {}

  void start() {
    if (const std::string why = build_trouble(host, ask.key); !why.empty())
      return end_later(fault(Fault::Kind::Refused, why));
    const auto folder = make_bench(host, ask.key);
    if (!folder) return end_later(folder.error());
    bench = *folder;
    begin(fmt::format("cloning tt-kmd {} from {}", ask.key.version, ask.source), clone(ask, source()), &Body::cloned);
  }

  std::string source() const { return bench + "/source"; }

  void begin(std::string what, const host::Command& command, void (Body::*then)()) {
    doing = std::move(what);
    say(doing);
    say_on();
    host.run(command, loop, [weak = weak_from_this(), then](const Result<host::Ran>& ran) {
      if (const auto self = weak.lock(); self && !self->is_over) self->ended(ran, then);
    });
  }

  // So that a long wait looks different from a hang.
  void say_on() {
    timer = loop.after(kSayEvery, [this] {
      say(fmt::format("{}: {} so far", doing, base::human(loop.now() - began)));
      say_on();
    });
  }

  void ended(const Result<host::Ran>& ran, void (Body::*then)()) {
    timer.cancel();
    if (!ran) return end(ran.error());
    if (ran->ran_out) return fail(Fault::Kind::Failed, "it took too long and was ended");
    if (ran->code != 0)
      return fail(Fault::Kind::Failed, fmt::format("it ended with code {}: {}", ran->code, end_of(ran->output)));
    (this->*then)();
  }

  void cloned() {
    // A clone of a tag leaves the commit itself in HEAD.
    const std::string head(base::trim(host.read(source() + "/.git/HEAD").value_or("")));
    commit = vendors::is_path_part(head) ? head : std::string("unknown");
    begin(fmt::format("running make modules for tt-kmd {} on kernel {}", ask.key.version, ask.key.kernel),
          make(host, ask, source()), &Body::made);
  }

  void made() {
    doing = "keeping what was built";
    const auto kept = keep_kmd(host, ask.key, source() + "/tenstorrent.ko", ask.source + "@" + commit);
    if (!kept) return end(kept.error());
    static_cast<void>(host.remove_tree(bench));
    say(fmt::format("tt-kmd {} for kernel {} is built ({})", ask.key.version, ask.key.kernel,
                    base::human(loop.now() - began)));
    end(*kept);
  }

  void fail(Fault::Kind kind, const std::string& why) { end(Fault{kind, fmt::format("{} failed: {}", doing, why)}); }
  void end(const Fault& why) { end(Result<KmdEntry>(std::unexpected(why))); }
  void end(const Result<KmdEntry>& result) {
    if (is_over) return;
    is_over = true;
    timer.cancel();
    if (!result && !bench.empty()) static_cast<void>(host.remove_tree(bench));
    const Done tell = std::move(done);
    tell(result);
  }
  void end_later(const std::unexpected<Fault>& why) { end_later(why.error()); }
  void end_later(const Fault& why) {
    timer = loop.after({}, [self = shared_from_this(), why] { self->end(why); });
  }

  host::Host& host;
  base::Loop& loop;
  std::function<void(std::string_view)> say;
  BuildAsk ask;
  Done done;
  base::Instant began;
  std::string bench = {};
  std::string commit = {};
  std::string doing = {};
  base::Timer timer;
  bool is_over = false;
};

KmdBuild::KmdBuild(host::Host& host, base::Loop& loop, std::function<void(std::string_view)> say, BuildAsk ask,
                   Done done)
    : body_(std::make_shared<Body>(host, loop, std::move(say), std::move(ask), std::move(done))) {
  body_->start();
}

KmdBuild::~KmdBuild() {
  body_->is_over = true;
  body_->timer.cancel();
}

}  // namespace drover::agent
