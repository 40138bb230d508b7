#!/usr/bin/env python3
"""Runs a script of commands against two servers and compares exit codes and everything that is printed.

    compare.py COMMANDS --left KUBECONFIG --right KUBECONFIG      - is left, + is right
    compare.py COMMANDS --one KUBECONFIG                          run on one and print

COMMANDS is a text file: "== sentence" names what follows, every other line is a command for bash, run in the file's
folder with KUBECONFIG set, one after the other. "quietly COMMAND" must succeed and is not compared: it sets the stage or
waits. Prints "ok SENTENCE" or "FAIL SENTENCE" and a diff. Exit codes: 0 the same, 1 something differs, 2 called wrongly.

What is forgiven, because two honest servers differ in it:
    ages ("12s", "1m3s") AGE · times TIME · uids UID · versions V · what is generated at the end of a name SUFFIX, and
    then the order of such lines · hashes of pod templates HASH · addresses ADDRESS, the server's own SERVER · signed tokens
    TOKEN · certificates PEM · temporary folders of `kubectl diff` · the width of columns
"""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SAFE = "[bcdfghjklmnpqrstvwxz2456789]"  # the letters of generated names
RULES = [
    (r"https://127\.0\.0\.1:\d+", "SERVER"),
    (r"127\.0\.0\.1:\d+", "SERVER"),
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "UID"),
    (r"\beyJ[\w-]+\.[\w-]+\.[\w-]+", "TOKEN"),
    (r"(?s)-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", "PEM"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", "TIME"),
    (r"\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "TIME"),
    (r"\b\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d (UTC )?\d{4}", "TIME"),
    (r"\b\d\d\d\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4}( UTC)?", "TIME"),
    (r'(resourceVersion"?: )"\d+"', r"\1V"),
    (r"(Resource Version: +)\d+", r"\1V"),
    (rf"\b([a-z][a-z0-9-]*?)-(?:{SAFE}{{6,10}})-{SAFE}{{5}}\b", r"\1-HASH-SUFFIX"),
    (rf"(pod-template-hash[=:] ?\"?|controller-revision-hash[=:] ?\"?)[a-z0-9]+", r"\1HASH"),
    (rf"\b(web|shop|chart-web|d|hello|agent|node-tool|web2|plain)-{SAFE}{{8,10}}\b", r"\1-HASH"),
    (rf"\b([a-z][a-z0-9-]*)-{SAFE}{{5}}\b", r"\1-SUFFIX"),
    (r"\.[0-9a-f]{16}\b", ".EVENT"),
    (r"\b10\.\d+\.\d+\.\d+(/\d+)?\b", "ADDRESS"),
    (r"\b\d+(m\d+)?s\b", "AGE"),
    (r"\b\d+\.\d+s\b", "AGE"),
    (r"/tmp/(LIVE|MERGED)-\d+", r"/tmp/\1-N"),
    (r"(?<=\S) {2,}", "  "),
    (r"^ {12,}", " " * 12),
    (r"[ \t]+$", ""),
]
RULES = [(re.compile(pattern, re.M), to) for pattern, to in RULES]


def normalise(text):
    for pattern, to in RULES:
        text = pattern.sub(to, text)
    lines, run = [], []
    for line in text.splitlines() + [None]:
        if line is not None and "-SUFFIX" in line:
            run.append(line)
            continue
        lines += sorted(run)
        run = []
        if line is not None:
            lines.append(line)
    return lines


def read(path):
    """[(sentence, [(is compared, command)])]"""
    steps = []
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.strip()
        if line.startswith("== "):
            steps.append((line[3:], []))
        elif line and not line.startswith("#"):
            quiet = line.startswith("quietly ")
            steps[-1][1].append((not quiet, line[8:] if quiet else line))
    return steps


def run_all(steps, kubeconfig, folder):
    """Per sentence the lines that were printed, with exit codes."""
    results = []
    with tempfile.TemporaryDirectory() as home:
        env = dict(os.environ, KUBECONFIG=os.path.abspath(kubeconfig), HOME=home, TMPDIR="/tmp", LC_ALL="C.UTF-8")
        for _, commands in steps:
            lines = []
            for compared, command in commands:
                try:
                    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=env, timeout=60,
                                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
                    code, out, err = done.returncode, done.stdout, done.stderr
                except subprocess.TimeoutExpired:
                    code, out, err = "none: it did not end in 60 s", "", ""
                if compared:
                    lines += [f"$ {command}", f"exit code {code}"] + normalise(out)
                    lines += ["stderr: " + line for line in normalise(err)]
                elif code != 0:
                    lines += [f"$ {command}", f"TROUBLE exit code {code}"] + (out + err).splitlines()
            results.append(lines)
    return results


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("commands")
    parser.add_argument("--left")
    parser.add_argument("--right")
    parser.add_argument("--one")
    flags = parser.parse_args()
    path = pathlib.Path(flags.commands).resolve()
    steps = read(path)
    if flags.one:
        for lines in run_all(steps, flags.one, path.parent):
            print("\n".join(lines))
        return 0
    if not flags.left or not flags.right:
        parser.error("give --left and --right, or --one")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        left, right = pool.map(lambda config: run_all(steps, config, path.parent), (flags.left, flags.right))
    failed = 0
    for (sentence, _), mine, theirs in zip(steps, left, right):
        if mine == theirs and not any(line.startswith("TROUBLE") for line in mine):
            print(f"ok {sentence}")
            continue
        failed += 1
        print(f"FAIL {sentence}")
        for line in mine if mine == theirs else difflib.unified_diff(mine, theirs, "left", "right", lineterm="", n=2):
            print("    " + line)
    count = sum(compared for _, commands in steps for compared, _ in commands)
    print(f"{count} commands, {len(steps) - failed} of {len(steps)} sentences the same")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
