// The RBAC kinds: defaults, checks, and the check against privilege escalation.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "sim/cel/go_text.h"
#include "sim/same.h"
#include "sim/server/access.h"
#include "sim/server/kinds.h"
#include "sim/server/names.h"

namespace drover::sim {
namespace {

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

std::vector<std::string> texts_at(const json::Value& value, std::string_view key) {
  std::vector<std::string> texts;
  for (const json::Value& one : json::array_at(value, {key})) {
    if (one.is_string()) texts.emplace_back(one.get_string());
  }
  return texts;
}

bool has(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// ["a" "b"], as Go prints a list of strings.
std::string go_list(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : " ") + cel::go_quote(one);
  return "[" + text + "]";
}

struct Grant {
  std::vector<std::string> groups;
  std::vector<std::string> resources;
  std::vector<std::string> urls;
  std::vector<std::string> names;
  std::vector<std::string> verbs;

  static Grant read(const json::Value& rule) {
    return {texts_at(rule, "apiGroups"), texts_at(rule, "resources"), texts_at(rule, "nonResourceURLs"),
            texts_at(rule, "resourceNames"), texts_at(rule, "verbs")};
  }

  std::string text() const {
    std::string all;
    const auto part = [&](std::string_view name, const std::vector<std::string>& texts) {
      if (!texts.empty()) all += fmt::format("{}{}:{}", all.empty() ? "" : ", ", name, go_list(texts));
    };
    part("APIGroups", groups);
    part("Resources", resources);
    part("NonResourceURLs", urls);
    part("ResourceNames", names);
    part("Verbs", verbs);
    return "{" + all + "}";
  }
};

// One right: a verb on one resource (perhaps one name of it) or on one URL.
struct Right {
  std::string group;
  std::string resource;
  std::string name;
  std::string verb;
  std::string url;
};

bool covers_resource(const Grant& owner, const std::string& resource) {
  if (has(owner.resources, "*") || has(owner.resources, resource)) return true;
  const std::size_t slash = resource.find('/');
  return slash != std::string::npos && has(owner.resources, "*" + resource.substr(slash));
}

bool covers_url(const Grant& owner, const std::string& url) {
  return std::any_of(owner.urls.begin(), owner.urls.end(), [&](const std::string& mine) {
    return mine == "*" || mine == url ||
           (mine.ends_with("*") && url.starts_with(std::string_view(mine).substr(0, mine.size() - 1)));
  });
}

bool covers(const Grant& owner, const Right& right) {
  if (!has(owner.verbs, "*") && !has(owner.verbs, right.verb)) return false;
  if (!right.url.empty()) return covers_url(owner, right.url);
  if (!has(owner.groups, "*") && !has(owner.groups, right.group)) return false;
  return covers_resource(owner, right.resource) && (owner.names.empty() || has(owner.names, right.name));
}

std::vector<Right> rights_in(const Grant& grant) {
  std::vector<Right> rights;
  for (const std::string& verb : grant.verbs) {
    for (const std::string& group : grant.groups) {
      for (const std::string& resource : grant.resources) {
        if (grant.names.empty()) rights.push_back({group, resource, "", verb, ""});
        for (const std::string& name : grant.names) rights.push_back({group, resource, name, verb, ""});
      }
    }
    for (const std::string& url : grant.urls) rights.push_back({"", "", "", verb, url});
  }
  return rights;
}

std::vector<Grant> grants_of(const rbac::Policy& policy, const rbac::User& user, std::string_view ns) {
  const json::Value rules = policy.rules_for(user, ns);
  std::vector<Grant> grants;
  for (const char* list : {"resourceRules", "nonResourceRules"}) {
    for (const json::Value& rule : json::array_at(rules, {list})) grants.push_back(Grant::read(rule));
  }
  return grants;
}

// What is given but not had, one line a resource, sorted; empty when all is had.
std::string not_held(const std::vector<Grant>& given, const std::vector<Grant>& had) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::string>> verbs;
  std::set<std::string> lines;
  for (const Grant& grant : given) {
    for (const Right& right : rights_in(grant)) {
      if (std::any_of(had.begin(), had.end(), [&](const Grant& owner) { return covers(owner, right); })) continue;
      if (!right.url.empty()) {
        lines.insert(Grant{{}, {}, {right.url}, {}, {right.verb}}.text());
        continue;
      }
      auto& list = verbs[{right.group, right.resource, right.name}];
      if (!has(list, right.verb)) list.push_back(right.verb);
    }
  }
  for (const auto& [what, list] : verbs) {
    const auto& [group, resource, name] = what;
    lines.insert(
        Grant{{group}, {resource}, {}, name.empty() ? std::vector<std::string>() : std::vector{name}, list}.text());
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::vector<Grant> read_rules(const kube::Object& role) {
  std::vector<Grant> grants;
  for (const json::Value& rule : json::array_at(role, {"rules"})) grants.push_back(Grant::read(rule));
  return grants;
}

bool may(const Context& context, std::string_view verb, std::string_view resource, std::string_view ns,
         std::string_view name) {
  return context.policy
      ->decide({.user = *context.user,
                .verb = std::string(verb),
                .group = std::string(kRbacGroup),
                .resource = std::string(resource),
                .name = std::string(name),
                .ns = std::string(ns)})
      .allowed;
}

bool has_everything(const Context& context) {
  const std::vector<Grant> all = {{{"*"}, {"*"}, {}, {}, {"*"}}, {{}, {}, {"*"}, {}, {"*"}}};
  return not_held(all, grants_of(*context.policy, *context.user, "")).empty();
}

}  // namespace

Answer<void> check_escalation(const Context& context, const ResourceRules& rules, const kube::Object& fresh,
                              const kube::Object* old) {
  if (context.user == nullptr || context.policy == nullptr || rules.resource.group != kRbacGroup) return {};
  if (has(context.user->groups, "system:masters")) return {};
  const std::string_view name = kube::name_of(fresh);
  const std::string ns(kube::namespace_of(fresh));
  const bool is_role = rules.resource.plural == "roles" || rules.resource.plural == "clusterroles";
  std::vector<Grant> given;
  if (is_role) {
    const bool same_rules = old != nullptr && same(json::find(fresh, {"rules"}), json::find(*old, {"rules"})) &&
                            same(json::find(fresh, {"aggregationRule"}), json::find(*old, {"aggregationRule"}));
    if (same_rules || may(context, "escalate", rules.resource.plural, ns, name)) return {};
    if (json::find(fresh, {"aggregationRule"}) != nullptr && !has_everything(context)) {
      return forbidden(rules.resource, name, "must have cluster-admin privileges to use the aggregationRule");
    }
    given = read_rules(fresh);
  } else {
    const bool unchanged = old != nullptr && same(json::find(fresh, {"roleRef"}), json::find(*old, {"roleRef"})) &&
                           same(json::find(fresh, {"subjects"}), json::find(*old, {"subjects"}));
    const bool of_cluster = json::text_at(fresh, {"roleRef", "kind"}) == "ClusterRole";
    const std::string role(json::text_at(fresh, {"roleRef", "name"}));
    const std::string_view plural = of_cluster ? "clusterroles" : "roles";
    if (unchanged || may(context, "bind", plural, ns, role)) return {};
    const Stored found = context.store.find(fmt::format("{}.{}", plural, kRbacGroup),
                                            of_cluster ? role : fmt::format("{}/{}", ns, role));
    if (!found) return not_found(rules.resource, role);
    given = read_rules(*found);
  }
  const std::string missing = not_held(given, grants_of(*context.policy, *context.user, ns));
  if (missing.empty()) return {};
  return forbidden(rules.resource, name,
                   fmt::format("user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
                               cel::go_quote(context.user->name), go_list(context.user->groups), missing));
}

void fill_in_role(kube::Object& role) {
  if (json::Members& members = role.get_object(); !members.contains("rules")) members["rules"] = nullptr;
}

void fill_in_role_binding(kube::Object& binding) {
  set_default(object_in(binding.get_object(), "roleRef"), "apiGroup", json::Value(kRbacGroup));
  json::Value* subjects = json::find(binding, {"subjects"});
  if (subjects == nullptr || !subjects->is_array()) return;
  for (json::Value& subject : subjects->get_array()) {
    const std::string_view kind = json::text_at(subject, {"kind"});
    if (kind == "User" || kind == "Group") set_default(subject.get_object(), "apiGroup", json::Value(kRbacGroup));
  }
}

void check_role(const kube::Object& role, const kube::Object*, FieldErrors& errors) {
  const bool namespaced = json::text_at(role, {"kind"}) == "Role";
  std::size_t i = 0;
  for (const json::Value& rule : json::array_at(role, {"rules"})) {
    const std::string at = fmt::format("rules[{}]", i++);
    const Grant grant = Grant::read(rule);
    if (grant.verbs.empty()) errors.required(at + ".verbs", "verbs must contain at least one value");
    if (!grant.urls.empty()) {
      const std::string shown = json::text_of(json::array_at(rule, {"nonResourceURLs"}));
      if (namespaced) {
        errors.invalid(at + ".nonResourceURLs", shown, "namespaced rules cannot apply to non-resource URLs");
      }
      if (!grant.groups.empty() || !grant.resources.empty() || !grant.names.empty()) {
        errors.invalid(at + ".nonResourceURLs", shown,
                       "rules cannot apply to both regular resources and non-resource URLs");
      }
      continue;
    }
    if (grant.groups.empty()) {
      errors.required(at + ".apiGroups", "resource rules must supply at least one api group");
    }
    if (grant.resources.empty()) {
      errors.required(at + ".resources", "resource rules must supply at least one resource");
    }
  }
}

namespace {

void check_subject(const json::Value& subject, const std::string& at, bool namespaced, FieldErrors& errors) {
  const std::string_view kind = json::text_at(subject, {"kind"});
  const std::string_view name = json::text_at(subject, {"name"});
  const std::string_view group = json::text_at(subject, {"apiGroup"});
  if (name.empty()) errors.required(at + ".name", "");
  if (kind == "ServiceAccount") {
    if (!name.empty()) {
      for (const std::string& complaint : complaints_about_name(NameRule::Subdomain, name)) {
        errors.invalid(at + ".name", quoted(name), complaint);
      }
    }
    if (!group.empty()) errors.not_supported(at + ".apiGroup", quoted(group), {""});
    if (!namespaced && json::text_at(subject, {"namespace"}).empty()) errors.required(at + ".namespace", "");
  } else if (kind == "User" || kind == "Group") {
    if (group != kRbacGroup) errors.not_supported(at + ".apiGroup", quoted(group), {std::string(kRbacGroup)});
  } else {
    errors.not_supported(at + ".kind", quoted(kind), {"ServiceAccount", "User", "Group"});
  }
}

}  // namespace

void check_role_binding(const kube::Object& binding, const kube::Object* old, FieldErrors& errors) {
  const bool namespaced = json::text_at(binding, {"kind"}) == "RoleBinding";
  const auto part = [&](std::string_view key) { return json::text_at(binding, {"roleRef", key}); };
  if (old != nullptr && !same(json::find(binding, {"roleRef"}), json::find(*old, {"roleRef"}))) {
    errors.invalid(
        "roleRef",
        json::text_of(json::Value{{"APIGroup", part("apiGroup")}, {"Kind", part("kind")}, {"Name", part("name")}}),
        "cannot change roleRef");
    return;
  }
  if (part("apiGroup") != kRbacGroup) {
    errors.not_supported("roleRef.apiGroup", quoted(part("apiGroup")), {std::string(kRbacGroup)});
  }
  if (part("kind") != "ClusterRole" && !(namespaced && part("kind") == "Role")) {
    errors.not_supported(
        "roleRef.kind", quoted(part("kind")),
        namespaced ? std::vector<std::string>{"Role", "ClusterRole"} : std::vector<std::string>{"ClusterRole"});
  }
  if (part("name").empty()) errors.required("roleRef.name", "");
  std::size_t i = 0;
  for (const json::Value& subject : json::array_at(binding, {"subjects"})) {
    check_subject(subject, fmt::format("subjects[{}]", i++), namespaced, errors);
  }
}

}  // namespace drover::sim
