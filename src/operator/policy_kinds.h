// The kinds of a vendor's policies: the objects of each, and whether the API server has the kind at all.
//
// A 404 alone does not say that there are no policies: a starting API server answers so for kinds that it has not
// loaded yet. A kind is absent when its definition is gone as well; then its policies are too, also those whose end was
// not told.
//
// The definition itself is watched too: it says what a status may say.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/loop.h"
#include "base/random.h"
#include "kube/api.h"
#include "kube/reflector.h"
#include "observe/definition_facts.h"
#include "observe/policy_set.h"
#include "vendors/work_profile.h"

namespace drover::operate {

class PolicyKinds {
 public:
  // Fills the caches, one for each kind of the profile; `wake` is called when something changed.
  PolicyKinds(kube::Api& api, base::Loop& loop, const base::Random& random, const vendors::WorkProfile& profile,
              observe::PolicyCaches& caches, std::function<void()> wake);

  void start();
  // Of each kind something was heard: its objects, or that there are none.
  bool are_heard() const;
  // Of each kind it is known which policies there are. Else nothing can be decided: there may be others.
  bool are_known() const;
  // The server has at least one of them.
  bool some_are_served() const;

  // It is known what the definition of this kind says, or that it cannot be asked for.
  bool definition_is_heard(std::size_t kind) const { return kinds_[kind].definition_is_heard; }
  // nullptr: it cannot be asked for.
  const observe::DefinitionFacts* definition(std::size_t kind) const {
    return kinds_[kind].definition ? &*kinds_[kind].definition : nullptr;
  }

 private:
  enum class State { Unknown, Served, Absent };
  struct Kind {
    kube::Resource resource;
    State state = State::Unknown;
    bool is_heard = false;
    std::unique_ptr<kube::Reflector> reflector = {};
    kube::Call question = {};  // whether its definition is there
    bool is_asking = false;
    std::string told = {};  // in the log, the last
    std::unique_ptr<kube::Reflector> definition_reflector = {};
    std::optional<observe::DefinitionFacts> definition = {};
    bool definition_is_heard = false;
  };

  void watch(std::size_t index);
  void watch_definition(std::size_t index);
  void not_found(std::size_t index);
  void answered(std::size_t index, const kube::Result<kube::Object>& definition);
  void tell(Kind& kind, const std::string& what, const std::string& why);

  kube::Api& api_;
  base::Loop& loop_;
  base::Random random_;
  const vendors::WorkProfile& profile_;
  observe::PolicyCaches& caches_;
  std::function<void()> wake_;
  std::vector<Kind> kinds_;
};

}  // namespace drover::operate
