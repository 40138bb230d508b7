#!/usr/bin/env python3
"""shell.py SOCKET SECONDS COMMAND: runs a command in the root shell behind a machine's virtio console; prints what it says and ends
with its status, or with 99 when it takes longer. The shell stays, so a command that was given up may still speak: every command has
marks of its own, which the shell puts together, so that an echo of the command is never taken for them."""
import os
import socket
import sys
import time

path, seconds, command = sys.argv[1], float(sys.argv[2]), sys.argv[3]
mark = f"{os.getpid()}-{time.time_ns()}"
begin, end = f"BEGIN-{mark}\n".encode(), f"\nEND-{mark} ".encode()
deadline = time.monotonic() + seconds
door = socket.socket(socket.AF_UNIX)
while True:
    try:
        door.connect(path)
        break
    except OSError as error:  # one visitor at a time
        if time.monotonic() > deadline:
            sys.exit(f"shell.py: {path}: {error}")
        time.sleep(0.1)
door.sendall(f"\nprintf 'BEGIN-%s\\n' {mark}; ( {command}\n) 2>&1 </dev/null; printf '\\nEND-%s %s\\n' {mark} $?\n".encode())

said = b""
while True:
    found = said.find(end)
    if found >= 0 and said.find(b"\n", found + 1) > 0:
        start = said.find(begin) + len(begin)
        sys.stdout.write(said[start:found].decode(errors="replace").replace("\r", ""))
        sys.exit(int(said[found + len(end) :].split()[0]))
    left = deadline - time.monotonic()
    try:
        door.settimeout(max(left, 0.01))
        piece = door.recv(65536)
    except socket.timeout:
        piece = b""
    if not piece:
        sys.stderr.write(f"shell.py: no end of the command within {seconds:.0f} s; so far: {said[-300:]!r}\n")
        sys.exit(99)
    said += piece
