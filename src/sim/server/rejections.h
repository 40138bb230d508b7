// Every refusal of the server, in kube-apiserver's words, and the list of field errors that "Invalid" is made
// of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/resource.h"
#include "sim/server.h"

namespace drover::sim {

using Refusal = std::unexpected<Rejection>;

Refusal not_found(const kube::Resource& resource, std::string_view name);
Refusal already_exists(const kube::Resource& resource, std::string_view name);
// A conflict in kube's frame: 'Operation cannot be fulfilled on nodes "x": WHY'.
Refusal conflict(const kube::Resource& resource, std::string_view name, std::string_view why);
// The object has changed since it was read: the resourceVersion is not the newest.
Refusal modified_since(const kube::Resource& resource, std::string_view name);
Refusal forbidden(const kube::Resource& resource, std::string_view name, std::string_view why);
Refusal bad_request(std::string message);
Refusal method_not_supported(const kube::Resource& resource, std::string_view action);
Refusal expired(std::string message);
Refusal too_old(std::uint64_t asked, std::uint64_t oldest);
Refusal internal_error(std::string_view why);
// No such path: an unknown resource or subresource.
Refusal no_such_resource();
Refusal unsupported_media_type(std::string message);
// 429 with a cause DisruptionBudget; `retry_after` of zero is not sent.
Refusal held_by_budget(std::string_view cause, int retry_after_seconds);

// One thing wrong with one field.
struct FieldError {
  std::string reason;  // metav1.CauseType: "FieldValueInvalid", "FieldValueRequired", …
  std::string field;   // "spec.containers[0].name"
  std::string body;    // "Invalid value: \"x\": must be …"

  std::string text() const { return field.empty() ? body : field + ": " + body; }
};

class FieldErrors {
 public:
  // Values are JSON text: strings quoted, numbers bare.
  void invalid(std::string field, std::string_view value, std::string_view detail);
  void required(std::string field, std::string_view detail);
  void forbidden(std::string field, std::string_view detail);
  void duplicate(std::string field, std::string_view value);
  // `supported` in kube's form: "A", "B".
  void not_supported(std::string field, std::string_view value, const std::vector<std::string>& supported);
  void too_long(std::string field, std::size_t most);
  void not_found(std::string field, std::string_view value);

  bool empty() const { return errors_.empty(); }
  const std::vector<FieldError>& all() const { return errors_; }
  void add(FieldError error) { errors_.push_back(std::move(error)); }

 private:
  std::vector<FieldError> errors_;
};

// 'Pod "x" is invalid: …' with one cause per field error; `kind` may be a plural where kube says it that way.
Refusal invalid(std::string_view group, std::string_view kind, std::string_view name, const FieldErrors& errors);

// A string as kube quotes it in messages.
std::string quoted(std::string_view text);

}  // namespace drover::sim
