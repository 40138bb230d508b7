#!/usr/bin/env python3
"""What an API server's audit log, and the simulated kubelets' journal, say about the promises that an upgrade must keep.

    audit.py check --audit FILE --journal FILE --rollouts FILE --parallel N --unavailable N --agent TEXT
    audit.py selftest      plants each kind of broken promise into a good log, and must notice every one

The Nodes are replayed from the bodies of the writes to them, whatever wrote, in the order of their resourceVersions: what counts is what
the server held, not what the operator believed. drover's own code is not asked. Promises:

  parallel     never more nodes between cordon-required and uncordon-required than maxParallelUpgrades
  unavailable  never more nodes cordoned, or in between, than maxUnavailable
  budget       the operator deletes driver pods and its own short-lived ones; every other pod is asked to go by eviction
  once         of each node at most one driver pod is deleted in each rollout
  cordoned     and only while the node is cordoned

The rollouts file has one JSON object a line, {"at": RFC 3339, "version": TEXT}: from `at` on that version was wanted.
"""
import argparse
import collections
import json
import sys

STATE = "nvidia.com/gpu-driver-upgrade-state"
IN_FLIGHT = {state + "-required" for state in ("cordon", "wait-for-jobs", "pod-deletion", "drain", "pod-restart", "validation", "uncordon")}
OWN_NAMESPACE = "gpu-operator"
DRIVER_POD = "nvidia-driver-daemonset-"


def lines_of(path):
    """The JSON lines of a file; a last line that is not whole, because its writer was killed, is none."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                yield json.loads(line)


def moment(text):
    """RFC 3339 in UTC, made as long as all others, so that texts compare as times do."""
    whole, _, part = text.rstrip("Z").partition(".")
    return whole + "." + part.ljust(9, "0")


def succeeded(entry):
    return entry.get("stage") == "ResponseComplete" and entry.get("responseStatus", {}).get("code", 500) < 300


def may_have_happened(entry):
    """True also for an answer like 504: the server gave up waiting, which undoes nothing."""
    code = entry.get("responseStatus", {}).get("code", 500)
    return entry.get("stage") == "ResponseComplete" and (code < 300 or code >= 500)


def where(entry):
    ref = entry.get("objectRef", {})
    return ref.get("resource"), ref.get("subresource", ""), ref.get("namespace", ""), ref.get("name", "")


def node_writes(audit):
    """(resourceVersion, time, name, Node after the write) of each write to a Node, in the server's order."""
    writes = []
    for entry in audit:
        resource, part, _, name = where(entry)
        if (resource, part) != ("nodes", "") or entry["verb"] not in ("create", "update", "patch") or not succeeded(entry):
            continue
        node = entry.get("responseObject", {})
        version = node.get("metadata", {}).get("resourceVersion")
        if version:
            writes.append((int(version), moment(entry["stageTimestamp"]), name or node["metadata"]["name"], node))
    return sorted(writes, key=lambda write: write[0])


def is_cordoned(node):
    return bool(node.get("spec", {}).get("unschedulable"))


def is_in_flight(node):
    return node.get("metadata", {}).get("labels", {}).get(STATE) in IN_FLIGHT


class Findings:
    """What was seen, and what should not have been."""

    def __init__(self):
        self.broken = []
        self.most_in_flight = 0
        self.most_unavailable = 0
        self.evictions = collections.Counter()
        self.driver_deletes = 0
        self.repeated_deletes = 0

    def broke(self, promise, at, what):
        self.broken.append(f"{promise}: {at[11:23]} {what}")


def check_nodes(writes, begins, parallel, unavailable, findings):
    nodes = {}
    for _, at, name, node in writes:
        nodes[name] = node
        if at < begins:
            continue
        flying = sorted(name for name, node in nodes.items() if is_in_flight(node))
        out = sorted(name for name, node in nodes.items() if is_in_flight(node) or is_cordoned(node))
        if len(flying) > parallel:
            findings.broke("parallel", at, f"{len(flying)} nodes in flight, {parallel} allowed: {' '.join(flying)}")
        if len(out) > unavailable:
            findings.broke("unavailable", at, f"{len(out)} nodes out, {unavailable} allowed: {' '.join(out)}")
        findings.most_in_flight = max(findings.most_in_flight, len(flying))
        findings.most_unavailable = max(findings.most_unavailable, len(out))


def check_pods(audit, writes, nodes_of_pods, rollouts, agent, findings):
    history = collections.defaultdict(list)
    for _, at, name, node in writes:
        history[name].append((at, is_cordoned(node)))
    deleted = collections.defaultdict(set)
    for entry in audit:
        resource, part, namespace, name = where(entry)
        if resource != "pods" or not entry.get("userAgent", "").startswith(agent):
            continue
        if (entry["verb"], part) == ("create", "eviction"):
            findings.evictions[entry.get("responseStatus", {}).get("code")] += 1
        if not entry["verb"].startswith("delete") or not may_have_happened(entry):
            continue
        at = moment(entry["requestReceivedTimestamp"])
        if namespace != OWN_NAMESPACE or entry["verb"] == "deletecollection":
            findings.broke("budget", at, f"{entry['verb']} of pods {namespace}/{name}: it was not asked to go but removed")
        if namespace != OWN_NAMESPACE or not name.startswith(DRIVER_POD) or at < rollouts[0]:
            continue
        node = nodes_of_pods.get(f"{namespace}/{name}")
        if node is None:
            continue  # it never came to a machine
        rollout = sum(began <= at for began in rollouts)
        if name in deleted[node, rollout]:
            findings.repeated_deletes += 1  # it was going already: the answer to the first was lost
            continue
        deleted[node, rollout].add(name)
        findings.driver_deletes += 1
        if len(deleted[node, rollout]) > 1:
            findings.broke("once", at, f"{len(deleted[node, rollout])} driver pods of {node} deleted in rollout {rollout}")
        before = [cordoned for written, cordoned in history[node] if written <= at]
        if not before or not before[-1]:
            findings.broke("cordoned", at, f"driver pod {name} deleted while {node} was not cordoned")


def check(audit, journal, rollouts, parallel, unavailable, agent):
    findings = Findings()
    audit = list(audit)
    begins = [moment(one["at"]) for one in rollouts]
    writes = node_writes(audit)
    nodes_of_pods = {line["pod"]: line["node"] for line in journal if line.get("pod")}
    check_nodes(writes, begins[0], parallel, unavailable, findings)
    check_pods(audit, writes, nodes_of_pods, begins, agent, findings)
    if findings.driver_deletes == 0 or findings.most_in_flight == 0:
        findings.broke("seen", begins[0], "no node was upgraded, or none of it stands in the log: nothing is proven")
    return findings


# ---- the self-test


def node_entry(second, version, name, state, cordoned):
    node = {"metadata": {"name": name, "resourceVersion": str(version), "labels": {STATE: state}}, "spec": {}}
    if cordoned:
        node["spec"]["unschedulable"] = True
    at = f"2026-01-01T00:00:{second:02}.5Z"
    return {"stage": "ResponseComplete", "verb": "patch", "userAgent": "drover/1", "objectRef": {"resource": "nodes", "name": name},
            "responseStatus": {"code": 200}, "responseObject": node, "requestReceivedTimestamp": at, "stageTimestamp": at}


def pod_entry(second, verb, namespace, name, part="", code=200):
    at = f"2026-01-01T00:00:{second:02}.500001Z"
    return {"stage": "ResponseComplete", "verb": verb, "userAgent": "drover/1", "responseStatus": {"code": code},
            "objectRef": {"resource": "pods", "subresource": part, "namespace": namespace, "name": name},
            "requestReceivedTimestamp": at, "stageTimestamp": at}


def good_log():
    """Two nodes one after the other, as it should be; the second line of the file is older than the first."""
    log = []
    for i, node in enumerate(("a", "b")):
        t, v = 10 + 10 * i, 100 + 10 * i
        log += [node_entry(t + 1, v + 1, node, "pod-deletion-required", True), node_entry(t, v, node, "cordon-required", True)]
        log += [pod_entry(t + 2, "create", "default", "train", "eviction", 429), pod_entry(t + 3, "create", "default", "train", "eviction", 201)]
        log += [node_entry(t + 4, v + 2, node, "pod-restart-required", True), pod_entry(t + 5, "delete", OWN_NAMESPACE, DRIVER_POD + node)]
        log += [pod_entry(t + 5, "delete", OWN_NAMESPACE, DRIVER_POD + node)]  # sent again after a lost answer: no second effect
        log += [node_entry(t + 8, v + 3, node, "upgrade-done", False)]
    return log


def selftest():
    journal = [{"pod": f"{OWN_NAMESPACE}/{DRIVER_POD}{pod}", "node": pod[0]} for pod in ("a", "b", "a2")]
    rollouts = [{"at": "2026-01-01T00:00:09Z"}]

    def promises_broken(log):
        findings = check(log, journal, rollouts, 1, 2, "drover/")
        return {line.split(":")[0] for line in findings.broken}

    third = [node_entry(26, 126, "c", "upgrade-done", True), node_entry(27, 127, "d", "upgrade-done", True)]
    cases = [
        ("a good log breaks no promise", good_log(), set()),
        ("two nodes at once", good_log() + [node_entry(12, 102, "b", "cordon-required", True)], {"parallel"}),
        ("cordoned nodes beyond the limit", good_log() + third[:2] + [node_entry(26, 125, "b", "validation-required", True)], {"unavailable"}),
        ("a workload pod deleted", good_log() + [pod_entry(13, "delete", "default", "train")], {"budget"}),
        ("pods deleted by the dozen", good_log() + [pod_entry(13, "deletecollection", "default", "")], {"budget"}),
        ("a refused delete", good_log() + [pod_entry(13, "delete", "default", "train", code=409)], set()),
        ("a second driver pod", good_log() + [pod_entry(17, "delete", OWN_NAMESPACE, DRIVER_POD + "a2")], {"once"}),
        ("a second driver pod after an answer that was lost", [dict(line, responseStatus={"code": 504}) if line["verb"] == "delete" else line
                                                               for line in good_log()]
         + [pod_entry(17, "delete", OWN_NAMESPACE, DRIVER_POD + "a2")], {"once"}),
        ("a driver pod of a node in service", [line for line in good_log() if line.get("objectRef", {}).get("name") != "a"]
         + [node_entry(9, 99, "a", "upgrade-required", False)], {"cordoned"}),
        ("an empty log", [], {"seen"}),
    ]
    failed = False
    for title, log, wanted in cases:
        got = promises_broken(log)
        failed |= got != wanted
        print(f"{'ok' if got == wanted else 'FAIL'} audit: {title}: {' '.join(sorted(got)) or 'nothing broken'}")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("selftest")
    ask = commands.add_parser("check")
    for name in ("audit", "journal", "rollouts", "agent"):
        ask.add_argument("--" + name, required=True)
    ask.add_argument("--parallel", type=int, required=True)
    ask.add_argument("--unavailable", type=int, required=True)
    args = parser.parse_args()
    if args.command == "selftest":
        return selftest()
    found = check(lines_of(args.audit), lines_of(args.journal), list(lines_of(args.rollouts)), args.parallel, args.unavailable, args.agent)
    evicted = ", ".join(f"{count} answered {code}" for code, count in sorted(found.evictions.items(), key=str))
    print(f"most in flight {found.most_in_flight} of {args.parallel}, most out {found.most_unavailable} of {args.unavailable};"
          f" {found.driver_deletes} driver pods deleted ({found.repeated_deletes} asked again); evictions: {evicted or 'none'}")
    for line in found.broken[:20]:
        print("BROKEN " + line)
    return 1 if found.broken else 0


if __name__ == "__main__":
    sys.exit(main())
