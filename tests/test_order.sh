#!/usr/bin/env bash
# test_order.sh -- programs do not depend on the compiler of the library: no call has two arguments that add equations
# (argument_order.py).
set -u
cd "$(dirname "$0")/.." || exit 1
bin=${WEFT_BIN:-build/weft}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

if "$bin" run tests/argument_order.py $(find src -type d | sort); then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
fi
printf 'static Val twice(Builder *b, Val x)\n{\n    return b_add(b, b_exp(b, x), b_log(b, x));\n}\n' >"$work/x.c"
if "$bin" run tests/argument_order.py "$work" >"$work/out" || ! grep -q 'x.c:3: two arguments of b_add add equations' "$work/out"; then
    echo "argument_order.py does not find what it looks for"
    failed=$((failed + 1))
else
    passed=$((passed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
