#!/usr/bin/env bash
# test_stage.sh -- one Python: functions of the test programs, those of the libraries too, run by the machine, and by _stage/, which
# torch.jit.script and tf.function stand on, where that does not refuse them, and must print the same (stage_both.py).
#
# Left out is what asks for the stack, which is another one there: code_objects (eval of the caller's names), frames_and_members, warnings_texts
# (levels of warnings), natives (frames in messages), deep_and_shown (as deep as it goes); functions and class_scopes, whose closures outlive the
# run of their function; torch/told, whose torch.compile looks into a function that is no code there; and jit, which is about _stage/ itself.
set -u
cd "$(dirname "$0")/.." || exit 1
bin=$(realpath "${WEFT_BIN:-build/weft}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

cp -r tests/script/lib_* "$work"
# agree FILE FOLDER: FILE is run in FOLDER, where what it imports is
agree() {
    name=$(basename "$1" .py)
    "$bin" run tests/stage_both.py "$1" "$2/$name.py"
    for half in vm find stage; do
        (cd "$2" && STAGE=$half STAGE_REFUSED=refused timeout 120 "$bin" run "$name.py" >"$half" 2>&1)
    done
    rm -f "$2/refused"
    if [ -s "$2/vm" ] && diff "$2/vm" "$2/stage" >"$2/diff"; then
        passed=$((passed + 1))
    else
        echo "$1: _stage/ does not agree with the machine"
        head -6 "$2/diff"
        failed=$((failed + 1))
    fi
}
for f in $(grep -l '^def ' tests/script/*.py); do
    case $(basename "$f" .py) in code_objects | frames_and_members | warnings_texts | natives | functions | class_scopes | deep_and_shown) continue ;; esac
    agree "$f" "$work"
done
for folder in tests/script/*/; do
    folder=$(basename "$folder")
    case $folder in lib_* | jit) continue ;; esac
    cp -r "tests/script/$folder" "$work/$folder"
    for f in $(grep -l '^def ' "tests/script/$folder"/*.py); do
        case $folder/$(basename "$f" .py) in */lib_* | torch/told) continue ;; esac
        agree "$f" "$work/$folder"
    done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -ge 190 ]
