#!/usr/bin/env bash
# test_prompt.sh -- weft alone on a terminal, typed at through a pty, where there is a python3 to do it.
set -u
cd "$(dirname "$0")/.." || exit 1
if ! python3 -c 'import pty, os; os.waitstatus_to_exitcode' 2>/dev/null; then
    echo "tests/test_prompt.sh: skipped: no python3"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
python3 tests/prompt_pty.py "$(realpath "${WEFT_BIN:-build/weft}")" "$work"
