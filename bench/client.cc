// How fast lists and watches come in: 20,000 pods of 8 KB, from memory and over a socket.
//
// The end-to-end part runs in two child processes, so that the client's memory and CPU are the client's alone: one
// serves pages of the list as an API server does (chunked, one chunk for each object), the other lists them with
// HttpApi.
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "bench.h"
#include "kube/http_api.h"
#include "kube/stream.h"
#include "pod_list.h"

namespace drover::bench {
namespace {

constexpr std::size_t kMostObjectBytes = 8 * 1024 * 1024;

// What an operator keeps of a pod.
struct SmallPod {
  std::string key;
  std::string node;
  std::string phase;
  bool is_owned = false;
};

SmallPod small(const kube::Object& pod) {
  return {kube::key_of(pod), std::string(json::text_at(pod, {"spec", "nodeName"})),
          std::string(json::text_at(pod, {"status", "phase"})), kube::controller_of(pod) != nullptr};
}

std::string list_head(int next) {
  std::string head = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"2000000")";
  if (next > 0) head += fmt::format(R"(,"continue":"{}")", next);
  return head + R"(},"items":[)";
}

// The server's side.

bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const auto sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

int number_after(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key);
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + key.size());
}

bool serve_page(int socket, const std::string& request, int pods) {
  const int first = number_after(request, "continue=");
  const int limit = std::max(1, number_after(request, "limit="));
  const int end = std::min(pods, first + limit);
  std::string page = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto chunk = [&](std::string_view text) { page += fmt::format("{:x}\r\n{}\r\n", text.size(), text); };
  chunk(list_head(end < pods ? end : 0));
  for (int i = first; i < end; ++i) chunk((i > first ? "," : "") + pod_json(i));
  chunk("]}");
  page += "0\r\n\r\n";
  return send_all(socket, page);
}

[[noreturn]] void serve(int listener, int pods) {
  for (;;) {
    const int socket = ::accept(listener, nullptr, nullptr);
    if (socket < 0) ::_exit(1);
    std::string heard;
    char piece[4096];
    for (;;) {
      const auto got = ::recv(socket, piece, sizeof piece, 0);
      if (got <= 0) break;
      heard.append(piece, static_cast<std::size_t>(got));
      const std::size_t head_end = heard.find("\r\n\r\n");
      if (head_end == std::string::npos) continue;
      if (!serve_page(socket, heard, pods)) break;
      heard.erase(0, head_end + 4);
    }
    ::close(socket);
  }
}

// The client's side.

struct Figures {
  double cpu_seconds = 0;
  double bytes = 0;
  double peak_mb = 0;
  double pods = 0;
};

double peak_rss_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atof(line.c_str() + 6) / 1024;
  }
  return 0;
}

double process_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Figures list_over_a_socket(int port) {
  kube::AsioLoop loop;
  kube::Target target;
  target.tls = false;
  target.host = "127.0.0.1";
  target.port = std::to_string(port);
  auto api = kube::HttpApi::open(loop, target);
  if (!api) return {};
  std::vector<SmallPod> pods;
  kube::ListRequest request;
  request.range.resource = kube::kPods;
  request.projection = pod_projection();
  const double before = process_cpu_seconds();
  double after = 0;
  const kube::Call call = (*api)->list(request, {[&](const kube::Object& pod) { pods.push_back(small(pod)); },
                                                 [&](const kube::Result<kube::ListEnd>& end) {
                                                   if (!end) fmt::print(stderr, "{}\n", end.error().message);
                                                   after = process_cpu_seconds();
                                                   loop.stop();
                                                 }});
  loop.run();
  return {after - before, static_cast<double>((*api)->counters().bytes_read), peak_rss_mb(),
          static_cast<double>(pods.size())};
}

Figures end_to_end(int pods) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 8) != 0) return {};
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const pid_t server = ::fork();
  if (server == 0) serve(listener, pods);
  ::close(listener);
  int pipe_ends[2];
  if (::pipe(pipe_ends) != 0) return {};
  const pid_t client = ::fork();
  if (client == 0) {
    const Figures figures = list_over_a_socket(ntohs(address.sin_port));
    const auto written = ::write(pipe_ends[1], &figures, sizeof figures);
    ::_exit(written == sizeof figures ? 0 : 1);
  }
  ::close(pipe_ends[1]);
  Figures figures;
  if (::read(pipe_ends[0], &figures, sizeof figures) != sizeof figures) figures = {};
  ::close(pipe_ends[0]);
  ::kill(server, SIGTERM);
  for (const pid_t child : {server, client}) ::waitpid(child, nullptr, 0);
  return figures;
}

// From memory.

void parse_list(const std::string& list) {
  std::size_t count = 0;
  kube::ListParser parser(pod_projection(), [&](const kube::Object&) { ++count; }, kMostObjectBytes);
  // In the pieces in which a connection reads.
  for (std::size_t at = 0; at < list.size(); at += 65536) {
    if (!parser.feed(std::string_view(list).substr(at, 65536))) std::abort();
  }
  if (!parser.finish() || count == 0) std::abort();
}

void parse_events(const std::vector<std::string>& events) {
  std::size_t count = 0;
  kube::WatchParser parser(pod_projection(), [&](const kube::WatchEvent&) { ++count; }, kMostObjectBytes);
  for (const std::string& event : events) {
    if (!parser.feed(event)) std::abort();
  }
  if (count != events.size()) std::abort();
}

}  // namespace
}  // namespace drover::bench

int main(int argc, char** argv) {
  using namespace drover::bench;
  Report report("client: 20,000 pods of 8 KB, projected as they stream in", argc, argv);
  const int pods = report.smoke() ? 300 : 20'000;
  const int rounds = report.smoke() ? 1 : 5;

  // First, while this process is still small: children inherit what is resident.
  Figures best;
  for (int round = 0; round < (report.smoke() ? 1 : 3); ++round) {
    const Figures figures = end_to_end(pods);
    if (static_cast<int>(figures.pods) != pods) return 1;
    if (best.cpu_seconds == 0 || figures.cpu_seconds < best.cpu_seconds) best = figures;
  }

  std::string list = list_head(0);
  for (int i = 0; i < pods; ++i) list += (i > 0 ? "," : "") + pod_json(i);
  list += "]}";
  std::vector<std::string> events;
  std::size_t event_bytes = 0;
  for (int i = 0; i < pods / 4; ++i) {
    events.push_back(R"({"type":"MODIFIED","object":)" + pod_json(i, PodSize::FourKilobytes) + "}\n");
    event_bytes += events.back().size();
  }
  std::string copy(list.size(), 0);
  const auto list_bytes = static_cast<double>(list.size());
  const Pair parse =
      in_turns(rounds, [&] { parse_list(list); }, [&] { std::memcpy(copy.data(), list.data(), list.size()); });
  const Pair watch = in_turns(rounds, [&] { parse_list(list); }, [&] { parse_events(events); });
  const double list_rate = list_bytes / watch.first;
  const double event_rate = static_cast<double>(event_bytes) / watch.second;

  report.row("list, bytes", list_bytes / 1e6, "MB");
  report.row("list from memory, of one core", list_bytes / parse.first / 1e6, "MB/s", "at least 500");
  report.row("list from memory, time of memcpy", parse.first / parse.second, "times");
  report.row("list over a socket, client's CPU", best.bytes / best.cpu_seconds / 1e6, "MB/s", "at least 500");
  report.row("list over a socket, client's peak memory", best.peak_mb, "MB", "at most 40");
  report.row("watch event of 4 KB, cost of a byte against the list's", list_rate / event_rate, "times", "at most 2");
  return report.finish();
}
