// metav1.Status: how an API server says no, in both directions: the client reads it, the embedded cluster writes it.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace drover::kube {

// The fault that an HTTP answer with this code and Status body means. `what` is sentence(request). A body that is no
// Status (HTML of a proxy, cut JSON) still gives a fault, with one line of what was there.
//   404 NotFound · 409 AlreadyExists or Conflict by reason · 410 Expired (also reason Expired) · 429 with cause
//   DisruptionBudget Blocked · other 429 Throttled · 401, 403 Forbidden · 500 "more than one PodDisruptionBudget"
//   Blocked · 503/504 with Retry-After Throttled · other 5xx Failed · other 4xx Refused.
base::Fault fault_from(int code, const json::Value& status, std::string_view retry_after, std::string_view what);

// A Status object: {"kind":"Status","status":"Failure","code":404,"reason":"NotFound",…}.
json::Value make_status(int code, std::string_view reason, std::string_view message, json::Value details = {});

}  // namespace drover::kube
