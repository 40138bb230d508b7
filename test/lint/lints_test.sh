#!/bin/bash
# Every cheap lint must be able to go red: a small tree is green, and goes red for each kind of mistake, at the right line.
set -uo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

file() { # PATH, contents on standard input
    mkdir -p "$tree/$(dirname "$1")"
    cat >"$tree/$1"
}
fresh() {
    rm -rf "${tree:?}"/*
    cp -r "$repository/scripts" "$tree/scripts"
    cp "$repository/.clang-format" "$tree/"
    printf '#pragma once\n' | file src/core/node.h
    printf 'See [the code](src/core/node.h).\n' | file README.md
}
red() { # LINT TEXT: the lint must fail and print the text
    local output
    if output=$("$tree/scripts/lint" "$1" 2>&1); then
        echo "FAIL $1 is green, but should say: $2"
        failed=1
    elif ! grep -qF -- "$2" <<<"$output"; then
        echo "FAIL $1 does not say '$2' but: $output"
        failed=1
    else
        echo "ok $1 goes red: $2"
    fi
    fresh
}

fresh
if output=$("$tree/scripts/lint" 2>&1); then echo "ok a tidy tree is green"; else
    echo "FAIL a tidy tree is red: $output"
    failed=1
fi

printf '\n// FIX''ME\n' | file src/core/rule.cc
red unfinished "src/core/rule.cc:2:"
for ((i = 0; i < 601; i++)); do echo "int a$i;"; done | file src/core/long.cc
red length "src/core/long.cc: 601 lines"
printf 'see /wor''k/main\n' | file docs/page.md
red outside "docs/page.md:1:"
printf 'int x;\n' | file src/core/bare.h
red pragma "src/core/bare.h:1:"
printf '// std::mutex is not here\nstd::mutex m;\n' | file src/kube/lock.cc
red threads "src/kube/lock.cc:2: std::mutex"
printf 'void f() { std::system("ls"); }\n' | file src/host/run.cc
red shells "src/host/run.cc:1:"
printf 'auto vendors = vendors::all();\n' | file src/operator/pass.cc
red registries "src/operator/pass.cc:1: vendors::all("
printf '#pragma once\n' | file src/vendors/acme/module.h
printf 'int x;  // of Acme\nauto y = "acme.example/npu";\n' | file src/sim/gpu.cc
red vendor_names 'src/sim/gpu.cc:2: "acme.'
printf 'auto t = std::chrono::steady_clock::now();\n' | file src/sim/time.cc
red clocks "src/sim/time.cc:1:"
printf '\n[gone](docs/gone.md)\n' | file CHANGES.md
red links "CHANGES.md:2: links to docs/gone.md"
printf '```cpp\n// src/core/node.h\n#pragma once\n```\n\n```cpp\n// src/core/node.h\n#pragma twice\n```\n' | file docs/page.md
red excerpts "docs/page.md:7: is not in src/core/node.h"
printf '```cpp\n// src/core/gone.h\nint x;\n```\n' | file docs/page.md
red excerpts "docs/page.md:2: is not in src/core/gone.h"
printf '#!/bin/bash\nif\n' | file scripts/broken
red shell_syntax "scripts/broken: line"
printf '#include "kube/api.h"\n' | file src/core/reach.cc
red rooms "src/core/reach.cc:1: core may not include kube/api.h"
if command -v clang-format-19 >/dev/null; then
    printf 'int   x ;\n' | file src/core/messy.cc
    red format "src/core/messy.cc:1: is not formatted"
fi

exit $failed
