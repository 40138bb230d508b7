#!/usr/bin/env python3
"""NVIDIA's upgrade library and drover, one after the other on one control plane, with the same simulated kubelets.

    run.py [--sizes 10x1,50x5,200x10] [--contestants drover,nvidia-1s,nvidia-2m] [--idle SECONDS] [--blocked SECONDS]
           [--pull TIME] [--cap MINUTES] [--out FILE] [--keep FOLDER]

A size is NODESxPARALLEL. Each contestant brings the first driver to every node and is measured during one rollout; at the first size also
while nothing is to be done, and while a disruption budget lets no pod go. A rollout that takes longer than the cap is left, and
its row says how far it came. Rows are put into FILE beside those of earlier runs; a row of the same contestant and size is replaced.
Called by scripts/bench-peers, which builds what is needed: --drover, --drover-sim, --peer and --bed are the programs and the folder of test/bed.
"""
import argparse
import contextlib
import datetime
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.dont_write_bytecode = True  # the tree stays as it is
import measure  # noqa: E402
import score  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FIRST, SECOND, THIRD = "470.82.01", "510.85.02", "535.129.03"
LABEL = "nvidia.com/gpu-driver-upgrade-state"


def say(text):
    print(f"{datetime.datetime.now().strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def load():
    return float(open("/proc/loadavg", encoding="ascii").read().split()[0])


def until(seconds, what, probe):
    """Waits for the probe to hold; says so when it does not."""
    end = time.monotonic() + seconds
    while not probe():
        if time.monotonic() > end:
            raise SystemExit(f"bench-peers: not within {seconds} s: {what}")
        time.sleep(0.5)


class Stage:
    """A control plane and its simulated kubelets."""

    def __init__(self, args, nodes):
        self.args, self.nodes = args, nodes
        self.folder = tempfile.mkdtemp(prefix="bench-peers-")
        self.bed = self.folder + "/bed"
        self.audit, self.journal = self.folder + "/audit.log", self.folder + "/journal"
        self.kubelets = None

    def __enter__(self):
        subprocess.run([self.args.bed + "/up", "--dir", self.bed, "--audit", self.audit], check=True, stdout=subprocess.DEVNULL)
        self.env = dict(os.environ, KUBECONFIG=self.bed + "/kubeconfig", PATH=os.path.realpath(self.bed + "/bin") + ":" + os.environ["PATH"])
        with open(self.bed + "/ports", encoding="ascii") as file:
            self.port = dict(line.split() for line in file)["kube-apiserver"]
        context = ssl.create_default_context(cafile=self.bed + "/pki/ca.crt")
        context.load_cert_chain(self.bed + "/pki/admin.crt", self.bed + "/pki/admin.key")
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
        self.kubelets = self.start("kubelets", [self.args.drover_sim, "kubelet", "--nodes", f"nvidia={self.nodes}", "--pull", self.args.pull, "--journal", self.journal])
        until(60, "nodes", lambda: len(self.get("/api/v1/nodes")["items"]) == self.nodes)
        return self

    def __exit__(self, *_):
        self.stop(self.kubelets)
        subprocess.run([self.args.bed + "/down", self.bed], check=False, stdout=subprocess.DEVNULL)
        if self.args.keep:
            shutil.copytree(self.folder, f"{self.args.keep}/{self.nodes}", ignore=shutil.ignore_patterns("bed"), dirs_exist_ok=True)
        shutil.rmtree(self.folder)

    def start(self, name, command):
        with open(f"{self.folder}/{name}.log", "ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, env=self.env)

    @staticmethod
    def stop(process):
        if process and process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def get(self, path):
        with self.opener.open(f"https://127.0.0.1:{self.port}{path}", timeout=20) as answer:
            return json.load(answer)

    def run(self, *command, text=None):
        done = subprocess.run(command, env=self.env, input=text, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"bench-peers: {' '.join(command)}: {done.stderr.strip()[-500:]}")
        return done.stdout

    def apply(self, file, **words):
        with open(f"{HERE}/{file}", encoding="utf-8") as stream:
            text = stream.read()
        for word, value in words.items():
            text = text.replace(word, str(value))
        self.run("kubectl", "apply", "-f", "-", text=text)

    def states(self):
        return [node["metadata"]["labels"].get(LABEL, "") for node in self.get("/api/v1/nodes")["items"]]

    def all_have(self, version):
        """Every node is done, and its driver is this version's."""
        if set(self.states()) != {"upgrade-done"}:
            return False
        pods = self.get("/api/v1/namespaces/gpu-operator/pods?labelSelector=app%3Dnvidia-driver-daemonset")["items"]
        return len(pods) == self.nodes and all(f":{version}-" in pod["spec"]["containers"][0]["image"] for pod in pods)

    def clean(self):
        """As before the first run: no pods, first those that hold the driver; no operands, no notes on nodes."""
        self.run("kubectl", "delete", "deployment", "train", "--ignore-not-found")
        until(60, "pods gone", lambda: not self.get("/api/v1/namespaces/default/pods")["items"])
        if self.has_policies():
            self.run("kubectl", "delete", "clusterpolicies", "--all")
        self.run("kubectl", "delete", "daemonsets", "--all", "-n", "gpu-operator", "--wait")
        until(120, "operands gone", lambda: not self.get("/api/v1/namespaces/gpu-operator/pods")["items"])
        for node in self.get("/api/v1/nodes")["items"]:
            ours = {"labels": {key: None for key in node["metadata"]["labels"] if key.startswith("nvidia.com/")},
                    "annotations": {key: None for key in node["metadata"].get("annotations", {}) if key.startswith(("nvidia.com/", "drover.dev/record"))}}
            patch = urllib.request.Request(f"https://127.0.0.1:{self.port}/api/v1/nodes/{node['metadata']['name']}", method="PATCH",
                                           data=json.dumps({"metadata": ours, "spec": {"unschedulable": None, "taints": None}}).encode(),
                                           headers={"Content-Type": "application/merge-patch+json"})
            self.opener.open(patch, timeout=20).read()

    def fill(self):
        """A pod with a GPU for each node, once there is a driver."""
        self.apply("workload.yaml", REPLICAS=self.nodes)
        self.run("kubectl", "rollout", "status", "deployment/train", "--timeout=120s")

    def has_policies(self):
        return any(group["name"] == "nvidia.com" for group in self.get("/apis")["groups"])


# ---- the contestants: both know how to begin, and how to be asked for a version


class Drover:
    agent = "drover/"

    def __init__(self, stage, parallel):
        self.stage, self.parallel = stage, parallel

    def begin(self):
        stage, config = self.stage, self.stage.folder + "/operator.kubeconfig"
        stage.run("helm", "upgrade", "--install", "gpu-operator", ROOT + "/charts/drover", "-n", "gpu-operator", "--create-namespace",
                  "--set", "operator.replicas=0", "--take-ownership")
        token = stage.run("kubectl", "create", "token", "gpu-operator", "-n", "gpu-operator", "--duration=6h").strip()
        admin = stage.run("kubectl", "config", "view", "--raw", "--minify")
        with open(os.open(config, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(re.sub(r"(?m)^ +(client-(certificate|key)-data|token):.*\n", "", admin))
        stage.run("kubectl", "--kubeconfig", config, "config", "set-credentials", "operator", "--token", token)
        stage.run("kubectl", "--kubeconfig", config, "config", "set-context", "--current", "--user=operator")
        process = stage.start("drover", [stage.args.drover, "operator", "--kubeconfig", config, "--lease", "gpu-operator/gpu-operator",
                                         "--vendor", "nvidia=gpu-operator"])
        stage.apply("drover.yaml", PARALLEL=self.parallel)
        return process

    def want(self, version):
        body = json.dumps({"spec": {"driver": {"version": version}}})
        self.stage.run("kubectl", "patch", "clusterpolicy", "cluster-policy", "--type=merge", "-p", body)

    def end(self):
        """Nothing of its own is left."""


class DriverManager(threading.Thread):
    """What the driver pod's init container does in NVIDIA's world besides unloading: it makes the validator go and come back.

    (By a label on the node, which the simulated container does not set.) The journal says when a driver pod comes to a machine.
    """

    def __init__(self, stage):
        super().__init__(daemon=True)
        self.stage, self.over = stage, threading.Event()
        self.offset = os.path.getsize(stage.journal)

    def run(self):
        while not self.over.wait(0.05):
            with open(self.stage.journal, "rb") as file:
                file.seek(self.offset)
                whole = file.read().rpartition(b"\n")[0]
            self.offset += len(whole) + 1 if whole else 0
            for line in map(json.loads, whole.splitlines()):
                if line["event"] == "admitted" and measure.kind_of(line["pod"]) == "driver":
                    self.bounce(line["node"])

    def bounce(self, node):
        path = "/api/v1/namespaces/gpu-operator/pods"
        for pod in self.stage.get(f"{path}?labelSelector=app%3Dnvidia-operator-validator&fieldSelector=spec.nodeName%3D{node}")["items"]:
            go = urllib.request.Request(f"https://127.0.0.1:{self.stage.port}{path}/{pod['metadata']['name']}", method="DELETE")
            self.stage.opener.open(go, timeout=20).read()


class Nvidia:
    agent = "peer-nvidia"

    def __init__(self, stage, parallel, requeue):
        self.stage, self.parallel, self.requeue = stage, parallel, requeue
        self.manager = None

    def begin(self):
        self.stage.apply("nvidia.yaml")
        until(300, "first driver", self.driver_is_everywhere)
        return self.stage.start("nvidia-" + self.requeue, [self.stage.args.peer, "-requeue", self.requeue, "-max-parallel", str(self.parallel),
                                                           "-max-unavailable", str(self.parallel)])

    def end(self):
        if self.manager:
            self.manager.over.set()
            self.manager.join()

    def driver_is_everywhere(self):
        sets = self.stage.get("/apis/apps/v1/namespaces/gpu-operator/daemonsets")["items"]
        return sets and all(one["status"].get("numberReady", 0) == self.stage.nodes for one in sets)

    def want(self, version):
        if self.manager is None:
            self.manager = DriverManager(self.stage)
            self.manager.start()
        self.stage.run("kubectl", "set", "image", "-n", "gpu-operator", "daemonset/nvidia-driver-daemonset",
                       f"nvidia-driver-ctr=nvcr.io/nvidia/driver:{version}-ubuntu22.04")


def contestant(name, stage, parallel):
    return Drover(stage, parallel) if name == "drover" else Nvidia(stage, parallel, name.removeprefix("nvidia-"))


# ---- one run


def cpu_seconds(process):
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mebibytes(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return round(int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) / 1024, 1)


def window(stage, agent, length, what):
    """The contestant's requests in the next `length` seconds."""
    say(f"{what}: {length} s")
    offset, begins = os.path.getsize(stage.audit), time.time()
    time.sleep(length)
    return measure.counted(measure.requests_from(stage.audit, offset), agent, begins, time.time())[2], offset


def wait_for(stage, version, cap):
    """True when all nodes have the version; False when the cap came first. Says how it goes, twice a minute."""
    began = said = time.monotonic()
    while not stage.all_have(version):
        now = time.monotonic()
        if now - began > cap:
            return False
        if now - said > 30:
            said = now
            states = stage.states()
            say("  " + ", ".join(f"{states.count(state)} {state or 'none'}" for state in sorted(set(states))))
        time.sleep(0.5)
    return True


def blocked(stage, one, args):
    """Eviction POSTs a minute for each pod that a budget holds."""
    stage.run("kubectl", "create", "poddisruptionbudget", "train", "--selector=app=train", "--max-unavailable=0")
    time.sleep(2)
    offset = os.path.getsize(stage.audit)
    one.want(THIRD)

    def evictions():
        return [ask for ask in measure.requests_from(stage.audit, offset) if ask.part == "eviction" and ask.agent.startswith(one.agent)]

    until(300, "an eviction that is refused", lambda: any(ask.code == 429 for ask in evictions()))
    time.sleep(5)
    _, offset = window(stage, one.agent, args.blocked, "against a budget that yields nothing")
    asks = evictions()  # the offset is the window's now
    pods = len({ask.pod for ask in asks}) or 1
    stage.run("kubectl", "delete", "poddisruptionbudget", "train")
    return round(len(asks) * 60 / args.blocked / pods, 1)


def compete(stage, name, parallel, args, at_length):
    """One rollout of one contestant; `at_length`: then also idle, and against a budget."""
    one = contestant(name, stage, parallel)
    say(f"{name}, {stage.nodes} nodes, {parallel} at a time: the first driver")
    process = one.begin()
    try:
        until(400, "first driver", lambda: stage.all_have(FIRST))
        stage.fill()
        time.sleep(5)
        offset, cpu, loads, cap = os.path.getsize(stage.audit), cpu_seconds(process), [load()], args.cap * 60
        say(f"{name}: the rollout")
        one.want(SECOND)
        begins = time.time()
        whole = wait_for(stage, SECOND, cap)
        gave_up_at = None if whole else time.time()
        cpu, loads = cpu_seconds(process) - cpu, loads + [load()]
        time.sleep(2)
        wanted = [ask for ask in measure.requests_from(stage.audit, offset) if ask.agent.startswith("kubectl") and ask.is_write()
                  and ask.resource in ("clusterpolicies", "daemonsets") and ask.done_at <= begins + 1]
        begins = wanted[0].done_at if wanted else begins
        row = {"contestant": name, "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M"), "load": loads}
        row.update(measure.rollout(measure.requests_from(stage.audit, offset), measure.lines_from(stage.journal), one.agent, begins,
                                   stage.nodes, parallel, gave_up_at))
        row.update({"cpu_seconds": round(cpu, 2), "peak_mib": peak_mebibytes(process)})
        say(f"{name}: {row['seconds']} s, optimum {row['optimum']} s")
        if whole and at_length and args.idle:
            time.sleep(10)
            row["idle"], row["idle_seconds"] = window(stage, one.agent, args.idle, "with nothing to do")[0], args.idle
        if whole and at_length and args.blocked:
            row["asked_a_minute"] = blocked(stage, one, args)
        return row
    finally:
        stage.stop(process)
        one.end()


# ---- the result


def machine(args):
    """Where, and with what, the rows were measured."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    with open(ROOT + "/bench/peers/nvidia/go.mod", encoding="utf-8") as file:
        modules = re.findall(r"(?m)^\s(\S*(?:k8s-operator-libs|kubectl|controller-runtime)) (\S+)", file.read())
    version = subprocess.run([args.drover, "version"], capture_output=True, text=True, check=False).stdout.strip()
    return {"processor": model[1] if model else "unknown", "cores": os.cpu_count(), "drover": version, "modules": dict(modules)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10x1,50x5,200x10")
    parser.add_argument("--contestants", default="drover,nvidia-1s,nvidia-2m")
    parser.add_argument("--idle", type=int, default=300)
    parser.add_argument("--blocked", type=int, default=60)
    parser.add_argument("--pull", default="0s", help="fetching an image takes so long; the optimum has no place for it")
    parser.add_argument("--cap", type=float, default=30, help="minutes")
    parser.add_argument("--out", default=ROOT + "/build/peers.json")
    parser.add_argument("--keep", help="keep audit logs, journals and the programs' logs here")
    parser.add_argument("--table", action="store_true", help="only print what is in --out")
    for name, usual in (("drover", ROOT + "/build/drover"), ("drover-sim", ROOT + "/build/drover-sim"), ("peer", ""), ("bed", ROOT + "/test/bed")):
        parser.add_argument("--" + name, default=usual)
    args = parser.parse_args()
    if args.table:
        with open(args.out, encoding="utf-8") as file:
            return score.tell(json.load(file)["rows"])
    rows = []
    for number, size in enumerate(args.sizes.split(",")):
        nodes, parallel = map(int, size.split("x"))
        with Stage(args, nodes) as stage:
            for turn, name in enumerate(args.contestants.split(",")):
                if turn:
                    stage.clean()
                rows = score.put(args.out, compete(stage, name, parallel, args, number == 0), machine(args))
    return score.tell(rows)


if __name__ == "__main__":
    for stop in (signal.SIGINT, signal.SIGTERM):  # also where a shell has made its background jobs deaf to the first
        signal.signal(stop, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
    sys.exit(130)
