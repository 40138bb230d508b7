#include "base/interned_string.h"

#include <functional>
#include <unordered_set>

namespace drover::base {

struct InternedString::Pool {
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    std::size_t operator()(const Entry* entry) const { return (*this)(entry->text); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Entry* a, const Entry* b) const { return a == b; }
    bool operator()(std::string_view a, const Entry* b) const { return a == b->text; }
    bool operator()(const Entry* a, std::string_view b) const { return a->text == b; }
  };
  std::unordered_set<Entry*, Hash, Equal> entries;
};

// Never destroyed: a InternedString in a static object may outlive everything else.
InternedString::Pool& InternedString::pool() {
  static thread_local Pool* const pool = new Pool;  // NOLINT(cppcoreguidelines-owning-memory)
  return *pool;
}

InternedString::InternedString(std::string_view text) {
  if (text.empty()) return;
  auto& entries = pool().entries;
  const auto at = entries.find(text);
  entry_ = at == entries.end() ? *entries.insert(new Entry{std::string(text)}).first : *at;
  ++entry_->holders;
}

void InternedString::let_go() {
  if (entry_ == nullptr || --entry_->holders > 0) return;
  pool().entries.erase(entry_);
  delete entry_;  // NOLINT(cppcoreguidelines-owning-memory)
}

std::size_t InternedString::held() { return pool().entries.size(); }

}  // namespace drover::base
