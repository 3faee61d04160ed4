#!/usr/bin/env bash
# test_arguments.sh -- no function of a library accepts an argument without a look at it, but for those that
# tests/unused_arguments.txt gives a reason for. Run on a function that does, it must say so.
set -u
cd "$(dirname "$0")/.." || exit 1
bin=$(realpath "${WEFT_BIN:-build/weft}")
root=src/script/namespaces
failed=0

mapfile -t files < <(find $root -name '*.py' | LC_ALL=C sort)
"$bin" run tests/unused_arguments.py tests/unused_arguments.txt $root "${files[@]}" || failed=1

dir=$(mktemp -d)
printf 'def f(a, b=1, *, c=None):\n    # c is not used\n    return g(a, bb, x.b)\n' >"$dir/m.py"
got=$("$bin" run tests/unused_arguments.py /dev/null "$dir" "$dir/m.py" | head -2)
want=$'m.py f b: accepted and never used\nm.py f c: accepted and never used'
if [ "$got" != "$want" ]; then
    printf 'test_arguments: a function that ignores b and c is reported as:\n%s\n' "$got"
    failed=1
fi
rm -rf "$dir"
echo "$((2 - failed)) passed, $failed failed"
exit $failed
