// The handler that Boost.JSON's push parser calls for each token; only stream.cc includes it.
//
// It walks the trie of a Projection beside the document: what the trie does not name is passed over without building
// anything, the rest goes on a value stack and leaves it as one Object. List and watch differ only in the envelope
// around their objects:
//
//   list   {"kind":…, "metadata":{…}, "items":[ OBJECT, … ]}
//   watch  {"type":…, "object": OBJECT} {"type":…, "object": OBJECT} …
//   call   OBJECT
//
// At rest: a stack of open containers that are kept, the number of open containers that are passed over, and `next_`,
// what the trie says about the value that comes next. All functions are inline: they are called for every token of
// every object.
#pragma once

#include <boost/json/error.hpp>
#include <boost/json/string_view.hpp>
#include <boost/json/value_stack.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "kube/object.h"
#include "kube/projection.h"

namespace drover::kube::projector {

using Step = Projection::Step;
using boost::json::error_code;
using boost::json::string_view;

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
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);

  // `start` is what the document is: an envelope or &kObject.
  Projector(Projection projection, const Step* start, std::function<void(Object)> item)
      : projection_(std::move(projection)), start_(start), item_(std::move(item)) {
    frames_.reserve(json::kMaxDepth);
  }

  // Why a callback said no, when it was not the text that is no JSON.
  std::string refusal;
  // The envelope once it is complete.
  std::optional<json::Value> envelope;
  bool saw_items = false;
  // A watch event's "type".
  std::string type;
  // Where the count of an object's bytes starts again: an object began or ended.
  bool passed_a_mark = false;

  bool on_document_begin(error_code&) {
    next_ = start_;
    envelope.reset();
    type.clear();
    return true;
  }
  bool on_document_end(error_code&) { return true; }

  bool on_object_begin(error_code&) {
    if (is_passing_over()) return true;
    if (next_ == kItems) return refuse("\"items\" is no array");
    if (next_ == &kObject || next_ == kEventObject) return begin_object();
    if (next_ == nullptr) return pass_over();
    if (frames_.empty()) return begin_envelope();
    open(Frame::Kind::Object);
    return true;
  }

  bool on_object_end(std::size_t, error_code&) {
    if (passed_over_ > 0) return leave_passed_over();
    const Frame frame = frames_.back();
    frames_.pop_back();
    out_->push_object(frame.count);
    if (frame.kind == Frame::Kind::Root) return end_object();
    if (frame.kind == Frame::Kind::Envelope) {
      envelope = out_->release();
      return true;
    }
    return back_in_parent();
  }

  bool on_array_begin(error_code&) {
    if (is_passing_over()) return true;
    if (next_ == &kObject || next_ == kEventObject || frames_.empty())
      return refuse("an array stands where an object must be");
    if (next_ == nullptr) return pass_over();
    if (next_ == kItems) {
      saw_items = true;
      frames_.push_back({Frame::Kind::Items, &kObject, 0});
      next_ = &kObject;
      return true;
    }
    open(Frame::Kind::Array);
    return true;
  }

  bool on_array_end(std::size_t, error_code&) {
    if (passed_over_ > 0) return leave_passed_over();
    const Frame frame = frames_.back();
    frames_.pop_back();
    if (frame.kind == Frame::Kind::Items) return true;
    out_->push_array(frame.count);
    return back_in_parent();
  }

  bool on_key_part(string_view part, std::size_t, error_code&) {
    if (passed_over_ > 0) return true;
    if (frames_.back().step->whole) {
      out_->push_chars(part);
    } else {
      key_.append(part);
    }
    return true;
  }

  bool on_key(string_view rest, std::size_t, error_code&) {
    if (passed_over_ > 0) return true;
    Frame& frame = frames_.back();
    if (frame.step->whole) {
      out_->push_key(rest);
      ++frame.count;
      next_ = &kWhole;
      return true;
    }
    if (key_.empty()) {
      next_ = frame.step->find(rest);
    } else {
      key_.append(rest);
      next_ = frame.step->find(key_);
      key_.clear();
    }
    // Below a step that is not whole only containers are kept; their key waits until we see one (it is in the trie).
    if (next_ != nullptr && next_->whole) {
      out_->push_key(next_->key);
      ++frame.count;
      next_ = &kWhole;
    }
    return true;
  }

  bool on_string_part(string_view part, std::size_t, error_code&) {
    if (passed_over_ > 0) return true;
    if (next_ == &kWhole) out_->push_chars(part);
    if (next_ == kEventType) type.append(part);
    return true;
  }
  bool on_string(string_view rest, std::size_t, error_code&) {
    if (next_ == kEventType && passed_over_ == 0) {
      type.append(rest);
      return true;
    }
    return scalar([&] { out_->push_string(rest); });
  }
  bool on_number_part(string_view, error_code&) { return true; }
  bool on_int64(std::int64_t number, string_view, error_code&) {
    return scalar([&] { out_->push_int64(number); });
  }
  bool on_uint64(std::uint64_t number, string_view, error_code&) {
    return scalar([&] { out_->push_uint64(number); });
  }
  bool on_double(double number, string_view, error_code&) {
    return scalar([&] { out_->push_double(number); });
  }
  bool on_bool(bool flag, error_code&) {
    return scalar([&] { out_->push_bool(flag); });
  }
  bool on_null(error_code&) {
    if (passed_over_ == 0 && next_ == kItems) {  // how Go writes an empty list
      saw_items = true;
      return true;
    }
    return scalar([&] { out_->push_null(); });
  }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }

 private:
  struct Frame {
    enum class Kind { Object, Array, Root, Envelope, Items };
    Kind kind;
    const Step* step;
    std::size_t count;
  };

  bool refuse(std::string_view why) {
    refusal = why;
    return false;
  }

  bool is_passing_over() {
    if (passed_over_ == 0) return false;
    ++passed_over_;
    return true;
  }
  bool pass_over() {
    passed_over_ = 1;
    return true;
  }
  bool leave_passed_over() {
    --passed_over_;
    return true;
  }

  template <class Push>
  bool scalar(Push push) {
    if (passed_over_ > 0 || next_ == nullptr) return true;
    if (next_ == &kWhole) {
      push();
      Frame& frame = frames_.back();
      if (frame.kind == Frame::Kind::Array) ++frame.count;
      return true;
    }
    if (next_ == &kObject || next_ == kEventObject) return refuse("something stands where an object must be");
    if (next_ == kItems) return refuse("\"items\" is no array");
    if (frames_.empty()) return refuse("it is no object");
    return true;  // a scalar where the projection goes deeper
  }

  // A kept container inside another.
  void open(typename Frame::Kind kind) {
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

  bool begin_envelope() {
    envelope_values_.reset();
    out_ = &envelope_values_;
    frames_.push_back({Frame::Kind::Envelope, next_, 0});
    return true;
  }

  bool begin_object() {
    passed_a_mark = true;
    object_values_.reset();
    out_ = &object_values_;
    // A watch that ends with an ERROR sends a Status, of which every word counts.
    const bool whole = projection_.keeps_everything() || type == "ERROR";
    frames_.push_back({Frame::Kind::Root, whole ? &kWhole : projection_.root(), 0});
    return true;
  }

  bool end_object() {
    passed_a_mark = true;
    Object object = object_values_.release();
    out_ = &envelope_values_;
    next_ = frames_.empty() ? nullptr : &kObject;
    item_(std::move(object));
    return true;
  }

  Projection projection_;
  const Step* start_;
  std::function<void(Object)> item_;

  const Step* next_ = nullptr;
  std::size_t passed_over_ = 0;
  std::vector<Frame> frames_;
  std::string key_;  // the first parts of a key that came in pieces
  boost::json::value_stack object_values_;
  boost::json::value_stack envelope_values_;
  boost::json::value_stack* out_ = &envelope_values_;
};

}  // namespace drover::kube::projector
