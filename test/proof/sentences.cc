// The sentences of a story. Of other vendors than NVIDIA a story begins with "vendor NAME".
//
//   also NAME | limit NODES|SHARE%                   another vendor in the same operator; the limit over all policies
//   NAME: SENTENCE                                   in the words of that vendor; "all" are its nodes
//   policy 535.129.03 "drain": {"enable": true}      the vendor's policy; the rest are members of its upgradePolicy
//   version V | pause | resume | upgrade-policy MERGE | driver-spec MERGE | policy gone | what else the vendor has
//   operator starts | operator dies | installed      installed: the operator starts and brings the first driver
//   deletions fail | deletions pass                  of pods, by the operator
//   workload NAME pods=2 gpus=1 [node=N|each] [label=K=V] [local-data] [pinned]
//   pod NAME gpus=1 node=N [image=I] [label=K=V] [local-data]  without a controller
//   pod NAME resource=R node=N [image=I]                       likewise, bound to the node directly
//   delete pod NS/NAME | budget NAME MIN | budget NAME gone
//   image GLOB SCRIPT… | image-of GLOB CONTAINER SCRIPT… | container NAME SCRIPT… | images as usual
//   agents work | agent dies on N                    drover's own agent is the drivers' init container
//   person cordons N | person uncordons N | label N K=V | annotate N K=V (K= removes) | state N VALUE
//   record N garbled | record N removed | vendor N STATE [cordoned] [found]
//   power-off N | power-on N | delete node N | add node N | driver pod deleted on N | order N TEXT
//   machine N|all fault NAME | no-fault NAME | device-held | device-free | has FILE | loses FOLDER | loads V | unloads
//   foreign operator comes | foreign operator goes | taint N | untaint N
//   api away | api back | api refuses cordons|uncordons|nodes|evictions|deletions|daemonsets|status|events|nothing
//   clock [-]SPAN                                    of operators that start from now on: so far off
//   definition gone | definition back | namespace there
//   run SPAN | until all STATE [within SPAN] | until N STATE [within SPAN] | until all on VERSION [within SPAN]
//   until N|all loaded VERSION [within SPAN] | until N asks WISH [within SPAN] | until N is cordoned [within SPAN]
//   until N noted FILE:TEXT [within SPAN]            on its machine
//   expect N label K=V | expect N annotation K=V | expect N driver V | expect pod|daemonset NS/NAME there|gone | rest
#include <fmt/format.h>

#include "base/text.h"
#include "play.h"
#include "sim/agent_programs.h"
#include "sim/nodes.h"

namespace drover::proof {

using namespace std::chrono_literals;

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

// Everything after the first `count` words.
std::string_view after_words(std::string_view text, int count) {
  for (; count > 0; --count) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) return {};
    text = text.substr(space);
    text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
  }
  return text;
}

// "gpus=1" among the words.
std::string value_of(const std::vector<std::string>& words, std::string_view key, std::string fallback = "") {
  for (const std::string& word : words) {
    if (word.starts_with(std::string(key) + "=")) return word.substr(key.size() + 1);
  }
  return fallback;
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

bool Play::say(std::string_view sentence) {
  std::vector<std::string> words = words_of(sentence);
  if (words.empty()) return true;
  // Whichever node it is that failed.
  for (std::string& word : words) {
    for (const std::string& name : names()) {
      if (word == "FAILED" && state(name) == vendor.failed()) word = name;
    }
  }
  const std::string& verb = words[0];
  if (verb == "nodes" || verb == "also" || verb == "limit" || (verb == "vendor" && words.size() == 2))
    return true;  // read before the stage is built
  if (verb.ends_with(':')) return say_for(verb.substr(0, verb.size() - 1), after_words(sentence, 1));
  if (verb == "policy" || !vendor.merge_of(verb, "").is_null()) return about_policy(words, sentence);
  if (verb == "workload" || verb == "pod" || verb == "budget" || (verb == "delete" && words[1] == "pod")) {
    return about_workload(words);
  }
  if (verb == "image" || verb == "image-of" || verb == "container" || verb == "images") return about_images(words);
  if (verb == "agents" || verb == "agent") return about_agents(words);
  if (verb == "operator") {
    words[1] == "dies" ? kill() : start();
    return true;
  }
  if (verb == "installed") {
    start();
    return say(fmt::format("until all {} within 20m", vendor.done()));
  }
  if (verb == "deletions") {
    luck.remove(std::exchange(no_deletions_, 0));
    if (words[1] == "fail")
      no_deletions_ = luck.add({.fault = sim::FaultKind::ServerError, .verb = "delete", .resource = "pods"});
    return true;
  }
  if (verb == "foreign") {
    competing_operator(words[2] == "comes");
    return true;
  }
  if (verb == "run") {
    const auto span = base::parse_span(words[1]);
    if (!span) return fails("no span: " + words[1]);
    // Whatever follows a breach proves nothing, and may never end.
    return !world.run_until([this] { return !is_clean(); }, *span) || fails("a promise is broken");
  }
  if (verb == "until") return until(words);
  if (verb == "rest") return comes_to_rest() || fails("it does not come to rest");
  if (verb == "machine") return about_machine(words);
  if (verb == "api" || verb == "clock" || verb == "definition" || verb == "namespace") return about_api(words);
  if (verb == "taint" || verb == "untaint") {
    taint(words[1], verb == "taint");
    return true;
  }
  if (verb == "expect") return expect(words);
  return about_node(words, sentence);
}

void Play::say_all(std::string_view sentences) {
  while (!sentences.empty()) {
    const std::size_t end = sentences.find(";;");
    say(sentences.substr(0, end));
    sentences = end == std::string_view::npos ? std::string_view() : sentences.substr(end + 2);
  }
}

bool Play::until(const std::vector<std::string>& words) {
  const auto within = std::find(words.begin(), words.end(), "within");
  const base::Span at_most = within == words.end() ? 2h : *base::parse_span(*(within + 1));
  const std::string wanted = within - words.begin() > 3 ? words[3] : "";
  const auto holds = [&] {
    const std::vector<std::string> who = words[1] == "all" ? names() : std::vector{words[1]};
    return !is_clean() ||
           std::all_of(who.begin(), who.end(), [&](const std::string& name) { return is(name, words[2], wanted); });
  };
  if (world.run_until(holds, at_most)) return true;
  std::string now;
  for (const std::string& name : names()) now += fmt::format(" {}={}", name, state(name));
  return fails(fmt::format("{} did not come to {} {}:{}", words[1], words[2], wanted, now));
}

bool Play::is(const std::string& name, std::string_view what, const std::string& wanted) {
  if (what == "on") return state(name) == vendor.done() && checker->loaded_on(name) == wanted;
  if (what == "loaded") {
    return checker->loaded_on(name) == wanted && !is_cordoned(name) && checker->has_ready_driver(name);
  }
  if (what == "noted") {
    const std::size_t colon = wanted.find(':');
    const auto text = kubelets.host(name)->read(wanted.substr(0, colon));
    return text && text->find(wanted.substr(colon + 1)) != std::string::npos;
  }
  if (what == "is") return is_cordoned(name) == (wanted == "cordoned");
  if (what == "asks") return wish_on(vendor, *node(name)) == wanted;
  return state(name) == (what == "none" ? "" : what);
}

bool Play::about_agents(const std::vector<std::string>& words) {
  if (words[0] == "agents") {
    const auto added = sim::prefer_driver_manager(kubelets.images());
    return added ? true : fails(added.error().message);
  }
  checker->note("fate", words.back() + "  the agent dies");
  return kubelets.kill_container(words.back(), "k8s-driver-manager") || fails("no such agent runs");
}

bool Play::about_policy(const std::vector<std::string>& words, std::string_view rest) {
  const std::string name(vendor.policy_name);
  if (words[0] != "policy") {
    json::Value merge = vendor.merge_of(words[0], after_words(rest, 1));
    if (merge.is_null()) return fails("no JSON");
    as("person", kube::patch(vendor.policy, "", name, kube::PatchKind::Merge, std::move(merge)));
  } else if (words[1] == "gone") {
    as("person", kube::remove(vendor.policy, "", name, ""));
  } else {
    create_policy(words[1], after_words(rest, 2));
  }
  return true;
}

bool Play::about_machine(const std::vector<std::string>& words) {
  const std::string& what = words[2];
  const std::string more = words.size() > 3 ? words[3] : "";
  const std::string module(vendor.module);
  for (const std::string& name : words[1] == "all" ? names() : std::vector{words[1]}) {
    sim::SimHost* machine = kubelets.host(name);
    if (machine == nullptr && words[1] == "all") continue;  // a node that has only just come
    if (machine == nullptr) return fails("no such machine");
    bool is_done = true;
    if (what == "fault" || what == "no-fault") {
      const auto fault = sim::parse_host_fault(more);
      if (!fault) return fails(fault.error().message);
      machine->set_fault(*fault, what == "fault");
    } else if (what == "device-held") {
      const auto pid = machine->open(std::string(vendor.device), "", "tool");
      if (pid) holders_[name].push_back(*pid);
      is_done = pid.has_value();
    } else if (what == "device-free") {
      for (const int pid : std::exchange(holders_[name], {})) machine->close(pid);
    } else if (what == "has") {
      is_done = machine->write(more, "").has_value();
    } else if (what == "loses") {
      is_done = machine->remove_tree(more).has_value();
    } else if (what == "loads") {
      is_done = machine->insert(module, more).has_value();
    } else {
      checker->machine_goes_down(name);  // by hand, not by an agent
      is_done = what == "unloads" && machine->unload(module).has_value();
    }
    if (!is_done) return fails(fmt::format("the machine of {} cannot: {} {}", name, what, more));
    checker->meddled_with(name);
    if (words[1] != "all") checker->note("fate", fmt::format("{}  {}{}{}", name, what, more.empty() ? "" : " ", more));
  }
  return true;
}

bool Play::about_workload(const std::vector<std::string>& words) {
  if (words[0] == "budget") {
    const std::string& name = words[1];
    if (words[2] == "gone") {
      as("person", kube::remove(kube::kDisruptionBudgets, "ml", name, ""));
    } else {
      json::Value budget = {
          {"metadata", {{"name", name}}},
          {"spec", {{"minAvailable", std::stoi(words[2])}, {"selector", {{"matchLabels", {{"app", name}}}}}}}};
      as("person", kube::create(kube::kDisruptionBudgets, "ml", std::move(budget)));
    }
    return true;
  }
  if (words[0] == "delete") {
    const auto slash = words[2].find('/');
    as("person", kube::remove(kube::kPods, words[2].substr(0, slash), words[2].substr(slash + 1), ""));
    return true;
  }
  const int gpus = std::stoi(value_of(words, "gpus", "0"));
  const std::string node = value_of(words, "node");
  if (words[0] == "pod") {
    const std::string image = value_of(words, "image", "train:1");
    if (const std::string resource = value_of(words, "resource"); !resource.empty()) {
      bind_pod(words[1], resource, node, image);
    } else {
      add_pod(words[1], gpus, node, image, value_of(words, "label"), has(words, "local-data"));
    }
    return true;
  }
  const int pods = std::stoi(value_of(words, "pods", "1"));
  const std::string label = value_of(words, "label");
  if (node != "each") {
    add_workload(words[1], pods, gpus, node, label, has(words, "local-data"), has(words, "pinned"));
    return true;
  }
  for (const std::string& name : names()) {
    add_workload(words[1] + "-" + name, pods, gpus, name, label, has(words, "local-data"));
  }
  return true;
}

bool Play::about_images(const std::vector<std::string>& words) {
  if (words[0] == "images") {
    kubelets.images() = sim::ImageTable::with_vendors(all_machines());
    return true;
  }
  const std::size_t named = words[0] == "image-of" ? 3 : 2;
  std::string script;
  for (std::size_t i = named; i < words.size(); ++i) script += (i == named ? "" : " ") + words[i];
  const std::string image = words[0] == "container" ? "*" : words[1];
  const std::string container = words[0] == "container" ? words[1] : named == 3 ? words[2] : "";
  const auto added = kubelets.images().prefer(image, container, script);
  return added ? true : fails(added.error().message);
}

bool Play::about_node(const std::vector<std::string>& words, std::string_view rest) {
  const auto pair = [&](std::string_view kind) {
    const auto equals = words[2].find('=');
    const std::string value = words[2].substr(equals + 1);
    set_node(
        "person", words[1],
        {{"metadata", {{kind, {{words[2].substr(0, equals), value.empty() ? json::Value() : json::Value(value)}}}}}});
    return true;
  };
  const std::string& verb = words[0];
  if (verb == "person") {
    set_node("person", words[2],
             {{"spec", {{"unschedulable", words[1] == "cordons" ? json::Value(true) : json::Value()}}}});
    return true;
  }
  if (verb == "label") return pair("labels");
  if (verb == "annotate") return pair("annotations");
  if (verb == "state" && !vendor.state_label.empty()) {
    set_node("person", words[1],
             {{"metadata",
               {{"labels", {{vendor.state_label, words[2] == "none" ? json::Value() : json::Value(words[2])}}}}}});
    return true;
  }
  if (verb == "record") {
    set_node("person", words[1],
             {{"metadata",
               {{"annotations", {{kRecord, words[2] == "removed" ? json::Value() : json::Value("{garbled")}}}}}});
    return true;
  }
  if (verb == "vendor") {
    json::Value merge = {
        {"metadata", {{"labels", {{vendor.state_label, words[2]}}}, {"annotations", {{kRecord, nullptr}}}}}};
    if (has(words, "cordoned")) merge.get_object()["spec"] = {{"unschedulable", true}};
    if (has(words, "found"))
      json::ensure(merge, {"metadata", "annotations", vendor.found_cordoned_annotation}) = "true";
    set_node(has(words, "found") ? "person" : vendor.own_operator, words[1], std::move(merge));
    return true;
  }
  if (verb == "power-off") {
    machine_goes_down(words[1]);
    return kubelets.power_off(words[1]) || fails("no such machine");
  }
  if (verb == "power-on") return kubelets.power_on(words[1]) || fails("no such machine");
  if (verb == "order") {
    set_node("person", words[1], {{"metadata", {{"annotations", {{sim::kOrderAnnotation, after_words(rest, 2)}}}}}});
    return true;
  }
  if (verb == "delete") {
    holders_.erase(words[2]);
    as("person", kube::remove(kube::kNodes, "", words[2], ""));
    return true;
  }
  if (verb == "add") {
    const sim::NodeTemplate* kind = sim::find_template(words[2].substr(0, words[2].rfind('-')), all_machines());
    if (kind == nullptr) return fails("no such kind of machine");
    as("person", kube::create(kube::kNodes, "", sim::make_node(*kind, words[2])));
    return true;
  }
  if (verb == "driver") {
    delete_driver_pod(words.back());
    return true;
  }
  return fails(fmt::format("no such sentence: \"{}\"", rest));
}

bool Play::expect(const std::vector<std::string>& words) {
  if (words[1] == "pod" || words[1] == "daemonset") {
    const sim::Stored object = world.store().find(words[1] == "pod" ? "pods" : "daemonsets.apps", words[2]);
    const bool is_there = object && !kube::is_being_deleted(*object);
    return is_there == (words[3] == "there") || fails(is_there ? "it is there" : "it is gone");
  }
  const auto equals = words[3].find('=');
  const std::string key = words[3].substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : words[3].substr(equals + 1);
  const std::string is = words[2] == "label"        ? std::string(kube::label_of(*node(words[1]), key))
                         : words[2] == "annotation" ? std::string(kube::annotation_of(*node(words[1]), key))
                                                    : checker->loaded_on(words[1]);
  return is == (words[2] == "driver" ? key : value) || fails(fmt::format("it is \"{}\"", is));
}

}  // namespace drover::proof
