#include "operator/policy_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "observe/ranges.h"

namespace drover::operate {

PolicyKinds::PolicyKinds(kube::Api& api, base::Loop& loop, const base::Random& random,
                         const vendors::WorkProfile& profile, observe::PolicyCaches& caches, std::function<void()> wake)
    : api_(api), loop_(loop), random_(random), profile_(profile), caches_(caches), wake_(std::move(wake)) {
  for (std::size_t kind = 0; kind < profile_.policy_kinds(); ++kind)
    kinds_.push_back({.resource = observe::policy_kind_of(profile_, kind)});
}

void PolicyKinds::start() {
  for (std::size_t index = 0; index < kinds_.size(); ++index) {
    watch(index);
    watch_definition(index);
  }
}

bool PolicyKinds::are_heard() const {
  return std::all_of(kinds_.begin(), kinds_.end(), [](const Kind& kind) { return kind.is_heard; });
}

bool PolicyKinds::are_known() const {
  return std::all_of(kinds_.begin(), kinds_.end(), [](const Kind& kind) { return kind.state != State::Unknown; });
}

bool PolicyKinds::some_are_served() const {
  return std::any_of(kinds_.begin(), kinds_.end(), [](const Kind& kind) { return kind.state == State::Served; });
}

void PolicyKinds::watch(std::size_t index) {
  Kind& kind = kinds_[index];
  kube::Listener listener = kube::feed(caches_[index], wake_);
  listener.sweep_ended = [this, index, ended = listener.sweep_ended] {
    Kind& served = kinds_[index];
    served.state = State::Served;
    served.is_heard = true;
    served.told.clear();
    ended();
  };
  listener.trouble = [this, index](const kube::Fault& fault) {
    if (fault.kind == base::Fault::Kind::NotFound) return not_found(index);
    log::warn("watching " + kinds_[index].resource.qualified() + " is interrupted", {{"why", fault.message}});
  };
  kind.reflector = std::make_unique<kube::Reflector>(
      api_, loop_, random_.fork(index == 0 ? "policies" : fmt::format("policies-{}", index)),
      observe::policies_of(profile_, index), kube::Projection{}, std::move(listener));
  kind.reflector->start();
}

void PolicyKinds::watch_definition(std::size_t index) {
  Kind& kind = kinds_[index];
  const auto heard = [this, index] {
    kinds_[index].definition_is_heard = true;
    wake_();
  };
  kube::Listener listener;
  listener.sweep_began = [this, index] { kinds_[index].definition.reset(); };
  listener.put = [this, index, heard](const kube::Object& definition) {
    kinds_[index].definition = observe::definition_facts(definition, profile_.policy_kind(index));
    heard();
  };
  listener.drop = [this, index](const kube::Object&) { kinds_[index].definition.reset(); };
  listener.sweep_ended = heard;
  // An operator whose role is older than this watch writes its status as if the definition were ours.
  listener.trouble = [this, index, heard](const kube::Fault& fault) {
    if (kinds_[index].definition_is_heard) return;
    log::warn("the definition of " + kinds_[index].resource.qualified() + " cannot be watched",
              {{"why", fault.message}});
    heard();
  };
  kind.definition_reflector = std::make_unique<kube::Reflector>(
      api_, loop_, random_.fork(fmt::format("definition-{}", index)), observe::definition_of(profile_, index),
      observe::definition_projection(), std::move(listener));
  kind.definition_reflector->start();
}

void PolicyKinds::not_found(std::size_t index) {
  Kind& kind = kinds_[index];
  kind.is_heard = true;
  // Nothing is known of policies of a kind that is absent, so nothing can be lost by taking it for absent once more.
  if (kind.state == State::Absent || kind.is_asking) return;
  kind.state = State::Unknown;
  kind.is_asking = true;
  kind.question = api_.call(kube::get(kube::kCustomResourceDefinitions, "", kind.resource.qualified()),
                            [this, index](const kube::Result<kube::Object>& answer) { answered(index, answer); });
}

void PolicyKinds::answered(std::size_t index, const kube::Result<kube::Object>& definition) {
  Kind& kind = kinds_[index];
  kind.question.let_go();
  kind.is_asking = false;
  if (kind.state != State::Unknown) return;  // it was listed meanwhile
  const std::string name = kind.resource.qualified();
  const std::string until = fmt::format("; until it is, nothing is decided for {}", profile_.vendor.name);
  if (definition) {
    return tell(kind, fmt::format("the server does not serve {} yet", name),
                "its definition is there, so there may be policies" + until);
  }
  if (definition.error().kind != base::Fault::Kind::NotFound)
    return tell(kind, fmt::format("whether there are {} is not known", name), definition.error().message + until);
  kind.state = State::Absent;
  caches_[index].sweep_began();
  caches_[index].sweep_ended();
  tell(kind, fmt::format("the server does not know {}", name),
       "so there are none, and nodes that were taken for one are given back; to use them, install their definition "
       "(charts/drover/crds)");
  wake_();
}

// Asked again and again; told once.
void PolicyKinds::tell(Kind& kind, const std::string& what, const std::string& why) {
  if (std::exchange(kind.told, what) == what) return;
  log::info(what, {{"why", why}});
}

}  // namespace drover::operate
