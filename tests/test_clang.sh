#!/usr/bin/env bash
# test_clang.sh -- clang takes every source without a warning, under the Makefile's flags; gcc builds them, and stops at none.
set -u
build=$(dirname "${WEFT_BIN:-build/weft}")
command -v clang >/dev/null || { echo "skipped: there is no clang"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
if out=$(make --no-print-directory BUILD="$build" check-clang 2>&1); then
    echo "1 passed, 0 failed"
else
    printf '%s\n' "$out" | grep -E 'warning|error' | head -20
    echo "0 passed, 1 failed"
    exit 1
fi
