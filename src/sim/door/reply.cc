#include "sim/door/reply.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "base/text.h"

namespace drover::sim::door {
namespace {

// Text that a reader of YAML would take for a number, a time, a flag or nothing.
bool reads_as_something_else(const std::string& text) {
  static constexpr std::string_view kWords[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"};
  const std::string word = base::lower(text);
  if (text.empty() || std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords)) return true;
  return text.find_first_not_of("0123456789+-.:_eETZ") == std::string::npos &&
         text.find_first_of("0123456789") != std::string::npos;
}

void emit(YAML::Emitter& out, const json::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null: out << YAML::Null; break;
    case boost::json::kind::bool_: out << value.get_bool(); break;
    case boost::json::kind::string: {
      const std::string text(value.get_string());
      if (reads_as_something_else(text)) out << YAML::DoubleQuoted;
      out << text;
      break;
    }
    case boost::json::kind::array:
      if (value.get_array().empty()) out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const json::Value& one : value.get_array()) emit(out, one);
      out << YAML::EndSeq;
      break;
    case boost::json::kind::object: {
      if (value.get_object().empty()) out << YAML::Flow;
      out << YAML::BeginMap;
      std::vector<std::string> keys;
      for (const auto& member : value.get_object()) keys.emplace_back(member.key());
      std::sort(keys.begin(), keys.end());
      for (const std::string& key : keys) {
        out << YAML::Key << key << YAML::Value;
        emit(out, value.get_object().at(key));
      }
      out << YAML::EndMap;
      break;
    }
    default: out << json::text_of(value); break;
  }
}

}  // namespace

Style style_of(const HttpRequest& request, const Wanted& wanted) {
  if (wanted.query.has("pretty")) return {.pretty = wanted.query.flag("pretty")};
  const std::string_view agent = request.header("User-Agent");
  return {.pretty = agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla")};
}

void Prettifier::line(std::string& out) const {
  out.push_back('\n');
  out.append(static_cast<std::size_t>(std::max(depth_, 0)) * 2, ' ');
}

std::string Prettifier::feed(std::string_view compact) {
  std::string out;
  out.reserve(compact.size() * 2);
  for (const char c : compact) {
    if (in_string_) {
      out.push_back(c);
      if (!escaped_ && c == '"') in_string_ = false;
      escaped_ = !escaped_ && c == '\\';
      continue;
    }
    if (c == ' ' || c == '\n') continue;
    const bool closes = c == '}' || c == ']';
    if (closes) {
      --depth_;
      if (!just_opened_) line(out);
    } else if (just_opened_) {
      line(out);
    }
    just_opened_ = c == '{' || c == '[';
    out.push_back(c);
    if (just_opened_) ++depth_;
    if (c == ',') line(out);
    if (c == ':') out.push_back(' ');
    if (c == '"') in_string_ = true;
  }
  return out;
}

std::string yaml_of(const json::Value& value) {
  YAML::Emitter out;
  out.SetIndent(2);
  emit(out, value);
  return std::string(out.c_str(), out.size()) + "\n";
}

HttpReply reply_with(int code, const json::Value& value, Style style, const std::vector<std::string>& warnings) {
  HttpReply reply;
  reply.code = code;
  reply.headers.push_back({"Cache-Control", "no-cache, private"});
  for (const std::string& warning : warnings) reply.headers.push_back({"Warning", warning_value(warning)});
  if (style.yaml) {
    reply.content_type = "application/yaml";
    reply.body = yaml_of(value);
  } else {
    reply.body = json::text_of(value);
    if (style.pretty) reply.body = Prettifier().feed(reply.body);
    reply.body.push_back('\n');
  }
  return reply;
}

HttpReply reply_with(const Rejection& rejection, Style style) {
  HttpReply reply = reply_with(rejection.code, rejection.status(), style);
  if (rejection.retry_after) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*rejection.retry_after).count();
    reply.headers.push_back({"Retry-After", std::to_string(seconds)});
  }
  return reply;
}

HttpReply reply_text(int code, std::string text) {
  HttpReply reply;
  reply.code = code;
  reply.content_type = "text/plain; charset=utf-8";
  reply.headers.push_back({"Cache-Control", "no-cache, private"});
  reply.headers.push_back({"X-Content-Type-Options", "nosniff"});
  reply.body = std::move(text);
  return reply;
}

HttpReply reply_no_such_page() { return reply_text(404, "404 page not found\n"); }

std::string warning_value(std::string_view text) {
  std::string quoted;
  for (const char c : base::one_line(text, 1000)) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return fmt::format("299 - \"{}\"", quoted);
}

void append_item(std::string& out, const kube::Object& value, bool with_kind) {
  if (with_kind || !value.is_object()) {
    out += json::text_of(value);
    return;
  }
  out.push_back('{');
  bool first = true;
  for (const auto& member : value.get_object()) {
    if (member.key() == "kind" || member.key() == "apiVersion") continue;
    if (!first) out.push_back(',');
    first = false;
    out += json::text_of(json::Value(member.key()));
    out.push_back(':');
    out += json::text_of(member.value());
  }
  out.push_back('}');
}

}  // namespace drover::sim::door
