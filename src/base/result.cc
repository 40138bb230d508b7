#include "base/result.h"

namespace drover::base {

std::string_view word(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::NotFound: return "not found";
    case Fault::Kind::AlreadyExists: return "already exists";
    case Fault::Kind::Conflict: return "conflict";
    case Fault::Kind::Expired: return "expired";
    case Fault::Kind::Blocked: return "blocked";
    case Fault::Kind::Throttled: return "throttled";
    case Fault::Kind::Forbidden: return "forbidden";
    case Fault::Kind::Unreachable: return "unreachable";
    case Fault::Kind::Unknown: return "unknown";
    case Fault::Kind::Malformed: return "malformed";
    case Fault::Kind::Refused: return "refused";
    case Fault::Kind::Failed: return "failed";
  }
  return "unnamed";
}

std::unexpected<Fault> with_context(Fault fault, std::string_view context) {
  fault.message = std::string(context) + ": " + fault.message;
  return std::unexpected(std::move(fault));
}

}  // namespace drover::base
