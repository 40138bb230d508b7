#include "cli/operator_at_work.h"

#include <fmt/format.h>

#include <utility>

namespace drover::cli {
namespace {

// A leader renews every two seconds.
constexpr base::Span kWatchFor = std::chrono::seconds(3);
constexpr base::Span kAskEvery = std::chrono::milliseconds(400);

}  // namespace

std::string OperatorAtWork::text() const {
  if (instance.empty()) {
    return "! no operator has written a policy's status yet: is drover running? Until it is, nothing changes";
  }
  const std::string who = fmt::format("{} ({}, since {})", instance, version, since);
  if (lease.empty()) return fmt::format("operator {} works without a lease; whether it runs now cannot be told", who);
  if (!is_at_work) return fmt::format("operator {}: whether it runs now cannot be told: {}", who, trouble);
  if (*is_at_work) return fmt::format("operator {} is at work, lease {}", who, lease);
  return fmt::format("! no operator is at work: {}; the last was {}. Until one runs, nothing changes", trouble, who);
}

json::Value OperatorAtWork::row() const {
  if (instance.empty()) return nullptr;
  json::Members row = {{"instance", instance}, {"version", version}, {"since", since}, {"lease", lease}};
  if (is_at_work) row["atWork"] = *is_at_work;
  return row;
}

void OperatorLook::begin(const std::vector<const kube::Object*>& policies, std::function<void(OperatorAtWork)> done) {
  done_ = std::move(done);
  for (const kube::Object* policy : policies) {
    const auto said = [&](std::string_view field) {
      return std::string(json::text_at(*policy, {"status", "operator", field}));
    };
    // Stamps of one form: the later one is the greater text.
    if (said("instance").empty() || said("since") < found_.since) continue;
    found_ = {.instance = said("instance"), .version = said("version"), .since = said("since"), .lease = said("lease")};
  }
  began_at_ = loop_.now();
  if (found_.lease.find('/') == std::string::npos) {
    again_ = loop_.after({}, [this] { end(); });
    return;
  }
  ask();
}

void OperatorLook::ask() {
  const std::size_t slash = found_.lease.find('/');
  call_ = api_.call(kube::get(kube::kLeases, found_.lease.substr(0, slash), found_.lease.substr(slash + 1)),
                    [this](const kube::Result<kube::Object>& answer) { take(answer); });
}

void OperatorLook::take(const kube::Result<kube::Object>& answer) {
  if (!answer && answer.error().kind == base::Fault::Kind::NotFound) {
    found_.is_at_work = false;
    found_.trouble = fmt::format("its lease {} does not exist", found_.lease);
    return end();
  }
  if (!answer) {
    found_.trouble = answer.error().message;
    return end();
  }
  const std::string_view holder = json::text_at(*answer, {"spec", "holderIdentity"});
  const std::string version(kube::version_of(*answer));
  if (first_version_ && *first_version_ != version && !holder.empty()) {
    found_.is_at_work = true;
    return end();
  }
  if (!first_version_) first_version_ = version;
  if (holder.empty() || loop_.now() - began_at_ >= kWatchFor) {
    found_.is_at_work = false;
    found_.trouble = holder.empty() ? fmt::format("lease {} was given back", found_.lease)
                                    : fmt::format("lease {} of {} was not renewed for {}", found_.lease, holder,
                                                  base::human(kWatchFor));
    return end();
  }
  again_ = loop_.after(kAskEvery, [this] { ask(); });
}

void OperatorLook::end() {
  const auto done = std::move(done_);
  done(std::move(found_));
}

OperatorAtWork look_for_operator(kube::Api& api, kube::AsioLoop& loop,
                                 const std::vector<const kube::Object*>& policies) {
  OperatorAtWork found;
  OperatorLook look(api, loop);
  look.begin(policies, [&](OperatorAtWork answer) {
    found = std::move(answer);
    loop.stop();
  });
  loop.run();
  return found;
}

}  // namespace drover::cli
