#include "sim/controllers/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kube/api.h"

namespace drover::sim {

namespace {

constexpr double kBurst = 25;
constexpr double kTokensPerSecond = 1.0 / 300;
constexpr base::Span kSameFor = std::chrono::minutes(10);
constexpr std::size_t kTooManyAlike = 10;

}  // namespace

About About::object(const kube::Resource& resource, const kube::Object& object) {
  return {resource.api_version(), resource.kind, std::string(kube::namespace_of(object)),
          std::string(kube::name_of(object)), std::string(kube::uid_of(object))};
}

void Events::normal(const About& about, std::string_view source, std::string_view reason, std::string_view message,
                    std::string_view host) {
  tell(about, "Normal", source, reason, message, host);
}

void Events::warning(const About& about, std::string_view source, std::string_view reason, std::string_view message,
                     std::string_view host) {
  tell(about, "Warning", source, reason, message, host);
}

bool Events::may_speak(Digest speaker) {
  auto [at, is_new] = spoken_.try_emplace(speaker, Allowance{kBurst, loop_.now()});
  Allowance& allowance = at->second;
  const double passed = std::chrono::duration<double>(loop_.now() - allowance.refilled_at).count();
  allowance.tokens = std::min(kBurst, allowance.tokens + passed * kTokensPerSecond);
  allowance.refilled_at = loop_.now();
  if (allowance.tokens < 1) return false;
  allowance.tokens -= 1;
  return true;
}

bool Events::is_one_of_many(Digest kind, std::string_view message) {
  Similar& similar = similar_[kind];
  if (loop_.now() - similar.last_at > kSameFor) similar.messages.clear();
  similar.last_at = loop_.now();
  const Digest digest = base::fnv1a(message);
  if (similar.messages.size() < kTooManyAlike &&
      std::ranges::find(similar.messages, digest) == similar.messages.end()) {
    similar.messages.push_back(digest);
  }
  return similar.messages.size() >= kTooManyAlike;
}

bool Events::raise_count(Known& known, const std::string& ns, std::string_view message) {
  json::Value body = {{"count", known.count + 1}, {"lastTimestamp", base::rfc3339(loop_.wall())}, {"message", message}};
  auto request = kube::patch(kube::kEvents, ns, known.name, kube::PatchKind::Merge, std::move(body));
  request.field_manager = "events";
  if (!server_.serve(request)) return false;
  ++known.count;
  known.last_at = loop_.now();
  return true;
}

// Memory of what was said long ago is dropped all at once: a repetition then becomes a new Event, as after a restart.
void Events::tidy() {
  if (loop_.now() - tidied_at_ < kLifetime) return;
  tidied_at_ = loop_.now();
  known_.clear();
  similar_.clear();
  spoken_.clear();
}

void Events::tell(const About& about, std::string_view type, std::string_view source, std::string_view reason,
                  std::string_view message, std::string_view host) {
  tidy();
  const std::string speaker =
      fmt::format("{}|{}|{}/{}/{}|{}", source, host, about.kind, about.ns, about.name, about.uid);
  if (!may_speak(base::fnv1a(speaker))) return;
  const std::string kind = fmt::format("{}|{}|{}", speaker, type, reason);
  std::string text(message);
  Digest what = base::fnv1a(fmt::format("{}|{}", kind, message));
  if (is_one_of_many(base::fnv1a(kind), message)) {
    text = fmt::format("(combined from similar events): {}", message);
    what = base::fnv1a(kind);
  }
  const std::string ns = about.ns.empty() ? "default" : about.ns;
  if (auto known = known_.find(what); known != known_.end() && loop_.now() - known->second.last_at < kSameFor) {
    if (raise_count(known->second, ns, text)) return;
  }

  const std::string now = base::rfc3339(loop_.wall());
  // Kubernetes appends the clock in hexadecimal; a counter as well keeps two Events of one instant apart.
  const auto stamp = loop_.wall().time_since_epoch().count() * 1000 + static_cast<std::int64_t>(told_++ % 1000);
  const std::string name = fmt::format("{}.{:x}", about.name, stamp);
  json::Value source_of = {{"component", source}};
  if (!host.empty()) source_of.as_object()["host"] = host;
  kube::Object event = {
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata", {{"name", name}, {"namespace", ns}}},
      {"involvedObject", {{"kind", about.kind}, {"name", about.name}, {"apiVersion", about.api_version}}},
      {"reason", reason},
      {"message", text},
      {"source", std::move(source_of)},
      {"firstTimestamp", now},
      {"lastTimestamp", now},
      {"count", 1},
      {"type", type},
      {"reportingComponent", source},
      {"reportingInstance", host},
  };
  auto& involved = event.as_object()["involvedObject"].as_object();
  if (!about.ns.empty()) involved["namespace"] = about.ns;
  if (!about.uid.empty()) involved["uid"] = about.uid;
  auto request = kube::create(kube::kEvents, ns, std::move(event));
  request.field_manager = source;
  // An Event that cannot be told (its namespace ends) is not worth a word.
  if (server_.serve(request)) known_.insert_or_assign(what, Known{name, 1, loop_.now()});
}

}  // namespace drover::sim
