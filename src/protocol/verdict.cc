#include "protocol/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace drover::protocol {
namespace {

using base::Fault;
using base::Result;

constexpr std::int64_t kVerdictSpoken = 1;  // the version of these words
constexpr std::size_t kMostParts = 64;
constexpr std::size_t kMostPartBytes = 20;
constexpr std::size_t kMostIdBytes = 128;
constexpr std::size_t kMostTextBytes = 1200;
constexpr std::size_t kMostLineBytes = 160;
constexpr std::size_t kMostLines = 12;

constexpr std::array<std::pair<Outcome, std::string_view>, 9> kOutcomes{{
    {Outcome::Done, "done"},
    {Outcome::Ready, "ready"},
    {Outcome::NotBegun, "not-begun"},
    {Outcome::Unfinished, "unfinished"},
    {Outcome::CannotDo, "cannot-do"},
    {Outcome::NoDriver, "no-driver"},
    {Outcome::Failed, "failed"},
    {Outcome::Mismatch, "mismatch"},
    {Outcome::Wedged, "wedged"},
}};

std::unexpected<Fault> unreadable(std::string why) { return base::fault(Fault::Kind::Malformed, std::move(why)); }

std::string text_in(const json::Value& value, std::string_view key, std::size_t most) {
  return base::one_line(json::text_at(value, {key}), most);
}

// The kubelet hands on what is UTF-8; what a program printed may be anything.
std::string plain(std::string_view text, std::size_t most) {
  std::string ascii;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80)
      ascii += c;
    else if ((byte & 0xC0U) != 0x80U)
      ascii += '?';
  }
  return base::one_line(ascii, most);
}

std::string written_verdict(const Verdict& verdict, std::size_t lines, std::size_t most_text, std::size_t most_parts) {
  json::Array parts;
  for (std::size_t i = 0; i < std::min(verdict.parts.size(), most_parts); ++i) {
    parts.push_back(json::Array{json::Value(plain(verdict.parts[i].name, kMostPartBytes)),
                                json::Value(plain(verdict.parts[i].version, kMostPartBytes))});
  }
  json::Array output;
  for (std::size_t i = verdict.output.size() - std::min(lines, verdict.output.size()); i < verdict.output.size(); ++i)
    output.emplace_back(plain(verdict.output[i], kMostLineBytes));
  return json::text_of(json::Members{{"v", kVerdictSpoken},
                                     {"claim", plain(verdict.claim, kMostIdBytes)},
                                     {"boot", plain(verdict.boot, kMostIdBytes)},
                                     {"target", plain(verdict.target, kMostIdBytes)},
                                     {"outcome", word(verdict.outcome)},
                                     {"parts", std::move(parts)},
                                     {"message", most_text == 0 ? "" : plain(verdict.message, most_text)},
                                     {"output", std::move(output)}});
}

}  // namespace

std::string_view word(Outcome outcome) {
  for (const auto& [which, name] : kOutcomes) {
    if (which == outcome) return name;
  }
  return "";
}

std::optional<Outcome> parse_outcome(std::string_view word) {
  for (const auto& [which, name] : kOutcomes) {
    if (name == word) return which;
  }
  return {};
}

Result<Verdict> parse_verdict(std::string_view text) {
  if (text.size() > kMostVerdictBytes) return unreadable("it is longer than 4096 bytes");
  TRY(const json::Value value, json::parse(text, 8));
  if (json::int_at(value, {"v"}) != kVerdictSpoken) return unreadable("it does not say its version (\"v\": 1)");
  Verdict verdict;
  const std::string_view outcome = json::text_at(value, {"outcome"});
  const auto known = parse_outcome(outcome);
  if (!known)
    return unreadable(
        fmt::format("its outcome is \"{}\", which this drover does not know", base::one_line(outcome, 40)));
  verdict.outcome = *known;
  verdict.claim = text_in(value, "claim", kMostIdBytes);
  verdict.boot = text_in(value, "boot", kMostIdBytes);
  verdict.target = text_in(value, "target", kMostIdBytes);
  verdict.message = text_in(value, "message", kMostVerdictBytes);
  for (const json::Value& part : json::array_at(value, {"parts"})) {
    if (!part.is_array() || part.get_array().size() != 2 || !part.get_array()[0].is_string() ||
        !part.get_array()[1].is_string())
      return unreadable("its parts are not pairs of a name and a version");
    verdict.parts.push_back({base::one_line(std::string_view(part.get_array()[0].get_string()), kMostPartBytes),
                             base::one_line(std::string_view(part.get_array()[1].get_string()), kMostPartBytes)});
    if (verdict.parts.size() > kMostParts) return unreadable("it names more than 64 parts");
  }
  for (const json::Value& line : json::array_at(value, {"output"})) {
    if (line.is_string() && verdict.output.size() < kMostLines)
      verdict.output.push_back(base::one_line(std::string_view(line.get_string()), kMostLineBytes));
  }
  return verdict;
}

std::string text_of(const Verdict& verdict) {
  std::size_t lines = kMostLines;
  std::size_t most_text = kMostTextBytes;
  std::size_t parts = kMostParts;
  const auto write = [&] { return written_verdict(verdict, lines, most_text, parts); };
  std::string text = write();
  for (; text.size() > kMostVerdictBytes && lines > 0; text = write()) --lines;
  for (; text.size() > kMostVerdictBytes && most_text > 0; text = write()) most_text /= 2;
  for (; text.size() > kMostVerdictBytes && parts > 0; text = write()) --parts;
  return text;
}

std::string versions_of(const std::vector<Part>& parts) {
  std::set<std::string> versions;
  for (const Part& part : parts) {
    if (!part.version.empty()) versions.insert(part.version);
  }
  const std::vector<std::string> in_order(versions.begin(), versions.end());
  return base::join(in_order, ",");
}

}  // namespace drover::protocol
