// Any bytes as visits to the HTTP door of a small cluster, one after the other: never a crash, always an answer, and
// nothing left behind when everybody has gone.
//
// Visits are separated by a line "---". A visit is a line "METHOD TARGET CONTENT-TYPE ACCEPT" (the last two may be
// missing; a "-" before the method leaves the token at home) and a body.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "sim/door/door.h"
#include "sim/world.h"

namespace {

using namespace drover;

constexpr int kMostVisits = 12;

class Listener final : public sim::Exchange {
 public:
  void reply(sim::HttpReply) override { ++answers; }
  void begin(sim::HttpReply) override { ++answers; }
  void send(std::string piece) override { waiting += piece.size(); }
  void end() override {}
  std::size_t unsent() const override { return waiting; }
  void on_drained(std::function<void()> then) override { drained = std::move(then); }
  void on_gone(std::function<void()> then) override { gone = std::move(then); }
  void hang_up() override { leave(); }

  void take() {
    waiting = 0;
    if (auto then = std::exchange(drained, nullptr)) then();
  }
  void leave() {
    if (auto then = std::exchange(gone, nullptr)) then();
  }

  int answers = 0;
  std::size_t waiting = 0;
  std::function<void()> drained;
  std::function<void()> gone;
};

std::string_view take_until(std::string_view& text, std::string_view mark) {
  const auto at = text.find(mark);
  const std::string_view piece = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
  return piece;
}

sim::HttpRequest read_visit(std::string_view text) {
  sim::HttpRequest request;
  std::string_view line = take_until(text, "\n");
  request.body = text;
  const bool anonymous = line.starts_with('-');
  if (anonymous) line.remove_prefix(1);
  request.method = take_until(line, " ");
  request.target = take_until(line, " ");
  request.headers.push_back({"Content-Type", std::string(take_until(line, " "))});
  request.headers.push_back({"Accept", std::string(line)});
  request.headers.push_back({"Authorization", anonymous ? "Bearer " + request.body.substr(0, 40) : "Bearer secret"});
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  sim::World world(sim::WorldOptions{.cluster = {.seed = 7}, .keeps_transcript = false});
  world.server().furnish("ca");
  sim::LogBook logs;
  std::vector<std::shared_ptr<Listener>> visitors;
  sim::Door door(world.cluster, {.admin_token = "secret", .signing_key = "key", .logs = &logs});
  for (int i = 0; i < kMostVisits && !text.empty(); ++i) {
    visitors.push_back(std::make_shared<Listener>());
    door.answer(read_visit(take_until(text, "\n---\n")), visitors.back());
    if (visitors.back()->answers != 1) std::abort();
    world.run_for(std::chrono::milliseconds(50));
    // Every other visitor reads what he is sent.
    for (std::size_t at = 0; at < visitors.size(); at += 2) visitors[at]->take();
  }
  world.run_for(std::chrono::milliseconds(100));
  for (const auto& visitor : visitors) visitor->leave();
  for (int i = 0; i < 20 && door.streams() > 0; ++i) {
    for (const auto& visitor : visitors) visitor->take();
    world.run_for(std::chrono::milliseconds(10));
  }
  if (door.streams() != 0) std::abort();
  return 0;
}
