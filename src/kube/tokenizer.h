// The grammar of JSON over tokens.h: which token may come next, how deep we are, and what to call. Only stream.cc
// includes it.
//
// A Sink is told of what it takes:
//   Reaction object_begins(), array_begins();   bool object_ended(), array_ended();   bool key(text);
//   bool wants_value();   bool text(text), number(Number), boolean(bool), null();
// where false means that it refuses. Inside a container that it passes over it hears nothing.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "kube/tokens.h"

namespace drover::kube {

template <class Sink>
class Tokenizer {
 public:
  enum class Verdict { More, Complete, Refused, Garbled, TooDeep };

  template <class... Args>
  explicit Tokenizer(Args&&... args) : sink_(std::forward<Args>(args)...) {}

  Sink& sink() { return sink_; }

  // Where in the whole text the byte lies that is being looked at.
  std::size_t position() const { return before_ + static_cast<std::size_t>(p_ - begin_); }

  // Bytes between documents that other code looked at.
  void skip(std::size_t bytes) { before_ += bytes; }

  // Takes bytes from the front of `piece`, at most to the end of a document; after Complete the next document may
  // follow.
  Verdict feed(std::string_view& piece) {
    begin_ = p_ = piece.data();
    end_ = p_ + piece.size();
    Verdict verdict = Verdict::More;
    while (verdict == Verdict::More && p_ < end_) {
      if (cut_ != Cut::None) {
        verdict = resume();
      } else {
        if (is_quiet()) hurry();
        if (p_ < end_) verdict = step();
      }
    }
    piece.remove_prefix(static_cast<std::size_t>(p_ - begin_));
    before_ = position();
    begin_ = p_;
    if (verdict == Verdict::Complete) expected_ = Expected::Value;
    return verdict;
  }

 private:
  enum class Expected { Value, ValueOrEnd, Key, KeyOrEnd, Colon, CommaOrEnd };  // in an order that `hurry` uses
  enum class Cut { None, Key, Text, Number, Word };

  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  bool is_quiet() const { return quiet_above_ != kNever; }

  // Passes over compact text without escapes, which is nearly all there is to pass over. It stops before anything else,
  // and before the end of the container: `step` takes over there. Locals, because members would be written back for
  // every token.
  void hurry() {
    const char* p = p_;
    const char* const end = end_;
    Expected expected = expected_;
    std::size_t depth = depth_;
    while (p < end) {
      const char c = *p;
      if (c == '"' && expected < Expected::Colon) {
        const char* const close = end_of_plain(p + 1, end);
        if (close == end || *close != '"') break;
        p = close;
        expected = expected < Expected::Key ? Expected::CommaOrEnd : Expected::Colon;
      } else if (c == ':' && expected == Expected::Colon) {
        expected = Expected::Value;
      } else if (c == ',' && expected == Expected::CommaOrEnd) {
        expected = is_object_[depth - 1] ? Expected::Key : Expected::Value;
      } else if ((c == '{' || c == '[') && expected < Expected::Key && depth < json::kMaxDepth) {
        is_object_[depth++] = c == '{';
        expected = c == '{' ? Expected::KeyOrEnd : Expected::ValueOrEnd;
      } else if ((c == '}' || c == ']') && may_end(expected) && is_object_[depth - 1] == (c == '}') &&
                 depth > quiet_above_ + 1) {
        --depth;
        expected = Expected::CommaOrEnd;
      } else {
        break;
      }
      ++p;
    }
    p_ = p;
    expected_ = expected;
    depth_ = depth;
  }
  static bool may_end(Expected expected) {
    return expected == Expected::CommaOrEnd || expected == Expected::KeyOrEnd || expected == Expected::ValueOrEnd;
  }

  Verdict step() {
    while (is_space(*p_)) {
      if (++p_ == end_) return Verdict::More;
    }
    switch (expected_) {
      case Expected::ValueOrEnd:
        if (*p_ == ']') return close(false);
        [[fallthrough]];
      case Expected::Value: return value();
      case Expected::KeyOrEnd:
        if (*p_ == '}') return close(true);
        [[fallthrough]];
      case Expected::Key:
        if (*p_ != '"') return Verdict::Garbled;
        ++p_;
        return string(true);
      case Expected::Colon:
        if (*p_ != ':') return Verdict::Garbled;
        ++p_;
        expected_ = Expected::Value;
        return Verdict::More;
      case Expected::CommaOrEnd: return comma_or_end();
    }
    return Verdict::Garbled;
  }

  Verdict value() {
    switch (*p_) {
      case '{': return open(true);
      case '[': return open(false);
      case '"':
        if (depth_ == 0) return Verdict::Refused;
        ++p_;
        return string(false);
      case 't':
      case 'f':
      case 'n': return depth_ == 0 ? Verdict::Refused : word();
      default: break;
    }
    if (*p_ != '-' && (*p_ < '0' || *p_ > '9')) return Verdict::Garbled;
    return depth_ == 0 ? Verdict::Refused : number();
  }

  Verdict comma_or_end() {
    const bool in_object = is_object_[depth_ - 1];
    if (*p_ == ',') {
      ++p_;
      expected_ = in_object ? Expected::Key : Expected::Value;
      return Verdict::More;
    }
    if (*p_ == (in_object ? '}' : ']')) return close(in_object);
    return Verdict::Garbled;
  }

  Verdict open(bool object) {
    if (depth_ == json::kMaxDepth) return Verdict::TooDeep;
    if (!is_quiet()) {
      const Reaction reaction = object ? sink_.object_begins(position()) : sink_.array_begins();
      if (reaction == Reaction::Refuse) return Verdict::Refused;
      if (reaction == Reaction::PassOver) quiet_above_ = depth_;
    }
    is_object_[depth_++] = object;
    expected_ = object ? Expected::KeyOrEnd : Expected::ValueOrEnd;
    ++p_;
    return Verdict::More;
  }

  Verdict close(bool object) {
    ++p_;
    --depth_;
    if (is_quiet()) {
      if (depth_ == quiet_above_) quiet_above_ = kNever;
    } else if (!(object ? sink_.object_ended(position()) : sink_.array_ended())) {
      return Verdict::Refused;
    }
    expected_ = Expected::CommaOrEnd;
    return depth_ == 0 ? Verdict::Complete : Verdict::More;
  }

  // After the opening quote.
  Verdict string(bool is_key) {
    const char* const start = p_;
    p_ = end_of_plain(p_, end_);
    if (p_ < end_ && *p_ == '"') {
      const std::string_view text(start, static_cast<std::size_t>(p_ - start));
      ++p_;
      return took_string(is_key, text);
    }
    rest_.begin(!is_quiet() && (is_key || sink_.wants_value()));
    rest_.append(start, p_);
    cut_ = is_key ? Cut::Key : Cut::Text;
    return p_ < end_ ? resume() : Verdict::More;
  }

  Verdict took_string(bool is_key, std::string_view text) {
    if (is_key) {
      if (!is_quiet() && !sink_.key(text)) return Verdict::Refused;
      // Compact text has the colon right here; the detour through `step` is for the rest.
      if (p_ < end_ && *p_ == ':') {
        ++p_;
        expected_ = Expected::Value;
      } else {
        expected_ = Expected::Colon;
      }
      return Verdict::More;
    }
    return took_value(is_quiet() || sink_.text(text));
  }

  Verdict took_value(bool accepted) {
    if (!accepted) return Verdict::Refused;
    expected_ = Expected::CommaOrEnd;
    return p_ < end_ ? comma_after_value() : Verdict::More;
  }
  Verdict comma_after_value() { return *p_ == ',' ? comma_or_end() : Verdict::More; }

  static bool is_number_character(char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
  }
  static bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

  template <class Is>
  Verdict run(Cut kind, Is is, Verdict (Tokenizer::*took)(std::string_view)) {
    const char* const start = p_;
    while (p_ < end_ && is(*p_)) ++p_;
    if (p_ == end_) {
      rest_.text.assign(start, p_);
      cut_ = kind;
      return Verdict::More;
    }
    return (this->*took)({start, static_cast<std::size_t>(p_ - start)});
  }
  Verdict number() { return run(Cut::Number, is_number_character, &Tokenizer::took_number); }
  Verdict word() { return run(Cut::Word, is_letter, &Tokenizer::took_word); }

  Verdict took_number(std::string_view text) {
    if (text.size() > kLongestScalar) return Verdict::Garbled;
    const Number number = number_from(text, !is_quiet() && sink_.wants_value());
    if (number.kind == Number::Kind::None) return Verdict::Garbled;
    return took_value(is_quiet() || sink_.number(number));
  }

  Verdict took_word(std::string_view text) {
    if (text == "true" || text == "false") return took_value(is_quiet() || sink_.boolean(text == "true"));
    if (text == "null") return took_value(is_quiet() || sink_.null());
    return Verdict::Garbled;
  }

  // Goes on with the token that was cut.
  Verdict resume() {
    if (cut_ == Cut::Key || cut_ == Cut::Text) {
      const auto verdict = rest_.feed(p_, end_);
      if (verdict == StringRest::Verdict::Garbled) return Verdict::Garbled;
      if (verdict == StringRest::Verdict::More) return Verdict::More;
      return took_string(std::exchange(cut_, Cut::None) == Cut::Key, rest_.text);
    }
    const bool is_number = cut_ == Cut::Number;
    while (p_ < end_ && (is_number ? is_number_character(*p_) : is_letter(*p_))) {
      // No number that means anything is longer; a longer one is not collected for ever.
      if (rest_.text.size() > kLongestScalar) return Verdict::Garbled;
      rest_.text += *p_++;
    }
    if (p_ == end_) return Verdict::More;
    cut_ = Cut::None;
    return is_number ? took_number(rest_.text) : took_word(rest_.text);
  }

  static constexpr std::size_t kNever = std::size_t(-1);
  static constexpr std::size_t kLongestScalar = 64 * 1024;

  Sink sink_;
  const char* p_ = nullptr;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  std::size_t before_ = 0;
  Expected expected_ = Expected::Value;
  Cut cut_ = Cut::None;
  std::size_t depth_ = 0;
  std::size_t quiet_above_ = kNever;  // the depth of the container that is passed over
  std::array<bool, json::kMaxDepth> is_object_ = {};
  StringRest rest_;
};

}  // namespace drover::kube
