// The door of one running operator: it stamps who asks, keeps what it was shown, and is where an operator dies or
// misbehaves on purpose.
#pragma once

#include <charconv>
#include <functional>
#include <string>
#include <utility>

#include "base/loop.h"
#include "knowledge.h"
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

  Door(kube::Api& inner, const base::Loop& loop, std::string asker)
      : inner_(inner), loop_(loop), asker_(std::move(asker)) {}

  void dies(Death death, std::function<void()> then) {
    death_ = death;
    then_ = std::move(then);
  }
  // Alters what the operator gets to see; false: it does not see it at all.
  using See = std::function<bool(const kube::Range&, kube::Object&)>;
  // Alters what it is told of a request that failed.
  using Hear = std::function<void(const kube::Resource&, kube::Fault&)>;

  struct Mistakes {
    Alter alter = {};
    See see = {};
    Hear hear = {};
  };
  void makes(Mistakes mistakes) { mistakes_ = std::move(mistakes); }
  const Knowledge& knowledge() const { return knowledge_; }
  // One for each write: 'e' for Events and status, which nothing depends on, 'w' for the rest.
  const std::string& writes() const { return writes_; }
  bool is_shut() const { return is_shut_; }
  // Nothing passes any more in either direction.
  void shut() { is_shut_ = true; }

  [[nodiscard]] kube::Call call(kube::Request request, Answer answer) override {
    if (is_shut_) return {};
    request.field_manager = asker_;
    if (mistakes_.alter && !mistakes_.alter(request)) return {};
    answer = kept(request, std::move(answer));
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
    const kube::Range range = request.range;
    sink.item = [this, range, item = std::move(sink.item)](kube::Object object) {
      show(range, object);
      if (sees(range, object)) item(std::move(object));
    };
    sink.done = [this, range, done = std::move(sink.done)](kube::Result<kube::ListEnd> end) {
      if (end && is_whole(range))
        knowledge_.show_all(range.resource.qualified(), number(end->resource_version), loop_.now());
      if (!end) hear(range.resource, end.error());
      done(std::move(end));
    };
    return inner_.list(std::move(request), std::move(sink));
  }
  [[nodiscard]] kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    if (is_shut_) return {};
    sink.event = [this, range = request.range, event = std::move(sink.event)](kube::WatchEvent seen) {
      const bool is_bookmark = seen.kind == kube::WatchEvent::Kind::Bookmark;
      if (!is_bookmark) show(range, seen.object);
      if (is_whole(range)) knowledge_.show_all(range.resource.qualified(), version_of(seen.object), loop_.now());
      if (is_bookmark || sees(range, seen.object)) event(std::move(seen));
    };
    sink.ended = [this, resource = request.range.resource,
                  ended = std::move(sink.ended)](std::optional<kube::Fault> fault) {
      if (fault) hear(resource, *fault);
      ended(std::move(fault));
    };
    return inner_.watch(std::move(request), std::move(sink));
  }

 private:
  static bool is_whole(const kube::Range& range) {
    return range.ns.empty() && range.labels.empty() && range.fields.empty();
  }
  static std::uint64_t number(std::string_view version) {
    std::uint64_t value = 0;
    std::from_chars(version.data(), version.data() + version.size(), value);
    return value;
  }
  static std::uint64_t version_of(const kube::Object& object) {
    return number(json::text_at(object, {"metadata", "resourceVersion"}));
  }
  void show(const kube::Range& range, const kube::Object& object) {
    knowledge_.show(range.resource.qualified(), kube::key_of(object), version_of(object), loop_.now());
  }
  bool sees(const kube::Range& range, kube::Object& object) { return !mistakes_.see || mistakes_.see(range, object); }
  void hear(const kube::Resource& resource, kube::Fault& fault) {
    if (mistakes_.hear) mistakes_.hear(resource, fault);
  }
  // While a write is under way it is known when it was asked for.
  Answer kept(const kube::Request& request, Answer answer) {
    const bool is_write = request.verb != kube::Verb::Get && !request.name.empty();
    const std::string key = request.ns.empty() ? request.name : request.ns + "/" + request.name;
    const std::uint64_t ticket = is_write ? knowledge_.asks(request.resource.qualified(), key, loop_.now()) : 0;
    return [this, ticket, resource = request.resource, answer = std::move(answer)](kube::Result<kube::Object> result) {
      knowledge_.hears(ticket);
      if (!result) hear(resource, result.error());
      answer(std::move(result));
    };
  }
  void die() {
    is_shut_ = true;
    if (auto then = std::exchange(then_, nullptr)) then();
  }

  kube::Api& inner_;
  const base::Loop& loop_;
  std::string asker_;
  Knowledge knowledge_;
  Mistakes mistakes_;
  Death death_;
  std::function<void()> then_;
  std::string writes_;
  bool is_shut_ = false;
};

}  // namespace drover::proof
