#!/usr/bin/env bash
# test_adding_a_pass.sh -- the steps of docs/adding-a-pass.md, taken from the page, make a pass that is listed, run, shown and
# held to what its row says.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib_steps.sh docs/adding-a-pass.md

cp -r src include "$tree" && mkdir -p "$tree/tests/opt" || exit 1
row=$(block '```c' 1)
declaration=$(block '```c' 2)
awk -v row="$row" '/^PASS\(contract,/ { print row } { print }' src/opt/passes.def > "$tree/src/opt/passes.def"
awk -v line="$declaration" '{ print } /^const Program \*opt_simplify\(/ { print line }' src/opt/opt.h > "$tree/src/opt/opt.h"
block '```c' 3 > "$tree/src/opt/roots.c"
block '```' 1 > "$tree/tests/opt/roots_square.wir"

compile -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror src/opt/roots.c
for f in $(grep -lE 'passes\.def|OPT_PASSES|OPT_ALL|OPT_PLAIN|OPT_RECOGNISE' -r src --include='*.c' | grep -v '^src/cli' | LC_ALL=C sort); do
    compile -w "$f"
done
link_weft
compile -w -Itests tests/test_opt.c
${CC:-cc} -o "$tree/test_opt" "${objects[@]}" "$bin"/tests/lib_*.o "$bin"/tests/test.o "$bin/libweft-all.a" -lm -lpthread -ldl || exit 1

golden="$tree/tests/opt/roots_square.wir"
f="$tree/f.wir"
sed '/^# expect:/,$d' "$golden" > "$f"
check 'it is listed' "$("$weft" show --passes | grep -A1 '^  roots ' | tr -s ' \n' ' ')" \
    ' roots the root of a square is the absolute value requires nothing '
check 'it does what its test says' "$("$weft" show "$f" --after=roots)" "$(sed '1,/^# expect:/d' "$golden")"
check 'it runs among all others' "$("$weft" show "$f" --after=all | grep -c 'abs x')" 1
check 'values stay' "$("$weft" eval "$f" '[-3, 4]' '[-3, 1]' --after=all | tr '\n' ' ')" 'f32[2] [3, 4] f32[2] [3, 2] '
(cd "$tree" && OPT_LAWS=60 ./test_opt every_set) > "$tree/out" 2>&1
check 'random programs keep what they compute, whatever passes run' "$(tail -1 "$tree/out")" '1 passed, 0 failed'
finish
