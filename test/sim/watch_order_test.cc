// Watch events arrive in the order of their commits, also when the clock moves while they are sent.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "kube/http_api.h"
#include "sim/objects.h"
#include "sim/server.h"
#include "sim/store_api.h"

namespace drover::sim {
namespace {

using namespace std::chrono_literals;

// Real time without waiting: every look at the clock finds it a little later, now more, now less.
class RestlessLoop final : public base::Loop {
 public:
  base::Instant now() const override {
    now_ += std::chrono::nanoseconds(random_.below(50'000));
    return now_;
  }
  base::WallTime wall() const override { return base::WallTime(std::chrono::microseconds(1)); }
  base::Timer after(base::Span span, std::function<void()> then) override {
    queue_.emplace(now() + span, std::move(then));
    return base::Timer();
  }
  void post(std::function<void()> then) override { after(base::Span::zero(), std::move(then)).let_go(); }

  // Until nothing is left to do.
  void run() {
    while (!queue_.empty()) {
      auto first = queue_.extract(queue_.begin());
      now_ = std::max(now_, first.key());
      first.mapped()();
    }
  }

 private:
  mutable base::Random random_{11};
  mutable base::Instant now_{};
  std::multimap<base::Instant, std::function<void()>> queue_;
};

std::vector<std::int64_t> ascending(std::int64_t from, std::size_t count) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(from + static_cast<std::int64_t>(i));
  return numbers;
}

class WatchOrder : public ::testing::Test {
 protected:
  std::vector<std::int64_t> versions;

  kube::WatchSink sink(const std::function<void()>& heard) {
    return {.event =
                [this, heard](const kube::WatchEvent& event) {
                  versions.push_back(base::parse_int(kube::version_of(event.object)).value_or(0));
                  heard();
                },
            .ended = [](const std::optional<kube::Fault>&) {}};
  }
  static void label(Server& server, int value) {
    expect(server.serve(kube::patch(kube::kNodes, "", "a", kube::PatchKind::Merge,
                                    {{"metadata", {{"labels", {{"value", std::to_string(value)}}}}}})));
  }
};

TEST_F(WatchOrder, HoldsWhenTheClockMovesBetweenTwoLooks) {
  RestlessLoop loop;
  Server server(loop, base::Random(1));
  StoreApi api(server, loop, base::Random(2), {.latency = 2ms, .bookmark_every = {}});
  expect(server.serve(kube::create(kube::kNodes, "", node_named("a"))));
  const auto first = static_cast<std::int64_t>(server.store().version());
  const auto call =
      api.watch({.range = {kube::kNodes, "", "", ""}, .resource_version = std::to_string(first)}, sink([] {}));
  loop.post([&] {
    for (int i = 0; i < 500; ++i) label(server, i);
  });
  loop.run();
  EXPECT_EQ(versions, ascending(first + 1, 500));
}

TEST_F(WatchOrder, HoldsInRealTime) {
  constexpr int kEvents = 3000;
  kube::AsioLoop loop;
  Server server(loop, base::Random(1));
  StoreApi api(server, loop, base::Random(2), {.latency = 2ms, .bookmark_every = {}});
  expect(server.serve(kube::create(kube::kNodes, "", node_named("a"))));
  const auto first = static_cast<std::int64_t>(server.store().version());
  int sent = 0;
  const auto call =
      api.watch({.range = {kube::kNodes, "", "", ""}, .resource_version = std::to_string(first)}, sink([&] {
                  if (versions.size() == kEvents) loop.stop();
                }));
  // A few at a time, so that some leave while others arrive.
  std::function<void()> write = [&] {
    for (int i = 0; i < 7 && sent < kEvents; ++i) label(server, sent++);
    if (sent < kEvents) loop.post(write);
  };
  loop.post(write);
  loop.run();
  EXPECT_EQ(versions, ascending(first + 1, kEvents));
}

}  // namespace
}  // namespace drover::sim
