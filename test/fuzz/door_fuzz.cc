// Any bytes as requests to the HTTP frontend of a small cluster, one after the other: never a crash, always an answer,
// and no stream or watch left when all clients have gone.
//
// Requests are separated by a line "---". A request is a line "METHOD TARGET CONTENT-TYPE ACCEPT" (the last two may be
// missing; a "-" before the method leaves the token at home) and a body.
//
// Making a cluster and its bootstrap objects (door_bootstrap.h) takes longer than most inputs. It is done once: after
// an input everything is put back as it was, from the store's own history, until the controllers too find nothing to
// do; so no input sees what another left behind. Where that does not come to rest, a new cluster is made.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "fuzz/door_bootstrap.h"
#include "sim/door/door.h"
#include "sim/world.h"

namespace {

using namespace drover;

constexpr int kMostVisits = 12;

class Listener final : public sim::Exchange {
 public:
  void reply(sim::HttpReply reply) override {
    ++answers;
    code = reply.code;
  }
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
  int code = 0;
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

constexpr std::chrono::seconds kSettles{2};

// Nodes are not marked NotReady: there are no kubelets.
sim::WorldOptions options() {
  return {.cluster = {.seed = 7, .patience = {.silence = {}, .startup = {}}}, .keeps_transcript = false};
}

// A cluster with its bootstrap objects, and its HTTP frontend.
class House {
 public:
  House() : world(options()) {
    world.server().always_manage_fields(true);
    world.server().furnish("ca");
    logs.append("f/p/c", world.loop.wall(), "hello");
    for (std::string_view text = fuzz::kBootstrapObjects; !text.empty();) {
      const auto visitor = std::make_shared<Listener>();
      receive(take_until(text, "\n---\n"), visitor);
      if (visitor->code >= 300) std::abort();  // the bootstrap objects are wrong
    }
    world.run_for(kSettles);
    version_ = world.store().version();
    for (const kube::Resource& resource : world.server().resources()) shelves_.insert(resource.qualified());
  }

  void receive(std::string_view text, const std::shared_ptr<Listener>& visitor) {
    door.answer(read_visit(text), visitor);
    if (visitor->answers != 1) std::abort();
    world.run_for(std::chrono::milliseconds(50));
  }

  // False when it does not become what it was.
  bool tidy_up() {
    for (int round = 0; round < kMostRounds; ++round) {
      if (world.store().oldest_replayable() > version_) return false;
      if (!put_back()) return true;
      world.run_for(kSettles);
    }
    return false;
  }

 private:
  // True when anything had changed.
  bool put_back() {
    bool has_changed = false;
    for (const kube::Resource& resource : world.server().resources()) shelves_.insert(resource.qualified());
    const std::uint64_t since = version_;
    version_ = world.store().version();
    for (const std::string& shelf : shelves_) {
      for (const auto& [key, before] : world.store().before(shelf, since)) {
        const sim::Stored was = before.open();
        const sim::Stored is = world.store().find(shelf, key);
        if (was == is) continue;
        has_changed = true;
        if (was) {
          world.server().store().restore(shelf, was);
        } else {
          world.server().store().erase(shelf, key);
        }
      }
    }
    // Restoring objects is not a change from here on.
    if (has_changed) version_ = world.store().version();
    return has_changed;
  }

  static constexpr int kMostRounds = 4;
  std::uint64_t version_ = 0;      // the last of what was there in the beginning
  std::set<std::string> shelves_;  // of resources that are or were

 public:
  sim::LogBook logs;
  sim::World world;
  sim::Door door{world.cluster, {.admin_token = "secret", .signing_key = "key", .logs = &logs}};
};

}  // namespace

// The cluster lives from input to input, so every input leaves something behind, and libFuzzer would look for leaks
// after each of them: four fifths of the time. They are looked for once, in the end.
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  static std::vector<char*> longer(*arguments, *arguments + *count);
  static std::string no_leaks = "-detect_leaks=0";
  longer.insert(longer.begin() + 1, no_leaks.data());
  *count = static_cast<int>(longer.size());
  longer.push_back(nullptr);
  *arguments = longer.data();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static std::unique_ptr<House> house;
  if (!house) house = std::make_unique<House>();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::shared_ptr<Listener>> visitors;
  for (int i = 0; i < kMostVisits && !text.empty(); ++i) {
    visitors.push_back(std::make_shared<Listener>());
    house->receive(take_until(text, "\n---\n"), visitors.back());
    // Every other client reads its answer.
    for (std::size_t at = 0; at < visitors.size(); at += 2) visitors[at]->take();
  }
  house->world.run_for(std::chrono::milliseconds(100));
  for (const auto& visitor : visitors) visitor->leave();
  for (int i = 0; i < 20 && house->door.streams() > 0; ++i) {
    for (const auto& visitor : visitors) visitor->take();
    house->world.run_for(std::chrono::milliseconds(10));
  }
  if (house->door.streams() != 0) std::abort();
  if (!house->tidy_up()) house.reset();
  return 0;
}
