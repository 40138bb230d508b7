// How an API server says no. The kind of fault is chosen by code and reason, never by the wording, with one exception
// that Kubernetes forces: a pod under two budgets is refused with a 500 whose message alone says so.
#include "kube/status.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/time.h"

namespace drover::kube {
namespace {

using Kind = base::Fault::Kind;

// Which budget holds the pod and by how much; "" when no budget is the cause.
std::string_view budget_in_the_way(const json::Value& status) {
  for (const json::Value& cause : json::array_at(status, {"details", "causes"})) {
    if (json::text_at(cause, {"reason"}) != "DisruptionBudget") continue;
    const std::string_view message = json::text_at(cause, {"message"});
    return message.empty() ? "a disruption budget" : message;
  }
  return {};
}

Kind kind_from(int code, const json::Value& status, bool wait_was_named) {
  const std::string_view reason = json::text_at(status, {"reason"});
  if (code == 410 || reason == "Expired" || reason == "Gone") return Kind::Expired;
  switch (code) {
    case 401:
    case 403: return Kind::Forbidden;
    case 404: return Kind::NotFound;
    case 409: return reason == "AlreadyExists" ? Kind::AlreadyExists : Kind::Conflict;
    case 429: return budget_in_the_way(status).empty() ? Kind::Throttled : Kind::Blocked;
    case 500:
      if (json::text_at(status, {"message"}).find("more than one PodDisruptionBudget") != std::string_view::npos) {
        return Kind::Blocked;
      }
      return Kind::Failed;
    case 503:
    case 504: return wait_was_named ? Kind::Throttled : Kind::Failed;
    default: break;
  }
  if (code >= 300 && code < 500) return Kind::Refused;
  return code >= 500 || code == 0 ? Kind::Failed : Kind::Malformed;
}

std::optional<base::Span> wait_from(const json::Value& status, std::string_view retry_after) {
  if (const auto seconds = base::parse_int(base::trim(retry_after)); seconds && *seconds >= 0) {
    return std::chrono::seconds(std::min<std::int64_t>(*seconds, 86400));
  }
  if (const auto seconds = json::int_at(status, {"details", "retryAfterSeconds"}); seconds > 0) {
    return std::chrono::seconds(std::min<std::int64_t>(seconds, 86400));
  }
  return {};
}

// What the server said, in one line. A `status` that is text is a body that was no JSON.
std::string said(int code, const json::Value& status) {
  if (const auto budget = budget_in_the_way(status); !budget.empty()) return base::one_line(budget, 400);
  if (const auto message = json::text_at(status, {"message"}); !message.empty()) return base::one_line(message, 400);
  if (const auto reason = json::text_at(status, {"reason"}); !reason.empty()) {
    return fmt::format("{} ({})", base::one_line(reason), code);
  }
  if (status.is_string() && !base::trim(status.get_string()).empty()) {
    return fmt::format(
        "the answer is {} and no Status but \"{}\" (is this address an API server, or a proxy before it?)", code,
        base::one_line(base::trim(status.get_string()), 120));
  }
  return fmt::format("the answer is {} and says nothing more", code);
}

// What admission refuses has the code of a missing right, or that of an invalid object: only its words tell.
struct Admission {
  std::string_view says;
  std::string_view next;
};
constexpr Admission kAdmission[] = {
    {"ValidatingAdmissionPolicy", "; that ValidatingAdmissionPolicy must allow it"},
    {"failed calling webhook", "; that webhook must answer, or be removed"},
    {"admission webhook", "; that webhook must allow it"},
    {"exceeded quota", "; raise that ResourceQuota"},
    {"failed quota", "; change that ResourceQuota"},
    {"violates PodSecurity", "; label the namespace pod-security.kubernetes.io/enforce=privileged"},
    {"error looking up service account", "; create that ServiceAccount"},
    {"because it is being terminated", "; wait until the namespace is gone, then create it again"},
};

std::string_view next_by_admission(const json::Value& status) {
  const std::string_view message = json::text_at(status, {"message"});
  for (const Admission& one : kAdmission) {
    if (message.find(one.says) != std::string_view::npos) return one.next;
  }
  return {};
}

// 'User "drover" cannot patch resource "nodes"'; a server that says nothing at all lacks the right, too.
bool lacks_right(const json::Value& status) {
  const std::string_view message = json::text_at(status, {"message"});
  return message.empty() ||
         (message.find("User \"") != std::string_view::npos && message.find(" cannot ") != std::string_view::npos);
}

std::string next_step(Kind kind, int code, const json::Value& status, const std::optional<base::Span>& wait) {
  if (kind == Kind::Forbidden || kind == Kind::Refused || kind == Kind::Failed) {
    if (const auto next = next_by_admission(status); !next.empty()) return std::string(next);
  }
  switch (kind) {
    case Kind::Forbidden:
      if (code == 401)
        return "; the server does not accept our credential: log in again, or check the user in the kubeconfig";
      return lacks_right(status) ? "; grant it with a Role or ClusterRole" : "; an admission plugin must allow it";
    case Kind::NotFound:
      if (json::text_at(status, {"details", "kind"}) != "namespaces") return "";
      return fmt::format("; create it: kubectl create namespace {}",
                         base::one_line(json::text_at(status, {"details", "name"}), 80));
    case Kind::Blocked: return "; the budget must allow a disruption first";
    case Kind::Throttled:
      return wait ? fmt::format("; the server asks us to wait {}", base::human(*wait))
                  : "; the server asks us to slow down";
    case Kind::Expired: return "; list again";
    case Kind::Conflict: return "; read the object again and retry";
    case Kind::Failed: return "; try again later";
    default: return "";
  }
}

}  // namespace

base::Fault fault_from(int code, const json::Value& status, std::string_view retry_after, std::string_view what) {
  if (code == 0) code = static_cast<int>(json::int_at(status, {"code"}));
  const auto wait = wait_from(status, retry_after);
  const Kind kind = kind_from(code, status, wait.has_value());
  std::string message = fmt::format("{}: {}{}", what, said(code, status), next_step(kind, code, status, wait));
  return {.kind = kind, .message = std::move(message), .retry_after = wait};
}

json::Value make_status(int code, std::string_view reason, std::string_view message, json::Value details) {
  json::Members status = {{"kind", "Status"},
                          {"apiVersion", "v1"},
                          {"metadata", json::Members{}},
                          {"status", code < 400 ? "Success" : "Failure"}};
  if (!message.empty()) status["message"] = message;
  if (!reason.empty()) status["reason"] = reason;
  if (!details.is_null()) status["details"] = std::move(details);
  status["code"] = code;
  return status;
}

}  // namespace drover::kube
