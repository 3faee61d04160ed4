#!/usr/bin/env bash
# test_docs.sh -- every command shown in README.md and docs/*.md gives the output shown under it; what they and the headers
# name is there, what they say is missing is not, and counts are right.
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

# check WHAT COMMAND...: one more that passed, or WHAT is printed
check() {
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$what"
    fi
}

# ---- files: what documents give in backquotes or as links, and headers in their text --------------------------------
find README.md CONTRIBUTING.md CHANGELOG.md Makefile src include tests bench bindings fuzz examples tools docs >/tmp/test_docs.$$
trap 'rm -f /tmp/test_docs.$$' EXIT
is_file() { awk -v name="/$1" '{ at = length($0) - length(name); if (substr("/" $0, at + 2) == name) found = 1 } END { exit !found }' /tmp/test_docs.$$; }
while IFS=: read -r doc name; do
    check "$doc: there is no file $name" is_file "$name"
done < <(
    grep -oHE '`[a-z0-9_][a-z0-9_./]*\.(c|h|def|py|sh|md|wir)`' README.md CONTRIBUTING.md docs/*.md | tr -d '`' | grep -v ':math\.h$'
    grep -oHE '\]\([a-z][a-z0-9_/-]*(\.[a-z]+|/)\)' README.md CONTRIBUTING.md docs/*.md | sed 's/](\(docs\/\)*\(.*\))/\2/; s/\/$//'
    find src -name '*.h' -exec grep -HE -v '^ *#' {} + | grep -oE '^[^:]*:|\b[a-z0-9_]+(/[a-z0-9_]+)*[a-z0-9_]\.(c|def)\b' |
        awk '/:$/ { at = $0; next } !seen[at $0]++ { print at $0 }'
)

# ---- commands: targets of make and words of weft ---------------------------------------------------------------------
for target in $(grep -ohE '(`|^    (\$ )?)make [a-z-]+([` ]|$)' README.md CONTRIBUTING.md docs/*.md | tr -d '`' | awk '{ print $NF }' | sort -u); do
    check "documents name 'make $target', which the Makefile has not" grep -qE "^$target:" Makefile
done
for word in $(grep -ohE '(`|^    \$ )weft [a-z]+' README.md docs/*.md | tr -d '`' | awk '{ print $NF }' | sort -u); do
    check "documents name 'weft $word', which is not a command" [ -e "src/cli/cmd_$word.c" ]
done

# ---- drawings ----
check "docs/mesh.svg is not what weft show draws" diff docs/mesh.svg <(weft show examples/two_layers.wir --mesh=data:2,model:2 \
    --shard=x:data,- --shard=w1:-,model --shard=w2:model,- --as=svg)

# ---- names of the libraries ----
check "docs/fronts.md is not what tools/fronts.py writes (make docs)" weft run tools/fronts.py --check

# ---- counts ------------------------------------------------------------------------------------------------------------
ops=$(weft ops | sed -n 's/^\([0-9]*\) ops,.*/\1/p')
check "README.md: there are $ops primitives" grep -q "^- $ops primitives" README.md
tensors=$(grep -c '^WF_API' include/weft_tensor.h)
check "README.md: weft_tensor.h has $tensors functions" grep -q "some $(((tensors + 50) / 100 * 100)) functions" README.md

# ---- what is said to be missing: no front has a function of that name -------------------------------------------------------
missing=$(sed -n '/^What does not, yet/,/^$/p' README.md; sed -n '/^## Out, so far/,/^Differences that/p' docs/fronts.md | sed '$d')
check "the lists of what is missing are not found" [ -n "$missing" ]
for name in $(grep -oE '`[a-z_]+`' <<<"$missing" | tr -d '`' | sort -u); do
    check "documents say that $name is missing, which a front has" bash -c "! grep -rqE --include='*.py' '^def $name\(' src/script/namespaces"
done

# ... no file of the tree is named so, and formats whose writing is said to be missing are not written by their table
readme=$(sed -n '/^What does not, yet/,/^$/p' README.md | tr '\n' ' ' | sed 's/^[^:]*: //')
writing=$(sed -n 's/.*writing \([^;]*\);.*/\1/p' <<<"$readme")
for name in $(sed "s/writing [^;]*;//" <<<"$readme" | grep -oE '[A-Za-z]*[A-Z][A-Za-z]+' | tr 'A-Z' 'a-z' | sort -u); do
    check "README.md says that $name is missing, for which src has files" bash -c "! find src -iname '*$name*' | grep -q ."
done
for name in $(grep -oE '`[^`]+`|[A-Z][A-Za-z]+' <<<"$writing" | tr -d '`'); do
    check "README.md says that $name is not written, docs/formats.md does not" \
        bash -c "grep -F '| yes | no |' docs/formats.md | grep -qF '$name'"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
