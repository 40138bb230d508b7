#include "sim/serve/log_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace drover::sim {
namespace {

using base::fault;
using base::Fault;

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Percent-decoded; a "%" that does not begin an escape stays as it is.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0) {
      out += static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

base::Result<void> read_option(LogQuery& query, const std::string& key, const std::string& value) {
  const auto refuse = [&] {
    return fault(Fault::Kind::Refused,
                 fmt::format("{}={} makes no sense", base::one_line(key, 40), base::one_line(value, 40)));
  };
  const bool yes = value == "true" || value == "1";
  const auto number = base::parse_int(value);
  if (key == "follow") query.follow = yes;
  if (key == "timestamps") query.timestamps = yes;
  if (key == "previous") query.previous = yes;
  if (key == "tailLines" || key == "limitBytes" || key == "sinceSeconds") {
    if (!number || *number < 0 || *number > 1'000'000'000) return refuse();
    if (key == "tailLines") query.tail = static_cast<std::uint64_t>(*number);
    if (key == "limitBytes") query.most_bytes = static_cast<std::uint64_t>(*number);
    if (key == "sinceSeconds") query.since = std::chrono::seconds(*number);
  }
  if (key == "sinceTime") {
    const auto at = base::parse_rfc3339(value);
    if (!at) return refuse();
    query.since_time = *at;
  }
  return {};
}

}  // namespace

base::Result<LogQuery> parse_log_query(std::string_view target) {
  const auto question = target.find('?');
  const auto parts = base::split(target.substr(0, question), '/');
  // "", "containerLogs", namespace, pod, container
  if (parts.size() != 5 || !parts[0].empty() || parts[1] != "containerLogs") {
    return fault(Fault::Kind::NotFound,
                 "this kubelet is simulated: it serves /containerLogs/NAMESPACE/POD/CONTAINER and /healthz");
  }
  LogQuery query;
  query.container = decoded(parts[2]) + "/" + decoded(parts[3]) + "/" + decoded(parts[4]);
  if (question == std::string_view::npos) return query;
  for (const auto pair : base::split(target.substr(question + 1), '&')) {
    const auto equals = pair.find('=');
    const auto value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    TRY_VOID(read_option(query, decoded(pair.substr(0, equals)), decoded(value)));
  }
  return query;
}

std::uint64_t first_line(const LogQuery& query, const LogBook::Run& run, base::WallTime now) {
  std::uint64_t first = 1;
  if (query.tail) first = run.next_number > *query.tail ? run.next_number - *query.tail : 1;
  auto since = query.since_time;
  if (query.since) since = now - std::chrono::duration_cast<std::chrono::microseconds>(*query.since);
  if (since) {
    const auto at =
        std::find_if(run.lines.begin(), run.lines.end(), [&](const LogBook::Line& line) { return line.at >= *since; });
    first = std::max(first, at == run.lines.end() ? run.next_number : at->number);
  }
  return first;
}

std::string take_lines(const LogQuery& query, const LogBook::Run& run, std::uint64_t& next, std::size_t most) {
  std::string text;
  if (run.lines.empty()) return text;
  next = std::max(next, run.lines.front().number);
  for (auto index = next - run.lines.front().number; index < run.lines.size() && text.size() < most; ++index) {
    const auto& line = run.lines[index];
    if (query.timestamps) text += base::rfc3339_micro(line.at) + " ";
    text += line.text;
    text += '\n';
    next = line.number + 1;
  }
  return text;
}

}  // namespace drover::sim
