#!/usr/bin/env bash
# test_valgrind.sh -- whole commands under valgrind: no invalid access, no leak.
set -u
cd "$(dirname "$0")/.." || exit 1
bin=${WEFT_BIN:-build/weft}
passed=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ -n "${WEFT_SAN:-}" ] || ! command -v valgrind >/dev/null; then echo "0 passed, 0 failed, 1 skipped"; exit 0; fi

check() { # check STATUS ARG...
    local want=$1
    shift
    valgrind -q --leak-check=full --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=99 \
        "$bin" "$@" >"$log" 2>&1
    local status=$?
    if [ $status -eq "$want" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "weft $*: status $status"
        tail -20 "$log"
    fi
}

check 0 check examples/batch.wir
check 0 show examples/while.wir halve --grad
check 0 show examples/tanh_layer.wir --grad=w --vmap=0,- --cost
check 0 eval examples/scan.wir grow 2 1 --grad=r
check 0 eval examples/while.wir halve '[20, 3, 0.5]' --grad --vmap=0
check 0 eval examples/rosenbrock.wir '[1, 1]' --hessian
check 0 eval examples/matmul.wir matmul rand:f32[70,33] rand:f32[33,41] ones:f32[70,41] --vjp=a,b
check 1 check tests/errors/unknown_op.wir
check 1 eval examples/product.wir product 1
check 2 evaluate
WEFT_POOLS=off check 0 run tests/script/mutation.py
WEFT_POOLS=off check 0 run tests/script/classes.py
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
