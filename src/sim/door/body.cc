#include "sim/door/body.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "sim/door/go_json.h"
#include "sim/protobuf/decode.h"
#include "sim/server/names.h"
#include "sim/server/rejections.h"

namespace drover::sim::door {
namespace {

constexpr std::size_t kMostShown = 30;

// -- YAML -------------------------------------------------------------------------------------------------------------

class TypedYaml {
 public:
  base::Result<json::Value> of(const YAML::Node& node, int depth) {
    if (++nodes_ > kMostNodes || depth > kMostDepth) {
      return base::fault(base::Fault::Kind::Malformed, "yaml: document contains excessive aliasing");
    }
    switch (node.Type()) {
      case YAML::NodeType::Sequence: {
        json::Array out;
        for (const auto& element : node) {
          TRY(json::Value value, of(element, depth + 1));
          out.push_back(std::move(value));
        }
        return json::Value(std::move(out));
      }
      case YAML::NodeType::Map: {
        json::Members out;
        for (const auto& member : node) {
          if (!member.first.IsScalar()) return base::fault(base::Fault::Kind::Malformed, "a key is not a plain string");
          TRY(json::Value value, of(member.second, depth + 1));
          out[member.first.Scalar()] = std::move(value);
        }
        return json::Value(std::move(out));
      }
      case YAML::NodeType::Scalar: return scalar(node);
      default: return json::Value(nullptr);
    }
  }

 private:
  static constexpr int kMostNodes = 200'000;
  static constexpr int kMostDepth = 64;

  static json::Value scalar(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") return json::Value(text);
    if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return json::Value(nullptr);
    static constexpr std::string_view kYes[] = {"true", "True", "TRUE", "yes", "Yes", "YES",
                                                "on",   "On",   "ON",   "y",   "Y"};
    static constexpr std::string_view kNo[] = {"false", "False", "FALSE", "no", "No", "NO",
                                               "off",   "Off",   "OFF",   "n",  "N"};
    if (std::find(std::begin(kYes), std::end(kYes), text) != std::end(kYes)) return json::Value(true);
    if (std::find(std::begin(kNo), std::end(kNo), text) != std::end(kNo)) return json::Value(false);
    if (const auto number = base::parse_int(text)) return json::Value(*number);
    return number_or_text(text);
  }

  static json::Value number_or_text(const std::string& text) {
    if (text.find_first_not_of("0123456789+-.eE") != std::string::npos ||
        text.find_first_of("0123456789") == std::string::npos) {
      return json::Value(text);
    }
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end != text.c_str() + text.size() || !std::isfinite(number)) return json::Value(text);
    return json::Value(number);
  }

  int nodes_ = 0;
};

// -- refusals ---------------------------------------------------------------------------------------------------------

std::string media_type(const HttpRequest& request) {
  const std::string_view header = request.header("Content-Type");
  return base::lower(base::trim(header.substr(0, header.find(';'))));
}

// The bytes as an error message shows them: text when it is text, else hexadecimal.
std::string shown(std::string_view body) {
  if (body.empty()) return "<empty>";
  const std::string_view begins = body.substr(0, kMostShown);
  const std::string_view more = body.size() > kMostShown ? " ..." : "";
  if (body.starts_with('{')) return fmt::format("{}{}", begins, more);
  std::string hex;
  for (const char c : begins) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return fmt::format("{}{}", hex, more);
}

constexpr std::string_view kNeitherStruct =
    "struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }";

Refusal no_kind_in(std::string_view kind, std::string_view body, std::string_view why) {
  return bad_request(
      fmt::format("the object provided is unrecognized (must be of type {}): couldn't get version/kind; json parse "
                  "error: {} ({})",
                  kind, why, shown(body)));
}

std::string package_of(std::string_view group) {
  return group.empty() ? "core" : std::string(group.substr(0, group.find('.')));
}

Answer<void> check_kind(const json::Value& object, std::string_view group, std::string_view version,
                        std::string_view kind, bool is_custom) {
  const std::string expected_version = group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
  std::string given_version(json::text_at(object, {"apiVersion"}));
  std::string given_kind(json::text_at(object, {"kind"}));
  if (given_version.empty() && !is_custom) given_version = expected_version;
  if (given_kind.empty() && !is_custom) given_kind = kind;
  if (given_version == expected_version && given_kind == kind) return {};
  if (is_custom) {
    if (given_kind.empty()) return bad_request("Object 'Kind' is missing in '" + json::text_of(object) + "'");
    if (given_version != expected_version) {
      return bad_request(fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                                     given_version, expected_version));
    }
    return bad_request(
        fmt::format("{} in version {} cannot be handled as a {}: no kind {} is registered for version "
                    "{} in scheme \"pkg/runtime/scheme.go:111\"",
                    given_kind, quoted(given_version), kind, quoted(given_kind), quoted(given_version)));
  }
  const bool known = given_version == expected_version || given_version == "v1" || given_version == "apps/v1";
  if (known && !protobuf::message_of_kind(given_version, given_kind).empty()) {
    const std::string given_package = "v1";
    return bad_request(
        fmt::format("{} in version {} cannot be handled as a {}: converting ({}.{}) to ({}.{}): unknown conversion",
                    given_kind, quoted(given_version), kind, given_package, given_kind, package_of(group), kind));
  }
  return bad_request(
      fmt::format("{} in version {} cannot be handled as a {}: no kind {} is registered for version {} "
                  "in scheme \"pkg/runtime/scheme.go:111\"",
                  given_kind, quoted(given_version), kind, quoted(given_kind), quoted(given_version)));
}

Answer<json::Value> decode(const HttpRequest& request, std::string_view kind) {
  TRY(const Encoding encoding, encoding_of(request));
  if (encoding == Encoding::Protobuf) {
    auto value = protobuf::decode(request.body);
    if (!value) {
      return bad_request(
          fmt::format("the object provided is unrecognized (must be of type {}): {}", kind, value.error().message));
    }
    return std::move(*value);
  }
  if (encoding == Encoding::Yaml) {
    auto value = typed_yaml(request.body);
    if (!value) return bad_request("error converting YAML to JSON: " + value.error().message);
    return std::move(*value);
  }
  if (const std::string why = go_json_complaint(request.body); !why.empty()) {
    return no_kind_in(kind, request.body, why);
  }
  auto value = json::parse(request.body);
  if (!value) return no_kind_in(kind, request.body, value.error().message);
  return std::move(*value);
}

}  // namespace

Answer<Encoding> encoding_of(const HttpRequest& request) {
  const std::string type = media_type(request);
  if (type.empty() || type == "application/json") return Encoding::Json;
  if (type == "application/yaml") return Encoding::Yaml;
  if (type == "application/vnd.kubernetes.protobuf") return Encoding::Protobuf;
  return unsupported_media_type(
      "the body of the request was in an unknown format - accepted media types include: application/json, "
      "application/yaml, application/vnd.kubernetes.protobuf");
}

base::Result<json::Value> typed_yaml(std::string_view text) {
  try {
    return TypedYaml().of(YAML::Load(std::string(text)), 0);
  } catch (const YAML::Exception& error) {
    return base::fault(base::Fault::Kind::Malformed,
                       fmt::format("yaml: line {}: {}", error.mark.line + 1, base::one_line(error.msg, 120)));
  } catch (const std::exception& error) {
    return base::fault(base::Fault::Kind::Malformed, fmt::format("yaml: {}", base::one_line(error.what(), 120)));
  }
}

Answer<json::Value> read_object(const HttpRequest& request, std::string_view group, std::string_view version,
                                std::string_view kind, bool is_custom) {
  TRY(json::Value object, decode(request, kind));
  if (!object.is_object()) {
    return no_kind_in(
        kind, request.body,
        fmt::format("json: cannot unmarshal {} into Go value of type {}", json_word(object), kNeitherStruct));
  }
  TRY_VOID(check_kind(object, group, version, kind, is_custom));
  return object;
}

Answer<kube::PatchKind> patch_kind_of(const HttpRequest& request) {
  const std::string type = media_type(request);
  if (type == "application/merge-patch+json") return kube::PatchKind::Merge;
  if (type == "application/strategic-merge-patch+json") return kube::PatchKind::Strategic;
  if (type == "application/json-patch+json") return kube::PatchKind::Json;
  if (type == "application/apply-patch+yaml") return kube::PatchKind::Apply;
  return Refusal(Rejection{415, "UnsupportedMediaType", "415: Unsupported Media Type", json::Members()});
}

Answer<json::Value> read_patch(const HttpRequest& request, kube::PatchKind kind) {
  if (kind == kube::PatchKind::Apply) {
    auto value = typed_yaml(request.body);
    if (!value) return bad_request("error decoding YAML: error converting YAML to JSON: " + value.error().message);
    if (!value->is_object()) {
      return bad_request(
          fmt::format("error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} "
                      "into Go value of type map[string]interface {{}}",
                      json_word(*value)));
    }
    return std::move(*value);
  }
  const std::string_view prefix = kind == kube::PatchKind::Strategic ? "" : "error decoding patch: ";
  if (const std::string why = go_json_complaint(request.body); !why.empty()) {
    return bad_request(fmt::format("{}{}", prefix, why));
  }
  auto value = json::parse(request.body);
  if (!value) return bad_request(fmt::format("{}{}", prefix, value.error().message));
  return std::move(*value);
}

Answer<json::Value> read_delete_options(const HttpRequest& request) {
  if (request.body.empty()) return json::Value(json::Members());
  TRY(const Encoding encoding, encoding_of(request));
  if (encoding == Encoding::Json) {
    if (const std::string why = go_json_complaint(request.body); !why.empty()) {
      return bad_request("couldn't get version/kind; json parse error: " + why);
    }
  }
  TRY(json::Value options, decode(request, "DeleteOptions"));
  if (!options.is_object()) {
    return bad_request(
        fmt::format("couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go "
                    "value of type {}",
                    json_word(options), kNeitherStruct));
  }
  const std::string_view kind = json::text_at(options, {"kind"});
  if (!kind.empty() && kind != "DeleteOptions") {
    const std::string_view version = json::text_at(options, {"apiVersion"});
    return bad_request(fmt::format("no kind {} is registered for version {} in scheme \"pkg/runtime/scheme.go:111\"",
                                   quoted(kind), quoted(version.empty() ? "meta.k8s.io/v1" : version)));
  }
  return options;
}

}  // namespace drover::sim::door
