// An HTTP frontend on a World in virtual time, and HTTP clients without a socket.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/door/door.h"
#include "sim/world.h"

namespace drover::sim {

// Keeps what it was told. The peer takes everything at once unless the test says otherwise.
class FakeExchange final : public Exchange {
 public:
  void reply(HttpReply whole) override {
    head = std::move(whole);
    text += head.body;
    replied = ended = true;
  }
  void begin(HttpReply opened) override {
    head = std::move(opened);
    begun = true;
  }
  void send(std::string piece) override {
    if (hung_up || ended) return;
    ++pieces;
    largest_piece = std::max(largest_piece, piece.size());
    if (!takes) waiting += piece.size();
    text += piece;
  }
  void end() override { ended = true; }
  std::size_t unsent() const override { return waiting; }
  void on_drained(std::function<void()> then) override { drained = std::move(then); }
  void on_gone(std::function<void()> then) override { gone = std::move(then); }
  void hang_up() override {
    hung_up = true;
    if (auto then = std::exchange(gone, nullptr)) then();
  }

  // The peer takes what waits.
  void drain() {
    waiting = 0;
    if (auto then = std::exchange(drained, nullptr)) then();
  }
  // The peer goes away.
  void leave() {
    if (auto then = std::exchange(gone, nullptr)) then();
  }

  json::Value body() const {
    auto parsed = json::parse(text);
    EXPECT_TRUE(parsed) << text;
    return parsed ? std::move(*parsed) : json::Value();
  }
  // The events of a watch.
  std::vector<json::Value> lines() const {
    std::vector<json::Value> found;
    std::size_t at = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', at)) {
      auto parsed = json::parse(std::string_view(text).substr(at, end - at));
      EXPECT_TRUE(parsed);
      if (parsed) found.push_back(std::move(*parsed));
      at = end + 1;
    }
    return found;
  }
  std::string header(std::string_view name) const {
    for (const HttpHeader& one : head.headers) {
      if (one.name == name) return one.value;
    }
    return {};
  }
  bool answered() const { return replied || begun; }

  HttpReply head;
  std::string text;
  bool replied = false;
  bool begun = false;
  bool ended = false;
  bool hung_up = false;
  bool takes = true;
  int pieces = 0;
  std::size_t largest_piece = 0;
  std::size_t waiting = 0;
  std::function<void()> drained;
  std::function<void()> gone;
};

class DoorTest : public ::testing::Test {
 protected:
  DoorTest() {
    world.server().furnish("-----BEGIN CERTIFICATE-----");
    world.run_for(std::chrono::seconds(1));
  }

  using Headers = std::vector<HttpHeader>;

  static HttpRequest as_admin(std::string method, std::string target, std::string body = {}, Headers headers = {}) {
    headers.push_back({"Authorization", "Bearer secret"});
    return {std::move(method), std::move(target), std::move(headers), std::move(body)};
  }
  std::shared_ptr<FakeExchange> visit(HttpRequest request) {
    auto exchange = std::make_shared<FakeExchange>();
    door.answer(std::move(request), exchange);
    return exchange;
  }
  std::shared_ptr<FakeExchange> get(std::string target, Headers headers = {}) {
    return visit(as_admin("GET", std::move(target), {}, std::move(headers)));
  }
  std::shared_ptr<FakeExchange> post(std::string target, std::string body, Headers headers = {}) {
    return visit(as_admin("POST", std::move(target), std::move(body), std::move(headers)));
  }
  std::shared_ptr<FakeExchange> patch(std::string target, std::string body, std::string type) {
    return visit(as_admin("PATCH", std::move(target), std::move(body), {{"Content-Type", std::move(type)}}));
  }
  static std::string config_map(const std::string& name) {
    return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + name + R"("},"data":{"k":"v"}})";
  }
  void make_config_maps(int count) {
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(post("/api/v1/namespaces/default/configmaps", config_map("c" + std::to_string(i)))->head.code, 201);
    }
  }
  static std::string message_of(const FakeExchange& exchange) {
    return std::string(json::text_at(exchange.body(), {"message"}));
  }

  WorldOptions options_ = {.cluster = {.seed = 7}, .keeps_transcript = false};
  World world{options_};
  LogBook logs;
  Door door{world.cluster, {.admin_token = "secret", .signing_key = "key", .logs = &logs}};
};

}  // namespace drover::sim
