#include "vendors/tenstorrent/agent/swap_journal.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "vendors/tenstorrent/agent/kmd_cache.h"
#include "vendors/tenstorrent/words.h"

namespace drover::agent {
namespace {

std::string note_file() { return fmt::format("{}/state.json", kKmdCache); }

// Versions become parts of paths.
std::string version_in(const json::Value& note, std::string_view key) {
  const std::string_view text = json::text_at(note, {key});
  return vendors::is_kmd_version(text) ? std::string(text) : std::string();
}

}  // namespace

KmdNote read_note(host::Host& host) {
  const auto text = host.read(note_file());
  if (!text) return {};
  const auto value = json::parse(*text, 4);
  if (!value) return {};
  return {.boot = std::string(json::text_at(*value, {"boot"})),
          .version = version_in(*value, "version"),
          .is_hosts = json::flag_at(*value, {"hosts"}),
          .from = version_in(*value, "from"),
          .to = version_in(*value, "to"),
          .failed = version_in(*value, "failed"),
          .failed_pod = std::string(json::text_at(*value, {"failedPod"})),
          .failure = base::one_line(json::text_at(*value, {"failure"}), 600)};
}

base::Result<void> write_note(host::Host& host, const KmdNote& note) {
  const json::Members members = {
      {"boot", note.boot}, {"version", note.version}, {"hosts", note.is_hosts},       {"from", note.from},
      {"to", note.to},     {"failed", note.failed},   {"failedPod", note.failed_pod}, {"failure", note.failure}};
  return host.write(note_file(), json::text_of(members) + "\n");
}

}  // namespace drover::agent
