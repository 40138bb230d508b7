#include "vendors/tenstorrent/agent/kmd_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "vendors/tenstorrent/words.h"

namespace drover::agent {
namespace {

using base::fault;
using base::Fault;
using base::Result;

constexpr std::string_view kModuleFile = "tenstorrent.ko";
constexpr std::string_view kManifest = "manifest.json";
constexpr std::string_view kRulesInSource = "udev-50-tenstorrent.rules";
constexpr std::string_view kRules = "50-tenstorrent.rules";
constexpr std::string_view kRulesFolder = "/host/etc/udev/rules.d";
constexpr std::size_t kMostQuarantined = 4;

// Both become parts of paths.
Result<void> check(const KmdKey& key) {
  if (!vendors::is_path_part(key.kernel)) {
    return fault(Fault::Kind::Refused,
                 fmt::format("\"{}\" is not a release of a kernel", base::one_line(key.kernel, 60)));
  }
  if (!vendors::is_kmd_version(key.version)) {
    return fault(Fault::Kind::Refused, fmt::format("\"{}\" is not a version of tt-kmd; one such as 2.8.0 is wanted",
                                                   base::one_line(key.version, 60)));
  }
  return {};
}

std::string entry_of(const KmdKey& key) { return fmt::format("{}/{}/{}", kKmdCache, key.kernel, key.version); }
std::string bench_of(const KmdKey& key) { return fmt::format("{}/.build/{}-{}", kKmdCache, key.kernel, key.version); }

std::unexpected<Fault> damaged(const KmdKey& key, std::string_view why) {
  return fault(Fault::Kind::Malformed, fmt::format("the cached module in {} cannot be used: {}", entry_of(key), why));
}

host::Inside rules_of(const KmdKey& key) {
  return {std::string(kKmdCache), fmt::format("{}/{}/{}", key.kernel, key.version, kRules)};
}

std::string manifest_of(host::Host& host, const KmdKey& key, const std::string& source, const std::string& sha256,
                        const std::string& rules) {
  return json::text_of(json::Members{{"v", 1},
                                     {"kernel", key.kernel},
                                     {"machine", host.machine()},
                                     {"version", key.version},
                                     {"source", source},
                                     {"sha256", sha256},
                                     {"rules", rules}}) +
         "\n";
}

}  // namespace

bool has_kmd(host::Host& host, const KmdKey& key) {
  return check(key) && host.exists(fmt::format("{}/{}", entry_of(key), kManifest));
}

Result<KmdEntry> find_kmd(host::Host& host, const KmdKey& key) {
  TRY_VOID(check(key));
  const std::string entry = entry_of(key);
  if (!host.exists(entry)) return fault(Fault::Kind::NotFound, fmt::format("there is nothing in {}", entry));
  const auto text = host.read(fmt::format("{}/{}", entry, kManifest));
  if (!text) return damaged(key, "it has no manifest");
  const auto manifest = json::parse(*text, 4);
  if (!manifest) return damaged(key, "its manifest is cut or garbled");
  const auto says = [&](std::string_view name) { return json::text_at(*manifest, {name}); };
  if (json::int_at(*manifest, {"v"}) != 1) return damaged(key, "its manifest is of another release");
  if (says("kernel") != key.kernel || says("version") != key.version || says("machine") != host.machine())
    return damaged(key, "its manifest speaks of another module");
  KmdEntry found{.file = {std::string(kKmdCache), fmt::format("{}/{}/{}", key.kernel, key.version, kModuleFile)},
                 .sha256 = std::string(says("sha256")),
                 .source = std::string(says("source")),
                 .rules_sha256 = std::string(says("rules"))};
  const auto sha256 = host.fingerprint(found.file);
  if (!sha256) return damaged(key, sha256.error().message);
  if (sha256->empty() || *sha256 != found.sha256) return damaged(key, "its fingerprint is not that of the manifest");
  return found;
}

Result<void> quarantine_kmd(host::Host& host, const KmdKey& key) {
  TRY_VOID(check(key));
  const std::string folder = fmt::format("{}/.quarantine", kKmdCache);
  TRY_VOID(host.make_folder(folder));
  auto names = host.list(folder).value_or(std::vector<std::string>{});
  // Names end in a number that grows, whatever they are entries of.
  std::int64_t last = 0;
  const auto number_of = [](std::string_view name) {
    return base::parse_int(name.substr(name.rfind('-') + 1)).value_or(0);
  };
  for (const auto& name : names) last = std::max(last, number_of(name));
  std::sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return number_of(a) < number_of(b); });
  for (std::size_t i = 0; names.size() - i >= kMostQuarantined; ++i)
    TRY_VOID(host.remove_tree(fmt::format("{}/{}", folder, names[i])));
  return host.rename(entry_of(key), fmt::format("{}/{}-{}-{}", folder, key.kernel, key.version, last + 1));
}

Result<std::string> make_bench(host::Host& host, const KmdKey& key) {
  TRY_VOID(check(key));
  const std::string bench = bench_of(key);
  TRY_VOID(host.remove_tree(bench));
  TRY_VOID(host.make_folder(bench));
  return bench;
}

Result<bool> place_rules(host::Host& host, const KmdKey& key, const KmdEntry& entry) {
  if (entry.rules_sha256.empty() || !host.exists(std::string(kRulesFolder))) return false;
  const host::Inside kept = rules_of(key);
  TRY(const std::string sha256, host.fingerprint(kept));
  if (sha256 != entry.rules_sha256) return damaged(key, "the fingerprint of its rules for udev is another");
  const std::string to = fmt::format("{}/{}", kRulesFolder, kRules);
  const auto there = host.read(to);
  TRY(const std::string text, host.read(kept.whole()));
  if (there && *there == text) return false;
  TRY_VOID(host.copy(kept.whole(), to, 0644));
  return true;
}

Result<KmdEntry> keep_kmd(host::Host& host, const KmdKey& key, const std::string& built, const std::string& source) {
  TRY_VOID(check(key));
  TRY(const host::ModuleFile module, host.module_file(built));
  if (module.version != key.version || module.kernel != key.kernel) {
    return fault(Fault::Kind::Refused,
                 fmt::format("what was built is tt-kmd {} for kernel {}, not {} for {}; does the source's tag ttkmd-{} "
                             "hold another version?",
                             base::one_line(module.version, 40), base::one_line(module.kernel, 60), key.version,
                             key.kernel, key.version));
  }
  const std::string staged = bench_of(key) + "/entry";
  TRY_VOID(host.make_folder(staged));
  TRY_VOID(host.copy(built, fmt::format("{}/{}", staged, kModuleFile), 0600));
  const auto fingerprint = [&](std::string_view file) {
    return host.fingerprint(
        {std::string(kKmdCache), fmt::format(".build/{}-{}/entry/{}", key.kernel, key.version, file)});
  };
  TRY(const std::string sha256, fingerprint(kModuleFile));
  std::string rules;
  const std::string given = built.substr(0, built.rfind('/') + 1) + std::string(kRulesInSource);
  if (host.exists(given)) {
    TRY_VOID(host.copy(given, fmt::format("{}/{}", staged, kRules), 0600));
    TRY(rules, fingerprint(kRules));
  }
  TRY_VOID(host.write(fmt::format("{}/{}", staged, kManifest), manifest_of(host, key, source, sha256, rules)));
  const std::string entry = entry_of(key);
  TRY_VOID(host.make_folder(fmt::format("{}/{}", kKmdCache, key.kernel)));
  if (host.exists(entry)) TRY_VOID(quarantine_kmd(host, key));
  TRY_VOID(host.rename(staged, entry));
  return find_kmd(host, key);
}

void sweep_benches(host::Host& host) { static_cast<void>(host.remove_tree(fmt::format("{}/.build", kKmdCache))); }

}  // namespace drover::agent
