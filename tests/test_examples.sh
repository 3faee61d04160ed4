#!/usr/bin/env bash
# test_examples.sh -- the C examples run and end well.
#
# With WEFT_LONG also in full, on MNIST and a text from the folder WEFT_DATA (mnist/*.gz and
# tinyshakespeare.txt.gz; ../shared/data if that is there).
set -u
cd "$(dirname "$0")/.." || exit 1
dir=$(dirname "${WEFT_BIN:-build/weft}")/examples
data=${WEFT_DATA:-../shared/data}
passed=0 failed=0
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

good() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "$1"; tail -3 "$scratch/out"; }

for source in examples/*.c; do
    name=$(basename "$source" .c)
    words=()
    if [ "$name" = fine_tune ]; then
        words=("$scratch/digits.weft" "$scratch/tuned.weft")
        "${WEFT_BIN:-build/weft}" run examples/digits_net.py "${words[0]}"
    fi
    if "$dir/$name" "${words[@]}" >"$scratch/out" 2>&1; then good; else bad "$name: status $?"; fi
    if grep -q "wf_optim_step\|wf_optim_update" "$source" && ! tail -1 "$scratch/out" | grep -Eq '^(test accuracy: 0\.[0-9]+|loss )'; then
        bad "$name: does not end with what it reached"
    fi
done

if "$dir/save_load_train" save "$scratch/net.weft" >"$scratch/out" 2>&1 &&
    "$dir/save_load_train" load "$scratch/net.weft" >"$scratch/out" 2>&1; then
    good
else
    bad "save_load_train in two processes"
fi

# The state of a saved method comes from the file.
"${WEFT_BIN:-build/weft}" eval "$scratch/net.weft" forward 'rand:f32[2,64]' >"$scratch/out" 2>&1
if grep -q '^f32\[2,10\] ' "$scratch/out"; then good; else bad "weft eval of a saved network"; fi

# share NAME LEAST ARG...: the accuracy it ends with is at least LEAST
share() {
    local name=$1 least=$2
    shift 2
    if "$dir/$name" "$@" >"$scratch/out" 2>&1 &&
        tail -1 "$scratch/out" | awk -v least="$least" '{exit !($3 + 0 >= least)}'; then
        good
    else
        bad "$name: needed a test accuracy of $least"
    fi
}

share digits_mlp 0.95
share many_models 0.95
if [ -n "${WEFT_LONG:-}" ]; then
    if [ -d "$data/mnist" ] && [ -f "$data/tinyshakespeare.txt.gz" ]; then
        for f in "$data"/mnist/*.gz "$data/tinyshakespeare.txt.gz"; do
            gunzip -c "$f" >"$scratch/$(basename "$f" .gz)"
        done
        share mnist_inception 0.985 "$scratch"
        share char_gpt 0.45 "$scratch/tinyshakespeare.txt"
    else
        bad "no data in $data: the examples did not run in full"
    fi
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
