// The graph of Types that the tables become.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/types/types.h"

namespace drover::sim::types {

class Graph {
 public:
  // Reads tables into one graph. What cannot be read or found is told in `complaints` and left out.
  explicit Graph(const std::vector<std::string_view>& tables);

  // "core.PodSpec", or nullptr.
  const Type* find(std::string_view scoped) const;
  const std::vector<Kind>& kinds() const { return kinds_; }
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  struct Scope {
    std::string_view name;
    std::string_view group;
    std::string_view version;
    std::string_view prefix;
  };
  struct Alias {
    std::string_view type;
    std::string_view version = {};
    std::vector<std::string_view> choices = {};
  };
  // A field before every type is known.
  struct Row {
    std::string_view scope;
    std::string_view name;
    std::string_view type;
    std::string_view marks;
    std::string_view about;
  };

  void read_line(std::string_view line);
  void read_alias(std::string_view line);
  void open_type(std::string_view line);
  void add_basics();
  void fill(Type& type, const std::vector<Row>& rows, std::string_view through);
  Field field(const Row& row, std::string_view through);
  const Type* resolve(std::string_view scope, std::string_view spelled);

  std::deque<Type> types_;
  std::map<std::string, Type*, std::less<>> by_name_;
  std::map<std::string, Alias, std::less<>> aliases_;  // "core.PullPolicy"
  std::map<std::string, std::vector<Row>, std::less<>> rows_;
  std::vector<Kind> kinds_;
  std::vector<std::string> complaints_;
  Scope scope_;
  std::vector<Row>* open_ = nullptr;
};

// The graph of all tables; read at the first call.
const Graph& graph();

}  // namespace drover::sim::types
