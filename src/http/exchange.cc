#include "http/exchange.h"

#include "base/text.h"

namespace drover::http {

std::string_view HttpRequest::header(std::string_view name) const {
  const auto wanted = base::lower(name);
  for (const auto& one : headers) {
    if (one.name.size() == name.size() && base::lower(one.name) == wanted) return one.value;
  }
  return {};
}

}  // namespace drover::http
