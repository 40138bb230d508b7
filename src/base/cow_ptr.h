// An optional value that takes room only when it is there, and once however often it is copied.
//
// For what few of many have (a claim), and for what is the same in the facts, the standing and the view of each of ten
// thousand nodes (how its last upgrade ended). It behaves as std::optional does: a copy that is changed is first
// separated from the others. All copies belong to one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

namespace drover::base {

template <class T>
class CowPtr {
 public:
  CowPtr() = default;
  CowPtr(std::nullopt_t) {}                                  // NOLINT(google-explicit-constructor)
  CowPtr(T value) : kept_(new Kept{std::move(value), 1}) {}  // NOLINT(google-explicit-constructor)
  ~CowPtr() { reset(); }
  CowPtr(const CowPtr& other) : kept_(other.kept_) {
    if (kept_ != nullptr) ++kept_->holders;
  }
  CowPtr(CowPtr&& other) noexcept : kept_(std::exchange(other.kept_, nullptr)) {}
  CowPtr& operator=(CowPtr other) noexcept {
    std::swap(kept_, other.kept_);
    return *this;
  }

  explicit operator bool() const { return kept_ != nullptr; }
  bool has_value() const { return kept_ != nullptr; }
  T& operator*() { return own(); }
  const T& operator*() const { return kept_->value; }
  T* operator->() { return &own(); }
  const T* operator->() const { return &kept_->value; }
  void reset() {
    Kept* const left = std::exchange(kept_, nullptr);
    if (left != nullptr && --left->holders == 0) delete left;  // NOLINT(cppcoreguidelines-owning-memory)
  }

  friend bool operator==(const CowPtr& a, const CowPtr& b) {
    return a.kept_ == b.kept_ || (a.kept_ != nullptr && b.kept_ != nullptr && a.kept_->value == b.kept_->value);
  }

 private:
  struct Kept {
    T value;
    std::size_t holders;
  };

  T& own() {
    if (kept_->holders > 1) *this = CowPtr(kept_->value);
    return kept_->value;
  }

  Kept* kept_ = nullptr;
};

}  // namespace drover::base
