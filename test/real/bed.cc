#include "bed.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/text.h"

namespace drover::real {

namespace {

std::string& reason() {
  static std::string text;
  return text;
}

std::string scripts() {
  const char* given = std::getenv("DROVER_BED");
  return given != nullptr ? given : "test/bed";
}

bool is_required() {
  const char* given = std::getenv("DROVER_REQUIRE_BED");
  return given != nullptr && std::string_view(given) == "1";
}

// Starts a program; its stdout goes into `output` when given. -1 when it cannot be started.
pid_t spawn(const std::vector<std::string>& words, const int* output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output != nullptr) posix_spawn_file_actions_adddup2(&actions, *output, STDOUT_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  if (::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) child = -1;
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

}  // namespace

Ran run(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const pid_t child = spawn(words, &ends[1]);
  ::close(ends[1]);
  Ran ran;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; child > 0 && (got = ::read(ends[0], piece.data(), piece.size())) > 0;) {
    ran.output.append(piece.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  if (child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status)) ran.status = WEXITSTATUS(status);
  return ran;
}

Bed* Bed::the() {
  static std::unique_ptr<Bed> bed = []() -> std::unique_ptr<Bed> {
    const Ran up = run({scripts() + "/up"});
    if (up.status != 0) {
      reason() = fmt::format("{}/up ended with {}: no control plane here", scripts(), up.status);
      return nullptr;
    }
    const std::string kubeconfig(base::trim(up.output));
    return std::unique_ptr<Bed>(new Bed(kubeconfig.substr(0, kubeconfig.rfind('/'))));
  }();
  return bed.get();
}

const std::string& Bed::why_not() { return reason(); }

Bed::~Bed() { run({scripts() + "/down", folder_}); }

void Bed::restart(const std::string& component, const std::string& signal) {
  ASSERT_TRUE(restarted()) << "one restart at a time";
  restarting_ = spawn({scripts() + "/restart", folder_, component, "--signal", signal}, nullptr);
  ASSERT_GT(restarting_, 0);
}

bool Bed::restarted() {
  int status = 0;
  if (restarting_ > 0 && ::waitpid(restarting_, &status, WNOHANG) != restarting_) return false;
  restarting_ = -1;
  EXPECT_EQ(status, 0) << "the component did not come back; see " << folder_ << "/log";
  return true;
}

int Bed::pid_of(const std::string& component) const {
  std::ifstream pids(folder_ + "/pids");
  for (std::string line; std::getline(pids, line);) {
    std::istringstream words(line);
    std::string name;
    int pid = -1;
    if (words >> name >> pid && name == component) return pid;
  }
  return -1;
}

void OnARealCluster::SetUp() {
  bed_ = Bed::the();
  if (bed_ == nullptr) {
    ASSERT_FALSE(is_required()) << Bed::why_not();
    GTEST_SKIP() << Bed::why_not();
  }
  loop_ = std::make_unique<kube::AsioLoop>();
  auto target = kube::load_kubeconfig(bed_->kubeconfig());
  ASSERT_TRUE(target) << target.error().message;
  api_ = open(*target);
  ASSERT_NE(api_, nullptr);
  const kube::Object wanted = {{"metadata", {{"generateName", "test-"}}}};
  auto made = ask(kube::create(kube::kNamespaces, "", wanted));
  ASSERT_TRUE(made) << made.error().message;
  ns_ = kube::name_of(*made);
}

void OnARealCluster::TearDown() {
  if (!ns_.empty()) (void)ask(kube::remove(kube::kNamespaces, "", ns_, ""));
  api_.reset();
  loop_.reset();
}

bool OnARealCluster::until(const std::function<bool()>& condition, base::Span at_most) {
  // The condition is asked while the loop stands still, so that it may run the loop itself (to ask the server
  // something).
  const base::Instant end = loop_->now() + at_most;
  while (!condition()) {
    if (loop_->now() >= end) return false;
    const base::Timer slice = loop_->after(std::chrono::milliseconds(5), [this] { loop_->stop(); });
    loop_->run();
  }
  return true;
}

kube::Result<kube::Object> OnARealCluster::ask(kube::Api& api, kube::Request request) {
  std::optional<kube::Result<kube::Object>> outcome;
  auto call = api.call(std::move(request), [&](kube::Result<kube::Object> answer) { outcome = std::move(answer); });
  if (!until([&] { return outcome.has_value(); }, std::chrono::seconds(60))) {
    return base::fault(base::Fault::Kind::Unknown, "the test waited 60 s for an answer");
  }
  return std::move(*outcome);
}

kube::Result<std::vector<kube::Object>> OnARealCluster::list(kube::Range range, int page) {
  std::vector<kube::Object> items;
  std::optional<kube::Result<kube::ListEnd>> end;
  auto call = api_->list({.range = std::move(range), .page = page, .resource_version = "", .projection = {}},
                         {.item = [&](kube::Object item) { items.push_back(std::move(item)); },
                          .done = [&](kube::Result<kube::ListEnd> done) { end = std::move(done); }});
  if (!until([&] { return end.has_value(); }, std::chrono::seconds(60))) {
    return base::fault(base::Fault::Kind::Unknown, "the test waited 60 s for a list");
  }
  if (!*end) return std::unexpected(end->error());
  return items;
}

std::unique_ptr<kube::HttpApi> OnARealCluster::open(kube::Target target) {
  auto api = kube::HttpApi::open(*loop_, std::move(target));
  EXPECT_TRUE(api) << api.error().message;
  return api ? std::move(*api) : nullptr;
}

}  // namespace drover::real
