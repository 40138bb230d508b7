// Reading signatures, and the one table of all functions.
#include "sim/cel/library.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace drover::sim::cel {

namespace {

// Reads "map(string, list(A))" off the front. Signatures are constants of this program, so there are no bad ones to
// report.
TypeRef take_type(std::string_view& text) {
  text = base::trim(text);
  std::size_t end = 0;
  while (end < text.size() && text[end] >= 'A' && text[end] <= 'z') ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  std::vector<TypeRef> parts;
  const bool composite = word == "list" || word == "map" || word == "type" || word == "optional";
  if (composite && text.starts_with("(")) {
    do {
      text.remove_prefix(1);
      parts.push_back(take_type(text));
      text = base::trim(text);
    } while (text.starts_with(","));
    text.remove_prefix(1);
  }
  constexpr std::array<std::pair<std::string_view, Type::Kind>, 12> kWords = {{{"dyn", Type::Kind::Dyn},
                                                                               {"bool", Type::Kind::Bool},
                                                                               {"int", Type::Kind::Int},
                                                                               {"uint", Type::Kind::Uint},
                                                                               {"double", Type::Kind::Double},
                                                                               {"string", Type::Kind::String},
                                                                               {"bytes", Type::Kind::Bytes},
                                                                               {"timestamp", Type::Kind::Timestamp},
                                                                               {"duration", Type::Kind::Duration},
                                                                               {"url", Type::Kind::Url},
                                                                               {"quantity", Type::Kind::Quantity},
                                                                               {"null", Type::Kind::Null}}};
  for (const auto& [name, kind] : kWords) {
    if (name == word) return plain(kind);
  }
  if (word == "list") return list_of(parts[0]);
  if (word == "map") return map_of(parts[0], parts[1]);
  if (word == "type") return type_of(parts[0]);
  if (word == "optional") return optional_of(parts[0]);
  return param(std::string(word));
}

Overload read_signature(std::string_view text) {
  Overload made;
  if (!text.starts_with("(")) {
    made.on_target = true;
    made.takes.push_back(take_type(text));
    text.remove_prefix(1);  // the point
  }
  text.remove_prefix(1);  // (
  while (!text.starts_with(")")) {
    made.takes.push_back(take_type(text));
    text = base::trim(text);
    if (text.starts_with(",")) text.remove_prefix(1);
  }
  text.remove_prefix(1);
  made.gives = take_type(text);
  return made;
}

Library make_library() {
  Library made;
  add_operators(made);
  add_conversions(made);
  add_text(made);
  add_format(made);
  add_lists(made);
  add_time(made);
  add_kubernetes(made);
  add_optional(made);
  return made;
}

}  // namespace

void Library::add(std::string_view name, std::initializer_list<std::string_view> signatures, Code code) {
  Function function{.name = std::string(name), .overloads = {}, .code = code};
  for (const auto signature : signatures) function.overloads.push_back(read_signature(signature));
  functions_.emplace(std::string(name), std::move(function));
}

const Function* Library::find(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

const Library& library() {
  static const Library kLibrary = make_library();
  return kLibrary;
}

bool is_left_out(std::string_view name) {
  constexpr std::array<std::string_view, 36> kNames = {"ip",
                                                       "isIP",
                                                       "ip.isCanonical",
                                                       "cidr",
                                                       "isCIDR",
                                                       "semver",
                                                       "isSemver",
                                                       "optional.of",
                                                       "optional.none",
                                                       "optional.ofNonZeroValue",
                                                       "optMap",
                                                       "optFlatMap",
                                                       "format.named",
                                                       "format.dns1123Label",
                                                       "format.dns1123Subdomain",
                                                       "format.dns1035Label",
                                                       "format.qualifiedName",
                                                       "format.labelValue",
                                                       "format.uri",
                                                       "format.uuid",
                                                       "format.byte",
                                                       "format.date",
                                                       "format.datetime",
                                                       "validate",
                                                       "slice",
                                                       "flatten",
                                                       "sort",
                                                       "sortBy",
                                                       "distinct",
                                                       "lists.range",
                                                       "transformList",
                                                       "transformMap",
                                                       "transformMapEntry",
                                                       "first",
                                                       "last",
                                                       "unwrapOpt"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace drover::sim::cel
