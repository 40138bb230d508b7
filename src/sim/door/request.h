// What a request asks for, read from its method and target alone. Pure: any bytes in, an answer or a refusal out.
//
// The rules are those by which an API server finds out what it must authorize, before it knows whether the resource
// exists: "/api/v1/namespaces/NS/pods/NAME/log" is the subresource log of a pod; "/apis/apps/v1" is a place that is no
// resource.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/server.h"

namespace drover::sim::door {

// "%2F" is "/", "+" is a space only in queries. A "%" that does not begin an escape stays as it is.
std::string unescape(std::string_view text, bool plus_is_space);

// The part of a target after "?", decoded; where a key stands twice, `text` is the first.
class Query {
 public:
  static Query parse(std::string_view text);

  bool has(std::string_view key) const { return values_.find(key) != values_.end(); }
  // The first value, or "".
  std::string_view text(std::string_view key) const;
  const std::vector<std::string>& all(std::string_view key) const;
  // True unless absent, "false" or "0": how an API server reads flags.
  bool flag(std::string_view key) const;
  // Nothing when absent or empty; a 400 in Go's words when it is not a number.
  Answer<std::optional<std::int64_t>> number(std::string_view key) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

struct Wanted {
  std::string method;
  std::string path;  // decoded
  Query query;

  // "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"; for other paths the method in
  // lower case.
  std::string verb;
  bool is_resource = false;
  std::string group = {};
  std::string version = {};
  std::string ns = {};
  std::string resource = {};  // plural
  std::string name = {};
  std::string subresource = {};
  bool has_more = false;           // something after the subresource
  bool is_legacy_watch = false;    // /api/v1/watch/…
  std::string name_selected = {};  // by fieldSelector=metadata.name=…: authorized like a name
};

// A target that is not a path, or is too long, is a 400.
Answer<Wanted> read_target(std::string_view method, std::string_view target);

}  // namespace drover::sim::door
