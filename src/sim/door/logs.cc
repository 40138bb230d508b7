#include "sim/door/logs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/time.h"
#include "kube/object.h"
#include "sim/serve/log_query.h"
#include "sim/serve/log_stream.h"
#include "sim/server/rejections.h"

namespace drover::sim::door {
namespace {

std::vector<std::string> containers_of(const kube::Object& pod) {
  std::vector<std::string> names;
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const json::Value& one : json::array_at(pod, {"spec", list})) names.emplace_back(json::text_at(one, {"name"}));
  }
  return names;
}

Answer<std::string> container_asked(const kube::Object& pod, std::string_view asked) {
  const std::vector<std::string> names = containers_of(pod);
  if (asked.empty()) {
    const json::Array& ordinary = json::array_at(pod, {"spec", "containers"});
    if (ordinary.size() == 1) return std::string(json::text_at(ordinary.front(), {"name"}));
    return bad_request(fmt::format("a container name must be specified for pod {}, choose one of: [{}]",
                                   kube::name_of(pod), fmt::join(names, " ")));
  }
  if (std::find(names.begin(), names.end(), asked) == names.end()) {
    return bad_request(fmt::format("container {} is not valid for pod {}", asked, kube::name_of(pod)));
  }
  return std::string(asked);
}

Refusal wrong_option(std::string_view field, std::string_view value, std::string_view why) {
  FieldErrors errors;
  errors.invalid(std::string(field), value, why);
  return invalid("", "PodLogOptions", "", errors);
}

Answer<LogQuery> read_options(const Query& asked) {
  LogQuery query;
  query.follow = asked.flag("follow");
  query.timestamps = asked.flag("timestamps");
  query.previous = asked.flag("previous");
  TRY(const auto tail, asked.number("tailLines"));
  TRY(const auto seconds, asked.number("sinceSeconds"));
  TRY(const auto bytes, asked.number("limitBytes"));
  if (tail && *tail < 0) {
    return wrong_option("tailLines", std::to_string(*tail), "must be greater than or equal to 0");
  }
  if (bytes && *bytes < 1) return wrong_option("limitBytes", std::to_string(*bytes), "must be greater than 0");
  if (seconds && *seconds < 1) return wrong_option("sinceSeconds", std::to_string(*seconds), "must be greater than 0");
  if (tail) query.tail = static_cast<std::uint64_t>(*tail);
  if (bytes) query.most_bytes = static_cast<std::uint64_t>(*bytes);
  if (seconds) query.since = std::chrono::seconds(std::min<std::int64_t>(*seconds, 1'000'000'000));
  if (const std::string_view time = asked.text("sinceTime"); !time.empty()) {
    const auto at = base::parse_rfc3339(time);
    if (!at) {
      return bad_request(fmt::format("parsing time {} as \"2006-01-02T15:04:05Z07:00\": cannot parse {} as \"2006\"",
                                     quoted(time), quoted(time)));
    }
    query.since_time = *at;
  }
  return query;
}

// Why a container that exists in the spec has said nothing.
std::string waiting_reason(const kube::Object& pod, std::string_view container) {
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (const json::Value& one : json::array_at(pod, {"status", list})) {
      if (json::text_at(one, {"name"}) != container) continue;
      if (const auto reason = json::text_at(one, {"state", "waiting", "reason"}); !reason.empty()) {
        return std::string(reason);
      }
    }
  }
  return "ContainerCreating";
}

}  // namespace

void answer_log(DoorContext& context, const Visit& visit) {
  const Wanted& wanted = visit.wanted;
  auto query = read_options(wanted.query);
  if (!query) return visit.say(query.error());
  const Stored pod = context.server.store().find("pods", wanted.ns + "/" + wanted.name);
  if (!pod) return visit.say(not_found(kube::kPods, wanted.name).error());
  const auto container = container_asked(*pod, wanted.query.text("container"));
  if (!container) return visit.say(container.error());
  HttpReply nothing;
  nothing.code = 204;
  nothing.content_type.clear();
  if (json::text_at(*pod, {"spec", "nodeName"}).empty()) return visit.exchange->reply(std::move(nothing));

  query->container = fmt::format("{}/{}/{}", wanted.ns, wanted.name, *container);
  const LogBook::Run* run = context.logs == nullptr ? nullptr : context.logs->run(query->container, query->previous);
  if (run == nullptr) {
    const std::string why = query->previous
                                ? fmt::format("previous terminated container {} in pod {} not found",
                                              quoted(*container), quoted(wanted.name))
                                : fmt::format("container {} in pod {} is waiting to start: {}", quoted(*container),
                                              quoted(wanted.name), waiting_reason(*pod, *container));
    return visit.say(bad_request(why).error());
  }
  HttpReply head;
  head.content_type = "text/plain";
  head.headers.push_back({"Cache-Control", "no-cache, private"});
  stream_log({context.loop, *context.logs, context.streams}, std::move(*query), *run, visit.exchange, std::move(head));
}

}  // namespace drover::sim::door
