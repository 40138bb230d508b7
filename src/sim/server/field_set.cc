#include "sim/server/field_set.h"

#include <fmt/format.h>

namespace drover::sim {

FieldSet FieldSet::from_json(const json::Value& fields) {
  FieldSet set;
  if (!fields.is_object()) return set;
  for (const auto& member : fields.get_object()) {
    if (member.key() == ".") {
      set.is_member_ = true;
      continue;
    }
    FieldSet child = from_json(member.value());
    if (child.empty()) child.is_member_ = true;  // a leaf is in the set
    set.below_.emplace(member.key(), std::move(child));
  }
  return set;
}

json::Value FieldSet::to_json() const {
  json::Members members;
  if (is_member_ && !below_.empty()) members["."].emplace_object();
  for (const auto& [step, child] : below_) members[step] = child.to_json();
  return members;
}

const FieldSet& FieldSet::at(std::string_view step) const {
  static const FieldSet kNothing;
  const auto found = below_.find(step);
  return found == below_.end() ? kNothing : found->second;
}

void FieldSet::insert(const Path& path) {
  FieldSet* node = this;
  for (const std::string& step : path) node = &node->below_[step];
  node->is_member_ = true;
}

FieldSet& FieldSet::grow(std::string_view step) {
  const auto found = below_.find(step);
  return found != below_.end() ? found->second : below_[std::string(step)];
}

void FieldSet::erase(std::string_view step) {
  const auto found = below_.find(step);
  if (found != below_.end()) below_.erase(found);
}

FieldSet FieldSet::united(const FieldSet& other) const {
  FieldSet out = *this;
  out.is_member_ = is_member_ || other.is_member_;
  for (const auto& [step, child] : other.below_) {
    FieldSet& mine = out.below_[step];
    mine = mine.united(child);
  }
  return out;
}

FieldSet FieldSet::without(const FieldSet& other) const {
  FieldSet out;
  out.is_member_ = is_member_ && !other.is_member_;
  for (const auto& [step, child] : below_) {
    FieldSet rest = child.without(other.at(step));
    if (!rest.empty()) out.below_.emplace(step, std::move(rest));
  }
  return out;
}

FieldSet FieldSet::shared(const FieldSet& other) const {
  FieldSet out;
  out.is_member_ = is_member_ && other.is_member_;
  for (const auto& [step, child] : below_) {
    FieldSet common = child.shared(other.at(step));
    if (!common.empty()) out.below_.emplace(step, std::move(common));
  }
  return out;
}

bool FieldSet::meets(const FieldSet& other) const {
  if (is_member_ && other.is_member_) return true;
  for (const auto& [step, child] : other.below_) {
    const auto mine = below_.find(step);
    if (mine != below_.end() && mine->second.meets(child)) return true;
  }
  return false;
}

void FieldSet::collect(Path& path, std::vector<Path>& all) const {
  if (is_member_) all.push_back(path);
  for (const auto& [step, child] : below_) {
    path.push_back(step);
    child.collect(path, all);
    path.pop_back();
  }
}

std::vector<FieldSet::Path> FieldSet::paths() const {
  std::vector<Path> all;
  Path path;
  collect(path, all);
  return all;
}

std::string text_of(const FieldSet::Path& path) {
  std::string out;
  for (const std::string& step : path) {
    const std::string_view rest = std::string_view(step).substr(2);
    if (step.starts_with("f:")) {
      out += fmt::format(".{}", rest);
    } else if (step.starts_with("v:")) {
      out += fmt::format("[={}]", rest);
    } else if (step.starts_with("k:")) {
      std::string keys;
      if (const auto parsed = json::parse(rest); parsed && parsed->is_object()) {
        for (const auto& key : parsed->get_object()) {
          keys +=
              fmt::format("{}{}={}", keys.empty() ? "" : ",", std::string_view(key.key()), json::text_of(key.value()));
        }
      }
      out += fmt::format("[{}]", keys);
    } else {
      out += fmt::format("[{}]", rest);
    }
  }
  return out;
}

}  // namespace drover::sim
