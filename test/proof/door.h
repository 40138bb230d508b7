// The door of one running operator: it stamps who asks, and it is where an operator dies or misbehaves on purpose.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "kube/api.h"

namespace drover::proof {

// When an operator dies, counted by its writes.
struct Death {
  enum class When { Before, Underway, After };  // the write is sent; its answer comes; and nothing more happens
  int write = 0;                                // from 1; 0: never
  When when = When::Before;
};

class Door final : public kube::Api {
 public:
  // Alters a request on its way; false: it is swallowed and never answered.
  using Alter = std::function<bool(kube::Request&)>;

  Door(kube::Api& inner, std::string asker) : inner_(inner), asker_(std::move(asker)) {}

  void dies(Death death, std::function<void()> then) {
    death_ = death;
    then_ = std::move(then);
  }
  // Alters what the operator gets to see; false: it does not see it at all.
  using See = std::function<bool(const kube::Range&, kube::Object&)>;

  void alter(Alter alter, See see) {
    alter_ = std::move(alter);
    see_ = std::move(see);
  }
  // One for each write: 'e' for Events and status, which nothing depends on, 'w' for the rest.
  const std::string& writes() const { return writes_; }
  bool is_shut() const { return is_shut_; }
  // Nothing passes any more in either direction.
  void shut() { is_shut_ = true; }

  [[nodiscard]] kube::Call call(kube::Request request, Answer answer) override {
    if (is_shut_) return {};
    request.field_manager = asker_;
    if (alter_ && !alter_(request)) return {};
    const bool counts = request.verb != kube::Verb::Get && request.lane != kube::Lane::Lease;
    const bool is_minor = request.resource.plural == "events" || request.subresource == "status";
    if (counts) writes_ += is_minor ? 'e' : 'w';
    const bool is_the_one = counts && static_cast<int>(writes_.size()) == death_.write;
    if (!is_the_one) return inner_.call(std::move(request), std::move(answer));
    switch (death_.when) {
      case Death::When::Before: break;
      case Death::When::Underway:
        inner_.call(std::move(request), [](const kube::Result<kube::Object>&) {}).let_go();
        break;
      case Death::When::After:
        return inner_.call(std::move(request), [this, answer = std::move(answer)](kube::Result<kube::Object> result) {
          answer(std::move(result));
          die();
        });
    }
    die();
    return {};
  }
  [[nodiscard]] kube::Call list(kube::ListRequest request, kube::ListSink sink) override {
    if (is_shut_) return {};
    if (see_) {
      sink.item = [see = see_, range = request.range, item = std::move(sink.item)](kube::Object object) {
        if (see(range, object)) item(std::move(object));
      };
    }
    return inner_.list(std::move(request), std::move(sink));
  }
  [[nodiscard]] kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    if (is_shut_) return {};
    if (see_) {
      sink.event = [see = see_, range = request.range, event = std::move(sink.event)](kube::WatchEvent seen) {
        if (seen.kind == kube::WatchEvent::Kind::Bookmark || see(range, seen.object)) event(std::move(seen));
      };
    }
    return inner_.watch(std::move(request), std::move(sink));
  }

 private:
  void die() {
    is_shut_ = true;
    if (auto then = std::exchange(then_, nullptr)) then();
  }

  kube::Api& inner_;
  std::string asker_;
  Alter alter_;
  See see_;
  Death death_;
  std::function<void()> then_;
  std::string writes_;
  bool is_shut_ = false;
};

}  // namespace drover::proof
