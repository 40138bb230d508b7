// A set of places in an object, as metadata.managedFields writes it (FieldsV1).
//
// A tree: each step is "f:NAME" (a member), "k:{…}" (an element of a keyed list), "v:…" (an element of a set). A node
// may itself be in the set, besides what is below it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace drover::sim {

class FieldSet {
 public:
  using Path = std::vector<std::string>;

  static FieldSet from_json(const json::Value& fields);
  json::Value to_json() const;

  bool empty() const { return !is_member_ && below_.empty(); }
  bool is_member() const { return is_member_; }
  const std::map<std::string, FieldSet, std::less<>>& below() const { return below_; }
  // What is below a step; an empty set when nothing is.
  const FieldSet& at(std::string_view step) const;

  void insert(const Path& path);
  void mark() { is_member_ = true; }
  FieldSet& grow(std::string_view step);
  void erase(std::string_view step);

  FieldSet united(const FieldSet& other) const;
  FieldSet without(const FieldSet& other) const;
  FieldSet shared(const FieldSet& other) const;
  // Is any place in both?
  bool meets(const FieldSet& other) const;

  // Every place in the set, in order.
  std::vector<Path> paths() const;

  friend bool operator==(const FieldSet&, const FieldSet&) = default;

 private:
  void collect(Path& path, std::vector<Path>& all) const;

  bool is_member_ = false;
  std::map<std::string, FieldSet, std::less<>> below_;
};

// ".spec.containers[name=\"main\"].image", as conflicts name a place.
std::string text_of(const FieldSet::Path& path);

}  // namespace drover::sim
