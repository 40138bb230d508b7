# shellcheck shell=bash disable=SC2034  # `failed` belongs to the script that sources this
# Sourced by tests that look at what a command said: `check TITLE WORDS TEXT` holds when the text has the words (a regular
# expression), `report TITLE yes|no [WHAT]` says what a test found by itself.
failed=0

report() { # TITLE OK [WHAT]
    if [ "$2" = yes ]; then echo "ok $1"; else echo "FAIL $1: ${3:-}"; failed=1; fi
}
check() { # TITLE WORDS TEXT
    if grep -qE -- "$2" <<<"$3"; then report "$1" yes; else report "$1" no "it said: $3"; fi
}
