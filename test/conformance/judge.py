#!/usr/bin/env python3
"""The judge of the embedded cluster: sends one table of requests to two servers and compares what they answer.

    judge.py --left KUBECONFIG --right KUBECONFIG     run every row on both; a diff (- left, + right) per row that differs
    judge.py --left KUBECONFIG --record FILE          run on one and keep its normalised answers
    judge.py --right KUBECONFIG --against FILE        compare with kept answers
    judge.py --one KUBECONFIG                         run on one and print the transcripts

    --only TEXT       rows whose "area: name" holds TEXT (may be given several times)
    --list            print the rows and end
    --threads N       rows at a time and server (default 8)
    --patience N      seconds that an UNTIL waits (default 30)
    --quiet           print only rows that fail, without their diffs
    --brief           instead of a diff, the places that differ: step, path, left -> right

One line per row, "ok area: name" or "FAIL area: name". Exit codes: 0 all the same, 1 something differs, 2 called wrongly.
The table's format stands in table.py, what is forgiven in normal.py.
"""

import argparse
import concurrent.futures
import difflib
import json
import pathlib
import random
import string
import sys
import time

sys.dont_write_bytecode = True  # a test leaves nothing in the source tree
import client  # noqa: E402
import normal  # noqa: E402
import steps  # noqa: E402
import table  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def namespace_of(row, suffix):
    return f"{row.area}-{row.number:02d}-{suffix}"


def play(server, row, suffix):
    namespace = namespace_of(row, suffix)
    entries = steps.Play(server, row, namespace).run()
    return normal.normalise(entries, namespace)


def lines_of(entries):
    lines = []
    for entry in entries:
        rest = {key: value for key, value in entry.items() if key != "step"}
        lines += [">>> " + entry["step"]] + json.dumps(rest, indent=1, sort_keys=True, ensure_ascii=False).splitlines()
    return lines


def trouble_in(entries):
    return next((entry["trouble"] for entry in entries if "trouble" in entry), "")


NOTHING = object()


def places(left, right, path=""):
    """(path, left, right) of the outermost values that differ."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(set(left) | set(right)):
            yield from places(left.get(key, NOTHING), right.get(key, NOTHING), f"{path}.{key}")
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for index, (mine, theirs) in enumerate(zip(left, right)):
            yield from places(mine, theirs, f"{path}[{index}]")
    elif left != right:
        yield path, left, right


def brief(left, right):
    """Lines that say where two transcripts differ."""
    for number in range(max(len(left), len(right))):
        mine = left[number] if number < len(left) else {}
        theirs = right[number] if number < len(right) else {}
        found = list(places(mine, theirs))
        if mine.get("code") != theirs.get("code"):
            found = [("code and message", said(mine), said(theirs))]
        if found:
            yield mine.get("step", theirs.get("step", ""))
        for path, old, new in found[:20]:
            yield f"  {path}: {shortened(old)} -> {shortened(new)}"


def said(entry):
    body = entry.get("body")
    return [entry.get("code"), body.get("message", "…") if isinstance(body, dict) else body]


def shortened(value):
    text = "(nothing)" if value is NOTHING else json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) <= 300 else text[:300] + "…"


class Report:
    """Counts and prints verdicts."""

    def __init__(self, total, flags):
        self.total, self.quiet, self.brief = total, flags.quiet, flags.brief
        self.done, self.failed, self.accepted, self.redundant = 0, [], [], []

    def verdict(self, row, left, right):
        self.done += 1
        same = left == right and not trouble_in(left)
        count = f"[{self.done}/{self.total}]"
        if row.accepted and not same:
            self.accepted.append(row)
            print(f"ok {row.title} {count} (differs, accepted: {row.accepted})")
        elif same:
            if row.accepted:
                self.redundant.append(row)
            if not self.quiet:
                print(f"ok {row.title} {count}")
        else:
            self.failed.append(row)
            print(f"FAIL {row.title} {count}")
            if not self.quiet:
                self.explain(left, right)
        sys.stdout.flush()

    def explain(self, left, right):
        for side, entries in (("left", left), ("right", right)):
            if trouble := trouble_in(entries):
                print(f"    {side}: {trouble}")
        if trouble_in(left) or trouble_in(right):
            return
        if self.brief:
            for line in brief(left, right):
                print("    " + line)
            return
        for line in difflib.unified_diff(lines_of(left), lines_of(right), "left", "right", lineterm="", n=4):
            print("    " + line)

    def end(self, seconds):
        for row in self.redundant:
            print(f'note: "{row.title}" is accepted to differ, but does not: remove its "accept"')
        print(f"{self.done - len(self.failed)} rows the same, {len(self.failed)} differ, "
              f"{len(self.accepted)} accepted, in {seconds:.0f} s")
        return 1 if self.failed else 0


def chosen(rows, only):
    return [row for row in rows if not only or any(text in row.title for text in only)]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ("--left", "--right", "--one", "--record", "--against"):
        parser.add_argument(name)
    parser.add_argument("--only", action="append")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--patience", type=float, default=steps.PATIENCE)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--brief", action="store_true")
    flags = parser.parse_args()
    steps.PATIENCE = flags.patience
    try:
        rows = chosen(table.read_tables(HERE), flags.only)
    except table.TableError as error:
        sys.exit(f"judge: {error}")
    if not rows:
        parser.error("no row has that text in its name")
    if flags.list:
        for row in rows:
            print(row.title)
        return 0
    return run(flags, rows, parser)


def run(flags, rows, parser):
    began = time.monotonic()
    suffix = "".join(random.choices(string.ascii_lowercase + string.digits, k=5))
    first = flags.one or flags.left
    second = None if flags.one else flags.right
    kept = None
    if flags.against:
        first = None
        kept = json.loads(pathlib.Path(flags.against).read_text(encoding="utf-8"))
    if not first and not (second and kept):
        parser.error("give --left and --right, or --right and --against, or --one")

    with concurrent.futures.ThreadPoolExecutor(flags.threads) as left_pool, \
            concurrent.futures.ThreadPoolExecutor(flags.threads) as right_pool:
        servers = [client.Server(path) if path else None for path in (first, second)]
        left = [left_pool.submit(play, servers[0], row, suffix) for row in rows] if first else None
        right = [right_pool.submit(play, servers[1], row, suffix) for row in rows] if second else None

        if not second:
            return only_one(flags, rows, left)
        report = Report(len(rows), flags)
        for number, row in enumerate(rows):
            expected = left[number].result() if left else kept.get(row.title)
            if expected is None:
                parser.error(f'{flags.against} does not know the row "{row.title}": record it again')
            report.verdict(row, expected, right[number].result())
        if flags.record and left:
            keep(flags.record, rows, left)
    return report.end(time.monotonic() - began)


def keep(path, rows, futures):
    answers = {row.title: future.result() for row, future in zip(rows, futures)}
    pathlib.Path(path).write_text(json.dumps(answers, ensure_ascii=False), encoding="utf-8")


def only_one(flags, rows, futures):
    troubled = 0
    for row, future in zip(rows, futures):
        entries = future.result()
        if trouble := trouble_in(entries):
            troubled += 1
            print(f"FAIL {row.title}: {trouble}")
        if flags.one and not flags.quiet:
            print("== " + row.title)
            print("\n".join(lines_of(entries)))
    if flags.record:
        keep(flags.record, rows, futures)
    print(f"{len(rows)} rows, {troubled} in trouble")
    return 1 if troubled else 0


if __name__ == "__main__":
    sys.exit(main())
