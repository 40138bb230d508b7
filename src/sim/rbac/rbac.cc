// Deciding. Bindings are looked at in the order of their names, so that the reason given is always the same.
#include "sim/rbac/rbac.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace drover::sim::rbac {

namespace {

constexpr std::string_view kAccountPrefix = "system:serviceaccount:";

std::vector<std::string> texts_at(const json::Value& value, json::Path path) {
  std::vector<std::string> texts;
  for (const auto& item : json::array_at(value, path)) {
    if (item.is_string()) texts.emplace_back(item.get_string());
  }
  return texts;
}

bool has(const std::vector<std::string>& texts, std::string_view wanted) {
  return std::find(texts.begin(), texts.end(), wanted) != texts.end();
}
bool has_or_star(const std::vector<std::string>& texts, std::string_view wanted) {
  return has(texts, "*") || has(texts, wanted);
}

std::string account_user(std::string_view ns, std::string_view name) {
  return fmt::format("{}{}:{}", kAccountPrefix, ns, name);
}

json::Value json_list(const std::vector<std::string>& texts) {
  json::Array made;
  for (const auto& text : texts) made.emplace_back(text);
  return made;
}

}  // namespace

User service_account(std::string_view ns, std::string_view name) {
  return {account_user(ns, name),
          {"system:serviceaccounts", fmt::format("system:serviceaccounts:{}", ns), "system:authenticated"}};
}

bool Policy::Rule::allows(const Attributes& request, bool names_count) const {
  if (!has_or_star(verbs, request.verb)) return false;
  if (!request.path.empty()) {
    return std::any_of(urls.begin(), urls.end(), [&](std::string_view url) {
      if (url == "*" || url == request.path) return true;
      if (!url.ends_with("*")) return false;
      while (url.ends_with("*")) url.remove_suffix(1);
      return std::string_view(request.path).starts_with(url);
    });
  }
  const std::string combined =
      request.subresource.empty() ? request.resource : request.resource + "/" + request.subresource;
  const bool resource_fits = std::any_of(resources.begin(), resources.end(), [&](const std::string& resource) {
    return resource == "*" || resource == combined ||
           (!request.subresource.empty() && resource.starts_with("*/") && resource.substr(2) == request.subresource);
  });
  return resource_fits && has_or_star(groups, request.group) &&
         (names.empty() || !names_count || has(names, request.name));
}

Policy::Rule Policy::read_rule(const json::Value& rule) {
  return {texts_at(rule, {"verbs"}),         texts_at(rule, {"apiGroups"}),       texts_at(rule, {"resources"}),
          texts_at(rule, {"resourceNames"}), texts_at(rule, {"nonResourceURLs"}), rule};
}

Policy::Role Policy::read_role(const json::Value& object) {
  Role made;
  for (const auto& rule : json::array_at(object, {"rules"})) made.rules.push_back(read_rule(rule));
  made.labels = json::members_at(object, {"metadata", "labels"});
  for (const auto& selector : json::array_at(object, {"aggregationRule", "clusterRoleSelectors"})) {
    // A selector that cannot be read selects nothing: rights are never given by mistake.
    if (auto read = base::Selector::from_json(selector)) made.aggregates.push_back(std::move(*read));
  }
  return made;
}

Policy::Binding Policy::read_binding(const json::Value& object) {
  Binding made;
  made.name = json::text_at(object, {"metadata", "name"});
  made.ns = json::text_at(object, {"metadata", "namespace"});
  made.role_kind = json::text_at(object, {"roleRef", "kind"});
  made.role_name = json::text_at(object, {"roleRef", "name"});
  for (const auto& subject : json::array_at(object, {"subjects"})) {
    made.subjects.push_back({std::string(json::text_at(subject, {"kind"})),
                             std::string(json::text_at(subject, {"name"})),
                             std::string(json::text_at(subject, {"namespace"}))});
  }
  return made;
}

// A ServiceAccount is the user it authenticates as; without a namespace of its own it is looked for beside the binding.
std::string Policy::subject_key(const BindingSubject& subject, std::string_view binding_ns) {
  if (subject.kind != "ServiceAccount") return subject.kind + "/" + subject.name;
  const std::string_view ns = subject.ns.empty() ? binding_ns : std::string_view(subject.ns);
  return ns.empty() ? std::string() : "User/" + account_user(ns, subject.name);
}

void Policy::put(const json::Value& object) {
  if (take(object)) aggregate();
}

void Policy::put_all(const std::vector<std::shared_ptr<const json::Value>>& objects) {
  bool aggregates = false;
  for (const auto& object : objects) aggregates = take(*object) || aggregates;
  if (aggregates) aggregate();
}

bool Policy::take(const json::Value& object) {
  const auto kind = json::text_at(object, {"kind"});
  const Key key{json::text_at(object, {"metadata", "namespace"}), json::text_at(object, {"metadata", "name"})};
  // What has no namespace counts for the whole cluster: nothing may get there by leaving it out.
  if (key.first.empty() != kind.starts_with("Cluster")) return false;
  if (kind == "Role" || kind == "ClusterRole") {
    roles_[key] = read_role(object);
    return kind == "ClusterRole";
  }
  if (kind == "RoleBinding" || kind == "ClusterRoleBinding") {
    forget_binding(key);
    Binding made = read_binding(object);
    for (const auto& subject : made.subjects) by_subject_[subject_key(subject, made.ns)].insert(key);
    bindings_[key] = std::move(made);
  }
  return false;
}

void Policy::remove(const json::Value& object) {
  const auto kind = json::text_at(object, {"kind"});
  const Key key{json::text_at(object, {"metadata", "namespace"}), json::text_at(object, {"metadata", "name"})};
  if (kind == "Role" || kind == "ClusterRole") {
    roles_.erase(key);
    if (kind == "ClusterRole") aggregate();
  } else if (kind == "RoleBinding" || kind == "ClusterRoleBinding") {
    forget_binding(key);
  }
}

void Policy::forget_binding(const Key& key) {
  const auto found = bindings_.find(key);
  if (found == bindings_.end()) return;
  for (const auto& subject : found->second.subjects) {
    const auto entry = by_subject_.find(subject_key(subject, found->second.ns));
    if (entry == by_subject_.end()) continue;
    entry->second.erase(key);
    if (entry->second.empty()) by_subject_.erase(entry);
  }
  bindings_.erase(found);
}

// An aggregated role has the rules of all roles it selects; one may select another, so this goes on until nothing
// moves.
void Policy::aggregate() {
  for (std::size_t pass = 0; pass < roles_.size() + 1; ++pass) {
    bool moved = false;
    for (auto& [key, role] : roles_) {
      if (role.aggregates.empty()) continue;
      std::vector<Rule> rules;
      for (const auto& [other_key, other] : roles_) {
        const bool selected =
            other_key != key && other_key.first.empty() &&
            std::any_of(role.aggregates.begin(), role.aggregates.end(),
                        [&](const base::Selector& selector) { return selector.matches(other.labels); });
        if (!selected) continue;
        for (const auto& rule : other.rules) {
          const bool known =
              std::any_of(rules.begin(), rules.end(), [&](const Rule& one) { return one.text == rule.text; });
          if (!known) rules.push_back(rule);
        }
      }
      moved = moved || rules.size() != role.rules.size();
      role.rules = std::move(rules);
    }
    if (!moved) return;
  }
}

const Policy::Role* Policy::find_role(const Binding& binding) const {
  const auto found = roles_.find({binding.role_kind == "Role" ? binding.ns : std::string(), binding.role_name});
  return found == roles_.end() ? nullptr : &found->second;
}

template <class Visit>
void Policy::each_binding(const User& user, std::string_view ns, Visit visit) const {
  std::set<Key> keys;
  const auto collect = [&](const std::string& subject) {
    const auto found = by_subject_.find(subject);
    if (found == by_subject_.end()) return;
    for (const auto& key : found->second) {
      if (key.first.empty() || key.first == ns) keys.insert(key);
    }
  };
  collect("User/" + user.name);
  for (const auto& group : user.groups) collect("Group/" + group);
  // Keys without a namespace sort first: the cluster's bindings.
  for (const auto& key : keys) {
    const Binding& binding = bindings_.at(key);
    if (!visit(binding, find_role(binding))) return;
  }
}

// "ClusterRoleBinding "b" of ClusterRole "r" to User "u"", naming the first subject that applies.
std::string Policy::describe(const Binding& binding, const User& user) {
  std::string to;
  for (const auto& subject : binding.subjects) {
    const std::string key = subject_key(subject, binding.ns);
    const bool applies = key == "User/" + user.name || (subject.kind == "Group" && has(user.groups, subject.name));
    if (!applies) continue;
    to = subject.kind != "ServiceAccount"
             ? fmt::format("{} \"{}\"", subject.kind, subject.name)
             : fmt::format("{} \"{}/{}\"", subject.kind, subject.name, subject.ns.empty() ? binding.ns : subject.ns);
    break;
  }
  if (binding.ns.empty()) {
    return fmt::format("ClusterRoleBinding \"{}\" of {} \"{}\" to {}", binding.name, binding.role_kind,
                       binding.role_name, to);
  }
  return fmt::format("RoleBinding \"{}/{}\" of {} \"{}\" to {}", binding.name, binding.ns, binding.role_kind,
                     binding.role_name, to);
}

Decision Policy::decide(const Attributes& request) const {
  if (has(request.user.groups, "system:masters")) return {true, ""};
  Decision decision;
  std::vector<std::string> missing;
  each_binding(
      request.user, request.path.empty() ? std::string_view(request.ns) : std::string_view(),
      [&](const Binding& binding, const Role* role) {
        if (role == nullptr) {
          missing.push_back(fmt::format("{}.rbac.authorization.k8s.io \"{}\" not found",
                                        binding.role_kind == "Role" ? "role" : "clusterrole", binding.role_name));
          return true;
        }
        for (const auto& rule : role->rules) {
          if (!rule.allows(request, names_count_)) continue;
          decision = {true, "RBAC: allowed by " + describe(binding, request.user)};
          return false;
        }
        return true;
      });
  if (decision.allowed || missing.empty()) return decision;
  std::string all;
  std::set<std::string> said;
  for (const auto& text : missing) {
    if (said.insert(text).second) all += (all.empty() ? "" : ", ") + text;
  }
  decision.reason = said.size() > 1 ? "RBAC: [" + all + "]" : "RBAC: " + all;
  return decision;
}

json::Value Policy::rules_for(const User& user, std::string_view ns) const {
  json::Array resource_rules;
  json::Array other_rules;
  each_binding(user, ns, [&](const Binding&, const Role* role) {
    if (role == nullptr) return true;
    for (const auto& rule : role->rules) {
      if (!rule.resources.empty()) {
        json::Members made{{"verbs", json_list(rule.verbs)},
                           {"apiGroups", json_list(rule.groups)},
                           {"resources", json_list(rule.resources)}};
        if (!rule.names.empty()) made["resourceNames"] = json_list(rule.names);
        resource_rules.emplace_back(std::move(made));
      }
      if (!rule.urls.empty()) {
        other_rules.emplace_back(
            json::Members{{"verbs", json_list(rule.verbs)}, {"nonResourceURLs", json_list(rule.urls)}});
      }
    }
    return true;
  });
  return json::Members{{"resourceRules", std::move(resource_rules)},
                       {"nonResourceRules", std::move(other_rules)},
                       {"incomplete", false}};
}

json::Array Policy::aggregated_rules(std::string_view cluster_role) const {
  json::Array rules;
  const auto found = roles_.find({"", std::string(cluster_role)});
  if (found == roles_.end()) return rules;
  for (const auto& rule : found->second.rules) rules.push_back(rule.text);
  return rules;
}

}  // namespace drover::sim::rbac
