#!/usr/bin/env bash
# test_examples.sh -- the C examples run and end well.
set -u
cd "$(dirname "$0")/.." || exit 1
dir=$(dirname "${WEFT_BIN:-build/weft}")/examples
passed=0 failed=0
for source in examples/*.c; do
    name=$(basename "$source" .c)
    if "$dir/$name" >/dev/null; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name: status $?"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
