// The built-in kinds' fields: what an API server knows about an object before it looks at its meaning.
//
// Data at rest: text tables (*_table.cc), one line per field with its type, list kind and a line of
// explanation; read once, at the first question, into a graph of immutable Types. Strict field validation walks it
// beside an object; OpenAPI and `kubectl explain` are printed from it. Nothing here knows values, defaults or rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace drover::sim::types {

enum class JsonShape {
  Text,
  Bytes,        // base64 text
  Time,         // metav1.Time
  MicroTime,    // metav1.MicroTime
  Duration,     // metav1.Duration, "1m30s"
  Quantity,     // text or a number
  IntOrString,  // int32 or text
  Integer32,
  Integer64,
  Number,
  Flag,
  Anything,  // any JSON: its content is not checked
  Object,    // fields by name
  List,      // elements
  Map,       // elements by free keys
};

// How server-side apply sees a list, or a map or object (Atomic: one owner; Granular: an owner per member).
enum class Merge { Unsaid, Atomic, Set, Map, Granular };

struct Type;

struct Field {
  std::string_view name;
  const Type* type = nullptr;
  bool required = false;
  std::string_view about = {};              // one line, for people
  Merge merge = Merge::Unsaid;              // x-kubernetes-list-type, x-kubernetes-map-type
  std::vector<std::string_view> keys = {};  // x-kubernetes-list-map-keys
  bool patch_merges = false;                // strategic merge patch: elements are merged, not replaced
  bool patch_replaces = false;              // an object is replaced, not merged
  bool patch_retains_keys = false;          // only the keys that a patch names stay
  std::string_view patch_key = {};          // by this key; "" for plain values
  std::string_view through = {};            // the embedded struct that the field comes from; "" for a field of its own
};

struct Type {
  JsonShape shape = JsonShape::Anything;
  std::string spelling = {};       // as the decoder's messages spell it: "int32", "v1.PodSpec", "[]v1.Container"
  std::string_view name = {};      // Object: "PodSpec"
  std::string definition = {};     // Object: "io.k8s.api.core.v1.PodSpec"; "" for what OpenAPI does not name
  std::string_view about = {};     // Object: one line, for people
  std::vector<Field> fields = {};  // Object: by name
  const Type* element = nullptr;   // List, Map
  std::vector<std::string_view> choices = {};  // Text: all values there are, when they are few
  std::string_view group = {};                 // Object that is a kind: its group,
  std::string_view version = {};               // and its version; "" for parts of kinds
  bool atomic = false;                         // Object: apply gives the whole of it one owner

  // The field of an Object, or nullptr.
  const Field* field(std::string_view name) const;
};

// One kind that the server knows.
struct Kind {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  const Type* type = nullptr;
};

// The type of a built-in kind, or nullptr. Custom kinds have schemas instead (sim/crd).
const Type* find(std::string_view group, std::string_view version, std::string_view kind);
// Every built-in kind, in a fixed order.
const std::vector<Kind>& kinds();

// Another number when anything in the tables is another.
std::uint64_t fingerprint();

// What a decoder finds in one object.
struct Reading {
  // The first value of the wrong JSON type, in the words of kube-apiserver's decoder: `json: cannot unmarshal string
  // into Go struct field PodSpec.spec.hostNetwork of type bool`; "" when the object can be read. Such an object is
  // refused whatever the field validation: 400, `Pod in version "v1" cannot be handled as a Pod: ` and this.
  std::string malformed;
  // `unknown field "spec.foo"`, in the order of the object, at most 100. Warn sends each as a warning; Strict refuses
  // with strict_error.
  std::vector<std::string> strict;
};

Reading read(const Type& type, const json::Value& object);

// `strict decoding error: unknown field "spec.foo", unknown field "spec.bar"`.
std::string strict_error(const std::vector<std::string>& strict);

// `duplicate field "metadata.name"` for each member that a JSON text gives twice in one object, in the order of the
// text, at most 100; the text is one that parses. Only the text can tell: a parsed value keeps the last one.
std::vector<std::string> duplicate_fields(std::string_view text);

// What a strategic merge patch's result is refused for (422, field "patch"), in the words of the converter that reads
// it: `unrecognized type: int32`, `cannot convert int64 to string`; "" when it can be read. Unknown fields are those of
// `read`.
std::string conversion_error(const Type& type, const json::Value& object);

// What server-side apply refuses (500, after `failed to create typed patch object (NS/NAME; apps/v1, Kind=Deployment):
// `): `.spec.foo: field not declared in schema`; "" when the object fits.
std::string apply_error(const Type& type, const json::Value& object);

// The same questions, of a kind by name; kinds that are not built in have nothing to complain about.
Reading read(std::string_view group, std::string_view version, std::string_view kind, const json::Value& object);

}  // namespace drover::sim::types
