"""Figures of one rollout, from what the API server and the simulated kubelets wrote down: neither contestant is asked.

An audit entry is one request; the journal has what happened on the machines, at the moment it happened. Both clocks are this
machine's. A rollout is the window from the change of the wanted version to the last node's "upgrade-done".
"""
import collections
import datetime
import heapq
import json

STATE = "nvidia.com/gpu-driver-upgrade-state"
WRITES = {"create", "update", "patch", "delete", "deletecollection"}
KUBELET = "drover-sim-kubelet"


def seconds(text):
    """RFC 3339 in UTC as seconds; the log has up to nine digits, Python reads six."""
    whole, _, part = text.rstrip("Z").partition(".")
    return datetime.datetime.fromisoformat(whole + "+00:00").timestamp() + float("0." + (part or "0"))


def lines_from(path, offset=0):
    with open(path, "rb") as file:
        file.seek(offset)
        for line in file:
            if line.endswith(b"\n"):
                yield json.loads(line)


class Request:
    """One line of the audit log, with its times as numbers."""

    def __init__(self, entry):
        ref = entry.get("objectRef", {})
        self.id = entry["auditID"]
        self.verb = entry["verb"]
        self.agent = entry.get("userAgent", "")
        self.resource = ref.get("resource", "")
        self.part = ref.get("subresource", "")
        self.name = ref.get("name", "")
        self.pod = f"{ref.get('namespace', '')}/{self.name}"
        self.code = entry.get("responseStatus", {}).get("code", 0)
        self.came_at = seconds(entry["requestReceivedTimestamp"])
        self.done_at = seconds(entry["stageTimestamp"])
        self.state = self.cordoned = None
        self.version = 0
        if self.resource == "nodes" and not self.part:
            body = entry.get("responseObject", {})
            self.state = body.get("metadata", {}).get("labels", {}).get(STATE)
            self.cordoned = bool(body.get("spec", {}).get("unschedulable"))
            self.version = int(body.get("metadata", {}).get("resourceVersion") or 0)

    def is_write(self):
        return self.verb in WRITES


def requests_from(path, offset=0):
    """Each request once: a watch has a line for its start and one for its end."""
    seen = {}
    for entry in lines_from(path, offset):
        if entry["auditID"] not in seen:
            seen[entry["auditID"]] = Request(entry)
    return list(seen.values())


# ---- time


class Journey:
    """What one machine went through in the rollout: instants, or None for what did not happen."""

    def __init__(self):
        self.evicted = self.gone = self.deleted = self.ready = self.validated = None

    def spans(self):
        """Evicted to gone, deleted to ready, ready to validated: the work that no operator can do faster."""
        gone = self.gone - self.evicted if self.evicted and self.gone else 0.0
        ready = self.ready - self.deleted if self.deleted and self.ready else 0.0
        validated = self.validated - self.ready if self.validated and self.ready else 0.0
        return gone, ready, validated


def kind_of(pod):
    """Which part the pod "ns/name" plays."""
    name = pod.split("/", 1)[1]
    if name.startswith("nvidia-driver-daemonset-"):
        return "driver"
    if name.startswith("nvidia-operator-validator-"):
        return "validator"
    return "train" if name.startswith("train-") else "other"


def journeys(journal, begins, ends):
    """Node -> Journey, from the journal's lines within the window."""
    found, asked = collections.defaultdict(Journey), set()
    for line in journal:
        at = seconds(line["at"])
        if not begins <= at <= ends or "pod" not in line:
            continue
        node, event, kind = found[line["node"]], line["event"], kind_of(line["pod"])
        if kind == "train":
            if event == "evicted" and node.deleted is None:
                node.evicted = node.evicted or at
                asked.add(line["pod"])
            elif event == "gone" and line["pod"] in asked:  # its containers may have ended a little before
                node.gone = at
        elif kind == "driver":
            if event in ("deleted-seen", "evicted") and node.deleted is None:
                node.deleted = at
            elif event == "ready" and node.deleted is not None and node.ready is None:
                node.ready = at
        elif kind == "validator" and event == "ready" and node.ready is not None and node.validated is None:
            node.validated = at
    return {name: one for name, one in found.items() if one.ready is not None}


def perfect(durations, parallel):
    """When the last of these pieces of work ends, taken in this order by so many hands that lose no time between them."""
    hands = [0.0] * parallel
    for duration in durations:
        heapq.heapreplace(hands, hands[0] + duration)
    return max(hands)


def most_at_once(requests, begins, ends):
    """The most nodes that were cordoned, or between cordon-required and uncordon-required, at one time, replayed in the server's order."""
    out, most = set(), 0
    for one in sorted(requests, key=lambda one: one.version):
        if one.resource != "nodes" or one.part or not one.is_write() or one.code >= 300 or not begins <= one.done_at <= ends:
            continue
        busy = one.cordoned or one.state not in (None, "", "upgrade-required", "upgrade-done", "upgrade-failed")
        out = out | {one.name} if busy else out - {one.name}
        most = max(most, len(out))
    return most


# ---- how soon after an event comes what follows from it


def follow_ups(requests, journal, agent, begins, ends):
    """Seconds from the moment the API server knew of an event on a node to the operator's next write about that node.

    Events: the last GPU pod of a node ended, its driver ready, its validator ready. What the API server knows it knows by the kubelet's
    write, so an event counts from the end of the kubelet's next write about that pod. (A watch may be faster than the answer to the writer:
    then it is 0.)
    """
    told, answers = collections.defaultdict(list), collections.defaultdict(list)
    for one in requests:
        if one.agent.startswith(KUBELET) and one.resource == "pods" and one.is_write() and one.code < 300:
            told[one.pod].append(one)
        elif one.agent.startswith(agent) and one.resource == "nodes" and one.is_write():
            answers[one.name].append(one.came_at)
    events, ended, swapped = [], {}, set()
    for line in journal:
        at = seconds(line["at"])
        if not begins <= at <= ends or "pod" not in line:
            continue
        node, kind, event = line["node"], kind_of(line["pod"]), line["event"]
        if kind == "driver" and event == "deleted-seen":
            swapped.add(node)
        elif kind == "train" and event == "stopped" and node not in swapped:
            ended[node] = ("pods ended", node, line["pod"], at)
        elif event == "ready" and (kind == "driver" or (kind == "validator" and node in swapped)):
            events.append((kind + " ready", node, line["pod"], at))
    late = collections.defaultdict(list)
    for what, node, pod, at in events + list(ended.values()):
        knew = min((one for one in told[pod] if one.done_at >= at), key=lambda one: one.done_at, default=None)
        if knew is None:
            continue
        came = min((came for came in answers[node] if came >= knew.came_at), default=None)
        if came is not None:
            late[what].append(max(0.0, came - knew.done_at))
    return late


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))] if values else None


# ---- the figures


def counted(requests, agent, begins, ends):
    """(all, writes, by kind) of the agent's requests that came in the window. Writes: without the lease and the policy's status, which
    come by the clock and not by the node."""
    kinds, every, writes = collections.Counter(), 0, 0
    for one in requests:
        if not one.agent.startswith(agent) or not begins <= one.came_at <= ends:
            continue
        every += 1
        writes += one.is_write() and one.resource != "leases" and one.part != "status"
        kinds[f"{one.verb} {one.resource}{'/' + one.part if one.part else ''}"] += 1
    return every, writes, dict(kinds.most_common())


def rollout(requests, journal, agent, begins, nodes, parallel, gave_up_at=None):
    """Every figure of one rollout; `begins` is when the wanted version changed. `gave_up_at`: it was not waited for to the end."""
    journal = list(journal)
    done = {}
    for one in sorted(requests, key=lambda one: one.version):  # the server's order: answers may overtake each other
        if gave_up_at and one.done_at > gave_up_at:
            continue
        if one.resource == "nodes" and one.is_write() and one.done_at > begins and one.state == "upgrade-done" and not one.cordoned:
            done.setdefault(one.name, one.done_at)
        elif one.resource == "nodes" and one.is_write() and one.state not in (None, "upgrade-done"):
            done.pop(one.name, None)
    ends = gave_up_at or max(done.values())
    through = {name: one for name, one in journeys(journal, begins, ends).items() if name in done}
    spans = [one.spans() for one in through.values()]
    optimum = sum(map(sum, spans)) / parallel
    in_order = sorted(through.values(), key=lambda one: one.evicted or one.deleted)
    no_time_lost = perfect([sum(one.spans()) for one in in_order], parallel)
    every, writes, kinds = counted(requests, agent, begins, ends)
    late = follow_ups(requests, journal, agent, begins, ends)
    all_late = [value for values in late.values() for value in values]
    finished = len(done)
    return {
        "nodes": nodes, "parallel": parallel, "most_at_once": most_at_once(requests, begins, ends), "finished": finished, "seconds": round(ends - begins, 3), "optimum": round(optimum, 3),
        "ratio": round((ends - begins) / optimum, 4) if optimum else None,
        "no_time_lost": round(no_time_lost, 3), "ratio_no_time_lost": round((ends - begins) / no_time_lost, 4) if no_time_lost else None,
        "mean_spans": [round(sum(column) / len(spans), 3) for column in zip(*spans)] if spans else [],
        "requests_per_node": round(every / max(1, finished), 2), "writes_per_node": round(writes / max(1, finished), 2), "kinds": kinds,
        "late_ms": {"count": len(all_late), **{f"p{int(part * 100)}": round(1000 * (percentile(all_late, part) or 0), 1) for part in (0.5, 0.99)},
                    "max": round(1000 * max(all_late, default=0), 1)},
        "late_by_event_ms": {what: {"count": len(values), "p50": round(1000 * percentile(values, 0.5), 1), "p99": round(1000 * percentile(values, 0.99), 1)}
                             for what, values in late.items()},
    }
