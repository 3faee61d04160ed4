#!/usr/bin/env bash
# Natives of scripts called with values that nobody means (tests/odd_calls.py), a process for each group of modules: none ends the
# process, hangs, or leaves an error behind for the call after it. ODD_CALLS=n calls of each group, ODD_SEED=s.
set -u
weft=${WEFT_BIN:-build/weft}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
for group in types builtins _re,_pack,_host,_image,_syntax math,cmath,itertools,functools,operator,collections,heapq,copy,struct,re \
    _torch _jax _numpy _tf _aesara; do
    timeout 300 "$weft" run tests/odd_calls.py $group "${ODD_SEED:-1}" "${ODD_CALLS:-600}" "$tmp/log" >"$tmp/out" 2>&1
    status=$?
    if [ $status = 0 ] && grep -q '^end True' "$tmp/out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$group: status $status, in or after $(tail -1 "$tmp/log")"
        tail -20 "$tmp/out"
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
