#include "agent/gates.h"

namespace drover::agent {
namespace {

constexpr std::size_t kMostLabelBytes = 63;

Labels changed(const Labels& gates, std::string_view word, std::string (*change)(std::string_view, std::string_view)) {
  Labels changes;
  for (const auto& [key, value] : gates) {
    if (std::string after = change(value, word); after != value) changes[key] = std::move(after);
  }
  return changes;
}

}  // namespace

std::string paused(std::string_view value, std::string_view word) {
  if (value.empty() || value == "false" || value.find(word) != std::string_view::npos) return std::string(value);
  if (value == "true") return std::string(word);
  // Where both do not fit, the value is worth more than the pause.
  if (value.size() + 1 + word.size() > kMostLabelBytes) return std::string(value);
  return std::string(value) + "_" + std::string(word);
}

std::string restored(std::string_view value, std::string_view word) {
  if (value == word) return "true";
  if (!value.ends_with(word)) return std::string(value);
  value.remove_suffix(word.size());
  while (value.ends_with('_')) value.remove_suffix(1);
  return value.empty() ? "true" : std::string(value);
}

Labels to_pause(const Labels& gates, std::string_view word) { return changed(gates, word, paused); }
Labels to_restore(const Labels& gates, std::string_view word) { return changed(gates, word, restored); }

}  // namespace drover::agent
