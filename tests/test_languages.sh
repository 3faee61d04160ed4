#!/usr/bin/env bash
# test_languages.sh -- weft.hpp with every C++ compiler that is there, without a warning; the examples that load one file and call it
# from C, C++, Rust, Fortran and Go, where their compilers are installed (Python's: test_python.sh). All print the same numbers.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$(dirname "${WEFT_BIN:-build/weft}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
to=$work/usr
passed=0 failed=0 skipped=0
check() { # NAME COMMAND..: it ends well
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$name"
        sed 's/^/    /' "$work/log" | tail -20
    fi
}
skip() { skipped=$((skipped + 1)); echo "tests/test_languages.sh: skipped: $1"; }

if [ -n "${WEFT_SAN:-}" ]; then
    skip 'programs built without sanitizers'
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
check 'make install' make BUILD="$build" PREFIX="$to" install
cat >"$work/net.py" <<'PY'
import sys, torch
net = torch.nn.Linear(3, 1)
with torch.no_grad():
    net.weight.fill_(2.0)
    net.bias.fill_(0.5)
torch.jit.save(torch.jit.trace(net, torch.zeros(1, 3)), sys.argv[1])
PY
check 'a model is made' "$to/bin/weft" run "$work/net.py" "$work/net.weft"
export LD_LIBRARY_PATH=$to/lib LIBRARY_PATH=$to/lib C_INCLUDE_PATH=$to/include
calls() { # COMMAND..: loads the file, prints 6.5
    "$@" "$work/net.weft" >"$work/out" || return 1
    awk 'NR == 1 && $1 + 0 == 6.5 { good = 1 } END { exit !(good && NR == 1) }' "$work/out" || { cat "$work/out"; return 1; }
}
refuses() { ! "$1" /nowhere.weft 2>/dev/null; }

for cxx in g++ clang++; do
    if ! command -v $cxx >/dev/null; then skip "no $cxx" && continue; fi
    for std in 17 20; do
        check "weft.hpp, $cxx -std=c++$std" $cxx -std=c++$std -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -O1 -I"$to/include" \
            -o "$work/hpp.$cxx" tests/languages/hpp.cc -L"$to/lib" -lweft -lpthread
    done
    check "what weft.hpp does, $cxx" "$work/hpp.$cxx" "$work/net.weft"
    check "the example in C++, $cxx" $cxx -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$to/include" -o "$work/call.$cxx" examples/languages/call.cc -L"$to/lib" -lweft
    check "it calls the model, $cxx" calls "$work/call.$cxx"
    check "it says what is wrong, $cxx" refuses "$work/call.$cxx"
done
check 'the example in C' ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$to/include" -o "$work/call" examples/languages/call.c -L"$to/lib" -lweft
check 'it calls the model, C' calls "$work/call"
check 'it says what is wrong, C' refuses "$work/call"
rust() { rustc -O -o "$work/call.rust" -L "$to/lib" examples/languages/call.rs; }
if rustc --version >/dev/null 2>&1; then
    check 'the example in Rust' rust
    check 'it calls the model, Rust' calls "$work/call.rust"
    check 'it says what is wrong, Rust' refuses "$work/call.rust"
else skip 'no rustc'; fi
fortran() { gfortran -Wall -J "$work" -o "$work/call.f" examples/languages/call.f90 -L"$to/lib" -lweft; }
if command -v gfortran >/dev/null; then
    check 'the example in Fortran' fortran
    check 'it calls the model, Fortran' calls "$work/call.f"
    check 'it says what is wrong, Fortran' refuses "$work/call.f"
else skip 'no gfortran'; fi
golang() { GOCACHE=$work/go GO111MODULE=off CGO_CFLAGS="-I$to/include" CGO_LDFLAGS="-L$to/lib" go build -o "$work/call.go" examples/languages/call.go; }
if command -v go >/dev/null; then
    check 'the example in Go' golang
    check 'it calls the model, Go' calls "$work/call.go"
    check 'it says what is wrong, Go' refuses "$work/call.go"
else skip 'no go'; fi
if [ "$skipped" -gt 0 ]; then echo "$passed passed, $failed failed, $skipped skipped"; else echo "$passed passed, $failed failed"; fi
[ "$failed" -eq 0 ]
