#include "sim/journal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/time.h"

namespace drover::sim {

base::Result<std::unique_ptr<Journal>> Journal::open(const base::Loop& loop, const std::string& path) {
  std::shared_ptr<std::FILE> file(std::fopen(path.c_str(), "ae"), [](std::FILE* f) {
    if (f != nullptr) std::fclose(f);
  });
  if (!file) {
    return base::fault(
        base::Fault::Kind::Refused,
        fmt::format("cannot write the journal {}: {}; give --journal a file in a folder that exists and is yours", path,
                    std::strerror(errno)));
  }
  return std::make_unique<Journal>(loop, [file](std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), file.get());
    std::fflush(file.get());
  });
}

void Journal::note(std::string_view event, const Where& where, More more) {
  json::Members line;
  line["at"] = base::rfc3339_micro(loop_.wall());
  line["event"] = event;
  line["node"] = where.node;
  if (!where.pod.empty()) line["pod"] = where.pod;
  if (!where.uid.empty()) line["uid"] = where.uid;
  if (!where.container.empty()) line["container"] = where.container;
  for (const auto& [key, value] : more) line[key] = json::Value(value);
  // As text of its own: a JSON writer would put seconds since boot into exponent form.
  const auto since = loop_.now().time_since_epoch().count();
  std::string text = json::text_of(line);
  text.pop_back();
  sink_(fmt::format("{},\"mono\":{}.{:09}}}\n", text, since / 1'000'000'000, since % 1'000'000'000));
}

}  // namespace drover::sim
