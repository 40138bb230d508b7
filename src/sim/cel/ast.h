// An expression as a tree, and where in the text each part stands.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/cel/value.h"

namespace drover::sim::cel {

struct Function;
struct Node;
using NodeRef = std::unique_ptr<Node>;

struct Node {
  enum class Kind {
    Literal,
    Ident,   // text
    Select,  // parts[0].text
    Has,     // has(parts[0].text)
    Call,    // text(parts...), or parts[0].text(parts[1...]) when `on_target`
    List,    // parts
    Map,     // parts: key, value, key, value
    Loop,    // a macro over parts[0]: `macro`, `variable`, body in parts[1], for map with a filter: filter, body
  };
  enum class Macro { All, Exists, ExistsOne, Map, Filter };

  Kind kind = Kind::Literal;
  std::size_t at = 0;  // byte in the text that messages point to
  std::string text = {};
  Value literal = {};
  std::vector<NodeRef> parts = {};
  bool on_target = false;
  Macro macro = Macro::All;
  std::string variable = {};
  std::string second_variable = {};  // all(key, value, …): the index or key, and the value
  int depth = 1;                     // of the tree below, this node included

  const Function* function = nullptr;        // Call: found by the checker
  std::shared_ptr<const void> pattern = {};  // Call of a regex function with a literal pattern: the compiled one
};

// Complaints about a text, in CEL's form: "ERROR: <input>:1:5: …" with the line and a caret.
class Complaints {
 public:
  explicit Complaints(std::string_view text) : text_(text) {}
  void add(std::size_t at, std::string message);
  bool empty() const { return found_.empty(); }
  // All of them, in the order of the text.
  std::string report() const;

 private:
  struct Complaint {
    std::size_t at;
    std::size_t order;
    std::string message;
  };
  std::string_view text_;
  std::vector<Complaint> found_;
};

// Deeper trees than this are refused; everything that walks a tree relies on it.
inline constexpr int kMaxDepth = 250;
// Longer expressions than this are refused.
inline constexpr std::size_t kMaxLength = 100'000;

// The tree, or nullptr and a complaint.
NodeRef parse(std::string_view text, Complaints& complaints);

}  // namespace drover::sim::cel
