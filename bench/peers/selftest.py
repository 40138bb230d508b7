#!/usr/bin/env python3
"""A rollout of two nodes written by hand: measure.py must find the figures that a person would, and score.py what was missed."""
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
import measure  # noqa: E402
import score  # noqa: E402

AGENT, BEGINS = "drover/", measure.seconds("2026-01-01T00:00:00Z")


def at(second):
    return f"2026-01-01T00:00:{second:09.6f}Z"


class Log:
    def __init__(self):
        self.entries, self.journal = [], []

    def request(self, came, done, agent, verb, resource, name, part="", code=200, namespace="", state=None, cordoned=False):
        body = {"metadata": {"labels": {measure.STATE: state}, "resourceVersion": str(len(self.entries))}, "spec": {"unschedulable": cordoned}}
        self.entries.append(measure.Request({
            "auditID": str(len(self.entries)), "verb": verb, "userAgent": agent, "responseStatus": {"code": code}, "responseObject": body,
            "objectRef": {"resource": resource, "subresource": part, "name": name, "namespace": namespace},
            "requestReceivedTimestamp": at(came), "stageTimestamp": at(done)}))

    def event(self, second, node, pod, event):
        self.journal.append({"at": at(second), "node": node, "pod": pod, "event": event})

    def node(self, name, start):
        """Cordoned at `start`; a pod needs 1 s to go, the driver 6 s, the validator 2 s; the operator 10 ms for each answer."""
        train, old, new = f"default/train-{name}", f"gpu-operator/nvidia-driver-daemonset-{name}1", f"gpu-operator/nvidia-driver-daemonset-{name}2"
        check = f"gpu-operator/nvidia-operator-validator-{name}"
        self.request(start, start + .001, AGENT + "1", "patch", "nodes", name, state="pod-deletion-required", cordoned=True)
        self.event(start + .1, name, train, "evicted")
        self.event(start + 1.1, name, train, "stopped")
        self.told(start + 1.1, train)
        self.request(start + 1.112, start + 1.113, AGENT + "1", "patch", "nodes", name, state="pod-restart-required", cordoned=True)
        self.event(start + 1.095, name, old, "deleted-seen")  # the operator need not wait until the pod is gone from the API
        self.event(start + 1.1, name, train, "gone")
        self.event(start + 7.095, name, new, "ready")
        self.told(start + 7.2, new)
        self.request(start + 7.212, start + 7.213, AGENT + "1", "patch", "nodes", name, state="validation-required", cordoned=True)
        self.event(start + 9.095, name, check, "ready")
        self.told(start + 9.2, check)
        self.request(start + 9.212, start + 9.213, AGENT + "1", "patch", "nodes", name, state="upgrade-done")

    def told(self, second, pod):
        namespace, name = pod.split("/")
        self.request(second + .001, second + .002, measure.KUBELET, "patch", "pods", name, part="status", namespace=namespace)


def judged(row, **changes):
    """What score.py says of drover's row with these figures instead."""
    return score.misses([{**row, "contestant": "drover", "load": [0.1, 0.2], "nodes": 10, "finished": 10, "ratio": 1.01, **changes}])


def judgements(row):
    late = {**row["late_ms"], "p99": 51.0}
    idle = {"idle": {"update leases": 9, "watch pods": 2, "list pods": 1}, "idle_seconds": 60}
    return [
        ("figures as wanted are not told", judged(row) == []),
        ("a ratio above what was wanted is told", "1.060 of the optimum" in judged(row, ratio=1.06)[0]),
        ("an answer that came late is told", "51 ms" in judged(row, late_ms=late)[0]),
        ("too many nodes at once are told", "2 nodes at once" in judged(row, most_at_once=2)[0]),
        ("a pod that is asked too often is told", "7.5 times" in judged(row, asked_a_minute=7.5)[0]),
        ("a request with nothing to do is told, the lease's and watches are not",
         judged(row, **idle) == ["10x1: 1 requests besides the lease and watches with nothing to do"]),
        ("a rollout that was left is told", judged(row, finished=9) == ["10x1: 9 of 10 nodes in time"]),
        ("the peer is not judged", score.misses([{**row, "contestant": "nvidia-1s", "ratio": 9.9}]) == []),
        ("a row of the table has a cell for each head", len(score.cells({**row, "contestant": "drover", "load": [1.0], **idle})) == len(score.HEAD)),
    ]


def main():
    log = Log()
    log.node("a", 1)
    log.node("b", 11)
    log.request(15, 15.1, AGENT + "1", "update", "leases", "gpu-operator")
    log.request(15, 15.1, AGENT + "1", "list", "pods", "")
    log.request(15, 15.1, "kubectl", "get", "nodes", "a")
    row = measure.rollout(log.entries, log.journal, AGENT, BEGINS, 2, 1)
    half = measure.rollout(log.entries, log.journal, AGENT, BEGINS, 2, 1, gave_up_at=BEGINS + 12)
    claims = [
        ("the rollout lasts until the last node is done", abs(row["seconds"] - 20.213) < 1e-3),
        ("the optimum is the work of both nodes", abs(row["optimum"] - 18.0) < 1e-3),
        ("with two at a time it is half of it", abs(measure.rollout(log.entries, log.journal, AGENT, BEGINS, 2, 2)["optimum"] - 9) < 1e-3),
        ("hands that lose no time end with the longest tail", measure.perfect([3, 3, 3], 2) == 6 and measure.perfect([1, 2, 3], 1) == 6),
        ("one node was out at a time", row["most_at_once"] == 1),
        ("every request counts", row["requests_per_node"] == 5.0),
        ("a lease is not a write of a node", row["writes_per_node"] == 4.0),
        ("answers come 10 ms after the server knew", row["late_ms"]["count"] == 6 and abs(row["late_ms"]["p99"] - 10) < 0.2),
        ("a rollout that was left counts the nodes that were done", half["seconds"] == 12 and half["finished"] == 1),
    ]
    every = [("measure: " + title, holds) for title, holds in claims] + [("score: " + title, holds) for title, holds in judgements(row)]
    for title, holds in every:
        print(("ok " if holds else "FAIL ") + title)
    return 0 if all(holds for _, holds in every) else 1


if __name__ == "__main__":
    sys.exit(main())
