// Answers as text: JSON on one line or pretty, YAML, a Status for every no.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/object.h"
#include "sim/door/request.h"
#include "sim/serve/http.h"
#include "sim/server.h"

namespace drover::sim::door {

// How the answers to one request are written.
struct Style {
  bool pretty = false;
  bool yaml = false;
};
// Pretty when asked for, and for people: browsers and curl.
Style style_of(const HttpRequest& request, const Wanted& wanted);

// Indents compact JSON that comes in pieces.
class Prettifier {
 public:
  std::string feed(std::string_view compact);

 private:
  void line(std::string& out) const;

  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool just_opened_ = false;
};

// `value` as YAML, keys sorted, as an API server writes it.
std::string yaml_of(const json::Value& value);

HttpReply reply_with(int code, const json::Value& value, Style style, const std::vector<std::string>& warnings = {});
HttpReply reply_with(const Rejection& rejection, Style style);
HttpReply reply_text(int code, std::string text);
// "404 page not found": for paths that are not registered.
HttpReply reply_no_such_page();

// A Warning header's value; quotes and line breaks in the text are made harmless.
std::string warning_value(std::string_view text);

// Object `value` without kind and apiVersion appended to `out`: items of built-in lists do not repeat them.
void append_item(std::string& out, const kube::Object& value, bool with_kind);

}  // namespace drover::sim::door
