// Label selectors: "app=web,tier in (a, b),!legacy" and its object form.
//
// Pure text and maps; the grammar is the one of `kubectl -l`. Kept in base because policies (core), the API store (sim)
// and the command line all ask the same question.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace drover::base {

class Selector {
 public:
  enum class Op { Equals, NotEquals, In, NotIn, Exists, NotExists, GreaterThan, LessThan };
  struct Term {
    std::string key;
    Op op;
    std::vector<std::string> values;
  };

  // Selects everything.
  Selector() = default;

  // "" selects everything; a Refused fault says where the text stops making sense. Keys and values are checked as
  // Kubernetes checks them (length, characters).
  static Result<Selector> parse(std::string_view text);
  // metav1.LabelSelector: matchLabels and matchExpressions; an empty object selects everything.
  static Result<Selector> from_json(const json::Value& selector);

  // Does a set of labels match? The labels are looked up one key at a time.
  using Lookup = std::function<std::optional<std::string_view>(std::string_view key)>;
  bool matches(const Lookup& labels) const;
  bool matches(const json::Members& labels) const;

  bool selects_everything() const { return terms_.empty(); }
  const std::vector<Term>& terms() const { return terms_; }
  // Canonical text, terms in the order given.
  std::string text() const;

 private:
  std::vector<Term> terms_;
};

}  // namespace drover::base
