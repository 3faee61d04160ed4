#!/usr/bin/env bash
# test_fallbacks.sh -- scripted functions that are run by the machine instead of as programs, counted by
# reason: over tests/script, against tests/fallbacks.txt (WEFT_BLESS=1 writes it), and over ../shared/cases, where
# it is there, against the number in CASES. More than that is a regression; fewer: bless.
set -u
cd "$(dirname "$0")/.." || exit 1
bin=$(realpath "${WEFT_BIN:-build/weft}")
passed=0 failed=0
CASES=8

# count FILES..: lines `count reason`
count() {
    for f in "$@"; do
        (cd "$(dirname "$f")" && WEFT_LOG=1 timeout 120 "$bin" run "$(basename "$f")" 2>&1 >/dev/null)
    done | sed -n 's/.*is run by the machine, not as a program: //p' | sort | uniq -c | sed 's/^ *//'
}

found=$(count $(ls tests/script/jit/*.py tests/script/tf/*.py | grep -v random_functions))
if [ -n "${WEFT_BLESS:-}" ]; then
    printf '%s\n' "$found" > tests/fallbacks.txt
fi
if diff <(printf '%s\n' "$found") tests/fallbacks.txt; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
fi
if [ -d ../shared/cases ]; then
    n=$(count $(grep -lE 'torch\.jit\.|tf\.function' -r ../shared/cases --include='*.py') | awk '{n += $1} END {print n + 0}')
    if [ "$n" -le "$CASES" ]; then
        passed=$((passed + 1))
    else
        echo "$n functions of the cases are run by the machine, at most $CASES were"
        failed=$((failed + 1))
    fi
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
