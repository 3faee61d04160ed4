#!/bin/sh
# test_layers.sh -- the rooms of src/ use each other as docs/architecture.md says.
#
# Its table of layers gives the order of the rooms, its table of edges upward what may be used out of order. What is used is
# taken from the #include lines and from the symbols of the built objects. An edge that is not listed fails, and so does a
# listed one that is not there any more. Files past 1000 lines, functions past 80, and types that go by the name
# of another room's are listed below, the same way; a name that rooms share begins with a prefix of its room.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$(dirname "${WEFT_BIN:-build/weft}")
doc=docs/architecture.md
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# A line a room, in the order of the layers; a line `from to name` an edge upward.
sed -n 's/^| `src\/\([a-z/]*\)\/` |.*/\1/p' $doc | grep -v '^script/namespaces$' >"$work/rooms"
awk -F'|' '/^\| `[a-z\/]*` → `[a-z\/]*` \|/ {
    split($2, ends, "`"); n = split($3, names, "`")
    for (i = 2; i <= n; i += 2) print ends[2], ends[4], names[i]
}' $doc >"$work/listed"

# `room file room header` of every include of a header in src/, given from there or from the folder of the file
find src -name '*.h' -o -name '*.def' | sed 's/^src\///' >"$work/headers"
grep -rn --include='*.[ch]' '^ *#include "' src | sed 's/^src\/\([^:]*\):[0-9]*: *#include "\([^"]*\)".*/\1 \2/' |
    awk 'NR == FNR { is[$1] = 1; next }
         { room = $1; sub(/\/[^\/]*$/, "", room); header = room "/" $2 in is ? room "/" $2 : $2 }
         header in is { to = header; sub(/\/[^\/]*$/, "", to); print room, $1, to, header }' "$work/headers" - >"$work/uses"

# The same of symbols: `D room name` where one is defined, `U room object name` where it is used, weakly or not. Data made of a room's own
# files (build/gen) is of that room. Objects whose source is gone are not looked at.
find src -name '*.c' >"$work/sources"
find "$build/src" "$build/gen" -name '*.o' -exec nm -A {} + | sed "s|^$build/||" | awk '
NR == FNR { is[$1] = 1; next }
{
    source = $1; sub(/:.*/, "", source); sub(/(\.[0-9])?\.o$/, ".c", source); room = source
    if (source ~ /^gen\//) room = source ~ /prelude|plain|gpu/ ? "codegen" : source ~ /native/ ? "cuda" : source ~ /routine/ ? "export" : source ~ /pages/ ? "pages" : "script"
    else if (!(source in is)) next
    sub(/^src\//, "", room); sub(/\/[^\/]*$/, "", room)
}
$(NF - 1) ~ /^[Uw]$/ { print "U", room, source, $NF }
$(NF - 1) ~ /^[TDBRVWC]$/ { print "D", room, $NF }' "$work/sources" - >"$work/symbols"
awk 'NR == FNR { if ($1 == "D") where[$3] = $2; next }
     $1 == "U" && $4 in where && where[$4] != $2 { print $2, $3, where[$4], $4 }' "$work/symbols" "$work/symbols" >>"$work/uses"

awk -v rooms="$work/rooms" -v listed="$work/listed" '
function fails(text) { print text; failed++ }
BEGIN {
    while ((getline room <rooms) > 0) rank[room] = ++nrooms
    while ((getline line <listed) > 0) edge[++nedges] = line
    if (nrooms < 10 || !nedges) fails("docs/architecture.md: the table of layers or of edges upward is not found")
}
!($1 in rank) { if (!unknown[$1]++) fails($2 ": the room " $1 " is not in the table of layers"); next }
!($3 in rank) { if (!unknown[$3]++) fails($4 ": the room " $3 " is not in the table of layers"); next }
{
    passed++
    if (rank[$3] <= rank[$1]) next
    for (i = 1; i <= nedges; i++) {
        split(edge[i], e, " ")
        name = e[3]
        if (sub(/\*$/, "", name) ? index($4, name) == 1 : name == $4)
            if (e[1] == $1 && e[2] == $3) { met[i] = 1; next }
    }
    fails($2 ": " $1 " uses " $4 " of " $3 ", a later layer")
}
END {
    for (i = 1; i <= nedges; i++)
        if (!met[i]) fails("docs/architecture.md: the edge upward \"" edge[i] "\" does not exist any more")
    if (passed < 1000) fails("only " passed " uses found in " ARGV[1] ": not built?")
    print passed + nedges - failed, failed + 0
}' "$work/uses" >"$work/layers"

# Rooms that are written on public headers alone.
grep -n '^#include "' src/nn/*.[ch] src/pages/*.[ch] src/train/*.[ch] src/serve/*.[ch] src/cli/*.[ch] |
    grep -vE '"(nn/|pages/|train/|serve/|cli\.h|weft(_[a-z]+)?\.h)' >"$work/private"

# ---- sizes: "file" of every source past 1000 lines, "file:function" of every function past 80 -------------------------
cat >"$work/large_listed" <<'END'
src/nn/digits.h  data: the digits that ship with it
END
find src include -name '*.c' -o -name '*.h' | LC_ALL=C sort | xargs awk '
FNR == 1 { if (lines > 1000) print last; last = FILENAME }
{ lines = FNR }
/^\{/ && before ~ /\)$/ { start = FNR; name = head }
/^\}/ { if (start && FNR - start > 80) print FILENAME ":" name; start = 0 }
/^[a-zA-Z].*\(/ { head = $0; sub(/\(.*/, "", head); sub(/.*[ *]/, "", head) }
{ before = $0 }
END { if (lines > 1000) print last }' >"$work/large_all"
find src/script/namespaces -name '*.py' | LC_ALL=C sort | xargs awk '
function done() { if (name != "" && end - start >= 80) print file ":" name; name = "" }
FNR == 1 { done(); if (lines > 1000) print file; file = FILENAME }
{ lines = FNR; match($0, /^ */); deep = RLENGTH }
$0 !~ /^ *$/ && name != "" { if (deep > at || $0 ~ /^ *\)/) end = FNR; else done() }
name == "" && /^ *def / { at = deep; start = end = FNR; name = $2; sub(/\(.*/, "", name) }
END { done(); if (lines > 1000) print file }' >>"$work/large_all"
LC_ALL=C sort "$work/large_all" >"$work/large"
sed 's/ .*//' "$work/large_listed" | LC_ALL=C sort | comm -3 - "$work/large" >"$work/sizes"

# ---- names: a shared symbol has a prefix, and a prefix belongs to one room (folders of script/ are one) --------------------
# Prefixes that say a role, of functions, builders, ops, their rules and targets, are everybody's.
awk '$1 == "D" { room = $2; sub(/\/.*/, "", room); name = $3
    if (name !~ /_/) { if (name != "main" && name != "fail") print name; next }
    prefix = name; sub(/_.*/, "", prefix)
    if (prefix ~ /^(wf|b|op|type|eval|jvp|transpose|batch|partition|fold|along|target)$/) next
    if (prefix in of && of[prefix] != room) print name " (" prefix "_ is of " of[prefix] ")"
    else of[prefix] = room }' "$work/symbols" | LC_ALL=C sort -u >"$work/words"

# ---- types: one that a header of a room names is the only one of its name. Headers that are part of one kernel are not looked at.
cat >"$work/types_listed" <<'END'
Function src/cuda/driver.c
Shape src/cuda/product.c
END
find src -name '*.[ch]' ! -path 'src/kernels/*_*.h' | xargs awk '
/^\} [A-Z][A-Za-z0-9]*;/ { name = $2; sub(/;.*/, "", name); print name, FILENAME }
/^(struct|union) [A-Z][A-Za-z0-9]* \{/ { print $2, FILENAME }' | LC_ALL=C sort -u >"$work/types_defined"
awk '$2 ~ /\.h$/ { shared[$1] = $2 } { line[NR] = $0; name[NR] = $1; file[NR] = $2 }
END { for (i = 1; i <= NR; i++) if (name[i] in shared && shared[name[i]] != file[i]) {
          room = file[i]; sub(/\/[^\/]*$/, "", room); home = shared[name[i]]; sub(/\/[^\/]*$/, "", home)
          if (room != home) print line[i] } }' "$work/types_defined" |
    LC_ALL=C sort | comm -3 "$work/types_listed" - >"$work/types"

sed '$d' "$work/layers"
sed 's/$/: not a public header/' "$work/private"
sed 's/^\t\(.*\)/\1: past 1000 lines, or a function past 80/; t; s/$/: listed as large, and is not/' "$work/sizes"
sed 's/$/: a shared name without a prefix of its room/' "$work/words"
sed 's/^\t\(.*\)/\1: a type of that name is shared already/; t; s/$/: listed as a type twice, and is not there/' "$work/types"
# five rules: edges between rooms, public headers, sizes, names, types
failed=0
tail -n 1 "$work/layers" | grep -q ' 0$' || failed=1
for rule in private sizes words types; do
    [ -s "$work/$rule" ] && failed=$((failed + 1))
done
echo "$((5 - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
