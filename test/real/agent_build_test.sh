#!/bin/bash
# What `drover agent load` starts when it builds, seen by the kernel: git and make, by their absolute paths, with an environment that is
# written down here, and no shell. What make starts has neither the network nor the pod's token. Exit 3 where that cannot be asked.
# shellcheck disable=SC2317  # functions are called through expect and trap
set -uo pipefail
# shellcheck source=test/real/stage.sh
source "$(dirname "$0")/stage.sh"
# shellcheck source=test/real/agent_stage.sh
source "$(dirname "$0")/agent_stage.sh"
# shellcheck source=test/kernel/forge.sh
source "$(dirname "$0")/../kernel/forge.sh"
open_agent_stage agent_build

# The kernel's headers of this machine, as far as this test needs them: make says what it can see, and fails.
headers=$stage/machine/lib/modules/$(uname -r)/build
mkdir -p "$headers" "$stage/machine/etc/ssl/certs"
cat >"$headers/Makefile" <<'MAKE'
modules:
	@test ! -e /run/secrets/kubernetes.io || echo seen: the token
	@test ! -e /var/run/secrets/kubernetes.io || echo seen: the token
	@awk 'NR > 2 && !/^ *lo:/ { print "seen: the network" }' /proc/net/dev
	@env | grep -E '^(LD_|GIT_|HTTPS_PROXY|CC=|BASH_ENV|KUBERNETES)' && echo seen: the environment || true
	@echo all was looked at
	@false
MAKE
expect "a forge has the source" open_forge 127.0.0.1
cp "$forge_ca" "$stage/machine/etc/ssl/certs/ca-certificates.crt"

# ---- the trace: "PID execve("/path", ["word", ...], ["NAME=value", ...]) = 0"

# Of the processes that the agent itself has started: the first program that each became. A call that another process
# interrupts stands in two lines, and its answer may come after the child's first words.
started() {
    awk -v agent="$agent" '
        FNR == NR { if ($1 == agent && /(clone3?|v?fork)(\(| resumed>).*= [0-9]+$/) child[$NF]; next }
        /execve\(/ { call[$1] = $0 }
        /<\.\.\. execve resumed>.*= 0$/ && call[$1] != "" { sub(/ <unfinished \.\.\.>$/, "", call[$1]); $0 = call[$1] ") = 0" }
        /execve\(.*= 0$/ && $1 in child && !($1 in seen) { seen[$1]; print }' "$stage/trace" "$stage/trace"
}
paths() { started | sed -E 's/^[0-9]+ +execve\("([^"]*)".*/\1/' | sort -u | tr '\n' ' '; }
names_for() { # PROGRAM: the names of its variables
    started | grep -F "execve(\"$1\"" | head -n 1 | grep -oE '"[A-Za-z_]+=[^"]*"' | grep -vE '"(M|core\.|protocol\.)' | sed -E 's/"([A-Za-z_]+)=.*/\1/' | sort -u | tr '\n' ' '
}
no_shell_before_make() { ! awk '/execve\("\/usr\/bin\/make"/ { exit } /execve\("[^"]*\/(sh|bash|dash)"/ { print; found = 1 } END { exit !found }' "$stage/trace"; }
not_said() { ! grep -- "$1" "$stage/agent.log"; } # TEXT
logged() { grep -q -- "$1" "$stage/agent.log"; }  # TEXT

trace=(strace -f -v -s 4096 -e 'trace=execve,clone,clone3,fork,vfork' -e signal=none -o "$stage/trace")
start_agent TT_KMD_SOURCE="$source_url" LD_LIBRARY_PATH=/nonexistent GIT_SSH_COMMAND=id GIT_CONFIG_COUNT=0 MAKEFLAGS=-k CC=/nonexistent/cc \
    BASH_ENV=/nonexistent/env no_proxy=127.0.0.1
expect "it clones the tag and runs make" soon 60 logged 'running make modules for tt-kmd 2.0.0 .* failed: it ended with code 2'
tracer=$agent agent=$(awk '{ print $1; exit }' "$stage/trace")
found=$(paths)
expect "the agent starts git and make, and nothing else ($found)" test "$found" = "/usr/bin/git /usr/bin/make "
found=$(names_for /usr/bin/git)
expect "git's environment is ours ($found)" test "$found" = "GIT_ALLOW_PROTOCOL GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM GIT_TERMINAL_PROMPT HOME LC_ALL PATH no_proxy "
found=$(names_for /usr/bin/make)
expect "make's environment is ours ($found)" test "$found" = "LC_ALL PATH "
expect "no shell runs before make does" no_shell_before_make
expect "make has looked at everything" logged 'all was looked at'
expect "it saw neither token nor network nor environment" not_said 'seen: '
kill "$agent" && wait "$tracer"
exit $failed
