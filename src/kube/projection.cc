#include "kube/projection.h"

#include <algorithm>
#include <string>

namespace drover::kube {
namespace {

constexpr std::string_view kAlwaysKept[] = {
    "kind",
    "apiVersion",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "metadata.resourceVersion",
    "metadata.deletionTimestamp",
};

// Takes the next key off the front of a path: up to a dot or a bracket, or what stands in brackets.
std::string_view take_key(std::string_view& path) {
  std::string_view key;
  if (path.starts_with('[')) {
    const std::size_t end = std::min(path.find(']'), path.size());
    key = path.substr(1, end - 1);
    path.remove_prefix(std::min(end + 1, path.size()));
  } else {
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    key = path.substr(0, end);
    path.remove_prefix(end);
  }
  if (path.starts_with('.')) path.remove_prefix(1);
  return key;
}

void add(Projection::Step& root, std::string_view path) {
  Projection::Step* at = &root;
  while (!path.empty()) {
    const std::string_view key = take_key(path);
    auto step = std::ranges::find(at->next, key, &Projection::Step::key);
    if (step == at->next.end())
      step = at->next.insert(at->next.end(), {.key = std::string(key), .whole = false, .next = {}});
    at = &*step;
  }
  at->whole = true;
}

bool is_container(const json::Value& value) { return value.is_object() || value.is_array(); }

// `step` is not whole, so only containers leave something behind: the parser cannot know more when it meets a scalar.
json::Value cut(const json::Value& value, const Projection::Step& step) {
  if (const json::Array* array = value.if_array()) {
    json::Array kept;
    kept.reserve(array->size());
    for (const json::Value& element : *array) {
      if (is_container(element)) kept.push_back(cut(element, step));
    }
    return kept;
  }
  json::Members kept;
  kept.reserve(std::min(step.next.size(), value.get_object().size()));
  for (const auto& [key, member] : value.get_object()) {
    const Projection::Step* next = step.find(key);
    if (next == nullptr) continue;
    if (next->whole) {
      kept.emplace(key, member);
    } else if (is_container(member)) {
      kept.emplace(key, cut(member, *next));
    }
  }
  return kept;
}

}  // namespace

Projection::Projection(std::span<const std::string_view> paths) {
  auto root = std::make_shared<Step>();
  for (const std::string_view path : kAlwaysKept) add(*root, path);
  for (const std::string_view path : paths) add(*root, path);
  // The empty path keeps everything: that is not a projection at all.
  if (!root->whole) root_ = std::move(root);
}

const Projection::Step* Projection::Step::find(std::string_view wanted) const {
  for (const Step& step : next) {
    if (step.key == wanted) return &step;
  }
  return nullptr;
}

json::Value Projection::applied_to(const json::Value& whole) const {
  if (keeps_everything() || !is_container(whole)) return whole;
  return cut(whole, *root_);
}

}  // namespace drover::kube
