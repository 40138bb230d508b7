# shellcheck shell=bash disable=SC2154,SC2034  # `stage` and `failed` belong to the script that sources this
# Sourced by the tests of bad input: `refuses TITLE WORDS COMMAND...` holds when the command says no as it should.
#
# As it should: exit 1 within 20 s, nothing on stdout, one line on stderr that begins with "drover: ", has all WORDS (a regular
# expression) in it and is no longer than a person reads; at most 64 MB of memory (a sanitizer's build is not measured).
set -uo pipefail
drover=${DROVER:-build/drover}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
failed=0
[ -x "$drover" ] || { echo "FAIL $0: $drover is not built; run make first"; exit 1; }
command -v python3 >/dev/null || { echo "FAIL $0: python3 is needed to run this test"; exit 1; }

refuses() { # TITLE WORDS COMMAND...
    local title=$1 words=$2
    shift 2
    if python3 "$here/bounded.py" 20 "$@" >"$stage/ran" && python3 - "$stage/ran" "$words" <<'PYTHON'; then
import json, re, sys
ran = json.load(open(sys.argv[1]))
lines = ran["err"].splitlines()
wrong = []
if ran["status"] != 1: wrong.append(f"it ended with {ran['status']}, not 1")
if ran["out"]: wrong.append("it wrote to stdout")
if len(lines) != 1 or not ran["err"].endswith("\n"): wrong.append(f"it said {len(lines)} lines, not one")
if lines and not lines[0].startswith("drover: "): wrong.append("the line does not begin with drover:")
if lines and len(lines[0]) > 700: wrong.append(f"the line has {len(lines[0])} characters")
if not re.search(sys.argv[2], ran["err"]): wrong.append(f"the line does not say /{sys.argv[2]}/")
if ran["peak_kb"] > 64 * 1024: wrong.append(f"it used {ran['peak_kb']} kB")
if re.search(r"sanitizer|Assertion|terminate called", ran["err"], re.I): wrong.append("it crashed")
if wrong:
    print("; ".join(wrong), "| it said:", ran["err"][:900])
    sys.exit(1)
print(lines[0])
PYTHON
        echo "ok $title"
    else
        echo "FAIL $title"
        failed=1
    fi
}
