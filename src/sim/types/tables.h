// The text tables, and how to read them.
//
//   scope core - v1 io.k8s.api.core.v1      a name for what follows, its API group ("-" for none), version and the
//                                           prefix of its OpenAPI definitions
//   UniqueVolumeName Signal = string        types that are others by another name, which messages use
//   Protocol = string SCTP TCP UDP          the same, with all the values there are ("" for none); may go on in a
//                                           second line
//
//   kind Pod | a group of containers        something that the API serves by this name
//   type Container | one program            something inside of kinds
//     + ProbeHandler                        the fields of that type, as if they stood here
//     name*  string  | what it is called    a field; with a star it must be there
//     env  []EnvVar  map:name merge:name | …
//
// Between the type and the bar: how apply sees a list (atomic, set, map:KEYS) or a map (atomic, granular), and how a
// strategic merge patch does (merge:KEY, merge, replace, retain). "atomic" after a type's own name: apply gives the
// whole of it one owner. Types are string, bool, int32, int64, float64, bytes, those of kBasics in graph.cc, []T,
// map[string]T and names, which are looked for in the own scope, then in core, then in meta.
#pragma once

#include <string_view>

namespace drover::sim::types {

extern const std::string_view kMeta;
extern const std::string_view kPods;
extern const std::string_view kContainers;
extern const std::string_view kVolumes;
extern const std::string_view kPersistentVolumes;
extern const std::string_view kCluster;
extern const std::string_view kNodes;
extern const std::string_view kWorkloads;
extern const std::string_view kAutoscaling;
extern const std::string_view kAccess;
extern const std::string_view kDefinitions;
extern const std::string_view kDevices;
extern const std::string_view kOthers;

}  // namespace drover::sim::types
