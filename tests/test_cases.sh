#!/usr/bin/env bash
# test_cases.sh -- the programs of ../shared/cases, where they are present: each as `weft run`,
# against what the real library printed.
set -u
cd "$(dirname "$0")/.." || exit 1
cases=${WEFT_CASES:-../shared/cases}
weft=${WEFT_BIN:-build/weft}
if [ ! -x "$cases/run" ] || ! command -v python3 >/dev/null; then
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
CASE_SECONDS=${CASE_SECONDS:-120} "$cases/run" "$weft"
