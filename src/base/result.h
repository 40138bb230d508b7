// What can go wrong, told apart by what a caller can do about it.
//
// A Fault exists only if some caller reacts to it differently from the others; causes that lead to the same reaction
// share one. "Unknown" is the honest one: the request left, the answer did not come, so it may have happened. Only
// looking may follow it, never a blind retry.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace drover::base {

struct Fault {
  enum class Kind {
    NotFound,       // it is not there
    AlreadyExists,  // create: it was created before (perhaps by us, before a crash)
    Conflict,       // a precondition (resourceVersion, uid, field ownership) did not hold: look and decide again
    Expired,        // the resourceVersion or continue token is too old: list again
    Blocked,        // a disruption budget holds the pod
    Throttled,      // the server asks us to slow down; `retry_after` says for how long
    Forbidden,      // 401 and 403: we may not
    Unreachable,    // nothing was sent: no connection, no name, no trust
    Unknown,        // sent, answer lost: it may have happened
    Malformed,      // the peer answered with something that is not what it must be; or an input file is garbled
    Refused,        // understood and rejected: invalid, bad request, not allowed, refused by admission
    Failed,         // the server broke (5xx with an answer): nothing is known to have happened; try later
  };

  Kind kind = Kind::Refused;
  std::string message;                                       // what, where, why, and what to do next; one line
  std::optional<std::chrono::nanoseconds> retry_after = {};  // the peer's request, when it gave one
};

// The kind as one lower-case word or two ("not found"), for messages and transcripts.
std::string_view word(Fault::Kind kind);

template <class T>
using Result = std::expected<T, Fault>;

// Makes the error side of a Result: `return fault(Fault::Kind::Malformed, "…")`.
inline std::unexpected<Fault> fault(Fault::Kind kind, std::string message) {
  return std::unexpected(Fault{kind, std::move(message)});
}

// Passes a Fault on with "context: " before its message; for the one place that knows what the failure means.
std::unexpected<Fault> with_context(Fault fault, std::string_view context);

}  // namespace drover::base

#define DROVER_JOIN_(a, b) a##b
#define DROVER_JOIN(a, b) DROVER_JOIN_(a, b)
#define DROVER_TRY_(tmp, decl, ...)                         \
  auto tmp = (__VA_ARGS__);                                 \
  if (!tmp) return std::unexpected(std::move(tmp).error()); \
  decl = std::move(*tmp)

// TRY(auto port, parse_port(text)): the value, or return the Fault to our caller.
#define TRY(decl, ...) DROVER_TRY_(DROVER_JOIN(try_, __LINE__), decl, __VA_ARGS__)

// TRY_VOID(check(x)): the same for Result<void>.
#define TRY_VOID(...)                                                                 \
  if (auto DROVER_JOIN(try_, __LINE__) = (__VA_ARGS__); !DROVER_JOIN(try_, __LINE__)) \
  return std::unexpected(std::move(DROVER_JOIN(try_, __LINE__)).error())
