"""A terminal of 80 columns for one command: what the screen shows at the end, and whether a line was ever too long.

Knows exactly the escapes that we use; another one is an error. Usage: terminal.py ROWS COMMAND...
"""
import codecs
import fcntl
import os
import pty
import re
import struct
import sys
import termios

COLUMNS = 80


class Terminal:
    def __init__(self, rows):
        self.rows = rows
        self.grid = {}
        self.row = self.column = self.lowest = 0
        self.wrapped = 0
        self.beyond = 0

    def put(self, character):
        if self.column == COLUMNS:
            self.wrapped += 1
            self.row, self.column = self.row + 1, 0
        self.grid.setdefault(self.row, {})[self.column] = character
        self.column += 1

    def escape(self, count, kind):
        line = self.grid.setdefault(self.row, {})
        if kind == "A":
            self.row -= int(count or 1)
            if self.row < max(0, self.lowest - self.rows + 1):
                self.beyond += 1
        else:
            for column in [c for c in line if c >= self.column]:
                del line[column]
        if kind == "J":
            for row in [r for r in self.grid if r > self.row]:
                del self.grid[row]

    def feed(self, text):
        for count, kind, character in re.findall(r"\x1b\[(\d*)([AKJ])|(.)", text, re.DOTALL):
            if kind:
                self.escape(count, kind)
            elif character == "\n":
                self.row += 1
                self.lowest = max(self.lowest, self.row)
            elif character == "\r":
                self.column = 0
            elif character == "\x1b":
                sys.exit("an unknown escape: " + repr(text[:200]))
            else:
                self.put(character)

    def text(self):
        lines = [self.grid.get(row, {}) for row in range(self.lowest + 1)]
        return "\n".join("".join(line.get(c, " ") for c in range(COLUMNS)).rstrip() for line in lines)


def main():
    rows = int(sys.argv[1])
    pid, descriptor = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, COLUMNS, 0, 0))
        os.execvp(sys.argv[2], sys.argv[2:])
    terminal = Terminal(rows)
    decoder = codecs.getincrementaldecoder("utf8")()
    pending = ""
    while True:
        try:
            read = os.read(descriptor, 65536)
        except OSError:
            break
        if not read:
            break
        pending += decoder.decode(read)
        # An escape may be cut in two.
        cut = pending.rfind("\x1b") if re.search(r"\x1b(\[\d*)?$", pending) else len(pending)
        terminal.feed(pending[:cut])
        pending = pending[cut:]
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    print(terminal.text())
    print(f"wrapped={terminal.wrapped} beyond={terminal.beyond} status={status}")


main()
