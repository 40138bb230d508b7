#include "vendors/tenstorrent/agent/flasher.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "vendors/tenstorrent/agent/bundle_cache.h"
#include "vendors/tenstorrent/agent/flash_output.h"
#include "vendors/tenstorrent/agent/flash_sentence.h"
#include "vendors/tenstorrent/agent/kmd_cache.h"
#include "vendors/tenstorrent/agent/kmd_hold.h"
#include "vendors/tenstorrent/agent/task_verdict.h"

namespace drover::agent {
namespace {

using base::Fault;
using base::Result;
using protocol::Outcome;

constexpr base::Span kResetWithin = std::chrono::minutes(5);
constexpr base::Span kSettles = std::chrono::seconds(10);

// The boards whose chips are reset together with their tray, by the subsystem ids of their functions.
bool is_galaxy(const ChipReading& reading) {
  return std::any_of(reading.functions.begin(), reading.functions.end(), [](const ChipFunction& function) {
    return function.subsystem == 0x35 || function.subsystem == 0x47;
  });
}

std::string_view word(FlashStep step) {
  switch (step) {
    case FlashStep::Flash: return "flash";
    case FlashStep::Read: return "nothing more than this reading";
    case FlashStep::ReadAndReset: return "one reset";
    case FlashStep::Nothing: break;
  }
  return "nothing";
}

// Why the device is not free; "" when it is. The module's references count what no process shows, too: without them,
// every process has to be seen.
std::string held_by(host::Host& host) {
  const auto free = kmd_is_free(host);
  if (!free) return free.error().message;
  const bool has_references = host.exists(fmt::format("/sys/module/{}/refcnt", kKmdModule));
  const int hidden = has_references ? 0 : host.hidden_processes();
  if (hidden == 0) return {};
  return fmt::format(
      "{} processes could not be looked into, and one of them may hold the device: run this as root, "
      "privileged and with hostPID",
      hidden);
}

}  // namespace

struct Flasher::Body : std::enable_shared_from_this<Flasher::Body> {
  Body(FlashSettings its_settings, ProgramContext its_context)
      : settings(std::move(its_settings)), ask(settings.ask), context(std::move(its_context)), host(context.host) {}

  // ---- in turn

  void begin() {
    context.say(fmt::format("flash: claim {}, target {}, bundle {}{}", ask.claim, ask.target, settings.bundle.shown,
                            ask.forces ? ", forced" : ""));
    auto locked = lock_flash_journal(host);
    if (!locked) {
      // Whoever has it may be writing the chips for this very claim.
      const bool is_at_work = locked.error().kind == Fault::Kind::Conflict;
      return stop(
          is_at_work ? Outcome::Unfinished : Outcome::NotBegun,
          fmt::format("{} ({})", is_at_work ? "another pod is flashing this node" : "the journal cannot be locked",
                      locked.error().message));
    }
    lock = std::move(*locked);
    auto read = read_flash_note(host);
    if (read)
      note = std::move(*read);
    else
      trouble = read.error().message;
    if (note) {
      context.say(fmt::format("journal: claim {}, target {}{}{}{}{}{}", note->claim, note->target,
                              note->begun ? ", begun" : "", note->written ? ", tt-flash has ended" : "",
                              note->verified ? ", verified" : "", note->reset ? ", reset" : "",
                              note->finished ? ", finished" : ""));
    }
    const auto first = decision(Readback::Unread);
    if (first.step == FlashStep::Nothing) return tell_again(first);
    look();
  }

  // tt-smi is asked only while no process holds the device.
  void look() {
    const std::string held = held_by(host);
    if (!held.empty()) {
      reading = read_chips(host);
      // A worker of tt-flash may have been left behind; what went wrong is known all the same.
      if (was_begun() && note->written && !note->verified) return conclude(Outcome::Failed, held);
      const bool may_have_begun = was_begun() || !trouble.empty();
      return stop(may_have_begun ? Outcome::Unfinished : Outcome::NotBegun, held);
    }
    context.say("reading the chips (sysfs, tt-smi -s)");
    read_drained_chips(host, context.loop, [weak = weak_from_this()](ChipReading read) {
      if (const auto self = weak.lock(); self && !self->is_over) self->go_on(std::move(read));
    });
  }

  // A chip may need a moment after its reset.
  void look_later() {
    context.say(fmt::format("reading again in {}", base::human(kSettles)));
    soon = context.loop.after(kSettles, [weak = weak_from_this()] {
      if (const auto self = weak.lock(); self && !self->is_over) self->look();
    });
  }

  void go_on(ChipReading read) {
    reading = std::move(read);
    context.say(fmt::format("chips: {}{}", text_of(reading),
                            reading.smi_trouble.empty() ? "" : fmt::format(" ({})", reading.smi_trouble)));
    const Readback readback = compare(reading, settings.wish.target);
    if (readback == Readback::Unread && was_begun() && !is_ending && !std::exchange(has_settled, true))
      return look_later();
    const FlashDecision decided = decision(readback);
    context.say(fmt::format("next: {}: {}", word(decided.step), decided.why));
    switch (decided.step) {
      case FlashStep::Flash: return is_ending ? stop(Outcome::NotBegun, kToldToEnd) : flash();
      case FlashStep::ReadAndReset: return is_ending ? stop(Outcome::Unfinished, kToldToEnd) : reset(decided);
      case FlashStep::Read: return conclude(decided.outcome(readback), decided.why);
      case FlashStep::Nothing: return tell_again(decided);
    }
  }

  // ---- the write

  void flash() {
    const auto bundle = find_bundle(host, settings.bundle);
    if (!bundle) return stop(Outcome::NotBegun, bundle.error().message);
    const FlashJudgement judgement = judge(reading, bundle->bundle, settings.wish);
    if (judgement.kind == FlashJudgement::Kind::NoDriver) return stop(Outcome::NoDriver, judgement.why);
    if (judgement.kind == FlashJudgement::Kind::Refused) return stop(Outcome::CannotDo, judgement.why);
    if (const std::string missing = chips_missing(); !missing.empty()) return stop(Outcome::Wedged, missing);
    if (!host.exists(std::string(vendors::kTtFlash)))
      return stop(Outcome::NotBegun,
                  fmt::format("the flasher's image has no {}; correct spec.flasher.image", vendors::kTtFlash));

    // From here on the chips may be written.
    before = std::exchange(note, FlashNote{.claim = ask.claim, .target = ask.target, .boot = host.boot_id()});
    note->begun = true;
    note->before = parts_of(reading);
    if (const auto noted = write_flash_note(host, *note); !noted) {
      note = before;
      return stop(Outcome::NotBegun, fmt::format("the journal cannot be written: {}", noted.error().message));
    }
    run_tt_flash(bundle->path, judgement.uses_force);
  }

  // With --force tt-flash leaves boards out of which only a part is there, and ends with success.
  std::string chips_missing() const {
    const auto wanted = static_cast<int>(reading.functions.size());
    if (reading.told_by_smi < 0 || reading.told_by_smi >= wanted || ask.continues_unread) return {};
    return fmt::format(
        "tt-smi sees {} chips, and {} are on the PCI bus; set "
        "spec.flasher.continueOnReadbackFailure=true to flash those that it sees",
        reading.told_by_smi, wanted);
  }

  void run_tt_flash(const std::string& bundle, bool uses_force) {
    host::Command command{.path = std::string(vendors::kTtFlash),
                          .args = {"--no-color", "--no-tty", "flash", "--fw-tar", bundle}};
    if (uses_force) command.args.emplace_back("--force");
    command.environment = {{"PYTHONUNBUFFERED", "1"}};
    command.uninterrupted = true;
    const auto output = std::make_shared<FlashOutput>(
        [this](std::string_view line) { context.say(fmt::format("tt-flash: {}", line)); });
    command.heard = [output, weak = weak_from_this()](std::string_view piece) {
      if (const auto self = weak.lock()) output->hear(piece);
    };
    context.say(fmt::format("running {} {}; from now on the node must not be reset or powered off", command.path,
                            base::join(command.args, " ")));
    is_flashing = true;
    host.run(command, context.loop, [output, weak = weak_from_this()](const Result<host::Ran>& ran) {
      if (const auto self = weak.lock(); self && !self->is_over) self->flashed(output->end(ran));
    });
  }

  void flashed(FlashEnd end) {
    is_flashing = false;
    context.say(fmt::format("tt-flash {}", end.how));
    if (!end.was_run) {
      const auto taken_back = before ? write_flash_note(host, *before) : host.remove(flash_journal_path());
      note = before;
      return stop(Outcome::NotBegun, fmt::format("tt-flash was not run: {}{}", end.how,
                                                 taken_back ? "" : "; " + taken_back.error().message));
    }
    note->written = true;
    note->verified = end.verified;
    note->output = end.lines;
    ended = std::move(end);
    if (const auto noted = write_flash_note(host, *note); !noted)
      context.say(fmt::format("the journal cannot be written: {}", noted.error().message));
    look();
  }

  // ---- the one reset

  void reset(const FlashDecision& decided) {
    note->reset = true;
    has_settled = false;
    if (const auto noted = write_flash_note(host, *note); !noted) {
      return conclude(
          decided.otherwise,
          fmt::format("the one reset was not tried, as the journal cannot be written: {}", noted.error().message));
    }
    host::Command command{.path = std::string(vendors::kTtSmi), .args = {"-r"}};
    // Without -s some versions go on to their full-screen view after the reset of a tray.
    if (is_galaxy(reading)) command.args = {"-glx_reset", "-s"};
    command.within = kResetWithin;
    command.environment = {{"PYTHONUNBUFFERED", "1"}};
    context.say(fmt::format("running {} {}", command.path, base::join(command.args, " ")));
    host.run(command, context.loop, [weak = weak_from_this()](const Result<host::Ran>& ran) {
      const auto self = weak.lock();
      if (!self || self->is_over) return;
      self->context.say(
          ran ? fmt::format("tt-smi ended with code {}: {}", ran->code, base::one_line(base::trim(ran->output), 400))
              : ran.error().message);
      self->look();
    });
  }

  // ---- the end

  FlashDecision decision(Readback readback) const {
    return trouble.empty() ? decide(note, ask, host.boot_id(), readback) : decide_without_note(ask, trouble);
  }
  bool was_begun() const { return note && note->target == ask.target && note->begun && !note->finished; }

  // The last word, also for whoever asks later.
  void conclude(Outcome outcome, const std::string& why) {
    const std::string message = flash_sentence(outcome, ask, reading, why, ended ? &*ended : nullptr);
    if (was_begun()) {
      note->finished = true;
      note->outcome = outcome;
      note->message = message;
      note->read = parts_of(reading);
      if (const auto noted = write_flash_note(host, *note); !noted)
        context.say(fmt::format("the journal cannot be written: {}", noted.error().message));
    }
    end(outcome, message);
  }
  void stop(Outcome outcome, const std::string& why) {
    end(outcome, flash_sentence(outcome, ask, reading, why, ended ? &*ended : nullptr));
  }
  void tell_again(const FlashDecision& decided) {
    for (const protocol::Part& part : note->read) reading.chips.push_back({part.name, part.version});
    end(decided.at_target, note->message);
  }

  void end(Outcome outcome, std::string message) {
    if (std::exchange(is_over, true)) return;
    lock.reset();
    end_task(context, {.claim = ask.claim,
                       .boot = host.boot_id(),
                       .target = ask.target,
                       .outcome = outcome,
                       .parts = parts_of(reading),
                       .message = std::move(message),
                       .output = was_noted_here() ? note->output : std::vector<std::string>()});
  }
  bool was_noted_here() const { return note && note->target == ask.target; }

  static constexpr const char* kToldToEnd = "this pod was told to end";

  FlashSettings settings;
  FlashAsk ask;
  ProgramContext context;
  host::Host& host;
  std::shared_ptr<void> lock;
  std::string trouble;  // why the journal cannot be read
  std::optional<FlashNote> note;
  std::optional<FlashNote> before;  // the note that was there before the flash
  ChipReading reading = {};
  std::optional<FlashEnd> ended;
  base::Timer soon;
  bool has_settled = false;
  bool is_ending = false;
  bool is_flashing = false;
  bool is_over = false;
};

Flasher::Flasher(FlashSettings settings, ProgramContext context)
    : body_(std::make_shared<Body>(std::move(settings), std::move(context))) {}

Flasher::~Flasher() { body_->is_over = true; }

void Flasher::start() {
  body_->soon = body_->context.loop.after(base::Span::zero(), [weak = std::weak_ptr(body_)] {
    if (const auto self = weak.lock(); self && !self->is_over) self->begin();
  });
}

void Flasher::terminate() {
  if (std::exchange(body_->is_ending, true) || body_->is_over) return;
  body_->context.say(
      body_->is_flashing
          ? "SIGTERM: tt-flash goes on to its end; then the chips are read once, and nothing more is started"
          : "SIGTERM: nothing more is started");
}

}  // namespace drover::agent
