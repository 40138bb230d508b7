// What the API server refuses about a node: said before the rule that would be carried out. It is not a row of a flow:
// a row that waits would end the tries, and nothing else tells when the cause is mended.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "base/interned_string.h"
#include "base/time.h"
#include "core/reason.h"

namespace drover::core {

struct RefusalRow {
  Reason reason;
  std::string_view because;  // for people: Events, explain and the docs
};

inline constexpr auto kRefusalTable = std::to_array<RefusalRow>({
    {Reason::WriteRefused, "the API server refuses a write"},
    {Reason::NamespaceMissing, "the namespace of the driver's pods does not exist"},
    {Reason::ServiceAccountMissing, "the ServiceAccount of the driver's pods does not exist"},
    {Reason::OperandRefused, "the API server refuses the driver's DaemonSet or its pods"},
});

// nullptr for any other reason.
constexpr const RefusalRow* refusal_row(Reason reason) {
  const auto* const at = std::find_if(kRefusalTable.begin(), kRefusalTable.end(),
                                      [reason](const RefusalRow& row) { return row.reason == reason; });
  return at == kRefusalTable.end() ? nullptr : at;
}

struct RefusalView {
  Reason reason = Reason::WriteRefused;
  base::InternedString text = {};  // what was to be done, and what the server said
  base::Span retry_in = {};        // so long the node is not taken, and the others do not wait for it
};

}  // namespace drover::core
