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
long=$(printf 'x%.0s' $(seq 6000))
printf 'import sys\na = input()\nprint(len(a), input())\nfor line in sys.stdin: print(repr(line))\nprint(repr(sys.stdin.read()), sys.stdin.isatty(), sys.stdout.isatty())\n' >"$work/read.py"
if [ "$(printf '%s\nsecond\nthird\nend' "$long" | "${WEFT_BIN:-build/weft}" run "$work/read.py")" != "$(printf "6000 second\n'third\\\\n'\n'end'\n'' False False")" ]; then
    printf '%s\nsecond\nthird\nend' "$long" | "${WEFT_BIN:-build/weft}" run "$work/read.py"
    echo 'standard input is not read as it should be'
    echo '0 passed, 1 failed'
    exit 1
fi
python3 tests/prompt_pty.py "$(realpath "${WEFT_BIN:-build/weft}")" "$work"
