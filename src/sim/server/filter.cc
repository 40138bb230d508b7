// Label and field selectors of lists and watches.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "sim/server.h"
#include "sim/server/rejections.h"
#include "sim/server/selector_words.h"

namespace drover::sim {
namespace {

struct Selectable {
  std::string_view shelf;
  std::vector<std::string_view> fields;
};

// Besides metadata.name and metadata.namespace, which every resource has.
const std::vector<Selectable>& selectables() {
  static const std::vector<Selectable> kTable = {
      {"pods",
       {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
        "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName"}},
      {"nodes", {"spec.unschedulable"}},
      {"namespaces", {"status.phase"}},
      {"events",
       {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
        "involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
        "reportingComponent", "source", "type"}},
      {"secrets", {"type"}},
      {"services", {"spec.clusterIP", "spec.type"}},
      {"jobs.batch", {"status.successful"}},
      {"replicasets.apps", {"status.replicas"}},
  };
  return kTable;
}

const Selectable* selectable(std::string_view shelf) {
  const auto& table = selectables();
  const auto at = std::find_if(table.begin(), table.end(), [&](const Selectable& row) { return row.shelf == shelf; });
  return at == table.end() ? nullptr : &*at;
}

// The value of a field as a selector sees it: text; false, 0 and nothing where the object is silent.
std::string field_text(const kube::Object& object, const std::vector<std::string>& path) {
  if (path.size() == 1 && path[0] == "source") return std::string(json::text_at(object, {"source", "component"}));
  if (path.back() == "successful") return std::to_string(json::int_at(object, {"status", "succeeded"}));
  const json::Value* at = &object;
  for (const std::string& step : path) {
    if (!at->is_object()) return {};
    at = at->get_object().if_contains(step);
    if (at == nullptr) {
      if (path.back() == "unschedulable" || path.back() == "hostNetwork") return "false";
      return path.back() == "replicas" ? "0" : "";
    }
  }
  if (at->is_string()) return std::string(at->get_string());
  return json::text_of(*at);
}

struct RawTerm {
  std::string field;
  bool equal = true;
  std::string value;
};

// "a=b,c!=d": an escaped comma, equals sign or backslash belongs to the value.
Answer<std::vector<RawTerm>> parse_terms(std::string_view text) {
  std::vector<std::string> pieces(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      pieces.back() += text[i];
      pieces.back() += text[++i];
    } else if (text[i] == ',') {
      pieces.emplace_back();
    } else {
      pieces.back() += text[i];
    }
  }
  std::vector<RawTerm> terms;
  for (const std::string& piece : pieces) {
    if (piece.empty()) continue;
    RawTerm term;
    std::size_t length = 2;
    std::size_t at = piece.find('=');
    if (at == std::string::npos) {
      return bad_request(fmt::format("invalid selector: '{}'; can't understand '{}'", text, piece));
    }
    if (at > 0 && piece[at - 1] == '!') {
      term.equal = false;
      --at;
    } else if (at + 1 < piece.size() && piece[at + 1] == '=') {
      // "==" is "="
    } else {
      length = 1;
    }
    term.field = piece.substr(0, at);
    for (std::size_t i = at + length; i < piece.size(); ++i) {
      if (piece[i] == '=') {
        return bad_request(fmt::format("invalid field selector: unescaped character in value: {}", int{'='}));
      }
      if (piece[i] == '\\' && i + 1 < piece.size()) ++i;
      term.value += piece[i];
    }
    terms.push_back(std::move(term));
  }
  return terms;
}

bool is_known(const Selectable* row, const std::vector<std::string>* custom, std::string_view field) {
  if (field == "metadata.name" || field == "metadata.namespace") return true;
  if (custom != nullptr && std::any_of(custom->begin(), custom->end(), [&](const std::string& path) {
        return path.size() == field.size() + 1 && path.ends_with(field);
      })) {
    return true;
  }
  return row != nullptr && std::find(row->fields.begin(), row->fields.end(), field) != row->fields.end();
}

}  // namespace

Answer<Filter> Filter::make(const kube::Range& range, const std::vector<std::string>* selectable_too) {
  Filter filter;
  filter.range_ = range;
  if (range.resource.scope == kube::Scope::Cluster) filter.range_.ns.clear();
  auto labels = base::Selector::parse(range.labels);
  if (!labels) {
    std::string complaint = complaint_about_selector(range.labels);
    return bad_request(complaint.empty() ? "unable to parse requirement: " + labels.error().message
                                         : std::move(complaint));
  }
  filter.labels_ = std::move(*labels);
  if (range.fields.empty()) return filter;

  TRY(const auto terms, parse_terms(range.fields));
  const Selectable* row = selectable(range.resource.qualified());
  for (const RawTerm& term : terms) {
    if (!is_known(row, selectable_too, term.field)) {
      if (row != nullptr || range.resource.group.find('.') != std::string::npos) {
        return bad_request(fmt::format("field label not supported: {}", term.field));
      }
      return bad_request(fmt::format("{} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
                                     quoted(term.field)));
    }
    FieldTerm field;
    for (const std::string_view step : base::split(term.field, '.')) field.path.emplace_back(step);
    field.equal = term.equal;
    field.value = term.value;
    filter.fields_.push_back(std::move(field));
  }
  return filter;
}

void Filter::want_unequal_keys() {
  for (const std::string_view term : base::split(range_.labels, ',')) {
    if (const std::size_t at = term.find("!="); at != std::string_view::npos)
      wanted_keys_.emplace_back(term.substr(0, at));
  }
}

bool Filter::matches(const kube::Object& object) const {
  for (const std::string& key : wanted_keys_) {
    if (!kube::labels_of(object).contains(key)) return false;
  }
  if (!range_.ns.empty() && kube::namespace_of(object) != range_.ns) return false;
  if (!labels_.selects_everything() && !labels_.matches(kube::labels_of(object))) return false;
  return std::all_of(fields_.begin(), fields_.end(), [&](const FieldTerm& term) {
    return (field_text(object, term.path) == term.value) == term.equal;
  });
}

}  // namespace drover::sim
