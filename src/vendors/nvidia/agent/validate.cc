#include "vendors/nvidia/agent/validate.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/own_node.h"
#include "base/text.h"
#include "protocol/order.h"
#include "protocol/report.h"
#include "vendors/nvidia/agent/programs.h"
#include "vendors/nvidia/words.h"

namespace drover::agent {
namespace {

constexpr std::string_view kVendor = "nvidia";
constexpr std::string_view kDriverRoot = "/run/nvidia/driver";  // where the driver's container keeps its files
constexpr std::string_view kProgram = "/usr/bin/nvidia-smi";
constexpr std::string_view kComplaint = "validation: ";  // how a report begins that has to be taken back
constexpr base::Span kLookEvery = std::chrono::seconds(2);
constexpr base::Span kAnswerWithin = std::chrono::seconds(60);
constexpr base::Span kValidatorTellsEvery = std::chrono::seconds(10);

host::Command question(host::Host& host) {
  const std::string inside = std::string(kDriverRoot) + std::string(kProgram);
  return {.path = std::string(kProgram),
          .args = {"--query-gpu=pci.bus_id,driver_version", "--format=csv,noheader"},
          .root = host.exists(inside) ? std::string(kDriverRoot) : std::string("/"),
          .within = kAnswerWithin};
}

// A note that is worth something only for this boot and this module.
std::string note_of(const Inspection& seen) {
  const host::Module* driver = seen.driver(kVendor);
  return fmt::format("{} {}\n", seen.boot, driver == nullptr ? "" : driver->version);
}

}  // namespace

base::Result<ValidatorSettings> read_validator_settings(const Environment& environment) {
  for (const auto& [name, value] : environment) {
    if (name == "NODE_NAME" && !value.empty() && value.find('/') == std::string::npos && value.size() <= 253)
      return ValidatorSettings{value};
  }
  return base::fault(
      base::Fault::Kind::Refused,
      "NODE_NAME is not set to the name of a node; the validator's DaemonSet gives it to this container");
}

std::string module_trouble(const Inspection& seen, const std::string& wanted) {
  const host::Module* driver = seen.driver(kVendor);
  if (driver == nullptr) return "no NVIDIA driver is loaded";
  if (driver->state != host::Module::State::Live) return "the NVIDIA driver is still being loaded";
  if (!wanted.empty() && driver->version != wanted)
    return fmt::format("driver {} is loaded, and {} is wanted", driver->version, wanted);
  if (const std::string told = seen.told_version(kVendor); !told.empty() && told != driver->version)
    return fmt::format("the module says {} and /proc/driver/nvidia/version says {}", driver->version, told);
  if (seen.accelerators(kVendor) == 0) return "the PCI bus has no NVIDIA accelerator";
  return {};
}

std::string answer_trouble(const Inspection& seen, const base::Result<host::Ran>& answer) {
  if (!answer) return answer.error().message;
  if (answer->ran_out) return fmt::format("nvidia-smi did not answer within {}", base::human(kAnswerWithin));
  if (answer->code != 0) {
    return fmt::format("nvidia-smi failed with code {}: {}", answer->code,
                       base::one_line(base::trim(answer->output), 200));
  }
  const host::Module* driver = seen.driver(kVendor);
  int devices = 0;
  for (const auto line : base::split(answer->output, '\n')) {
    const auto fields = base::split(line, ',');
    if (fields.size() != 2) continue;
    ++devices;
    if (const auto version = base::trim(fields[1]); driver == nullptr || version != driver->version) {
      return fmt::format("nvidia-smi speaks for driver {}, and {} is loaded", base::one_line(version, 40),
                         driver == nullptr ? "none" : driver->version);
    }
  }
  if (devices == seen.accelerators(kVendor)) return {};
  return fmt::format("nvidia-smi finds {} of the {} devices on the PCI bus", devices, seen.accelerators(kVendor));
}

bool has_passed(host::Host& host) {
  const auto seen = inspect(host, {&nvidia().device});
  const auto note = host.read(std::string(kPassedFile));
  return seen && note && seen->driver(kVendor) != nullptr && *note == note_of(*seen);
}

struct Validator::Body : std::enable_shared_from_this<Validator::Body> {
  Body(const ValidatorSettings& settings, ProgramContext surroundings, std::function<void(bool)> tell_ready)
      : around(std::move(surroundings)),
        ready(std::move(tell_ready)),
        node(around.api, around.loop, around.random, settings.node, [this] { look_soon(); }) {}

  void look_soon(base::Span in = {}) {
    if (!is_over && !is_asking) timer = around.loop.after(in, [this] { look(); });
  }

  void look() {
    if (is_over || is_asking) return;
    const auto seen = inspect(around.host, {&nvidia().device});
    if (!seen) return fails(seen.error().message);
    if (!node.seen()) return fails("waiting for the API server", false);
    std::string wanted;
    if (const std::string why = read_order(wanted); !why.empty()) return fails(why, false);
    if (const std::string why = module_trouble(*seen, wanted); !why.empty()) return fails(why);
    if (!passed.empty() && passed == note_of(*seen) + wanted) return look_soon(kLookEvery);
    ask(*seen, wanted);
  }

  // What is wanted; or why that is not known.
  std::string read_order(std::string& wanted) const {
    const std::string_view text = kube::annotation_of(*node.seen(), vendors::kNvidiaDriverChannel.order);
    if (text.empty()) return {};
    const auto order = protocol::parse_order(text);
    if (!order) return fmt::format("{} cannot be read: {}", vendors::kNvidiaDriverChannel.order, order.error().message);
    if (recorded_claim(*node.seen()).value_or(order->id) != order->id) return "the order is for another upgrade";
    wanted = order->version;
    return {};
  }

  void ask(const Inspection& seen, const std::string& wanted) {
    is_asking = true;
    say("asking nvidia-smi");
    around.host.run(question(around.host), around.loop,
                    [weak = weak_from_this(), seen, wanted](const base::Result<host::Ran>& answer) {
                      if (const auto self = weak.lock()) self->answered(seen, wanted, answer);
                    });
  }

  void answered(const Inspection& before, const std::string& wanted, const base::Result<host::Ran>& answer) {
    is_asking = false;
    if (is_over) return;
    // What was true before the question must be so after it.
    const auto after = inspect(around.host, {&nvidia().device});
    if (!after || note_of(*after) != note_of(before)) return look_soon();
    if (const std::string why = answer_trouble(*after, answer); !why.empty()) return fails(why);
    if (const auto noted = around.host.write(std::string(kPassedFile), note_of(*after)); !noted)
      return fails(noted.error().message);
    passed = note_of(*after) + wanted;
    say(fmt::format("driver {} works: {} of {} devices answer", after->driver(kVendor)->version,
                    after->accelerators(kVendor), after->accelerators(kVendor)));
    ready(true);
    report(said);
    look_soon(kLookEvery);
  }

  // Not ready, and why; a trouble that only the machine can end is told to the operator.
  void fails(const std::string& why, bool is_told = true) {
    if (!passed.empty()) {
      passed.clear();
      static_cast<void>(around.host.remove(std::string(kPassedFile)));
    }
    ready(false);
    say(why);
    if (is_told) report(why);
    look_soon(kLookEvery);
  }

  void report(const std::string& message) {
    if (!node.seen() || node.is_patching()) return;
    if (passed.empty() && told_at && around.loop.now() - *told_at < kValidatorTellsEvery) return;
    const std::string_view there = kube::annotation_of(*node.seen(), vendors::kNvidiaDriverChannel.report);
    const auto before = protocol::parse_report(there);
    // Recovery is reported only after a failure was, by us or by an earlier run.
    if (!passed.empty() && (!before || !before->message.starts_with(kComplaint))) return;
    const auto order = protocol::parse_order(kube::annotation_of(*node.seen(), vendors::kNvidiaDriverChannel.order));
    const protocol::Report now{.boot = around.host.boot_id(),
                               .id = order ? order->id : std::string(),
                               .digest = order ? order->target : std::string(),
                               .wants = protocol::AgentRequest::Nothing,
                               .can_unload = around.host.can_unload_modules(),
                               .has_paused = before && before->has_paused,
                               .message = passed.empty() ? std::string(kComplaint) + message : message};
    const std::string text = protocol::text_of(now);
    if (text == there) return;
    told_at = around.loop.now();
    node.patch({}, vendors::kNvidiaDriverChannel.report, text,
               [weak = weak_from_this()](const std::optional<base::Fault>& fault) {
                 const auto self = weak.lock();
                 if (self && fault) self->say("cannot write the report: " + fault->message);
               });
  }

  void say(const std::string& line) {
    if (line == said) return;
    said = line;
    around.say(line);
  }

  ProgramContext around;
  std::function<void(bool)> ready;
  OwnNode node;
  base::Timer timer;
  std::string passed;  // what was validated; "" before
  std::string said;
  std::optional<base::Instant> told_at;
  bool is_asking = false;
  bool is_over = false;
};

Validator::Validator(const ValidatorSettings& settings, ProgramContext surroundings, std::function<void(bool)> ready)
    : body_(std::make_shared<Body>(settings, std::move(surroundings), std::move(ready))) {}
Validator::~Validator() = default;

void Validator::start() {
  // A note of an earlier run in the same pod is not ours.
  static_cast<void>(body_->around.host.remove(std::string(kPassedFile)));
  body_->node.start();
  body_->look_soon();
}

void Validator::terminate() {
  body_->is_over = true;
  body_->timer.cancel();
  body_->around.exit(0);
}

}  // namespace drover::agent
