# lib_steps.sh -- for tests that take the steps of a page: blocks of it, a tree to take them in, what was compiled there.
#   . tests/lib_steps.sh PAGE
page=$1
bin=$(dirname "${WEFT_BIN:-build/weft}")
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
weft="$tree/weft"
objects=()
failed=0
passed=0

# check WHAT FOUND NEEDED
check()
{
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s: %s\n  found: %s\n  needed: %s\n' "$0" "$1" "$2" "$3"
    fi
}

# Block n of the page that is fenced by the given line.
block()
{
    awk -v fence="$1" -v n="$2" '
        $0 == "```" && inside { inside = 0; next }
        /^```/ && !inside { inside = 1; use = ($0 == fence) && ++seen == n; next }
        inside && use' "$page"
}

# compile FLAGS... FILE: of the tree, or of tests where it has none, without optimising, among the objects. OUT names one that is
# compiled several times.
compile()
{
    local file=${!#} from flags=("${@:1:$#-1}")
    local out="$tree/$(basename "$file" .c)${OUT:-}.o"

    from=$tree/$file
    [ -e "$from" ] || from=$file
    ${CC:-cc} -std=gnu17 -I"$tree/include" -I"$tree/src" -O0 -fPIC "${flags[@]}" -c "$from" -o "$out" || exit 1
    objects+=("$out")
}

# The command line with these objects in the place of its own.
link_weft()
{
    ${CC:-cc} -o "$weft" $(find "$bin"/src/{cli,pages,train,serve} -name '*.o' 2>/dev/null) "$bin/gen/pages.o" "${objects[@]}" \
        "$bin/libweft-all.a" -lm -lpthread -ldl || exit 1
}

finish()
{
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
