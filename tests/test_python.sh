#!/usr/bin/env bash
# test_python.sh -- the Python package: built against the limited API, tested with pytest against NumPy and, where they are
# installed, PyTorch and JAX.
#
# Needs a Python of 3.11 or later with its headers, setuptools, numpy and pytest: WEFT_PYTHON, or one that is found. With PEERS_PYTHON (one
# that has torch or jax, and pytest) the same module is tested there, too. Skipped with a line where there is none.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$(cd "$(dirname "${WEFT_BIN:-build/weft}")" && pwd)
. tests/lib_python.sh
find_python
if [ -z "$python" ] || [ -n "${WEFT_SAN:-}" ]; then
    echo "tests/test_python.sh: skipped: no Python 3.11 with headers, setuptools, numpy and pytest (WEFT_PYTHON)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
if ! build_package "$work"; then
    tail -30 "$work/log"
    echo "0 passed, 1 failed"
    exit 1
fi
passed=0 failed=0
for p in "$python" ${PEERS_PYTHON:-}; do
    "$p" -c 'import numpy, pytest' 2>/dev/null || continue
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$work/lib WEFT_BIN=$build/weft timeout 600 "$p" -m pytest -q -p no:cacheprovider --tb=short bindings/python/tests >"$work/log" 2>&1
    status=$?
    n=$(grep -Eo '[0-9]+ passed' "$work/log" | tail -1 | cut -d' ' -f1)
    f=$(grep -Eo '[0-9]+ (failed|error)' "$work/log" | tail -1 | cut -d' ' -f1)
    [ "$status" -eq 0 ] || tail -60 "$work/log"
    [ "$status" -eq 0 ] || [ -n "$f" ] || f=1
    passed=$((passed + ${n:-0})) failed=$((failed + ${f:-0}))
done
# The example: one file, called from Python.
printf 'import numpy as np, sys, weft\nm = weft.Model()\nm.add(weft.trace(lambda x: x.sum(1) * 2 + 0.5, "f32[N,3]", name="forward"))\nm.save(sys.argv[1])\n' >"$work/net.py"
if PYTHONPATH=$work/lib "$python" "$work/net.py" "$work/net.weft" && [ "$(PYTHONPATH=$work/lib "$python" examples/languages/call.py "$work/net.weft")" = 6.5 ]; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "examples/languages/call.py does not print 6.5"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
