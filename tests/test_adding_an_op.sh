#!/usr/bin/env bash
# test_adding_an_op.sh -- the steps of docs/adding-an-op.md, taken from the page, make an op that is interpreted,
# differentiated, batched, fused, compiled and documented.
#
# The row is put last, so that the codes of other ops stay, and only what depends on their number is compiled again.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib_steps.sh docs/adding-an-op.md

cp -r src include "$tree" && mkdir -p "$tree/tests/ops" || exit 1
row=$(block '```c' 1)
rules=$(block '```c' 2)
cases=$(block '```' 1)
awk -v row="$row" '/^#undef P$/ { print row } { print }' src/op/ops.def > "$tree/src/op/ops.def"
printf '%s\n' "$rules" >> "$tree/src/op/op_map_unary.c"
printf 'weft 1\n%s\n' "$cases" > "$tree/tests/ops/map.wir"

# What depends on the number of ops, at no optimisation.
for f in $(grep -lE 'OP_COUNT|KM_COUNT|ops\.def|op_map\.h|nd\.h|stage\.h|KTypeLoops|KLoops|map_float\.h|map_int\.h' -r src --include='*.c' | LC_ALL=C sort); do
    case $f in
    src/kernels/k_*)
        OUT=.0 compile -w -DKERNEL_ISA=0 "$f"
        if [ -e "$bin/${f%.c}.1.o" ]; then
            OUT=.1 compile -w -DKERNEL_ISA=1 -mavx2 -mfma -mf16c "$f"
            OUT=.2 compile -w -DKERNEL_ISA=2 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -mf16c "$f"
        fi
        ;;
    *) compile -w "$f" ;;
    esac
done

link_weft
compile -w -Itests tests/test_ops.c
${CC:-cc} -o "$tree/test_ops" "$bin"/tests/lib_*.o "$bin"/tests/test.o "${objects[@]}" \
    "$bin/libweft-all.a" -lm -lpthread -ldl || exit 1

f="$tree/tests/ops/map.wir"
check 'it is interpreted' "$("$weft" eval "$f" '[1, 4, 0.5]')" 'f64[3] [1, 6, 1.772453850905516]'
check 'the evaluator agrees' "$("$weft" eval "$f" '[1, 4, 0.5]' --reference)" 'f64[3] [1, 6, 1.772453850905516]'
check 'it is batched' "$("$weft" eval "$f" '[[1, 2, 3], [4, 5, 6]]' --vmap=0)" 'f64[2,3] [[1, 1, 2], [6, 24, 120]]'
check 'it is differentiated' "$("$weft" eval "$f" '[1, 2, 3]' --jvp=0 '[1, 0, 0]' | tail -1 | cut -c1-20)" 'f64[3] [-0.577215664'
check 'it is documented' "$("$weft" ops gamma | grep -c 'y = gamma(x)')" 1
printf 'f(x: f32[N]) {\n  a = neg x\n  b = gamma a\n  c = exp b\n  ret c\n}\n' > "$tree/fused.wir"
check 'it is fused' "$("$weft" show --as=kernels "$tree/fused.wir" | grep -oE '^kernel .*|(neg|gamma|exp) v.$' | tr '\n' ';')" \
    'kernel 0: map;neg v0;gamma v1;exp v2;'
check 'it is compiled' "$(WEFT_CACHE="$tree/cache" "$weft" bench "$tree/fused.wir" --runs=1 2>&1 | grep -E 'warning|compiled|^fused|^gamma' | cut -c1-12 | tr '\n' ';')" \
    'f, compiled;fused       ;'
(cd "$tree" && ./test_ops rules_of_map) > "$tree/out" 2>&1
check 'the tests of ops hold for it' "$(tail -1 "$tree/out")" '1 passed, 0 failed'
finish
