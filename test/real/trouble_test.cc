// The client when things break: a server killed in mid-watch, one that hangs, tokens that end, plugins that must be
// asked.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <map>

#include "base/text.h"
#include "bed.h"
#include "kube/cache.h"
#include "kube/reflector.h"

namespace drover::real {
namespace {

using base::Fault;
using namespace std::chrono_literals;

// What a reflector told, checked as it comes: per object, versions only go up outside sweeps, and nothing is told
// twice.
class Witness {
 public:
  kube::Listener listener() {
    return {.sweep_began =
                [this] {
                  is_sweeping_ = true;
                  named_.clear();
                },
            .put = [this](const kube::Object& object) { saw(object); },
            .drop = [this](const kube::Object& object) { live_.erase(kube::key_of(object)); },
            .sweep_ended =
                [this] {
                  std::erase_if(live_, [&](const auto& entry) { return !named_.contains(entry.first); });
                  is_sweeping_ = false;
                  ++sweeps_;
                },
            .trouble = [this](const Fault& fault) { troubles_.push_back(fault.message); }};
  }
  const std::map<std::string, std::string>& live() const { return live_; }
  int sweeps() const { return sweeps_; }
  const std::vector<std::string>& violations() const { return violations_; }
  const std::vector<std::string>& troubles() const { return troubles_; }

 private:
  void saw(const kube::Object& object) {
    const std::string key = kube::key_of(object);
    const std::string version(kube::version_of(object));
    named_.emplace(key, version);
    auto known = live_.find(key);
    if (!is_sweeping_ && known != live_.end() && std::stoull(version) <= std::stoull(known->second)) {
      violations_.push_back(fmt::format("{} went from {} to {}", key, known->second, version));
    }
    live_[key] = version;
  }

  bool is_sweeping_ = false;
  int sweeps_ = 0;
  std::map<std::string, std::string> named_;
  std::map<std::string, std::string> live_;
  std::vector<std::string> violations_;
  std::vector<std::string> troubles_;
};

class Trouble : public OnARealCluster {
 protected:
  kube::Range config_maps() const {
    return {.resource = kube::kConfigMaps, .ns = ns_, .labels = "written=yes", .fields = ""};
  }

  std::map<std::string, std::string> truth() {
    std::map<std::string, std::string> versions;
    auto items = list(config_maps());
    EXPECT_TRUE(items) << items.error().message;
    for (const auto& item : items.value_or(std::vector<kube::Object>()))
      versions[kube::key_of(item)] = kube::version_of(item);
    return versions;
  }

  // Writes without pause: creates, changes and deletes in turn, whatever the outcome.
  void write_next() {
    const int turn = turn_++;
    const std::string name = fmt::format("w-{}", turn % 17);
    kube::Request request;
    if (turn % 17 == 16) {
      request = kube::remove(kube::kConfigMaps, ns_, fmt::format("w-{}", (turn / 17) % 16), "");
    } else {
      const json::Value object = {{"apiVersion", "v1"},
                                  {"kind", "ConfigMap"},
                                  {"metadata", {{"name", name}, {"labels", {{"written", "yes"}}}}},
                                  {"data", {{"turn", std::to_string(turn)}}}};
      request = kube::patch(kube::kConfigMaps, ns_, name, kube::PatchKind::Apply, object);
    }
    write_ = api_->call(std::move(request), [this](kube::Result<kube::Object> outcome) {
      outcomes_[outcome ? "ok" : std::string(base::word(outcome.error().kind))]++;
      if (is_writing_) pause_ = loop_->after(5ms, [this] { write_next(); });
    });
  }

  void TearDown() override {
    write_.cancel();
    pause_.cancel();
    OnARealCluster::TearDown();
  }

  int turn_ = 0;
  bool is_writing_ = true;
  kube::Call write_;
  base::Timer pause_;
  std::map<std::string, int> outcomes_;
};

TEST_F(Trouble, NothingIsLostWhenTheServerIsKilledInMidWatch) {
  Witness witness;
  kube::Reflector reflector(*api_, *loop_, base::Random(1), config_maps(), {}, witness.listener());
  reflector.start();
  ASSERT_TRUE(until([&] { return reflector.is_synced(); }));
  write_next();
  for (int kill = 0; kill < 2; ++kill) {
    const int before = turn_;
    ASSERT_TRUE(until([&] { return turn_ >= before + 100; }));
    bed_->restart("kube-apiserver", "KILL");
    ASSERT_TRUE(until([&] { return bed_->restarted(); }, 60s));
  }
  const int before = turn_;
  ASSERT_TRUE(until([&] { return turn_ >= before + 100; }, 60s));
  is_writing_ = false;
  ASSERT_TRUE(until([&] { return witness.live() == truth(); }, 60s));
  EXPECT_TRUE(witness.violations().empty()) << witness.violations().front();
  EXPECT_FALSE(witness.troubles().empty()) << "the kills went unnoticed: the test proves nothing";
  EXPECT_GT(outcomes_["ok"], 200);
}

TEST_F(Trouble, AWatchFromBeforeTheServersMemoryIsExpired) {
  bed_->restart("kube-apiserver", "TERM");  // what it had in memory to replay is gone
  ASSERT_TRUE(until([&] { return bed_->restarted(); }, 60s));
  std::optional<std::optional<Fault>> ended;
  auto call = api_->watch({.range = config_maps(), .resource_version = "1", .timeout = 10s, .projection = {}},
                          {.event = [](kube::WatchEvent) {}, .ended = [&](std::optional<Fault> why) { ended = why; }});
  ASSERT_TRUE(until([&] { return ended.has_value(); }));
  ASSERT_TRUE(ended->has_value()) << "it ended as if all were well";
  EXPECT_EQ((*ended)->kind, Fault::Kind::Expired) << (*ended)->message;
}

TEST_F(Trouble, AServerThatHangsIsNoticedAndNothingIsLost) {
  Witness witness;
  kube::ReflectorTuning tuning;
  tuning.silence = 3s;
  tuning.watch_for = tuning.first_word = 60s;
  // Bookmarks come once a minute: with a silence of 3 s the watch is renewed all the time, which must be harmless too.
  kube::Reflector reflector(*api_, *loop_, base::Random(1), config_maps(), {}, witness.listener(), tuning);
  reflector.start();
  ASSERT_TRUE(until([&] { return reflector.is_synced(); }));
  write_next();
  ASSERT_TRUE(until([&] { return turn_ >= 50; }));
  const int server = bed_->pid_of("kube-apiserver");
  ASSERT_GT(server, 0);
  ASSERT_EQ(::kill(server, SIGSTOP), 0);
  const auto stopped_at = loop_->now();
  (void)until([&] { return loop_->now() - stopped_at > 6s; }, 10s);
  ASSERT_EQ(::kill(server, SIGCONT), 0);
  const int before = turn_;
  ASSERT_TRUE(until([&] { return turn_ >= before + 50; }, 60s));
  is_writing_ = false;
  ASSERT_TRUE(until([&] { return witness.live() == truth(); }, 60s));
  EXPECT_TRUE(witness.violations().empty()) << witness.violations().front();
}

TEST_F(Trouble, ACacheHearsEveryChange) {
  kube::Cache<std::string> cache([](const kube::Object& object) { return std::string(kube::version_of(object)); });
  kube::Reflector reflector(*api_, *loop_, base::Random(1), config_maps(), kube::Projection{"data"},
                            kube::feed(cache, {}));
  reflector.start();
  ASSERT_TRUE(until([&] { return reflector.is_synced(); }));
  write_next();
  ASSERT_TRUE(until([&] { return turn_ >= 200; }));
  is_writing_ = false;
  EXPECT_TRUE(until([&] {
    std::map<std::string, std::string> cached;
    cache.each([&](const std::string& key, const std::string& version) { cached[key] = version; });
    return cached == truth();
  }));
}

class Credentials : public OnARealCluster {
 protected:
  void SetUp() override {
    OnARealCluster::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    folder_ = ::testing::TempDir() + ns_;
    ASSERT_EQ(::mkdir(folder_.c_str(), 0700), 0);
    ASSERT_TRUE(ask(kube::create(kube::kServiceAccounts, ns_, {{"metadata", {{"name", "robot"}}}})));
    target_ = *kube::load_kubeconfig(bed_->kubeconfig());
  }

  // A token that dies with the Secret it is bound to.
  std::string token_bound_to(const std::string& secret) {
    auto made = ask(kube::create(kube::kSecrets, ns_, {{"metadata", {{"name", secret}}}}));
    EXPECT_TRUE(made) << made.error().message;
    auto request = kube::create(
        kube::kServiceAccounts, ns_,
        {{"apiVersion", "authentication.k8s.io/v1"},
         {"kind", "TokenRequest"},
         {"spec",
          {{"expirationSeconds", 3600},
           {"boundObjectRef",
            {{"kind", "Secret"}, {"apiVersion", "v1"}, {"name", secret}, {"uid", kube::uid_of(*made)}}}}}});
    request.name = "robot";
    request.subresource = "token";
    auto token = ask(std::move(request));
    EXPECT_TRUE(token) << token.error().message;
    return std::string(json::text_at(token.value_or(kube::Object()), {"status", "token"}));
  }

  // Who the server thinks we are.
  static kube::Request who_am_i() {
    const kube::Resource reviews{"authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview",
                                 kube::Scope::Cluster};
    return kube::create(reviews, "", {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "SelfSubjectReview"}});
  }

  std::string folder_;
  kube::Target target_;
};

TEST_F(Credentials, AForbiddenRequestSaysWhoMayNotDoWhat) {
  target_.credential = kube::StaticToken{token_bound_to("one")};
  auto robot = open(target_);
  auto outcome = ask(*robot, kube::get(kube::kNodes, "", "any"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, Fault::Kind::Forbidden);
  EXPECT_NE(outcome.error().message.find(fmt::format("system:serviceaccount:{}:robot", ns_)), std::string::npos)
      << outcome.error().message;
}

TEST_F(Credentials, ARotatedTokenFileIsReadAgainWhenTheOldTokenDies) {
  const std::string file = folder_ + "/token";
  ASSERT_TRUE(base::write_file(file, token_bound_to("first")));
  target_.credential = kube::TokenFile{file};
  auto robot = open(target_);
  ASSERT_TRUE(ask(*robot, who_am_i()));
  ASSERT_TRUE(base::write_file(file, token_bound_to("second")));
  // The first token dies: the server answers 401 from some moment on, and the client must not show it.
  ASSERT_TRUE(ask(kube::remove(kube::kSecrets, ns_, "first", "")));
  int failures = 0;
  const auto began_at = loop_->now();
  (void)until(
      [&] {
        if (auto seen = ask(*robot, who_am_i()); !seen) ++failures;
        return loop_->now() - began_at > 15s;
      },
      30s);
  EXPECT_EQ(failures, 0);
}

TEST_F(Credentials, AnExecPluginIsAskedOnceUntilItsTokenEnds) {
  const std::string plugin = folder_ + "/plugin";
  const std::string log = folder_ + "/asked";
  const std::string token = token_bound_to("plugin");
  auto script = [&](const std::string& expires_in) {
    return fmt::format(
        "#!/bin/sh\necho asked >>{}\nat=$(date -u -d '{}' +%Y-%m-%dT%H:%M:%SZ)\n"
        "printf "
        "'{{\"apiVersion\":\"client.authentication.k8s.io/"
        "v1\",\"kind\":\"ExecCredential\",\"status\":{{\"token\":\"%s\","
        "\"expirationTimestamp\":\"%s\"}}}}' {} \"$at\"\n",
        log, expires_in, token);
  };
  auto times_asked = [&] {
    const std::string text = base::read_file(log).value_or("");
    return std::ranges::count(text, '\n');
  };
  ASSERT_TRUE(base::write_file(plugin, script("1 hour"), 0700));
  target_.credential = kube::ExecPlugin{.command = plugin,
                                        .args = {},
                                        .env = {},
                                        .api_version = "client.authentication.k8s.io/v1",
                                        .install_hint = "",
                                        .provide_cluster_info = false};
  auto robot = open(target_);
  for (int i = 0; i < 5; ++i) {
    auto seen = ask(*robot, who_am_i());
    ASSERT_TRUE(seen) << seen.error().message;
    EXPECT_EQ(json::text_at(*seen, {"status", "userInfo", "username"}),
              fmt::format("system:serviceaccount:{}:robot", ns_));
  }
  EXPECT_EQ(times_asked(), 1);

  // A token that has already ended is never used for a second request.
  ASSERT_TRUE(base::write_file(plugin, script("1 second ago"), 0700));
  auto forgetful = open(target_);
  const auto before = times_asked();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(ask(*forgetful, who_am_i()));
  EXPECT_GE(times_asked(), before + 3);
}

}  // namespace
}  // namespace drover::real
