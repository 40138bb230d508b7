// A text that is kept once, however many hold it.
//
// Thousands of nodes carry the same label keys and mostly the same values; a Word is one pointer, and equal Words share
// their text. The texts lie in a pool of the thread (all state of ours belongs to one thread), and go with the last
// Word that holds them. Nothing but memory depends on it.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace drover::base {

class Word {
 public:
  Word() = default;
  Word(std::string_view text);                              // NOLINT(google-explicit-constructor): a Word is a text
  Word(const char* text) : Word(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  Word(const std::string& text) : Word(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  ~Word() { let_go(); }
  Word(const Word& other) : entry_(other.entry_) {
    if (entry_ != nullptr) ++entry_->holders;
  }
  Word(Word&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  Word& operator=(Word other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }

  operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor): a Word is a text
  std::string_view view() const { return entry_ == nullptr ? std::string_view() : std::string_view(entry_->text); }
  std::string str() const { return std::string(view()); }
  bool empty() const { return entry_ == nullptr; }

  friend bool operator==(const Word& a, const Word& b) { return a.entry_ == b.entry_; }
  template <std::convertible_to<std::string_view> Text>
    requires(!std::same_as<Text, Word>)
  friend bool operator==(const Word& a, const Text& b) {
    return a.view() == std::string_view(b);
  }

  // Texts that somebody of this thread holds.
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
struct fmt::formatter<drover::base::Word> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const drover::base::Word& word, Context& context) const {
    return fmt::formatter<std::string_view>::format(word.view(), context);
  }
};
