#include "kube/yaml.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <string>

#include "base/text.h"

namespace drover::kube {
namespace {

using base::Fault;
using base::Result;

constexpr std::size_t kMostBytes = 4 * 1024 * 1024;
constexpr int kMostNodes = 100'000;
constexpr int kMostDepth = 64;

enum class Scalars { AsWritten, Typed };

// What a plain scalar looks like, by YAML 1.1 as far as Kubernetes' reader goes; a quoted one carries the tag "!".
json::Value typed(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return json::Value(text);
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  if (const auto number = base::parse_int(text)) return *number;
  if (text.find_first_not_of("0123456789.+-eE") == std::string::npos &&
      text.find_first_of("0123456789") != std::string::npos) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str() + text.size()) return number;
  }
  return json::Value(text);
}

class Expansion {
 public:
  explicit Expansion(Scalars scalars) : scalars_(scalars) {}

  Result<json::Value> of(const YAML::Node& node, int depth) {
    if (++nodes_ > kMostNodes || depth > kMostDepth) {
      return base::fault(Fault::Kind::Malformed,
                         "the YAML is too large or nested too deep once its aliases are expanded");
    }
    switch (node.Type()) {
      case YAML::NodeType::Sequence: return array(node, depth);
      case YAML::NodeType::Map: return members(node, depth);
      case YAML::NodeType::Scalar: return scalars_ == Scalars::Typed ? typed(node) : json::Value(node.Scalar());
      case YAML::NodeType::Null:
      case YAML::NodeType::Undefined: break;
    }
    return json::Value(nullptr);
  }

 private:
  Result<json::Value> array(const YAML::Node& node, int depth) {
    json::Array out;
    for (const auto& element : node) {
      TRY(json::Value value, of(element, depth + 1));
      out.push_back(std::move(value));
    }
    return json::Value(std::move(out));
  }
  Result<json::Value> members(const YAML::Node& node, int depth) {
    json::Members out;
    for (const auto& member : node) {
      if (!member.first.IsScalar()) return base::fault(Fault::Kind::Malformed, "a key of the YAML is not a string");
      TRY(json::Value value, of(member.second, depth + 1));
      out[member.first.Scalar()] = std::move(value);
    }
    return json::Value(std::move(out));
  }

  Scalars scalars_;
  int nodes_ = 0;
};

// Calls `read`, and turns what the library throws into a Fault.
template <class T, class Read>
Result<T> guarded(std::string_view text, const Read& read) {
  if (text.size() > kMostBytes) return base::fault(Fault::Kind::Malformed, "the YAML is larger than 4 MB");
  try {
    return read();
  } catch (const YAML::Exception& error) {
    return base::fault(Fault::Kind::Malformed, fmt::format("not YAML: line {}, column {}: {}", error.mark.line + 1,
                                                           error.mark.column + 1, base::one_line(error.msg, 120)));
  } catch (const std::exception& error) {
    return base::fault(Fault::Kind::Malformed, fmt::format("not YAML: {}", base::one_line(error.what(), 120)));
  }
}

}  // namespace

Result<json::Value> parse_yaml(std::string_view text) {
  // Tabs between tokens are JSON but not YAML, so what looks like JSON is tried as JSON first.
  if (base::trim(text).starts_with('{') && text.size() <= kMostBytes) {
    if (auto parsed = json::parse(text)) return parsed;
  }
  return guarded<json::Value>(text, [&] { return Expansion(Scalars::AsWritten).of(YAML::Load(std::string(text)), 0); });
}

Result<std::vector<json::Value>> parse_manifests(std::string_view text) {
  return guarded<std::vector<json::Value>>(text, [&]() -> Result<std::vector<json::Value>> {
    std::vector<json::Value> documents;
    for (const YAML::Node& node : YAML::LoadAll(std::string(text))) {
      TRY(json::Value document, Expansion(Scalars::Typed).of(node, 0));
      if (!document.is_null()) documents.push_back(std::move(document));
    }
    return documents;
  });
}

}  // namespace drover::kube
