// An API server that cannot be reached for a while, or refuses what it is told to.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/loop.h"
#include "kube/api.h"

namespace drover::operate::testing {

class PatchyApi final : public kube::Api {
 public:
  PatchyApi(kube::Api& inner, base::Loop& loop) : inner_(inner), loop_(loop) {}

  bool is_away = false;  // nothing passes, and watches break
  std::function<bool(const kube::Request&)> refuses;
  base::Fault::Kind refusal = base::Fault::Kind::Refused;
  int refused = 0;
  std::function<void(const kube::Request&)> on_passing;

  [[nodiscard]] kube::Call call(kube::Request request, Answer answer) override {
    if (is_away) return later([answer = std::move(answer)] { answer(std::unexpected(unreachable())); });
    if (!refuses || !refuses(request)) {
      if (on_passing) on_passing(request);
      return inner_.call(std::move(request), std::move(answer));
    }
    ++refused;
    const std::string what = sentence(request) + ": ValidatingAdmissionPolicy 'keep' denied request";
    loop_.post([kind = refusal, what, answer = std::move(answer)] { answer(base::fault(kind, what)); });
    return {};
  }
  [[nodiscard]] kube::Call list(kube::ListRequest request, kube::ListSink sink) override {
    if (is_away) return later([done = std::move(sink.done)] { done(std::unexpected(unreachable())); });
    return inner_.list(std::move(request), std::move(sink));
  }
  [[nodiscard]] kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    if (is_away) return later([ended = std::move(sink.ended)] { ended(unreachable()); });
    auto is_over = std::make_shared<bool>(false);
    const auto end = std::make_shared<std::function<void(std::optional<kube::Fault>)>>(std::move(sink.ended));
    kube::WatchSink through;
    through.event = [this, is_over, end, event = std::move(sink.event)](kube::WatchEvent news) {
      if (*is_over) return;
      if (!is_away) return event(std::move(news));
      *is_over = true;
      (*end)(unreachable());
    };
    through.ended = [is_over, end](std::optional<kube::Fault> fault) {
      if (!*is_over) (*end)(std::move(fault));
    };
    return inner_.watch(std::move(request), std::move(through));
  }

 private:
  static kube::Fault unreachable() { return {kube::Fault::Kind::Unreachable, "the connection is cut"}; }
  // Of a call that is given up nothing is heard.
  struct Due final : kube::Call::Ticket {
    base::Timer timer;
    void cancel() override { timer.cancel(); }
  };
  kube::Call later(std::function<void()> then) {
    auto due = std::make_shared<Due>();
    due->timer = loop_.after(std::chrono::seconds(1), [due, then = std::move(then)] { then(); });
    return kube::Call(std::move(due));
  }

  kube::Api& inner_;
  base::Loop& loop_;
};

// The same time, told by a clock that is wrong.
class WrongClock final : public base::Loop {
 public:
  WrongClock(base::Loop& right, base::Span off) : right_(right), off_(off) {}
  base::Instant now() const override { return right_.now(); }
  base::WallTime wall() const override {
    return right_.wall() + std::chrono::duration_cast<base::WallTime::duration>(off_);
  }
  base::Timer after(base::Span span, std::function<void()> then) override {
    return right_.after(span, std::move(then));
  }
  void post(std::function<void()> then) override { right_.post(std::move(then)); }

 private:
  base::Loop& right_;
  base::Span off_;
};

}  // namespace drover::operate::testing
