#!/usr/bin/env bash
# test_adding_a_target.sh -- the steps of docs/adding-a-target.md, taken from the page, make a target whose code computes what the
# interpreter computes; no pass is touched.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib_steps.sh docs/adding-a-target.md

cp -r src include "$tree" || exit 1
block '```c' 1 > "$tree/src/codegen/target_awk.c"
awk -v line="$(block '```c' 2)" '{ print } /^extern const Target target_c;/ { print line }' src/codegen/codegen.h > "$tree/src/codegen/codegen.h"
sed 's/&target_cuda}/\&target_cuda, \&target_awk}/' src/codegen/target_c.c > "$tree/src/codegen/target_c.c"
compile -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror src/codegen/target_awk.c
compile -w src/codegen/target_c.c
link_weft

cat > "$tree/f.wir" <<'END'
f(x: f64[N,2], b: f64[2], s: f64[]) {
  c = broadcast b [N,2] dims=[1]
  a = add x c
  e = exp a
  t = broadcast s [N,2]
  y = mul e t
  h = const f64[N,2] 0.5
  z = sub y h
  m = max z x
  w = neg z
  ret m, w
}
END
printf '%s\n' 'in0 0 1' 'in0 1 2' 'in0 2 3' 'in0 3 4' 'in0 4 -1' 'in0 5 0' > "$tree/x"
check 'what it does not render stays' "$("$weft" show "$tree/f.wir" --as=fused --target=awk | sed -n '/^f(/,$p' | grep -oE '= (call|max)' | tr '\n' ' ')" '= call = max '
"$weft" show "$tree/f.wir" --as=c --target=awk > "$tree/f.awk"
check 'it is one kernel' "$(grep -c '^END' "$tree/f.awk")" 1
# inputs of the kernel, by what it loads: x has six elements, b two, s one
data()
{
    local n
    for n in 0 1 2; do
        case $(grep -oE "m\[\"in$n\", 0 \+ \([0-9]+\) \* i0 \+ \([0-9]+\) \* i1\]" "$tree/f.awk" | head -1) in
        *'(2) * i0 + (1) * i1]') sed "s/in0/in$n/" "$tree/x" ;;
        *'(0) * i0 + (1) * i1]') printf 'in%s 0 0.5\nin%s 1 -1\n' $n $n ;;
        *'(0) * i0 + (0) * i1]') printf 'in%s 0 3\n' $n ;;
        esac
    done
}
data | awk -v n0=3 -f "$tree/f.awk" | sort -k1,1 -k2,2n > "$tree/out"
numbers() { tr -d '[],' | tr ' ' '\n' | grep -vE '^f64|^$' | awk '{ printf "%.9g ", $1 }'; }
want=$("$weft" eval "$tree/f.wir" '[[1, 2], [3, 4], [-1, 0]]' '[0.5, -1]' 3 | tail -1 | sed 's/^[^ ]* //' | numbers)
got=$(for n in 0 1; do sed -n "s/^out$n [0-9]* //p" "$tree/out" | numbers; echo; done | grep -xF -- "$want")
check 'what it computes is what the interpreter computes' "$got" "$want"
check 'that is six numbers' "$(wc -w <<<"$want" | tr -d ' ')" 6
check 'no pass knows of it' "$(grep -rl awk "$tree/src/opt" "$tree/src/compile" "$tree/src/transform" | wc -l | tr -d ' ')" 0
finish
