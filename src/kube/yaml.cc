#include "kube/yaml.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <string>

#include "base/text.h"

namespace drover::kube {
namespace {

using base::Fault;
using base::Result;

constexpr std::size_t kMostBytes = 4 * 1024 * 1024;
constexpr int kMostNodes = 100'000;
constexpr int kMostDepth = 64;

class Expansion {
 public:
  Result<json::Value> of(const YAML::Node& node, int depth) {
    if (++nodes_ > kMostNodes || depth > kMostDepth) {
      return base::fault(Fault::Kind::Malformed,
                         "the YAML is too large or nested too deep once its aliases are expanded");
    }
    switch (node.Type()) {
      case YAML::NodeType::Sequence: return array(node, depth);
      case YAML::NodeType::Map: return members(node, depth);
      case YAML::NodeType::Scalar: return json::Value(node.Scalar());
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
      if (!member.first.IsScalar()) return base::fault(Fault::Kind::Malformed, "a key of the YAML is no plain text");
      TRY(json::Value value, of(member.second, depth + 1));
      out[member.first.Scalar()] = std::move(value);
    }
    return json::Value(std::move(out));
  }

  int nodes_ = 0;
};

}  // namespace

Result<json::Value> parse_yaml(std::string_view text) {
  if (text.size() > kMostBytes) return base::fault(Fault::Kind::Malformed, "the YAML is larger than 4 MB");
  // Tabs between tokens are JSON but not YAML, so what looks like JSON is tried as JSON first.
  if (base::trim(text).starts_with('{')) {
    if (auto parsed = json::parse(text)) return parsed;
  }
  try {
    return Expansion().of(YAML::Load(std::string(text)), 0);
  } catch (const YAML::Exception& error) {
    return base::fault(Fault::Kind::Malformed, fmt::format("not YAML: line {}, column {}: {}", error.mark.line + 1,
                                                           error.mark.column + 1, base::one_line(error.msg, 120)));
  } catch (const std::exception& error) {
    return base::fault(Fault::Kind::Malformed, fmt::format("not YAML: {}", base::one_line(error.what(), 120)));
  }
}

}  // namespace drover::kube
