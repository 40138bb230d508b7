// Three parsers, one projector (projector.h): text in pieces to Boost.JSON's push parser, document after document, with
// limits.
#include "kube/stream.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <optional>
#include <utility>

#include "base/text.h"
#include "kube/projector.h"
#include "kube/status.h"

namespace drover::kube {
namespace {

using boost::json::error_code;
using projector::Projector;
using projector::Step;

// Text in pieces to a Projector, document after document.
class Documents {
 public:
  Documents(Projection projection, const Step* start, std::function<void(Object)> item, std::size_t most_object_bytes)
      : parser_(options(), std::move(projection), start, std::move(item)), most_object_bytes_(most_object_bytes) {}

  Projector& projector() { return parser_.handler(); }
  std::size_t completed() const { return completed_; }
  bool is_inside_one() const { return inside_; }

  // Calls `completed` after each document, which may refuse it. After the first fault every call gives that fault
  // again.
  template <class Completed>
  Result<void> feed(std::string_view piece, Completed completed) {
    if (broken_) return std::unexpected(*broken_);
    // Boost.JSON 1.81 takes its own address for the word "suspended", so the end of a text that lies right before the
    // parser is misread. A spare byte after the data prevents that: every slice has its
    // successor, and the last byte goes into a place of ours.
    while (piece.size() > 1) {
      const std::string_view slice = piece.substr(0, std::min(kSlice, piece.size() - 1));
      TRY_VOID(consume(slice, completed));
      piece.remove_prefix(slice.size());
    }
    if (piece.empty()) return {};
    last_[0] = piece.front();
    return consume({last_, 1}, completed);
  }

  std::unexpected<Fault> broken(std::string message) {
    broken_ = Fault{Fault::Kind::Malformed, std::move(message)};
    return std::unexpected(*broken_);
  }

 private:
  // Bytes of one object are counted in slices, so the limit holds to within two of them.
  static constexpr std::size_t kSlice = 32 * 1024;

  static boost::json::parse_options options() {
    boost::json::parse_options options;
    options.max_depth = json::kMaxDepth;
    return options;
  }

  template <class Completed>
  Result<void> consume(std::string_view slice, Completed& completed) {
    const std::size_t size = slice.size();
    while (!slice.empty()) {
      if (!inside_) {
        slice.remove_prefix(std::min(slice.find_first_not_of(" \t\r\n"), slice.size()));
        if (slice.empty()) break;
        inside_ = true;
      }
      error_code error;
      const std::size_t read = parser_.write_some(true, slice.data(), slice.size(), error);
      // A refusal by the projector stops the parser without an error code of its own.
      if (error || !projector().refusal.empty()) {
        const std::size_t at = position_ + size - slice.size() + read;
        return broken(complaint(error, slice.substr(std::min(read, slice.size())), at));
      }
      slice.remove_prefix(read);
      if (!parser_.done()) continue;
      parser_.reset();
      inside_ = false;
      ++completed_;
      if (Result<void> verdict = completed(); !verdict) {
        broken_ = verdict.error();
        return verdict;
      }
    }
    position_ += size;
    return count(size);
  }

  Result<void> count(std::size_t size) {
    if (std::exchange(projector().passed_a_mark, false)) {
      since_mark_ = 0;
      return {};
    }
    since_mark_ += size;
    if (since_mark_ <= most_object_bytes_) return {};
    return broken(fmt::format("one object of the answer is larger than {} MB; no API server keeps such objects",
                              std::max<std::size_t>(1, most_object_bytes_ >> 20)));
  }

  // Only the very beginning of a text is quoted (the page of some proxy): further on it may be somebody's secret.
  std::string complaint(const error_code& error, std::string_view rest, std::size_t at) {
    if (!projector().refusal.empty())
      return fmt::format("the answer is not what was asked for: {}", projector().refusal);
    if (error == boost::json::error::too_deep) {
      return fmt::format("the answer is nested deeper than {} levels", json::kMaxDepth);
    }
    const std::string quote = at < 8 ? fmt::format(", \"{}\"", base::one_line(rest, 60)) : std::string();
    return fmt::format("the answer is no JSON: {} at byte {}{}", error.message(), at, quote);
  }

  boost::json::basic_parser<Projector> parser_;
  std::size_t most_object_bytes_;
  std::optional<Fault> broken_;
  char last_[2] = {};
  bool inside_ = false;
  std::size_t completed_ = 0;
  std::size_t position_ = 0;
  std::size_t since_mark_ = 0;
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
  if (meta.kind.empty()) return body_->documents.broken("the answer is no list: it has no kind");
  const std::string_view message = json::text_at(envelope, {"message"});
  return body_->documents.broken(fmt::format("the answer is no list but a {}{}{}", base::one_line(meta.kind, 60),
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
    if (!seen) return documents.broken("the answer is no watch: an event has no object");
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
