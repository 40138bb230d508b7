// JSON from a server, parsed while it streams and cut to a Projection. Never a DOM of a whole list.
//
// Both parsers take text in pieces of any size, emit objects as they complete, and refuse (Malformed, once; then
// nothing more) what is not JSON, is nested too deep, is one object of more than the limit, or is not a list / not a
// watch event.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kube/api.h"

namespace drover::kube {

struct ListMeta {
  std::string kind;  // "PodList"
  std::string resource_version;
  std::string continue_token;  // not empty: more pages
};

// One page of a list: {"kind":"PodList","metadata":{…},"items":[…]}. Items lack kind and apiVersion on the wire.
class ListParser {
 public:
  ListParser(Projection projection, std::function<void(Object)> item, std::size_t most_object_bytes);
  ~ListParser();
  ListParser(ListParser&&) noexcept;

  Result<void> feed(std::string_view piece);
  // The end of the text; Malformed when the document is not complete.
  Result<ListMeta> finish();

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

// A watch: {"type":"ADDED","object":{…}} after another. ERROR events end it with the fault that their Status means.
class WatchParser {
 public:
  WatchParser(Projection projection, std::function<void(WatchEvent)> event, std::size_t most_object_bytes);
  ~WatchParser();
  WatchParser(WatchParser&&) noexcept;

  Result<void> feed(std::string_view piece);
  // True between events: the stream may end here without loss.
  bool is_between_events() const;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

// One object (the answer of a call).
class ObjectParser {
 public:
  ObjectParser(Projection projection, std::size_t most_object_bytes);
  ~ObjectParser();
  ObjectParser(ObjectParser&&) noexcept;

  Result<void> feed(std::string_view piece);
  Result<Object> finish();

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace drover::kube
