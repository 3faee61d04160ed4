#!/usr/bin/env bash
# test_stage.sh -- one Python: functions of the test programs run by the machine, and by _stage/, which torch.jit.script and
# tf.function stand on, where that does not refuse them, and must print the same (stage_both.py).
#
# Left out is what asks for the stack, which is another one there: code_objects (eval of the caller's names), frames_and_members, warnings_texts
# (levels of warnings), natives (frames in messages), deep_and_shown (as deep as it goes); and functions and class_scopes, whose closures outlive the run of their function.
set -u
cd "$(dirname "$0")/.." || exit 1
bin=$(realpath "${WEFT_BIN:-build/weft}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

cp -r tests/script/lib_loose tests/script/lib_pkg "$work"
for f in $(grep -l '^def ' tests/script/*.py); do
    name=$(basename "$f" .py)
    case $name in code_objects | frames_and_members | warnings_texts | natives | functions | class_scopes | deep_and_shown) continue ;; esac
    "$bin" run tests/stage_both.py "$f" "$work/$name.py"
    for half in vm find stage; do
        (cd "$work" && STAGE=$half STAGE_REFUSED=refused timeout 120 "$bin" run "$name.py" >"$half" 2>&1)
    done
    rm -f "$work/refused"
    if [ -s "$work/vm" ] && diff "$work/vm" "$work/stage" >"$work/diff"; then
        passed=$((passed + 1))
    else
        echo "$f: _stage/ does not agree with the machine"
        head -6 "$work/diff"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -ge 10 ]
