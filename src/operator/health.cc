#include "operator/health.h"

#include <fmt/format.h>

#include <utility>

#include "operator/metrics.h"

namespace drover::operate {
namespace {

constexpr base::Span kBeatEvery = std::chrono::seconds(5);
constexpr base::Span kDeadAfter = std::chrono::seconds(30);

}  // namespace

Health::Health(base::Loop& loop, const Operator& drover, std::function<std::uint64_t()> api_requests)
    : loop_(loop), operator_(drover), api_requests_(std::move(api_requests)) {
  beat();
}

void Health::beat() {
  beaten_at_ = loop_.now();
  next_beat_ = loop_.after(kBeatEvery, [this] { beat(); });
}

Page Health::page(std::string_view method, std::string_view target) const {
  if (method != "GET" && method != "HEAD") return {.code = 405, .body = "only GET is served here\n"};
  const std::string_view path = target.substr(0, target.find('?'));
  if (path == "/healthz") return alive();
  if (path == "/readyz") return ready();
  if (path == "/metrics") {
    return {.type = std::string(kMetricsType), .body = metrics_text(readings_of(operator_, api_requests_()))};
  }
  return {.code = 404, .body = "there are /metrics, /healthz and /readyz\n"};
}

Page Health::alive() const {
  const base::Span since = loop_.now() - beaten_at_;
  if (since < kDeadAfter) return {.body = "ok\n"};
  return {.code = 503, .body = fmt::format("the event loop has not run for {}\n", base::human(since))};
}

Page Health::ready() const {
  if (operator_.stands_by()) return {.body = "ok: standing by\n"};
  if (!operator_.knows_a_policy_kind()) {
    return {.code = 503,
            .body = "the API server knows no kind of policy; install them: kubectl apply -f charts/drover/crds\n"};
  }
  if (!operator_.is_synced()) return {.code = 503, .body = "not everything that is watched has been listed yet\n"};
  return {.body = "ok: leader\n"};
}

}  // namespace drover::operate
