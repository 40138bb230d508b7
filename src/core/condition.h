// A condition is a claim about one node that is true or false, with the words to say why.
//
// The same condition decides (without words, thousands of times a second) and explains (with them). It may also say
// when time alone will change its answer, so that the pass knows when to look again.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"
#include "core/slots.h"
#include "core/view.h"

namespace drover::core {

// Everything a rule may look at: one node, and what the fleet means for it.
struct RuleInput {
  const Policy& policy;
  const Slots& slots;
  const NodeView& node;
  bool is_admitted = false;
  bool is_next_in_line = false;
  bool may_renew = false;
};

// Where a condition puts its reasons. Mute: the words are not even made.
class Explanation {
 public:
  static Explanation mute() { return Explanation(false); }
  static Explanation spoken() { return Explanation(true); }

  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    if (speaks_) text_ = fmt::format(format, std::forward<Args>(args)...);
  }
  // Makes the words only when they are wanted, for those that cost.
  template <class Make>
  void say_made(const Make& make) {
    if (speaks_) text_ = make();
  }
  // The answer changes by itself in this time.
  void look_again_in(base::Span span) { look_again_in_ = look_again_in_ ? std::min(*look_again_in_, span) : span; }

  // A limit is over by what was heard of the node before it ran out: it is to be asked for again first.
  void ask_for_news() { wants_news_ = true; }

  const std::string& text() const { return text_; }
  bool wants_news() const { return wants_news_; }
  std::optional<base::Span> look_again_in() const { return look_again_in_; }
  void forget_text() { text_.clear(); }

 private:
  explicit Explanation(bool speaks) : speaks_(speaks) {}
  bool speaks_;
  std::string text_;
  std::optional<base::Span> look_again_in_;
  bool wants_news_ = false;
};

struct Condition {
  std::string_view text = {};  // "the drain ran out of time"
  bool (*holds)(const RuleInput&, Explanation&) = nullptr;
};

// One condition, or two that must both hold.
struct When {
  Condition first = {};
  Condition second = {};  // none when it has no function

  constexpr When() = default;
  constexpr When(Condition only) : first(only) {}  // NOLINT(google-explicit-constructor): the usual case
  constexpr When(Condition one, Condition other) : first(one), second(other) {}

  bool holds(const RuleInput& about, Explanation& words) const {
    return first.holds(about, words) && (second.holds == nullptr || second.holds(about, words));
  }
};

constexpr When both(Condition one, Condition other) { return {one, other}; }

// The rule that ends a phase's list.
inline constexpr Condition otherwise = {"otherwise", [](const RuleInput&, Explanation&) { return true; }};

}  // namespace drover::core
