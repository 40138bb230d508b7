#include "vendors/tenstorrent/agent/firmware_probe.h"

#include <fmt/format.h>

#include <utility>

#include "vendors/tenstorrent/agent/bundle_fetch.h"
#include "vendors/tenstorrent/agent/task_verdict.h"

namespace drover::agent {
namespace {

using base::Fault;
using base::Result;
using protocol::Outcome;

// Whether the URL, its file or its checksum has to be corrected; else it is tried again as it is.
bool is_wrong_in_the_policy(Fault::Kind kind) {
  return kind == Fault::Kind::Malformed || kind == Fault::Kind::NotFound || kind == Fault::Kind::Forbidden ||
         kind == Fault::Kind::Refused;
}

Outcome outcome_of(FlashJudgement::Kind kind) {
  switch (kind) {
    case FlashJudgement::Kind::MayFlash: return Outcome::Ready;
    case FlashJudgement::Kind::NothingToDo: return Outcome::Done;
    case FlashJudgement::Kind::Refused: return Outcome::CannotDo;
    case FlashJudgement::Kind::NoDriver: break;
  }
  return Outcome::NoDriver;
}

}  // namespace

struct FirmwareProbe::Body : std::enable_shared_from_this<FirmwareProbe::Body> {
  Body(FlashSettings its_settings, ProgramContext its_context)
      : settings(std::move(its_settings)), context(std::move(its_context)) {}

  void look() {
    reading = read_chips(context.host);
    context.say(fmt::format("sysfs: {}", text_of(reading)));
    if (settings.bundle.url.empty()) return only_read();
    // What tt-flash would refuse whatever the bundle holds needs no download.
    const FlashJudgement judgement = judge(reading, settings.wish);
    if (judgement.kind != FlashJudgement::Kind::MayFlash) return end(outcome_of(judgement.kind), judgement.why);
    fetch = std::make_unique<BundleFetch>(
        context.host, context.loop, context.downloads, settings.bundle, settings.wish.target,
        [this](std::string_view line) { context.say(line); },
        [this](const Result<CachedBundle>& bundle) { fetched(bundle); });
  }

  void only_read() {
    const bool is_there = !settings.ask.target.empty() && !settings.wish.forces &&
                          compare(reading, settings.wish.target) == Readback::AtTarget;
    end(is_there ? Outcome::Done : Outcome::Ready, fmt::format("read only: {}", text_of(reading)));
  }

  void fetched(const Result<CachedBundle>& bundle) {
    if (!bundle) {
      return end(is_wrong_in_the_policy(bundle.error().kind) ? Outcome::CannotDo : Outcome::NotBegun,
                 bundle.error().message);
    }
    const FlashJudgement judgement = judge(reading, bundle->bundle, settings.wish);
    if (judgement.kind != FlashJudgement::Kind::MayFlash) return end(outcome_of(judgement.kind), judgement.why);
    const std::string unread = unread_chips(reading);
    end(Outcome::Ready,
        fmt::format("chips with firmware {} can be flashed with {}{}{}", text_of(reading),
                    bundle->bundle.version.text(), judgement.uses_force ? ", forced" : "",
                    unread.empty() ? "" : fmt::format("; {} will be asked again by tt-smi after the drain", unread)));
  }

  void end(Outcome outcome, std::string message) {
    if (std::exchange(is_over, true)) return;
    end_task(context, {.claim = settings.ask.claim,
                       .boot = context.host.boot_id(),
                       .target = settings.ask.target,
                       .outcome = outcome,
                       .parts = parts_of(reading),
                       .message = std::move(message)});
  }

  FlashSettings settings;
  ProgramContext context;
  ChipReading reading = {};
  std::unique_ptr<BundleFetch> fetch;
  base::Timer soon;
  bool is_over = false;
};

FirmwareProbe::FirmwareProbe(FlashSettings settings, ProgramContext context)
    : body_(std::make_shared<Body>(std::move(settings), std::move(context))) {}

FirmwareProbe::~FirmwareProbe() { body_->is_over = true; }

void FirmwareProbe::start() {
  body_->soon = body_->context.loop.after(base::Span::zero(), [weak = std::weak_ptr(body_)] {
    if (const auto self = weak.lock()) self->look();
  });
}

// What was downloaded stays for the next one.
void FirmwareProbe::terminate() {
  body_->soon.cancel();
  body_->fetch.reset();
  body_->end(protocol::Outcome::NotBegun, "the probe was ended before it had an answer; it may be run again");
}

}  // namespace drover::agent
