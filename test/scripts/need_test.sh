#!/bin/bash
# scripts/need must leave the machine alone when nothing is missing, say what it installs and why, and never remove
# anything unasked. apt-get, dpkg-query and sudo are played by scripts that write down what they were asked.
set -uo pipefail
need=$(cd "$(dirname "$0")/../.." && pwd)/scripts/need
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
failed=0

actor() { # NAME, its lines on standard input
    { echo '#!/bin/bash'; cat; } >"$stage/bin/$1"
    chmod +x "$stage/bin/$1"
}
# A machine with the tools that scripts need; `installed` lists its packages, `removes` what apt would remove.
machine() {
    rm -rf "${stage:?}"/*
    mkdir "$stage/bin"
    for tool in bash env awk cat touch; do ln -s "$(type -P $tool)" "$stage/bin/$tool"; done
    for tool in python3 curl openssl pgrep git; do actor "$tool" </dev/null; done
    touch "$stage"/{installed,removes,asked}
    actor dpkg-query <<<'while read -r p; do [ "$p" = "${!#}" ] && echo -n installed; done <"$STAGE/installed"; true'
    actor apt-get <<'ACT'
echo "$*" >>"$STAGE/asked"
case "$*" in *-s\ install*) while read -r p; do echo "Remv $p [1.74]"; done <"$STAGE/removes" ;; esac
ACT
    actor id <<<'echo 0'
}
run_need() {
    output=$(STAGE=$stage PATH=$stage/bin "$stage/bin/bash" "$need" "$@" 2>&1)
    status=$?
}
expect() { # TITLE, then a condition
    local title=$1
    shift
    if "$@"; then echo "ok $title"; else
        echo "FAIL $title: status $status, apt was asked: $(tr '\n' ';' <"$stage/asked"), it said: $output"
        failed=1
    fi
}
says() { grep -qF -- "$1" <<<"$output"; }
asked() { grep -qF -- "$1" "$stage/asked"; }
untouched() { [ ! -s "$stage/asked" ]; }

machine
printf '%s\n' libgtest-dev libgmock-dev librapidcheck-dev >"$stage/installed"
run_need test
expect "nothing missing: apt is not called and nothing is said" test "$status$output" = 0 -a ! -s "$stage/asked"

machine
printf '%s\n' libgtest-dev libgmock-dev >"$stage/installed"
run_need test
expect "what is missing is named with its reason" says "for the unit tests, missing: librapidcheck-dev"
expect "only what is missing is installed" asked "-y install --no-install-recommends librapidcheck-dev"

machine
echo libboost1.74-dev >"$stage/removes"
run_need build
expect "a package that would be removed stops it" test $status -ne 0
expect "and is named" says "apt would have to remove: libboost1.74-dev"
expect "and nothing was installed" eval '! asked "-y install"'
DROVER_MAY_REMOVE=1 run_need build
expect "unless it is allowed" asked "-y install"

machine
actor id <<<'echo 1000'
run_need format
expect "without root and sudo it says what to ask for" says "ask an administrator to run: apt-get install --no-install-recommends clang-format-19"
expect "and touches nothing" untouched
actor sudo <<<'echo "sudo $*" >>"$STAGE/asked"'
run_need format
expect "with sudo it uses it" asked "sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y install"

machine
run_need kitchen
expect "an unknown set is refused" says "there is no set 'kitchen'"

exit $failed
