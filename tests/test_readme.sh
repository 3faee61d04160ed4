#!/usr/bin/env bash
# test_readme.sh -- the five commands on the first screen of README.md, taken from there and run in a tree that has just been built: what
# they promise is there afterwards, and the server answers.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
build=$(cd "$(dirname "${WEFT_BIN:-build/weft}")" && pwd)
work=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
passed=0 failed=0
check() { # NAME COMMAND..: it ends well
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$name"
        sed 's/^/    /' "$work/log" | tail -20
    fi
}

# The indented lines under the heading, without what follows a '#'.
mapfile -t commands < <(awk '/^## / { here = $0 == "## Five commands" } here && /^    / { sub(/ +#.*/, ""); sub(/^ +/, ""); print }' README.md)
check 'README.md has five commands' [ ${#commands[@]} -eq 5 ]
first() { head -30 README.md | grep -q '^## Five commands'; }
check 'on its first screen' first

# A checkout as a newcomer has it: the tree by links, so that what the commands write stays here.
mkdir -p "$work/tree" "$work/home"
for f in "$root"/*; do [ "$(basename "$f")" = build ] || ln -s "$f" "$work/tree/"; done
ln -s "$build" "$work/tree/build"
cd "$work/tree" || exit 1
export HOME=$work/home PATH=$work/home/.local/bin:$PATH XDG_CACHE_HOME=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}
for command in "${commands[@]}"; do
    case $command in
    make*)
        if [ -n "${WEFT_SAN:-}" ]; then # an installed library of a build with sanitizers serves nobody
            mkdir -p "$HOME/.local/bin" && ln -s "$build/weft" "$HOME/.local/bin/weft"
        else check "$command" bash -c "$command"; fi
        check "$command: weft is there" test -x "$HOME/.local/bin/weft"
        ;;
    'weft serve'*)
        if weft serve /nowhere 2>&1 | grep -q 'cannot serve' || ! command -v curl >/dev/null; then
            echo "tests/test_readme.sh: skipped: this build cannot serve, or there is no curl"
            continue
        fi
        bash -c "exec $command --port=0" 2>"$work/err" &
        server=$!
        for _ in $(seq 100); do
            grep -q 'models on' "$work/err" && break
            sleep 0.1
        done
        base=$(sed -n 's/.*models on \(http.*\)$/\1/p' "$work/err")
        image=$(printf '0,%.0s' $(seq 63))0
        answers() {
            curl -s -m 20 "$base/v2/models/digits/infer" -d "{\"inputs\":[{\"name\":\"x\",\"shape\":[1,1,8,8],\"datatype\":\"FP32\",\"data\":[$image]}]}" |
                tee /dev/stderr | grep -q '"shape":\[1,10\]'
        }
        check "$command: it answers" answers
        page() { curl -s -m 20 "$base/" | grep -q '<html'; }
        check "$command: and has a page" page
        kill "$server" && wait "$server"
        server=
        ;;
    'weft train'*)
        check "$command" bash -c "$command"
        cp "$work/log" "$work/trained"
        reads() { awk '/^epoch/ { last = $NF } END { exit !(last > 0.9) }' "$work/trained"; }
        check "$command: it reads digits" reads
        ;;
    *) check "$command" bash -c "$command" ;;
    esac
done
check 'the page to look at holds the program' grep -q 'conv' digits.html
check 'the C that was written stands alone' make -C digits CC="${CC:-cc}"
check 'and runs' sh -c 'digits/digits_main forward - /dev/null s0=3'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
