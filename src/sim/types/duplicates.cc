// Members that a JSON text gives twice. Only the text can tell, so the text is walked; it has been found good before.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "sim/types/scalars.h"
#include "sim/types/types.h"

namespace drover::sim::types {
namespace {

constexpr std::size_t kMost = 100;

// Follows the shape of the text with a stack of its own: how deep a text nests is its writer's choice.
class DuplicateFinder {
 public:
  explicit DuplicateFinder(std::string_view text) : text_(text) {}

  std::vector<std::string> duplicates() {
    while (at_ < text_.size()) step();
    return std::move(found_);
  }

 private:
  struct Level {
    bool is_object;
    bool expects_key;
    std::size_t index;        // of the element of a list
    std::size_t path_length;  // of the path to here
    std::set<std::string> keys;
  };

  void step() {
    const char c = text_[at_];
    if (c == '"') {
      const std::string text = string();
      if (!levels_.empty() && levels_.back().is_object && levels_.back().expects_key) key(text);
      return;
    }
    ++at_;
    if (c == '{' || c == '[') {
      if (!levels_.empty() && !levels_.back().is_object) path_ += "[" + std::to_string(levels_.back().index) + "]";
      levels_.push_back({c == '{', c == '{', 0, path_.size(), {}});
    } else if ((c == '}' || c == ']') && !levels_.empty()) {
      levels_.pop_back();
      path_.resize(levels_.empty() ? 0 : levels_.back().path_length);
    } else if (c == ',' && !levels_.empty()) {
      Level& level = levels_.back();
      path_.resize(level.path_length);
      level.expects_key = level.is_object;
      ++level.index;
    }
  }

  void key(const std::string& name) {
    Level& level = levels_.back();
    level.expects_key = false;
    path_.resize(level.path_length);
    path_.append(path_.empty() ? "" : ".").append(name);
    if (level.keys.insert(name).second || found_.size() >= kMost) return;
    std::string complaint = "duplicate field " + quoted(path_);
    if (std::find(found_.begin(), found_.end(), complaint) == found_.end()) found_.push_back(std::move(complaint));
  }

  // The string that begins here, with its escapes undone.
  std::string string() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    const std::string_view spelled = text_.substr(begin, at_ - begin);
    if (spelled.find('\\') == std::string_view::npos)
      return std::string(spelled.substr(1, spelled.size() < 2 ? 0 : spelled.size() - 2));
    const auto parsed = json::parse(spelled);
    return parsed && parsed->is_string() ? std::string(parsed->get_string()) : std::string(spelled);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string path_;
  std::vector<Level> levels_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> duplicate_fields(std::string_view text) { return DuplicateFinder(text).duplicates(); }

}  // namespace drover::sim::types
