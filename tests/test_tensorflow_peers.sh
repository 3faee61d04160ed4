#!/usr/bin/env bash
# test_tensorflow_peers.sh -- files between Weft and TensorFlow, both ways, where TensorFlow is installed (TENSORFLOW_PYTHON, or
# python3): checkpoints, and graphs that `weft convert` wrote.
set -u
cd "$(dirname "$0")/.." || exit 1
weft=${WEFT_BIN:-build/weft}
python=${TENSORFLOW_PYTHON:-python3}
"$python" -c 'import tensorflow' 2>/dev/null || { echo "tests/test_tensorflow_peers.sh: skipped: needs tensorflow"; echo "1 skipped"; echo "0 passed, 0 failed"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # name, two files that must be equal
    if cmp -s "$2" "$3" && [ -s "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$1 differs:"; diff "$2" "$3" | head -10; fi
}
mkdir "$work/a" "$work/b"
"$python" tests/tensorflow_peers.py write "$work/a" 2>/dev/null >"$work/wrote"
"$weft" run tests/tensorflow_peers.py read "$work/a" >"$work/read" 2>&1
check "a checkpoint of TensorFlow" "$work/wrote" "$work/read"
"$weft" run tests/tensorflow_peers.py write "$work/b" >"$work/wrote" 2>&1
"$python" tests/tensorflow_peers.py read "$work/b" 2>/dev/null >"$work/read"
check "a checkpoint of Weft" "$work/wrote" "$work/read"
# graphs: of each case, what weft writes of it
(cd "$work" && "$python" -m zipfile -e "$OLDPWD/tests/tensorflow/cases.zip" cases)
set --
for c in "$work"/cases/*/; do
    [ -f "$c/model.pb" ] || continue
    out=$work/$(basename "$c").pb
    "$weft" convert "$c/model.pb" "$out" >"$work/log" 2>&1 && set -- "$@" "$out" "$c" || grep -q 'cannot be written' "$work/log" ||
        { failed=$((failed + 1)); cat "$work/log"; }
done
"$python" tests/tensorflow_run.py "$@" 2>/dev/null >"$work/ran"
grep -v ' passed, ' "$work/ran"
read -r more _ bad _ < <(tail -1 "$work/ran")
passed=$((passed + ${more:-0})) failed=$((failed + ${bad:-1}))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
