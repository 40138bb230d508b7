#include "protocol/report.h"

#include "base/json.h"
#include "base/text.h"

namespace drover::protocol {
namespace {

using base::Result;
using message::Must;

std::string written_report(const Report& report, std::size_t most_text) {
  json::Members members = message::begin();
  members["boot"] = message::safe(report.boot);
  members["id"] = message::safe(report.id);
  members["digest"] = message::safe(report.digest);
  members["wants"] = word(report.wants);
  members["canUnload"] = report.can_unload;
  if (report.has_paused) members["pausedGates"] = true;
  if (!report.loaded.empty()) members["loaded"] = message::safe(report.loaded);
  if (!report.prepared.empty()) members["prepared"] = message::safe(report.prepared);
  if (report.cannot_prepare) members["cannotPrepare"] = true;
  if (report.is_blocked) members["blocked"] = true;
  if (report.is_refused) members["refused"] = true;
  members["message"] = most_text == 0 ? "" : base::one_line(report.message, most_text);
  return json::text_of(members);
}

}  // namespace

Result<Report> parse_report(std::string_view text) {
  TRY(const json::Value value, message::read(text));
  Report report;
  TRY(report.boot, message::name_in(value, "boot", Must::BeFilled));
  TRY(report.id, message::name_in(value, "id", Must::BeThere));
  TRY(report.digest, message::name_in(value, "digest", Must::BeThere));
  TRY(report.wants, message::request_in(value, "wants"));
  TRY(report.can_unload, message::flag_in(value, "canUnload", Must::BeThere));
  TRY(report.has_paused, message::flag_in(value, "pausedGates", Must::Nothing));
  TRY(report.loaded, message::name_in(value, "loaded", Must::Nothing));
  TRY(report.prepared, message::name_in(value, "prepared", Must::Nothing));
  TRY(report.cannot_prepare, message::flag_in(value, "cannotPrepare", Must::Nothing));
  TRY(report.is_blocked, message::flag_in(value, "blocked", Must::Nothing));
  TRY(report.is_refused, message::flag_in(value, "refused", Must::Nothing));
  TRY(report.message, message::text_in(value));
  return report;
}

std::string text_of(const Report& report) {
  return message::shortened([&](std::size_t most_text) { return written_report(report, most_text); });
}

}  // namespace drover::protocol
