// What a vendor brings to the proof, as a value: its words, its policy's texts, its trouble. Fixture, checker, swarm
// and crash test name no vendor; they ask here.
//
// Written down from the vendor's documents once more, not taken from src/vendors: the checker must be able to
// contradict what is there. Another vendor is one file like acme.cc, the smallest, a line in all_vendors(), and its
// stories.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/random.h"
#include "kube/object.h"
#include "operator/settings.h"
#include "sim/vendor.h"

namespace drover::proof {

struct RemovalTerms {
  bool force = false;
  bool local_data = false;
  std::int64_t seconds = 300;    // then pods are deleted; 0: never
  std::int64_t gives_up_in = 0;  // where they are not: the node fails; 0: when it likes
};

// What a policy asks for.
struct Terms {
  bool is_there = false;
  std::string uid;
  std::string version;
  bool is_on = false;
  std::int64_t max_parallel = 1;  // 0: no limit
  std::int64_t away = 25;
  bool away_is_percent = true;
  bool cordons = true;
  bool waits = false;
  RemovalTerms device_pods = {};
  bool drains = false;
  RemovalTerms drain = {};
  bool rolls = false;  // off, and drivers change without the controller

  std::int64_t max_unavailable(std::int64_t nodes) const;
};

struct Vendor {
  using Texts = std::span<const std::string_view>;
  struct Pair {
    std::string_view key;
    std::string_view value;
  };

  std::string_view name;   // of its simulated machines, too: nvidia-1, nvidia-2, ...
  std::string_view kind;   // of its claims
  std::string_view order;  // annotations by which operator and agents speak of it
  std::string_view report;
  std::string_view ns;      // where its operands run
  std::string_view module;  // its driver in the kernel
  operate::Served (*served)();

  // ---- the policy
  Texts definitions;  // files
  kube::Resource policy;
  std::string_view policy_name;
  std::string_view policy_text;  // $VERSION, and $1 for members of its upgradePolicy, each after a comma
  // Sentences about it, by their first word: what is merged, with $1 for their other words.
  std::span<const Pair> sentences;
  Terms (*terms_of)(const kube::Object& policy);
  // What is wrong with its status; "" for nothing. At rest what it says of nodes is what they are.
  std::string (*status_trouble)(const kube::Object& policy, bool at_rest);

  // ---- on the Node
  std::string_view state_label;  // empty: the state is read off the record
  // What it calls the record's phases, in their order: the first waits, the last two are done and failed.
  std::span<const Pair> states;
  std::string_view skip_label;
  std::string_view request_annotation;
  std::string_view found_cordoned_annotation;  // by its own operator
  std::string_view cordon_annotation;          // names whose upgrade has cordoned the node
  std::string_view present_label;              // "true": it has such devices
  std::span<const Pair> left_out;              // labels of nodes that are not to be upgraded
  Texts our_labels;                            // that drover writes; a last '.' means all that begin so
  Texts our_annotations;                       // besides those that it has for all vendors
  std::string_view gates;                      // what they begin with
  std::string_view a_gate;
  std::string_view gate_closed;
  bool closed_gates_are_ours;     // no other program closes one with that value
  bool gates_close_with_cordon;   // in one write; else before the swap
  std::string_view event_reason;  // of Events about nodes
  std::string_view step_event;    // what those about steps begin with

  // ---- on pods
  std::string_view role_label;
  std::string_view driver_role;
  std::string_view validator_role;  // empty: there is none
  std::string_view preflight_role;  // empty: the agent's report says what is prepared
  std::string_view device_resources;
  std::string_view device_paths;
  std::string_view drain_skip_label;
  std::string_view device;                                 // a file
  void (*use_device)(json::Value& pod_spec, int devices);  // makes a pod one that does

  // ---- the upgrade
  // Its agent unloads with permission only, and its pod may go at any time: the unload is judged. Otherwise the driver
  // ends with its pod, and the pod's end is judged.
  bool agent_asks_first;
  bool empties_in_one_go;         // device pods leave in the drain, too, on terms of their own
  std::string_view own_operator;  // the one that we take over from
  Pair own_operator_label;        // of its Deployment

  // ---- for the swarm and the planted bugs. In sentences: <node> and <version> for any, <flag> for true or false, <n>
  // for a small number; ';;' is between sentences.
  std::array<std::string_view, 3> versions;
  std::string (*any_upgrade_policy)(base::Random& random);
  // One of these rows for each seed: what follows "images as usual", and what follows each new policy.
  std::span<const Pair> furnishings;
  Texts troubles;
  std::string_view mends;      // all of them, besides the images
  std::string_view any_width;  // members of upgradePolicy that allow any number of nodes in flight
  std::string_view any_share;  // ... out of service

  // Invariants that are not asked of it, and why.
  std::span<const Pair> exempt;

  std::string_view word(std::string_view phase) const;
  std::string_view done() const { return word("done"); }
  std::string_view failed() const { return word("failed"); }
  // As the Node shows them from the cordon to the way back.
  bool is_in_flight(std::string_view state) const;
  bool knows(std::string_view state) const;
  bool is_exempt(std::string_view invariant) const;
  // What a sentence about the policy merges into it; null when it has no such sentence.
  json::Value merge_of(std::string_view verb, std::string_view rest) const;
};

const Vendor& nvidia();
const Vendor& tenstorrent();
const Vendor& acme();  // test/vendors/acme

std::span<const Vendor* const> all_vendors();
// Theirs, and those that have devices of two (both.h).
sim::SimVendors all_machines();
// nullptr when there is none of that name.
const Vendor* vendor_named(std::string_view name);

// The text with `value` wherever it says `key`.
std::string replaced(std::string_view text, std::string_view key, std::string_view value);

}  // namespace drover::proof
