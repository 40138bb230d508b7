#!/usr/bin/env python3
"""Bad weather over a rollout: runs two replicas of the operator behind a door, and does to them what clusters do to operators.

    weather.py --seed N --kills N --bed DIR --restart COMMAND --operator-config FILE --rollouts FILE --logs DIR --lease-seconds N
        -- OPERATOR FLAG...

It owns three things. The replicas: started again whenever they end, as a kubelet would. The door: a TCP proxy between them and the API
server, through which every connection can be cut at once. The weather: a list of misfortunes drawn from the seed. While misfortunes
are left and every node is done, the next version is asked for, so that trouble always meets work. Ends with 0 when the list is through and
every node is done with the version asked for last; with 1 when that takes too long, or when most kills missed the leader. What happens
is said in lines.
"""
import argparse
import asyncio
import collections
import datetime
import json
import os
import random
import re
import signal
import ssl
import sys
import time
import urllib.request

STATE = "nvidia.com/gpu-driver-upgrade-state"
VERSIONS = [f"{major}.10.0{minor}" for major in (510, 535, 550, 570, 580) for minor in range(10)]


class Cluster:
    """The API server, asked as its administrator and past the door."""

    def __init__(self, bed):
        with open(bed + "/ports", encoding="ascii") as file:
            self.port = int(dict(line.split() for line in file)["kube-apiserver"])
        self.context = ssl.create_default_context(cafile=bed + "/pki/ca.crt")
        self.context.load_cert_chain(bed + "/pki/admin.crt", bed + "/pki/admin.key")

    def ask(self, path, method="GET", body=None, content="application/merge-patch+json"):
        request = urllib.request.Request(f"https://127.0.0.1:{self.port}{path}", method=method, data=body and json.dumps(body).encode())
        if body:
            request.add_header("Content-Type", content)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self.context))
        with opener.open(request, timeout=5) as answer:
            return json.load(answer)

    async def look(self, path, **more):
        """What ask says, or None when the server has nothing to say now."""
        try:
            return await asyncio.to_thread(self.ask, path, **more)
        except OSError:
            return None


class Door:
    """Carries bytes between clients and the API server, until it is slammed."""

    def __init__(self, target_port):
        self.target_port = target_port
        self.writers = set()

    async def open(self):
        server = await asyncio.start_server(self.visit, "127.0.0.1", 0)
        return server.sockets[0].getsockname()[1]

    async def visit(self, reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target_port)
        except OSError:
            writer.transport.abort()
            return
        both = {writer, far_writer}
        self.writers |= both
        try:
            await asyncio.gather(self.carry(reader, far_writer), self.carry(far_reader, writer))
        except asyncio.CancelledError:  # the program ends
            pass
        self.writers -= both

    async def carry(self, reader, writer):
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def slam(self):
        """Resets every connection; the next may come at once. Says how many there were."""
        count = len(self.writers) // 2
        for writer in list(self.writers):
            writer.transport.abort()
        return count


class Replica:
    """One operator process and its successors."""

    def __init__(self, number, command, logs):
        self.number = number
        self.command = command
        self.path = f"{logs}/operator-{number}.log"
        self.process = None
        self.starts = 0

    async def keep_running(self):
        while True:
            with open(self.path, "ab") as log:
                self.process = await asyncio.create_subprocess_exec(*self.command, stdout=log, stderr=log)
            self.starts += 1
            await self.process.wait()
            await asyncio.sleep(0.3)

    def signal(self, number):
        """True when there was a process to send it to."""
        if self.process is None or self.process.returncode is not None:
            return False
        os.kill(self.process.pid, number)
        return True

    def identity(self):
        """The name under which the process that runs now wants the lease."""
        with open(self.path, encoding="utf-8", errors="replace") as log:
            names = re.findall(r"identity\W+([\w.-]+)", log.read())
        return names[-1] if names else ""


class Weather:
    def __init__(self, args):
        self.args = args
        self.random = random.Random(args.seed)
        self.cluster = Cluster(args.bed)
        self.door = Door(self.cluster.port)
        self.replicas = []
        self.versions = iter(VERSIONS)
        self.began = time.monotonic()
        self.states = collections.Counter()
        self.kills = 0
        self.leaders_killed = 0
        self.rollouts = 0

    def say(self, text):
        done, total = self.states["upgrade-done"], sum(self.states.values())
        print(f"   {time.monotonic() - self.began:5.1f} s  rollout {self.rollouts}: {done:2} of {total} done, {self.kills:2} kills  {text}", flush=True)

    # ---- misfortunes

    async def leader(self):
        lease = await self.cluster.look("/apis/coordination.k8s.io/v1/namespaces/gpu-operator/leases/gpu-operator")
        holder = (lease or {}).get("spec", {}).get("holderIdentity", "")
        return next((one for one in self.replicas if holder and one.identity() == holder), None)

    async def kill(self):
        """A replica that does not lead: it waits for the lease, or starts, or lists."""
        leader = await self.leader()
        victim = self.random.choice([one for one in self.replicas if one is not leader])
        while not victim.signal(signal.SIGKILL):
            await asyncio.sleep(0.05)
        self.kills += 1
        self.say(f"replica {victim.number} is killed")

    async def kill_the_leader(self):
        """In the middle of its work: a moment after it was seen to lead, and while it still does."""
        while True:
            leader = await self.leader()
            name = leader and leader.identity()
            await asyncio.sleep(self.random.uniform(0.0, 4.0) if leader else 0.2)
            if leader and await self.leader() is leader and leader.identity() == name and leader.signal(signal.SIGKILL):
                break
        self.kills += 1
        self.leaders_killed += 1
        self.say(f"replica {leader.number}, the leader, is killed")

    async def cut(self):
        self.say(f"{self.door.slam()} connections are cut")

    async def stop_the_leader(self):
        leader = None
        while leader is None or not leader.signal(signal.SIGSTOP):
            leader = await self.leader()
            await asyncio.sleep(0.2)
        self.say(f"replica {leader.number}, the leader, is stopped for longer than its lease")
        await asyncio.sleep(self.args.lease_seconds + 2)
        leader.signal(signal.SIGCONT)
        self.say(f"replica {leader.number} goes on")

    async def restart_the_server(self):
        self.say("the API server is restarted")
        process = await asyncio.create_subprocess_exec(self.args.restart, self.args.bed, "kube-apiserver", stderr=asyncio.subprocess.DEVNULL)
        await process.wait()
        self.say("the API server is back")

    async def pause_etcd(self):
        with open(self.args.bed + "/pids", encoding="ascii") as file:
            pid = next(int(line.split()[1]) for line in file if line.startswith("etcd "))
        self.say("etcd is paused for 10 s")
        os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(10)
        os.kill(pid, signal.SIGCONT)
        self.say("etcd goes on")
        await asyncio.sleep(3)
        await self.renew_the_budget()

    async def renew_the_budget(self):
        """An eviction that broke off between the budget's status and the pod stands in `disruptedPods` and uses the budget up for two
        minutes: Kubernetes' own memory, which only time, or recreating the budget, can clear."""
        budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
        old = None
        while not (old := await self.cluster.look(budgets + "/train")):
            await asyncio.sleep(0.5)
        lost = len(old["status"].get("disruptedPods", {}))
        body = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "train"}, "spec": old["spec"]}
        await self.cluster.look(budgets + "/train", method="DELETE")
        while not await self.cluster.look(budgets, method="POST", body=body, content="application/json"):
            await asyncio.sleep(0.5)
        self.say(f"the budget is recreated ({lost} evictions stood in it)")

    def forecast(self):
        """The misfortunes in their order: kills with cuts between them, and each of the great ones once.

        Most kills are aimed at the leader, whichever replica that is by then; each costs the fleet a lease without a leader, so leases
        are short here. The others meet replicas that wait, start or list.
        """
        aimed = self.args.kills * 7 // 10
        plan = [self.kill_the_leader] * aimed + [self.kill] * (self.args.kills - aimed) + [self.cut] * 6
        self.random.shuffle(plan)
        great = [self.stop_the_leader, self.restart_the_server, self.pause_etcd]
        self.random.shuffle(great)
        for i, one in enumerate(great):
            plan.insert((i + 1) * len(plan) // (len(great) + 1), one)
        return plan

    # ---- the run

    async def watch(self):
        """Counts the states of the nodes, and asks for the next version when all are done while bad weather is left."""
        while True:
            nodes = await self.cluster.look("/api/v1/nodes")
            if nodes:
                self.states = collections.Counter(node["metadata"]["labels"].get(STATE, "none") for node in nodes["items"])
            await asyncio.sleep(1)

    def all_done(self):
        return self.rollouts > 0 and set(self.states) == {"upgrade-done"}

    async def roll_out(self):
        version = next(self.versions)
        at = datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
        body = {"spec": {"driver": {"version": version}}}
        while not await self.cluster.look("/apis/nvidia.com/v1/clusterpolicies/cluster-policy", method="PATCH", body=body):
            await asyncio.sleep(0.5)
        with open(self.args.rollouts, "a", encoding="ascii") as file:
            print(json.dumps({"at": at, "version": version}), file=file)
        self.rollouts += 1
        self.states = collections.Counter({"none": 1})
        self.say(f"version {version} is wanted")

    async def next_rollouts(self):
        while True:
            await asyncio.sleep(1)
            if self.all_done() and self.states["upgrade-done"] > 1 and not await self.outdated():
                await self.roll_out()

    async def outdated(self):
        """True while a driver pod has another image than the DaemonSet wants: a label may still be the old one's."""
        pods = await self.cluster.look("/api/v1/namespaces/gpu-operator/pods?labelSelector=app%3Dnvidia-driver-daemonset")
        with open(self.args.rollouts, encoding="ascii") as file:
            version = json.loads(file.readlines()[-1])["version"]
        return not pods or any(f":{version}-" not in pod["spec"]["containers"][0]["image"] for pod in pods["items"])

    async def run(self):
        port = await self.door.open()
        with open(self.args.operator_config, encoding="utf-8") as file:
            config = file.read()
        through = self.args.logs + "/door.kubeconfig"
        with open(os.open(through, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(re.sub(r"server: .*", f"server: https://127.0.0.1:{port}", config))
        self.replicas = [Replica(n, [*self.args.command, "--kubeconfig", through], self.args.logs) for n in (1, 2)]
        tasks = [asyncio.create_task(one.keep_running()) for one in self.replicas] + [asyncio.create_task(self.watch())]
        try:
            await asyncio.sleep(1)
            await self.roll_out()
            await asyncio.sleep(3)
            more = asyncio.create_task(self.next_rollouts())
            for misfortune in self.forecast():
                await misfortune()
                await asyncio.sleep(self.random.uniform(0.5, self.args.pause))
            more.cancel()
            self.say("the weather clears up")
            return await self.settle()
        finally:
            for task in tasks:
                task.cancel()
            for one in self.replicas:
                one.signal(signal.SIGKILL)

    async def settle(self):
        until = time.monotonic() + self.args.patience
        while time.monotonic() < until:
            await asyncio.sleep(1)
            if self.all_done() and not await self.outdated():
                self.say("all nodes are done")
                await asyncio.sleep(3)  # Events and status follow
                self.say(f"{self.leaders_killed} of {self.kills} kills met the leader")
                return 0 if self.leaders_killed * 2 > self.kills else 1
            if int(time.monotonic()) % 5 == 0:
                self.say(" ".join(f"{state}={count}" for state, count in sorted(self.states.items())))
        self.say("the nodes are not done in time: " + " ".join(f"{state}={count}" for state, count in sorted(self.states.items())))
        return 1


def main():
    parser = argparse.ArgumentParser()
    for name in ("bed", "restart", "operator-config", "rollouts", "logs"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--lease-seconds", type=int, required=True, help="the operator's")
    parser.add_argument("--pause", type=float, default=2.5, help="at most so many seconds between two misfortunes")
    # Also a death or a cut connection breaks an eviction off: two minutes of Kubernetes' memory, and then what is left of the rollout.
    parser.add_argument("--patience", type=float, default=240)
    parser.add_argument("command", nargs="+")
    return asyncio.run(Weather(parser.parse_args()).run())


if __name__ == "__main__":
    sys.exit(main())
