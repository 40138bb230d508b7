#include "sim/server/definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "sim/draft.h"
#include "sim/same.h"
#include "sim/server/custom_kinds.h"

namespace drover::sim {
namespace {

constexpr std::string_view kShelf = "customresourcedefinitions.apiextensions.k8s.io";
constexpr std::string_view kCleanup = "customresourcecleanup.apiextensions.k8s.io";

std::string shelf_of(const kube::Object& crd) {
  return fmt::format("{}.{}", json::text_at(crd, {"spec", "names", "plural"}), json::text_at(crd, {"spec", "group"}));
}

const json::Value* definition_condition(const kube::Object& crd, std::string_view type) {
  for (const json::Value& one : json::array_at(crd, {"status", "conditions"})) {
    if (json::text_at(one, {"type"}) == type) return &one;
  }
  return nullptr;
}

bool is_true(const kube::Object& crd, std::string_view type) {
  const json::Value* found = definition_condition(crd, type);
  return found != nullptr && json::text_at(*found, {"status"}) == "True";
}

struct Word {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string_view message;
};

// Sets or adds a condition; its time changes with its status only.
void set_definition_condition(json::Value& status, const Word& word, const std::string& now) {
  json::Value& conditions = json::ensure(status, {"conditions"});
  if (!conditions.is_array()) conditions.emplace_array();
  json::Array& all = conditions.get_array();
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const json::Value& one) { return json::text_at(one, {"type"}) == word.type; });
  const std::string since = at != all.end() && json::text_at(*at, {"status"}) == word.status
                                ? std::string(json::text_at(*at, {"lastTransitionTime"}))
                                : now;
  json::Value made = json::Members{{"type", word.type},
                                   {"status", word.status},
                                   {"lastTransitionTime", since},
                                   {"reason", word.reason},
                                   {"message", word.message}};
  if (at == all.end()) {
    all.push_back(std::move(made));
  } else {
    *at = std::move(made);
  }
}

struct Taken {
  std::set<std::string, std::less<>> resources;
  std::set<std::string, std::less<>> kinds;
};

Taken names_of_group(const Store& store, std::string_view group) {
  Taken taken;
  store.each(kShelf, {}, [&](const Stored& other) {
    if (json::text_at(*other, {"spec", "group"}) != group) return;
    const auto add = [&](std::set<std::string, std::less<>>& to, std::string_view which) {
      to.emplace(json::text_at(*other, {"status", "acceptedNames", which}));
    };
    add(taken.resources, "plural");
    add(taken.resources, "singular");
    for (const json::Value& name : json::array_at(*other, {"status", "acceptedNames", "shortNames"})) {
      if (name.is_string()) taken.resources.emplace(name.get_string());
    }
    add(taken.kinds, "kind");
    add(taken.kinds, "listKind");
  });
  return taken;
}

std::string in_use(std::string_view name) { return fmt::format("{} is already in use", quoted(name)); }

// Goes through the names one by one: each that is free is accepted, the last that is not is complained about.
class Naming {
 public:
  Naming(const kube::Object& crd, Taken taken)
      : crd_(crd), taken_(std::move(taken)), accepted_(json::members_at(crd, {"status", "acceptedNames"})) {}

  void judge() {
    one("plural", taken_.resources, "PluralConflict");
    one("singular", taken_.resources, "SingularConflict");
    short_names();
    one("kind", taken_.kinds, "KindConflict");
    one("listKind", taken_.kinds, "ListKindConflict");
    if (const json::Value* categories = json::find(crd_, {"spec", "names", "categories"})) {
      accepted_["categories"] = *categories;
    } else {
      accepted_.erase("categories");
    }
  }

  json::Members accepted() { return std::move(accepted_); }
  const std::string& reason() const { return reason_; }
  const std::string& message() const { return message_; }

 private:
  void one(std::string_view which, const std::set<std::string, std::less<>>& used, std::string_view reason) {
    const std::string_view wish = json::text_at(crd_, {"spec", "names", which});
    const std::string_view has = json::text_at(crd_, {"status", "acceptedNames", which});
    if (wish != has && used.contains(wish)) {
      reason_ = reason;
      message_ = in_use(wish);
    } else {
      accepted_[which] = wish;
    }
  }

  void short_names() {
    const json::Array& wish = json::array_at(crd_, {"spec", "names", "shortNames"});
    const json::Array& has = json::array_at(crd_, {"status", "acceptedNames", "shortNames"});
    std::vector<std::string> complaints;
    for (const json::Value& name : wish) {
      if (!name.is_string() || std::find(has.begin(), has.end(), name) != has.end()) continue;
      const std::string_view text = name.get_string();
      if (taken_.resources.contains(text)) complaints.push_back(in_use(text));
    }
    if (!complaints.empty()) {
      reason_ = "ShortNamesConflict";
      message_ = complaints.size() == 1 ? complaints[0] : fmt::format("[{}]", fmt::join(complaints, ", "));
    } else if (wish.empty()) {
      accepted_.erase("shortNames");
    } else {
      accepted_["shortNames"] = wish;
    }
  }

  const kube::Object& crd_;
  Taken taken_;
  json::Members accepted_;
  std::string reason_;
  std::string message_;
};

json::Value status_of(const kube::Object& crd) {
  const json::Value* status = json::find(crd, {"status"});
  return status == nullptr ? json::Value(json::Members()) : json::Value(*status, boost::json::storage_ptr());
}

}  // namespace

json::Value named_status(const Store& store, const kube::Object& crd, const std::string& now) {
  Naming naming(crd, names_of_group(store, json::text_at(crd, {"spec", "group"})));
  naming.judge();
  json::Value status = status_of(crd);
  status.get_object()["acceptedNames"] = naming.accepted();
  const bool fine = naming.reason().empty();
  set_definition_condition(status,
                           fine ? Word{"NamesAccepted", "True", "NoConflicts", "no conflicts found"}
                                : Word{"NamesAccepted", "False", naming.reason(), naming.message()},
                           now);
  if (is_true(crd, "Established")) return status;
  if (fine) {
    set_definition_condition(status, {"Established", "False", "Installing", "the initial names have been accepted"},
                             now);
  } else if (definition_condition(crd, "Established") == nullptr) {
    set_definition_condition(status, {"Established", "False", "NotAccepted", "not all names are accepted"}, now);
  }
  return status;
}

Definitions::Definitions(Context& context) : context_(context) {
  context.store.subscribe([this](const Commit& commit) { heard(commit); });
}

const crd::Definition* Definitions::find(std::string_view group, std::string_view plural) const {
  const auto at = by_shelf_.find(fmt::format("{}.{}", plural, group));
  return at == by_shelf_.end() || !at->second.is_established ? nullptr : at->second.definition.get();
}

void Definitions::heard(const Commit& commit) {
  if (commit.resource == kShelf) {
    take(commit);
  } else if (commit.kind == Commit::Kind::Removed && !by_shelf_.empty()) {
    const auto at = by_shelf_.find(commit.resource);
    if (at != by_shelf_.end() && at->second.is_ending) take_objects_along(at->first, at->second);
  }
}

void Definitions::take(const Commit& commit) {
  const kube::Object& crd = *commit.after;
  if (commit.kind == Commit::Kind::Removed) return forget(crd);
  const std::string shelf = shelf_of(crd);
  Known& known = by_shelf_[shelf];
  const bool is_new = commit.kind == Commit::Kind::Created || !known.definition;
  if (is_new || !same(json::find(crd, {"spec"}), json::find(*commit.before, {"spec"}))) {
    auto read = crd::Definition::read(crd);
    if (!read) return;  // nothing that passed check_definition gets here
    known.definition = std::make_shared<const crd::Definition>(std::move(*read));
    known.since = is_new ? 0 : commit.version;
  }
  known.name = kube::name_of(crd);
  known.is_established = is_true(crd, "Established");
  known.is_ending = kube::is_being_deleted(crd);
  publish(shelf, known);
  // The definition may have changed since.
  if (const Stored latest = context_.store.find(kShelf, known.name);
      latest && kube::version_of(*latest) == kube::version_of(crd)) {
    advance(latest);
  }
}

void Definitions::forget(const kube::Object& crd) {
  const std::string shelf = shelf_of(crd);
  by_shelf_.erase(shelf);
  if (!context_.catalog.is_built_in(shelf))
    context_.catalog.remove(json::text_at(crd, {"spec", "group"}), json::text_at(crd, {"spec", "names", "plural"}));
  // Its names are free: others of the group may have waited for them.
  std::vector<Stored> waiting;
  context_.store.each(kShelf, {}, [&](const Stored& other) {
    if (json::text_at(*other, {"spec", "group"}) == json::text_at(crd, {"spec", "group"})) waiting.push_back(other);
  });
  for (const Stored& other : waiting) advance(other);
}

void Definitions::publish(const std::string& shelf, const Known& known) {
  if (context_.catalog.is_built_in(shelf)) return;
  auto rows =
      known.is_established ? rows_of(known.definition, known.since, known.is_ending) : std::vector<ResourceRules>();
  if (rows.empty()) {
    context_.catalog.remove(known.definition->group, known.definition->names.plural);
  } else {
    context_.catalog.add_versions(std::move(rows));
  }
}

void Definitions::advance(const Stored& crd) {
  if (kube::is_being_deleted(*crd)) {
    const json::Value* ending = definition_condition(*crd, "Terminating");
    if (ending != nullptr && json::text_at(*ending, {"reason"}) == "InstanceDeletionPending") {
      json::Value status = status_of(*crd);
      set_definition_condition(
          status, {"Terminating", "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"},
          context_.now());
      return write_status(crd, std::move(status));
    }
    const std::string shelf = shelf_of(*crd);
    if (const auto at = by_shelf_.find(shelf); at != by_shelf_.end()) take_objects_along(shelf, at->second);
    return;
  }
  json::Value status = named_status(context_.store, *crd, context_.now());
  if (!same(status, status_of(*crd))) return write_status(crd, std::move(status));
  if (is_true(*crd, "NamesAccepted") && !is_true(*crd, "Established")) {
    set_definition_condition(status,
                             {"Established", "True", "InitialNamesAccepted", "the initial names have been accepted"},
                             context_.now());
    write_status(crd, std::move(status));
  }
}

void Definitions::write_status(const Stored& crd, json::Value status) {
  const ResourceRules* rules = context_.catalog.find("apiextensions.k8s.io", "customresourcedefinitions");
  kube::Request request;
  request.verb = kube::Verb::Replace;
  request.resource = kube::kCustomResourceDefinitions;
  request.name = kube::name_of(*crd);
  request.subresource = "status";
  request.field_manager = "kube-apiserver";
  Draft fresh(*crd, 1024);
  fresh->get_object()["status"] = std::move(status);
  (void)update_object(context_, *rules, request, crd, std::move(fresh));
}

void Definitions::take_objects_along(const std::string& shelf, const Known& known) {
  // By value: the last object's end is the end of the definition, and of what is known of it.
  const std::string name = known.name;
  const ResourceRules* rules = context_.catalog.find(known.definition->group, known.definition->names.plural);
  std::vector<Stored> objects;
  context_.store.each(shelf, {}, [&](const Stored& object) { objects.push_back(object); });
  for (const Stored& object : objects) {
    if (kube::is_being_deleted(*object)) continue;
    if (rules == nullptr) {
      context_.store.erase(shelf, kube::key_of(*object));
      continue;
    }
    kube::Request request = kube::remove(rules->resource, std::string(kube::namespace_of(*object)),
                                         std::string(kube::name_of(*object)), std::string(kube::uid_of(*object)));
    request.propagation = kube::Propagation::Background;
    (void)delete_object(context_, *rules, request);
  }
  if (context_.store.count(shelf) != 0) return;
  const Stored crd = context_.store.find(kShelf, name);
  if (!crd || !kube::is_being_deleted(*crd)) return;
  // Other finalizers than ours keep it; then only ours goes.
  Draft fresh(*crd, 64);
  json::Array kept;
  for (const json::Value& one : json::array_at(*crd, {"metadata", "finalizers"})) {
    if (one != json::Value(kCleanup)) kept.push_back(one);
  }
  if (kept.empty()) {
    context_.store.erase(std::string(kShelf), name);
  } else if (kept.size() != json::array_at(*crd, {"metadata", "finalizers"}).size()) {
    json::ensure(*fresh, {"metadata", "finalizers"}) = std::move(kept);
    context_.store.put(std::string(kShelf), std::move(fresh));
  }
}

Answer<Stored> end_definition(Context& context, const ResourceRules& rules, const kube::Request& request,
                              const Stored& old) {
  Draft fresh(*old, 512);
  json::Members& metadata = json::ensure(*fresh, {"metadata"}).get_object();
  metadata["deletionTimestamp"] = context.now();
  json::Array finalizers = json::array_at(*old, {"metadata", "finalizers"});
  if (std::find(finalizers.begin(), finalizers.end(), json::Value(kCleanup)) == finalizers.end()) {
    finalizers.emplace_back(kCleanup);
  }
  metadata["finalizers"] = std::move(finalizers);
  set_definition_condition(json::ensure(*fresh, {"status"}),
                           {"Terminating", "True", "InstanceDeletionPending",
                            "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"},
                           context.now());
  if (request.dry_run) return std::move(fresh).seal();
  return context.store.put(rules.shelf, std::move(fresh));
}

void fill_in_definition(kube::Object& crd) { crd = crd::with_defaults(std::move(crd)); }

void new_definition(kube::Object& crd) {
  json::Array stored;
  for (const json::Value& version : json::array_at(crd, {"spec", "versions"})) {
    if (json::flag_at(version, {"storage"})) stored.emplace_back(json::text_at(version, {"name"}));
  }
  crd.get_object()["status"] = json::Members{{"conditions", nullptr},
                                             {"acceptedNames", json::Members{{"plural", ""}, {"kind", ""}}},
                                             {"storedVersions", std::move(stored)}};
}

void remember_stored_versions(kube::Object& fresh, const kube::Object&) {
  for (const json::Value& version : json::array_at(fresh, {"spec", "versions"})) {
    if (!json::flag_at(version, {"storage"})) continue;
    const json::Value name(json::text_at(version, {"name"}));
    json::Value& stored = json::ensure(fresh, {"status", "storedVersions"});
    if (!stored.is_array()) stored.emplace_array();
    json::Array& names = stored.get_array();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

}  // namespace drover::sim
