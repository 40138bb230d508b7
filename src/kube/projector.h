// What is kept of a document: the sink of the tokenizer (tokenizer.h); only stream.cc includes it.
//
// It walks the trie of a Projection beside the document: what the trie does not name is passed over without building
// anything, the rest goes on a value stack and leaves it as one Object. List and watch differ only in the envelope
// around their objects:
//
//   list   {"kind":…, "metadata":{…}, "items":[ OBJECT, … ]}
//   watch  {"type":…, "object": OBJECT} {"type":…, "object": OBJECT} …
//   call   OBJECT
//
// At rest: a stack of open containers that are kept, and `next_`, what the trie says about the value that comes next.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <boost/json/value_stack.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "kube/object.h"
#include "kube/projection.h"
#include "kube/tokens.h"

namespace drover::kube::projector {

using Step = Projection::Step;

// Marks, compared by address: a value that is kept whole, and a value that is an object of ours.
inline const Step kWhole{.key = {}, .whole = true, .next = {}};
inline const Step kObject{.key = {}, .whole = false, .next = {}};

inline Step step(std::string key, std::vector<Step> next = {}) {
  const bool whole = next.empty();
  return {.key = std::move(key), .whole = whole, .next = std::move(next)};
}

// What is kept of the text around the objects. Of a Status, which may come in a list's place, what it says.
inline const Step kListEnvelope = {.key = {},
                                   .whole = false,
                                   .next = {step("kind"),
                                            step("message"),
                                            step("metadata", {step("resourceVersion"), step("continue")}),
                                            {.key = "items", .whole = false, .next = {}}}};
inline const Step kWatchEnvelope = {
    .key = {},
    .whole = false,
    .next = {{.key = "type", .whole = false, .next = {}}, {.key = "object", .whole = false, .next = {}}}};
inline const Step* const kItems = &kListEnvelope.next.back();
inline const Step* const kEventType = &kWatchEnvelope.next.front();
inline const Step* const kEventObject = &kWatchEnvelope.next.back();

class Projector {
 public:
  // `start` is what the document is: an envelope or &kObject.
  Projector(Projection projection, const Step* start, std::function<void(Object)> item, std::size_t most_object_bytes)
      : projection_(std::move(projection)),
        start_(start),
        item_(std::move(item)),
        most_object_bytes_(most_object_bytes) {
    frames_.reserve(json::kMaxDepth);
  }

  // Why it refused, when it was not the text that is not JSON.
  std::string refusal;
  // The envelope once it is complete.
  std::optional<json::Value> envelope;
  bool saw_items = false;
  // A watch event's "type".
  std::string type;

  void begin_document() {
    next_ = start_;
    envelope.reset();
    type.clear();
  }

  // Bytes from one object's bounds to `position`, inside it or after it: true while there are not too many of them.
  bool is_within_limit(std::size_t position) {
    if (position - mark_ <= most_object_bytes_) return true;
    return refuse(fmt::format("one object is larger than {} MB, which no API server keeps",
                              std::max<std::size_t>(1, most_object_bytes_ >> 20)));
  }

  Reaction object_begins(std::size_t position) {
    if (next_ == nullptr) return Reaction::PassOver;
    if (next_ == &kObject || next_ == kEventObject) return begin_object(position);
    if (next_ == kItems) return no("\"items\" is not an array");
    if (frames_.empty()) return begin_envelope();
    open(Frame::Kind::Object);
    return Reaction::Take;
  }

  bool object_ended(std::size_t position) {
    const Frame frame = frames_.back();
    frames_.pop_back();
    out_->push_object(frame.count);
    if (frame.kind == Frame::Kind::Root) return end_object(position);
    if (frame.kind == Frame::Kind::Envelope) {
      envelope = out_->release();
      return true;
    }
    return back_in_parent();
  }

  Reaction array_begins() {
    if (next_ == nullptr) return Reaction::PassOver;
    if (next_ == &kObject || next_ == kEventObject || frames_.empty())
      return no("an array stands where an object must be");
    if (next_ == kItems) {
      saw_items = true;
      frames_.push_back({Frame::Kind::Items, &kObject, 0});
      next_ = &kObject;
      return Reaction::Take;
    }
    open(Frame::Kind::Array);
    return Reaction::Take;
  }

  bool array_ended() {
    const Frame frame = frames_.back();
    frames_.pop_back();
    if (frame.kind == Frame::Kind::Items) return true;
    out_->push_array(frame.count);
    return back_in_parent();
  }

  bool key(std::string_view text) {
    Frame& frame = frames_.back();
    if (frame.step->whole) {
      out_->push_key(text);
      ++frame.count;
      next_ = &kWhole;
      return true;
    }
    next_ = frame.step->find(text);
    // Below a step that is not whole only containers are kept; their key waits until we see one (it is in the trie).
    if (next_ != nullptr && next_->whole) {
      out_->push_key(next_->key);
      ++frame.count;
      next_ = &kWhole;
    }
    return true;
  }

  bool wants_value() const { return next_ == &kWhole || next_ == kEventType; }

  bool text(std::string_view text) {
    if (next_ == kEventType) {
      type = text;
      return true;
    }
    return scalar([&] { out_->push_string(text); });
  }
  bool number(const Number& number) {
    return scalar([&] {
      switch (number.kind) {
        case Number::Kind::Signed: out_->push_int64(number.as_signed); break;
        case Number::Kind::Unsigned: out_->push_uint64(number.as_unsigned); break;
        default: out_->push_double(number.as_real);
      }
    });
  }
  bool boolean(bool flag) {
    return scalar([&] { out_->push_bool(flag); });
  }
  bool null() {
    if (next_ == kItems) {  // how Go writes an empty list
      saw_items = true;
      return true;
    }
    return scalar([&] { out_->push_null(); });
  }

 private:
  struct Frame {
    enum class Kind { Object, Array, Root, Envelope, Items };
    Kind kind;
    const Step* step;
    std::size_t count;
  };

  bool refuse(std::string why) {
    refusal = std::move(why);
    return false;
  }
  Reaction no(std::string why) {
    refusal = std::move(why);
    return Reaction::Refuse;
  }

  template <class Push>
  bool scalar(Push push) {
    if (next_ == nullptr) return true;
    if (next_ == &kWhole) {
      push();
      Frame& frame = frames_.back();
      if (frame.kind == Frame::Kind::Array) ++frame.count;
      return true;
    }
    if (next_ == &kObject || next_ == kEventObject) return refuse("something stands where an object must be");
    if (next_ == kItems) return refuse("\"items\" is not an array");
    return true;  // a scalar where the projection goes deeper
  }

  // A kept container inside another.
  void open(Frame::Kind kind) {
    Frame& parent = frames_.back();
    if (parent.kind == Frame::Kind::Array) {
      ++parent.count;
    } else if (next_ != &kWhole) {
      out_->push_key(next_->key);
      ++parent.count;
    }
    // Elements of an array are asked the same questions as the array.
    frames_.push_back({kind, next_, 0});
  }

  bool back_in_parent() {
    const Frame& parent = frames_.back();
    if (parent.kind == Frame::Kind::Array) next_ = parent.step;
    return true;
  }

  Reaction begin_envelope() {
    envelope_values_.reset();
    out_ = &envelope_values_;
    frames_.push_back({Frame::Kind::Envelope, next_, 0});
    return Reaction::Take;
  }

  Reaction begin_object(std::size_t position) {
    mark_ = position;
    object_values_.reset();
    out_ = &object_values_;
    // A watch that ends with an ERROR sends a Status, of which every word counts.
    const bool whole = projection_.keeps_everything() || type == "ERROR";
    frames_.push_back({Frame::Kind::Root, whole ? &kWhole : projection_.root(), 0});
    return Reaction::Take;
  }

  bool end_object(std::size_t position) {
    if (!is_within_limit(position)) return false;
    mark_ = position;
    Object object = object_values_.release();
    out_ = &envelope_values_;
    next_ = frames_.empty() ? nullptr : &kObject;
    item_(std::move(object));
    return true;
  }

  Projection projection_;
  const Step* start_;
  std::function<void(Object)> item_;
  std::size_t most_object_bytes_;

  const Step* next_ = nullptr;
  std::size_t mark_ = 0;  // where the last object began or ended
  std::vector<Frame> frames_;
  boost::json::value_stack object_values_;
  boost::json::value_stack envelope_values_;
  boost::json::value_stack* out_ = &envelope_values_;
};

}  // namespace drover::kube::projector
