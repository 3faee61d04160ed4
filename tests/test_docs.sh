#!/usr/bin/env bash
# test_docs.sh -- every command shown in README.md and docs/*.md gives the output shown under it.
#
# A command is an indented line `    $ weft ...`; its expected output are the indented lines below, up to an
# unindented line or the next command. Commands run in the tree's root. WEFT_BLESS=1 writes what
# they print into the documents instead.
set -u
cd "$(dirname "$0")/.." || exit 1
bin=$(realpath "${WEFT_BIN:-build/weft}")
export PATH="$(dirname "$bin"):$PATH" NO_COLOR=1
passed=0 failed=0

# run_one COMMAND: what a reader would see, indented
run_one() { bash -c "$1" 2>&1 </dev/null | sed -e 's/^/    /' -e 's/[[:space:]]*$//'; }

# is_output LINE NEXT: does LINE belong to what a command printed? A blank line does if more follows it.
is_output() {
    local line=$1
    [ -n "$line" ] || line=$2
    [[ $line == '    '* && $line != '    $ '* ]]
}

check_doc() {
    local doc=$1 new line i=0 command got want
    new=$(mktemp)
    mapfile -t lines <"$doc"
    while [ $i -lt ${#lines[@]} ]; do
        line=${lines[$i]}
        printf '%s\n' "$line" >>"$new"
        i=$((i + 1))
        [[ $line == '    $ weft '* ]] || continue
        command=${line#'    $ '}
        want=
        while [ $i -lt ${#lines[@]} ] && is_output "${lines[$i]}" "${lines[$((i + 1))]-}"; do
            want+="${lines[$i]}"$'\n'
            i=$((i + 1))
        done
        got=$(run_one "$command")
        [ -z "$got" ] || printf '%s\n' "$got" >>"$new"
        if [ "$got" = "${want%$'\n'}" ]; then
            passed=$((passed + 1))
        elif [ -n "${WEFT_BLESS:-}" ]; then
            echo "$doc: blessed: $command"
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "$doc: $command"
            diff <(printf '%s' "$want") <(printf '%s\n' "$got") | sed 's/^/    /'
        fi
    done
    [ -n "${WEFT_BLESS:-}" ] && cat "$new" >"$doc"
    rm -f "$new"
}

for doc in README.md docs/*.md; do check_doc "$doc"; done
if [ -n "${WEFT_BLESS:-}" ]; then weft ops --markdown >docs/ops.md; fi
if diff <(weft ops --markdown) docs/ops.md >/dev/null; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "docs/ops.md is not what 'weft ops --markdown' prints: make docs"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
