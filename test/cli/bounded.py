#!/usr/bin/env python3
"""bounded.py SECONDS COMMAND...: runs a command and prints, as one JSON object, how it ended and what it used.

{"status": exit code or -signal, "out": stdout, "err": stderr, "peak_kb": peak RSS, "seconds": wall time}; status "timeout" when it
had to be killed.
"""
import json
import resource
import subprocess
import sys
import time

limit, command = float(sys.argv[1]), sys.argv[2:]
began = time.monotonic()
try:
    done = subprocess.run(command, capture_output=True, timeout=limit, stdin=subprocess.DEVNULL, check=False)
    status, out, err = done.returncode, done.stdout, done.stderr
except subprocess.TimeoutExpired as late:
    status, out, err = "timeout", late.stdout or b"", late.stderr or b""
json.dump(
    {
        "status": status,
        "out": out.decode(errors="replace"),
        "err": err.decode(errors="replace"),
        "peak_kb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
        "seconds": round(time.monotonic() - began, 2),
    },
    sys.stdout,
)
