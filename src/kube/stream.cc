// Three parsers, one projector (projector.h) on one tokenizer (tokenizer.h): text in pieces, document after document.
#include "kube/stream.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "kube/projector.h"
#include "kube/status.h"
#include "kube/tokenizer.h"

namespace drover::kube {
namespace {

using projector::Projector;
using projector::Step;

// Text in pieces to a Projector, document after document.
class Documents {
 public:
  Documents(Projection projection, const Step* start, std::function<void(Object)> item, std::size_t most_object_bytes)
      : tokens_(std::move(projection), start, std::move(item), most_object_bytes) {}

  Projector& projector() { return tokens_.sink(); }
  std::size_t completed() const { return completed_; }
  bool is_inside_one() const { return inside_; }

  // Calls `completed` after each document, which may refuse it. After the first fault every call gives that fault
  // again.
  template <class Completed>
  Result<void> feed(std::string_view piece, Completed completed) {
    if (broken_) return std::unexpected(*broken_);
    while (!piece.empty()) {
      if (!inside_) {
        piece = skip_space(piece);
        if (piece.empty()) break;
        inside_ = true;
        begun_at_ = tokens_.position();
        projector().begin_document();
      }
      const Verdict verdict = tokens_.feed(piece);
      if (verdict == Verdict::More) break;
      if (verdict != Verdict::Complete) return broken(complaint(verdict, piece));
      inside_ = false;
      ++completed_;
      if (Result<void> accepted = completed(); !accepted) {
        broken_ = accepted.error();
        return accepted;
      }
    }
    if (!projector().is_within_limit(tokens_.position())) return broken(complaint(Verdict::Refused, {}));
    return {};
  }

  std::unexpected<Fault> broken(std::string message) {
    broken_ = Fault{Fault::Kind::Malformed, std::move(message)};
    return std::unexpected(*broken_);
  }

 private:
  using Verdict = Tokenizer<Projector>::Verdict;

  std::string_view skip_space(std::string_view piece) {
    const std::size_t space = std::min(piece.find_first_not_of(" \t\r\n"), piece.size());
    tokens_.skip(space);
    return piece.substr(space);
  }

  // Only the very beginning of a text is quoted (the page of some proxy): further on it may be a secret.
  std::string complaint(Verdict verdict, std::string_view rest) {
    if (!projector().refusal.empty())
      return fmt::format("the answer is not what was asked for: {}", projector().refusal);
    if (verdict == Verdict::TooDeep) return fmt::format("the answer is nested deeper than {} levels", json::kMaxDepth);
    if (verdict == Verdict::Refused) return "the answer is not what was asked for: it is not an object";
    const std::size_t at = tokens_.position();
    if (at - begun_at_ > 0) return fmt::format("the answer is not JSON from byte {} on", at);
    return fmt::format("the answer is not JSON but begins with \"{}\"", base::one_line(rest, 60));
  }

  Tokenizer<Projector> tokens_;
  std::optional<Fault> broken_;
  bool inside_ = false;
  std::size_t completed_ = 0;
  std::size_t begun_at_ = 0;
};

// One document and nothing after it.
Result<void> feed_the_only_one(Documents& documents, std::string_view piece) {
  TRY_VOID(documents.feed(piece, [] { return Result<void>(); }));
  if (documents.completed() > 1 || (documents.completed() == 1 && documents.is_inside_one())) {
    return documents.broken("the answer goes on after its end");
  }
  return {};
}

Result<void> check_end(Documents& documents) {
  TRY_VOID(documents.feed({}, [] { return Result<void>(); }));
  if (documents.is_inside_one()) return documents.broken("the answer is cut off in the middle");
  if (documents.completed() == 0) return documents.broken("the answer is empty");
  return {};
}

std::optional<WatchEvent::Kind> event_kind(std::string_view type) {
  if (type == "ADDED") return WatchEvent::Kind::Added;
  if (type == "MODIFIED") return WatchEvent::Kind::Modified;
  if (type == "DELETED") return WatchEvent::Kind::Deleted;
  if (type == "BOOKMARK") return WatchEvent::Kind::Bookmark;
  return {};
}

}  // namespace

// A list.

struct ListParser::Body {
  Documents documents;
};

ListParser::ListParser(Projection projection, std::function<void(Object)> item, std::size_t most_object_bytes)
    : body_(new Body{{std::move(projection), &projector::kListEnvelope, std::move(item), most_object_bytes}}) {}
ListParser::~ListParser() = default;
ListParser::ListParser(ListParser&&) noexcept = default;

Result<void> ListParser::feed(std::string_view piece) { return feed_the_only_one(body_->documents, piece); }

Result<ListMeta> ListParser::finish() {
  TRY_VOID(check_end(body_->documents));
  const Projector& projector = body_->documents.projector();
  const json::Value& envelope = *projector.envelope;
  ListMeta meta{.kind = std::string(json::text_at(envelope, {"kind"})),
                .resource_version = std::string(json::text_at(envelope, {"metadata", "resourceVersion"})),
                .continue_token = std::string(json::text_at(envelope, {"metadata", "continue"}))};
  if (meta.kind.ends_with("List") && projector.saw_items) return meta;
  if (meta.kind.empty()) return body_->documents.broken("the answer is not a list: it has no kind");
  const std::string_view message = json::text_at(envelope, {"message"});
  return body_->documents.broken(fmt::format("the answer is not a list but a {}{}{}", base::one_line(meta.kind, 60),
                                             message.empty() ? "" : ": ", base::one_line(message)));
}

// A watch.

struct WatchParser::Body {
  Body(Projection projection, std::function<void(WatchEvent)> then, std::size_t most_object_bytes)
      : documents(
            std::move(projection), &projector::kWatchEnvelope, [this](Object seen) { object = std::move(seen); },
            most_object_bytes),
        event(std::move(then)) {}

  Documents documents;
  std::function<void(WatchEvent)> event;
  std::optional<Object> object;  // of the event that is being read; its type may come after it

  Result<void> completed() {
    const std::string& type = documents.projector().type;
    std::optional<Object> seen = std::exchange(object, {});
    if (!seen) return documents.broken("the answer is not a watch: an event has no object");
    if (type == "ERROR") return std::unexpected(fault_from(0, *seen, {}, "watch"));
    const auto kind = event_kind(type);
    if (!kind)
      return documents.broken(
          fmt::format("the watch sent an event of the unknown type \"{}\"", base::one_line(type, 40)));
    event({*kind, std::move(*seen)});
    return {};
  }
};

WatchParser::WatchParser(Projection projection, std::function<void(WatchEvent)> event, std::size_t most_object_bytes)
    : body_(std::make_unique<Body>(std::move(projection), std::move(event), most_object_bytes)) {}
WatchParser::~WatchParser() = default;
WatchParser::WatchParser(WatchParser&&) noexcept = default;

Result<void> WatchParser::feed(std::string_view piece) {
  return body_->documents.feed(piece, [body = body_.get()] { return body->completed(); });
}

bool WatchParser::is_between_events() const { return !body_->documents.is_inside_one(); }

// One object.

struct ObjectParser::Body {
  Body(Projection projection, std::size_t most_object_bytes)
      : documents(
            std::move(projection), &projector::kObject, [this](Object seen) { object = std::move(seen); },
            most_object_bytes) {}

  Documents documents;
  std::optional<Object> object;
};

ObjectParser::ObjectParser(Projection projection, std::size_t most_object_bytes)
    : body_(std::make_unique<Body>(std::move(projection), most_object_bytes)) {}
ObjectParser::~ObjectParser() = default;
ObjectParser::ObjectParser(ObjectParser&&) noexcept = default;

Result<void> ObjectParser::feed(std::string_view piece) { return feed_the_only_one(body_->documents, piece); }

Result<Object> ObjectParser::finish() {
  TRY_VOID(check_end(body_->documents));
  return std::move(*body_->object);
}

}  // namespace drover::kube
