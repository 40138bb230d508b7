#include "sim/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "sim/same.h"

namespace drover::sim {

namespace {

constexpr std::size_t kLongestValue = 60;
constexpr std::size_t kLongestLine = 400;

bool is_bookkeeping(std::string_view path) {
  return path == "metadata.resourceVersion" || path == "metadata.managedFields" || path == "metadata.generation" ||
         path.ends_with(".lastTransitionTime") || path.ends_with(".lastHeartbeatTime") ||
         path.ends_with(".lastUpdateTime") || path.ends_with(".lastProbeTime");
}

std::string shown(const json::Value& value) {
  if (value.is_string()) return base::one_line(value.get_string(), kLongestValue);
  return base::one_line(json::text_of(value), kLongestValue);
}

// Elements that have a name of their own are compared under it, whatever their place.
std::string_view element_name(const json::Value& element) {
  for (std::string_view key : {"type", "name", "uid"}) {
    if (std::string_view name = json::text_at(element, {key}); !name.empty()) return name;
  }
  return {};
}

bool has_names(const json::Value& list) {
  return list.is_array() && !list.get_array().empty() &&
         std::ranges::all_of(list.get_array(),
                             [](const json::Value& element) { return !element_name(element).empty(); });
}

const json::Value* element_named(const json::Value& list, std::string_view name) {
  for (const json::Value& element : list.get_array()) {
    if (element_name(element) == name) return &element;
  }
  return nullptr;
}

void compare(const std::string& path, const json::Value* before, const json::Value* after,
             std::vector<std::string>& out) {
  if (is_bookkeeping(path)) return;
  if (!after) {
    out.push_back(path + "-");
    return;
  }
  if (before && same(*before, *after)) return;
  const std::string prefix = path.empty() ? path : path + ".";
  if (after->is_object() && (!before || before->is_object())) {
    static const json::Members kNone;
    const json::Members& old = before ? before->get_object() : kNone;
    for (const auto& entry : after->get_object()) {
      compare(prefix + std::string(entry.key()), old.if_contains(entry.key()), &entry.value(), out);
    }
    for (const auto& entry : old) {
      if (!after->get_object().contains(entry.key()))
        compare(prefix + std::string(entry.key()), &entry.value(), nullptr, out);
    }
    return;
  }
  if (has_names(*after) && (!before || (before->is_array() && (before->get_array().empty() || has_names(*before))))) {
    for (const json::Value& element : after->get_array()) {
      const std::string_view name = element_name(element);
      compare(prefix + std::string(name), before ? element_named(*before, name) : nullptr, &element, out);
    }
    if (!before) return;
    for (const json::Value& element : before->get_array()) {
      const std::string_view name = element_name(element);
      if (!element_named(*after, name)) compare(prefix + std::string(name), &element, nullptr, out);
    }
    return;
  }
  out.push_back(fmt::format("{}={}", path, shown(*after)));
}

std::string clock_text(base::Span span) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(span).count();
  return fmt::format("{:02}:{:02}:{:02}.{:03}", ms / 3'600'000, ms / 60'000 % 60, ms / 1000 % 60, ms % 1000);
}

std::string event_text(const kube::Object& event) {
  const json::Value& about = *json::find(event, {"involvedObject"});
  const std::int64_t count = json::int_at(event, {"count"}, 1);
  return fmt::format("{} {} {}/{}: {}{}", json::text_at(event, {"type"}), json::text_at(event, {"reason"}),
                     json::text_at(about, {"kind"}), json::text_at(about, {"name"}), json::text_at(event, {"message"}),
                     count > 1 ? fmt::format(" (x{})", count) : "");
}

}  // namespace

std::string difference(const kube::Object& before, const kube::Object& after) {
  std::vector<std::string> parts;
  compare("", &before, &after, parts);
  return base::join(parts, " ");
}

Transcript::Transcript(const base::Loop& loop, Server& server)
    : loop_(loop),
      server_(server),
      began_at_(loop.now()),
      subscription_(server.store().subscribe([this](const Commit& commit) { heard(commit); })) {}

Transcript::~Transcript() { server_.store().unsubscribe(subscription_); }

void Transcript::note(std::string_view actor, std::string_view what) {
  text_ +=
      fmt::format("{}  {:<24} {}\n", clock_text(loop_.now() - began_at_), actor, base::one_line(what, kLongestLine));
  ++lines_;
}

void Transcript::heard(const Commit& commit) {
  if (commit.resource == "leases.coordination.k8s.io") return;
  const kube::Object& object = *commit.after;
  std::string what;
  if (commit.resource == "events" && commit.kind != Commit::Kind::Removed && json::find(object, {"involvedObject"})) {
    what = event_text(object);
  } else {
    const std::string name = fmt::format("{}/{}", commit.resource, kube::key_of(object));
    switch (commit.kind) {
      case Commit::Kind::Created: what = name + "  created"; break;
      case Commit::Kind::Removed: what = name + "  removed"; break;
      case Commit::Kind::Changed: what = fmt::format("{}  {}", name, difference(*commit.before, object)); break;
    }
  }
  note(server_.asker(), what);
}

}  // namespace drover::sim
