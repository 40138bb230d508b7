// A text that is kept once, however many hold it.
//
// Thousands of nodes carry the same label keys and mostly the same values; a InternedString is one pointer, and equal
// Words share their text. The texts lie in a pool of the thread (all state of ours belongs to one thread), and go with
// the last InternedString that holds them. Nothing but memory depends on it.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace drover::base {

class InternedString {
 public:
  InternedString() = default;
  InternedString(std::string_view text);  // NOLINT(google-explicit-constructor): a InternedString is a text
  InternedString(const char* text) : InternedString(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  InternedString(const std::string& text)
      : InternedString(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  ~InternedString() { let_go(); }
  InternedString(const InternedString& other) : entry_(other.entry_) {
    if (entry_ != nullptr) ++entry_->holders;
  }
  InternedString(InternedString&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  InternedString& operator=(InternedString other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }

  operator std::string_view() const {
    return view();
  }  // NOLINT(google-explicit-constructor): a InternedString is a text
  std::string_view view() const { return entry_ == nullptr ? std::string_view() : std::string_view(entry_->text); }
  std::string str() const { return std::string(view()); }
  bool empty() const { return entry_ == nullptr; }

  friend bool operator==(const InternedString& a, const InternedString& b) { return a.entry_ == b.entry_; }
  template <std::convertible_to<std::string_view> Text>
    requires(!std::same_as<Text, InternedString>)
  friend bool operator==(const InternedString& a, const Text& b) {
    return a.view() == std::string_view(b);
  }

  // Texts that this thread holds.
  static std::size_t held();

 private:
  struct Entry {
    std::string text;
    std::size_t holders = 0;
  };
  struct Pool;
  static Pool& pool();
  void let_go();

  Entry* entry_ = nullptr;  // none: the empty text
};

}  // namespace drover::base

template <>
struct fmt::formatter<drover::base::InternedString> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const drover::base::InternedString& word, Context& context) const {
    return fmt::formatter<std::string_view>::format(word.view(), context);
  }
};
