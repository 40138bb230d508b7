#include "vendors/nvidia/driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/time.h"
#include "vendors/nvidia/not_ours.h"
#include "vendors/shared/checks.h"
#include "vendors/shared/section.h"

namespace drover::vendors {
namespace {

constexpr std::string_view kUpgradeAt = "spec.driver.upgradePolicy";
constexpr std::size_t kMostListed = 256;  // variables, arguments, tolerations: more is a mistake, not a request

// Set by us; another value would break the driver's start or our watch over it.
constexpr std::string_view kOurVariables[] = {"DRIVER_CONFIG_DIGEST", "NODE_NAME"};

template <class... Words>
bool is_any_of(std::string_view text, Words... words) {
  return ((text == words) || ...);
}

bool is_pull_policy(std::string_view text) { return is_any_of(text, "Always", "IfNotPresent", "Never"); }
bool is_module_type(std::string_view text) { return is_any_of(text, "auto", "open", "proprietary"); }
bool is_version_or_digest(std::string_view text) { return is_driver_version(text) || is_image_digest(text); }
bool is_any_image(std::string_view text) { return is_image_name(text) || is_image_reference(text); }
bool is_update(std::string_view text) { return is_any_of(text, "RollingUpdate", "OnDelete"); }

// ---- the driver

void read_image(const Section& driver, DriverAsk& ask, std::vector<FieldTrouble>& troubles) {
  const std::size_t before = troubles.size();
  const std::string repository =
      driver.text("repository", "", is_image_repository, "a place of images such as nvcr.io/nvidia is wanted");
  const std::string image =
      driver.text("image", ask.image, is_any_image, "the name of an image such as driver is wanted");
  ask.version = driver.text("version", "", is_version_or_digest,
                            "a version such as 550.54.15 (letters, digits, . _ -) or sha256:… is wanted");
  ask.image = image;
  if (!repository.empty()) ask.repository = repository;
  if (troubles.size() != before || !ask.is_enabled) return;
  const bool is_whole = !is_image_name(image);
  if (is_whole && (!repository.empty() || !ask.version.empty())) {
    driver.blame("image", *driver.find("image"),
                 "beside repository or version, a name without tag or digest is wanted (or leave both of them out)");
  } else if (!is_whole && ask.version.empty()) {
    troubles.push_back({driver.path_of("version"), "is missing; the driver to run, such as 550.54.15, is wanted"});
  }
}

void read_module_type(const Section& driver, DriverAsk& ask) {
  ask.module_type = driver.text("kernelModuleType", "auto", is_module_type, "auto, open or proprietary is wanted");
  // The older spelling, which the vendor keeps for a while; the newer one wins where it says something.
  if (driver.flag("useOpenKernelModules", false) && ask.module_type == "auto") ask.module_type = "open";
}

void read_env(const Section& driver, DriverAsk& ask) {
  const json::Array& list = driver.list("env");
  if (list.size() > kMostListed) return driver.blame("env", list.size(), "at most 256 variables are wanted");
  for (const json::Value& variable : list) {
    const std::string_view name = json::text_at(variable, {"name"});
    if (!is_env_name(name)) {
      driver.blame("env", variable, "a name of letters, digits and . _ - is wanted");
      continue;
    }
    if (std::find(std::begin(kOurVariables), std::end(kOurVariables), name) != std::end(kOurVariables)) {
      driver.blame("env", *json::find(variable, {"name"}), "this variable is drover's own: remove it");
      continue;
    }
    const json::Value* value = json::find(variable, {"value"});
    if (value == nullptr && json::find(variable, {"valueFrom"}) != nullptr) continue;  // listed as ignored
    if (value != nullptr && !(value->is_string() && is_env_value(value->get_string()))) {
      driver.blame(fmt::format("env[{}]", name), *value, "text without control characters is wanted");
      continue;
    }
    // A name given twice: the later one wins, as in a container.
    std::erase_if(ask.env, [&](const auto& earlier) { return earlier.first == name; });
    ask.env.emplace_back(name, json::text_at(variable, {"value"}));
  }
}

void read_args(const Section& driver, DriverAsk& ask) {
  const json::Array& list = driver.list("args");
  if (list.size() > kMostListed) return driver.blame("args", list.size(), "at most 256 arguments are wanted");
  for (const json::Value& one : list) {
    if (one.is_string() && is_argument(one.get_string())) {
      ask.args.emplace_back(one.get_string());
    } else {
      driver.blame("args", one, "one line of text without control characters is wanted");
    }
  }
}

// Names, or objects with a name, as the vendor's releases spell it.
void read_pull_secrets(const Section& driver, DriverAsk& ask) {
  for (const json::Value& one : driver.list("imagePullSecrets")) {
    const std::string_view name = one.is_string() ? std::string_view(one.get_string()) : json::text_at(one, {"name"});
    if (is_object_name(name)) {
      ask.pull_secrets.emplace_back(name);
    } else {
      driver.blame("imagePullSecrets", one, "the name of a Secret is wanted");
    }
  }
}

void read_resources(const Section& driver, DriverAsk& ask) {
  const Section resources = driver.below("resources");
  for (const std::string_view kind : {"limits", "requests"}) {
    const Section section = resources.below(kind);
    json::Members amounts;
    for (const auto& member : section.members()) {
      const json::Value& amount = member.value();
      const std::string text = amount.is_string() ? std::string(amount.get_string()) : json::text_of(amount);
      if (is_label_key(member.key()) && is_quantity(text)) {
        amounts[member.key()] = text;
      } else {
        section.blame(base::one_line(std::string_view(member.key()), 60), amount,
                      "an amount such as 500m or 2Gi is wanted");
      }
    }
    if (!amounts.empty()) ask.resources[kind] = std::move(amounts);
  }
}

std::optional<json::Members> read_probe(const Section& driver, std::string_view key) {
  if (driver.find(key) == nullptr) return {};
  const Section section = driver.below(key);
  json::Members probe;
  for (const std::string_view field :
       {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"}) {
    const json::Value* value = section.find(field);
    if (value == nullptr) continue;
    const bool is_delay = field == "initialDelaySeconds";
    // Startup and liveness know one success only.
    const std::int64_t most = field == "successThreshold" && key != "readinessProbe" ? 1 : 86'400;
    if (value->is_int64() && value->get_int64() >= (is_delay ? 0 : 1) && value->get_int64() <= most) {
      probe[field] = value->get_int64();
    } else {
      section.blame(field, *value, fmt::format("a whole number from {} to {} is wanted", is_delay ? 0 : 1, most));
    }
  }
  return probe;
}

DriverAsk read_driver(const json::Value& policy, std::vector<FieldTrouble>& troubles) {
  const Section driver(json::find(policy, {"spec", "driver"}), "spec.driver", troubles);
  DriverAsk ask;
  ask.is_said_elsewhere = driver.flag("useNvidiaDriverCRD", false);
  ask.is_enabled = driver.flag("enabled", true) && !ask.is_said_elsewhere;
  read_image(driver, ask, troubles);
  ask.is_precompiled = driver.flag("usePrecompiled", false);
  read_module_type(driver, ask);
  ask.pull_policy =
      driver.text("imagePullPolicy", ask.pull_policy, is_pull_policy, "Always, IfNotPresent or Never is wanted");
  read_pull_secrets(driver, ask);
  read_env(driver, ask);
  read_args(driver, ask);
  ask.secret_env = driver.text("secretEnv", "", is_object_name, "the name of a Secret is wanted");
  read_resources(driver, ask);
  ask.startup_probe = read_probe(driver, "startupProbe").value_or(json::Members{});
  ask.liveness_probe = read_probe(driver, "livenessProbe");
  ask.readiness_probe = read_probe(driver, "readinessProbe");
  ask.on_host_network = driver.flag("hostNetwork", false);
  const Section paths(json::find(policy, {"spec", "hostPaths"}), "spec.hostPaths", troubles);
  ask.host_root = paths.text("rootFS", ask.host_root, is_host_path, "an absolute path is wanted");
  return ask;
}

// ---- the driver manager

// The six variables. A value that is neither true nor false is an error: "yes" must not silently mean no.
class ManagerEnv {
 public:
  ManagerEnv(const json::Value& policy, std::vector<FieldTrouble>& troubles) : troubles_(troubles) {
    const Section manager(json::find(policy, {"spec", "driver", "manager"}), "spec.driver.manager", troubles);
    for (const json::Value& variable : manager.list("env")) {
      const std::string_view name = json::text_at(variable, {"name"});
      const json::Value* value = json::find(variable, {"value"});
      if (value != nullptr && value->is_string()) values_[std::string(name)] = value->get_string();
      if (value != nullptr && !value->is_string())
        blame(name, json::text_of(*value), "text is wanted: put it in quotes");
    }
  }

  bool flag(std::string_view name, bool fallback) {
    const auto found = values_.find(name);
    if (found == values_.end() || found->second.empty()) return fallback;
    if (is_any_of(found->second, "true", "false")) return found->second == "true";
    blame(name, found->second, "\"true\" or \"false\" is wanted");
    return fallback;
  }

  std::optional<base::Span> limit(std::string_view name) {
    const auto found = values_.find(name);
    if (found == values_.end() || found->second.empty()) return {};
    const auto span = base::parse_span(found->second);
    if (span && *span == base::Span::zero()) return {};
    if (span && *span > base::Span::zero()) return *span;
    blame(name, found->second, "a time such as 300s is wanted, 0s for no limit");
    return {};
  }

  base::Selector selector(std::string_view name) {
    const auto found = values_.find(name);
    if (found == values_.end()) return {};
    auto parsed = base::Selector::parse(found->second);
    if (parsed) return *parsed;
    blame(name, found->second, "a label selector such as app=web is wanted");
    return {};
  }

 private:
  void blame(std::string_view name, std::string_view value, std::string_view wanted) {
    troubles_.push_back({fmt::format("spec.driver.manager.env[{}]", base::one_line(name, 60)),
                         fmt::format("is \"{}\"; {}", base::one_line(value, 80), wanted)});
  }

  std::vector<FieldTrouble>& troubles_;
  std::map<std::string, std::string, std::less<>> values_;
};

ManagerOptions read_manager(const json::Value& policy, std::vector<FieldTrouble>& troubles) {
  ManagerEnv env(policy, troubles);
  return {.evicts_device_pods = env.flag("ENABLE_GPU_POD_EVICTION", true),
          .drains = env.flag("ENABLE_AUTO_DRAIN", true),
          .removal = {.takes_bare_pods = env.flag("DRAIN_USE_FORCE", false),
                      .takes_local_data = env.flag("DRAIN_DELETE_EMPTYDIR_DATA", false),
                      .at_most = env.limit("DRAIN_TIMEOUT_SECONDS")},
          .drained = env.selector("DRAIN_POD_SELECTOR_LABEL")};
}

// ---- what all DaemonSets have in common

bool is_toleration(const json::Value& value) {
  if (!value.is_object()) return false;
  for (const auto& member : value.get_object()) {
    const std::string_view key = member.key();
    const json::Value& says = member.value();
    if (key == "tolerationSeconds" && says.is_int64()) continue;
    if (!says.is_string() || says.get_string().size() > 316) return false;
    const std::string_view text = says.get_string();
    const bool is_good = (key == "key" && (text.empty() || is_label_key(text))) ||
                         (key == "value" && is_label_value(text)) ||
                         (key == "operator" && is_any_of(text, "", "Exists", "Equal", "Lt", "Gt")) ||
                         (key == "effect" && is_any_of(text, "", "NoSchedule", "PreferNoSchedule", "NoExecute"));
    if (!is_good) return false;
  }
  // As the API asks: without a key only Exists makes sense, and Exists has no value.
  const std::string_view how = json::text_at(value, {"operator"});
  if (json::text_at(value, {"key"}).empty() && how != "Exists") return false;
  return how != "Exists" || json::text_at(value, {"value"}).empty();
}

std::map<std::string, std::string> read_words(const Section& words, bool (*is_good)(std::string_view)) {
  std::map<std::string, std::string> read;
  for (const auto& member : words.members()) {
    const std::string_view key = member.key();
    // Ours; that a request for another value has no effect is listed.
    if (is_any_of(key, "app", "app.kubernetes.io/component") || key.starts_with("drover.dev/")) continue;
    if (is_label_key(key) && member.value().is_string() && is_good(member.value().get_string())) {
      read[std::string(key)] = member.value().get_string();
    } else {
      words.blame(base::one_line(key, 60), member.value(), "a valid key with text as its value is wanted");
    }
  }
  return read;
}

bool is_unavailable(std::string_view text) {
  const auto number = base::parse_int(text.substr(0, text.size() - (text.ends_with('%') ? 1 : 0)));
  return number && *number >= 0 && *number <= (text.ends_with('%') ? 100 : 1'000'000) && text.front() != '+';
}

DaemonSetsAsk read_daemon_sets(const json::Value& policy, std::vector<FieldTrouble>& troubles) {
  const Section section(json::find(policy, {"spec", "daemonsets"}), "spec.daemonsets", troubles);
  DaemonSetsAsk ask;
  if (section.find("tolerations") != nullptr) {
    ask.tolerations.emplace();
    for (const json::Value& one : section.list("tolerations")) {
      if (is_toleration(one) && ask.tolerations->size() < kMostListed) {
        ask.tolerations->push_back(one);
      } else {
        section.blame("tolerations", one, "key, operator (Exists or Equal), value and effect of a taint are wanted");
      }
    }
  }
  ask.labels = read_words(section.below("labels"), is_label_value);
  ask.annotations = read_words(section.below("annotations"), is_env_value);
  ask.priority_class =
      section.text("priorityClassName", ask.priority_class, is_object_name, "the name of a PriorityClass is wanted");
  const std::string update = section.text("updateStrategy", "", is_update, "RollingUpdate or OnDelete is wanted");
  if (!update.empty())
    ask.update = update == "OnDelete" ? DaemonSetsAsk::Update::OnDelete : DaemonSetsAsk::Update::Rolling;
  const Section rolling = section.below("rollingUpdate");
  if (const json::Value* number = rolling.find("maxUnavailable"); number != nullptr && number->is_int64()) {
    if (number->get_int64() < 0)
      rolling.blame("maxUnavailable", *number, "a number (1) or a share (10%) is wanted");
    else
      ask.rolling_unavailable = std::to_string(number->get_int64());
  } else {
    ask.rolling_unavailable =
        rolling.text("maxUnavailable", "", is_unavailable, "a number (1) or a share (10%) is wanted");
  }
  return ask;
}

// With the controller off its options mean nothing, and the six variables take their place. Their timeout
// forces no deletion: no document says so.
void follow_the_manager(ClusterPolicyReading& reading) {
  core::Policy& policy = reading.upgrade.policy;
  core::Removal removal = reading.manager.removal;
  removal.forces = false;
  removal.bare_pod_text = "pod has no controller; delete it or set DRAIN_USE_FORCE=true in spec.driver.manager.env";
  removal.local_data_text =
      "its emptyDir would be lost; delete it or set DRAIN_DELETE_EMPTYDIR_DATA=true in spec.driver.manager.env";
  policy.rolling_update = reading.daemon_sets.update != DaemonSetsAsk::Update::OnDelete;
  // A user who deletes driver pods by hand has chosen how many.
  policy.max_parallel = policy.rolling_update ? std::optional<int>(1) : std::nullopt;
  policy.unavailable = {.amount = 100, .is_percent = true};
  policy.jobs = {};
  policy.device_pods = reading.manager.evicts_device_pods ? std::optional(removal) : std::nullopt;
  policy.drain = reading.manager.drains ? std::optional(removal) : std::nullopt;
  reading.upgrade.jobs = {};
  reading.upgrade.drained = reading.manager.drained;
}

}  // namespace

std::string DriverAsk::loaded_version() const {
  if (!is_pinned()) return version;
  if (!version.empty() || image.find('@') != std::string::npos) return {};
  const std::string_view tag = std::string_view(image).substr(image.rfind(':') + 1);
  return std::string(tag.substr(0, tag.find('-')));
}

ClusterPolicyReading read_cluster_policy(const json::Value& object) {
  ClusterPolicyReading reading;
  std::vector<FieldTrouble> troubles;
  reading.driver = read_driver(object, troubles);
  reading.manager = read_manager(object, troubles);
  reading.daemon_sets = read_daemon_sets(object, troubles);
  reading.can_be_rendered = troubles.empty();
  reading.ignored = ignored_fields(object);
  reading.unmanaged = unmanaged_operands(object);

  reading.upgrade =
      read_upgrade_policy(json::find(object, {"spec", "driver", "upgradePolicy"}), std::string(kUpgradeAt));
  core::Policy& policy = reading.upgrade.policy;
  identify(policy, object);
  troubles.insert(troubles.end(), reading.upgrade.troubles.begin(), reading.upgrade.troubles.end());
  policy.trouble = summary_of(troubles);
  if (!policy.is_on) follow_the_manager(reading);
  reading.troubles = std::move(troubles);
  return reading;
}

}  // namespace drover::vendors
