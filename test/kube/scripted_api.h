// A kube::Api without a server: it keeps what was asked, and the test says what is answered and when.
//
//   ScriptedApi api(loop);
//   ... something asks ...
//   api.list(0).item(pod("a", 3)).done("7");
//   api.watch(0).bookmark("9").end();
//
// Everything is delivered by the loop, in the order said, and never after the Call was given up. It is as rude as the
// contract of kube::Api allows: giving up a Call destroys its callbacks at once, even from inside one of them.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/virtual_loop.h"
#include "kube/api.h"

namespace drover::kube {

class ScriptedApi final : public Api {
 public:
  // One thing that was asked. What has no meaning for its kind is empty.
  class Asked final : public Call::Ticket, public std::enable_shared_from_this<Asked> {
   public:
    explicit Asked(base::Loop& loop) : asked_at(loop.now()), loop_(loop) {}

    Request request;
    ListRequest list;
    WatchRequest watch;
    base::Instant asked_at;
    bool is_open = true;        // neither answered to the end nor given up
    bool was_given_up = false;  // the asker destroyed its Call while it was open
    base::Span latency{};       // of what is said from now on

    // A call's answer.
    void answer(Result<Object> outcome) {
      deliver([outcome = std::move(outcome)](Asked& self) {
        self.is_open = false;
        self.on_answer(outcome);
      });
    }
    void fail(Fault::Kind kind, std::optional<base::Span> retry_after = {}) {
      answer(std::unexpected(fault(kind, retry_after)));
    }

    // A list's.
    Asked& item(Object object) {
      deliver([object = std::move(object)](Asked& self) { self.list_sink.item(object); });
      return *this;
    }
    void done(Result<ListEnd> end) {
      deliver([end = std::move(end)](Asked& self) {
        self.is_open = false;
        self.list_sink.done(end);
      });
    }
    void done(const std::string& version) { done(Result<ListEnd>(ListEnd{version})); }
    void break_off(Fault::Kind kind, std::optional<base::Span> retry_after = {}) {
      done(Result<ListEnd>(std::unexpected(fault(kind, retry_after))));
    }

    // A watch's.
    Asked& event(WatchEvent::Kind kind, Object object) {
      deliver([kind, object = std::move(object)](Asked& self) { self.watch_sink.event({kind, object}); });
      return *this;
    }
    Asked& put(Object object) { return event(WatchEvent::Kind::Modified, std::move(object)); }
    Asked& gone(Object object) { return event(WatchEvent::Kind::Deleted, std::move(object)); }
    Asked& bookmark(const std::string& version) {
      return event(WatchEvent::Kind::Bookmark, {{"metadata", {{"resourceVersion", version}}}});
    }
    void end(std::optional<Fault> fault = {}) {
      deliver([fault = std::move(fault)](Asked& self) {
        self.is_open = false;
        self.watch_sink.ended(fault);
      });
    }
    void end(Fault::Kind kind, std::optional<base::Span> retry_after = {}) { end(fault(kind, retry_after)); }

    void cancel() override {
      was_given_up = is_open;
      is_open = false;
      on_answer = nullptr;
      list_sink = {};
      watch_sink = {};
    }

    Answer on_answer;
    ListSink list_sink;
    WatchSink watch_sink;

   private:
    static Fault fault(Fault::Kind kind, std::optional<base::Span> retry_after) {
      return {kind, "scripted: " + std::string(base::word(kind)), retry_after};
    }
    template <class Say>
    void deliver(Say say) {
      loop_
          .after(latency,
                 [self = shared_from_this(), say = std::move(say)] {
                   if (self->is_open) say(*self);
                 })
          .let_go();
    }
    base::Loop& loop_;
  };

  explicit ScriptedApi(base::Loop& loop) : loop_(loop) {}

  // When set, answers every call by itself, after `latency`; an empty answer means never.
  std::function<std::optional<Result<Object>>(const Request&)> answers;
  base::Span latency{};

  // The nth call, list or watch that was asked, counted from 0.
  Asked& call(std::size_t n) { return at(calls, n); }
  Asked& list(std::size_t n) { return at(lists, n); }
  Asked& watch(std::size_t n) { return at(watches, n); }
  std::vector<std::shared_ptr<Asked>> calls, lists, watches;

  [[nodiscard]] Call call(Request request, Answer answer) override {
    auto asked = std::make_shared<Asked>(loop_);
    asked->on_answer = std::move(answer);
    asked->request = std::move(request);
    asked->latency = latency;
    calls.push_back(asked);
    if (answers) {
      if (auto outcome = answers(asked->request)) asked->answer(std::move(*outcome));
    }
    return Call(asked);
  }
  [[nodiscard]] Call list(ListRequest request, ListSink sink) override {
    auto asked = std::make_shared<Asked>(loop_);
    asked->list = std::move(request);
    asked->list_sink = std::move(sink);
    lists.push_back(asked);
    return Call(asked);
  }
  [[nodiscard]] Call watch(WatchRequest request, WatchSink sink) override {
    auto asked = std::make_shared<Asked>(loop_);
    asked->watch = std::move(request);
    asked->watch_sink = std::move(sink);
    watches.push_back(asked);
    return Call(asked);
  }

 private:
  Asked& at(std::vector<std::shared_ptr<Asked>>& all, std::size_t n) {
    if (n < all.size()) return *all[n];
    ADD_FAILURE() << "number " << n << " was never asked; only " << all.size() << " were";
    none_ = std::make_shared<Asked>(loop_);
    none_->is_open = false;
    return *none_;
  }

  base::Loop& loop_;
  std::shared_ptr<Asked> none_;
};

// A pod of namespace "ns" at a version.
inline Object pod(const std::string& name, const std::string& version) {
  return {{"metadata", {{"name", name}, {"namespace", "ns"}, {"resourceVersion", version}}}};
}

}  // namespace drover::kube
