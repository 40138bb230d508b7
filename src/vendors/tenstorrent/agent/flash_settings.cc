#include "vendors/tenstorrent/agent/flash_settings.h"

#include <fmt/format.h>

namespace drover::agent {
namespace {

using base::Result;

enum class Must { BeThere, Nothing };

Result<void> read_target(const Environment& environment, Must must, FlashSettings& settings) {
  settings.ask.target = variable_of(environment, vendors::kFlashTargetVariable);
  if (settings.ask.target.empty() && must == Must::Nothing) return {};
  const auto target = vendors::parse_flash_target(settings.ask.target);
  const auto version = target ? parse_firmware_version(target->version) : std::nullopt;
  if (!version) {
    return wrong_variable(vendors::kFlashTargetVariable, settings.ask.target,
                          "a version and an epoch such as 19.9.0.0#7 are wanted");
  }
  settings.wish.target = *version;
  return {};
}

Result<void> read_url(const Environment& environment, Must must, FlashSettings& settings) {
  const std::string text = variable_of(environment, vendors::kBundleUrlVariable);
  if (text.empty() && must == Must::Nothing) return {};
  auto url = vendors::parse_bundle_url(text);
  // A URL may carry a token.
  if (!url) return wrong_variable(vendors::kBundleUrlVariable, "(not shown)", url.error().message);
  settings.bundle = std::move(*url);
  return {};
}

Result<FlashSettings> read_settings(const Environment& environment, Must must) {
  FlashSettings settings;
  const bool is_needed = must == Must::BeThere;
  TRY(settings.ask.claim, name_in(environment, vendors::kFlashClaimVariable, is_needed));
  TRY(settings.ask.boot, name_in(environment, vendors::kFlashBootVariable, is_needed));
  TRY_VOID(read_url(environment, must, settings));
  TRY_VOID(read_target(environment, settings.bundle.url.empty() ? must : Must::BeThere, settings));
  TRY(settings.wish.forces, flag_in(environment, vendors::kForceWriteVariable, false));
  TRY(settings.wish.continues_unread, flag_in(environment, vendors::kContinueUnreadVariable, false));
  TRY(settings.wish.homogenizes, flag_in(environment, vendors::kHomogenizeVariable, false));
  settings.ask.forces = settings.wish.forces;
  settings.ask.continues_unread = settings.wish.continues_unread;
  return settings;
}

}  // namespace

Result<FlashSettings> read_flash_settings(const Environment& environment) {
  return read_settings(environment, Must::BeThere);
}

Result<FlashSettings> read_probe_settings(const Environment& environment) {
  return read_settings(environment, Must::Nothing);
}

}  // namespace drover::agent
