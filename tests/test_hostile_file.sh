#!/usr/bin/env bash
# test_hostile_file.sh -- a file of torch.jit.save in which a definition was made a statement: loading
# refuses it, and does not run it.
set -u
cd "$(dirname "$0")/.." || exit 1
weft=${WEFT_BIN:-build/weft}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
    echo "FAIL $*"
    failed=1
}

cat > "$dir/save.py" <<'S'
import sys
import torch

def pad_pad_pad_pad_pad_pad(x):
    return x + 24

@torch.jit.script
def f(x):
    return pad_pad_pad_pad_pad_pad(x)

torch.jit.save(f, sys.argv[1])
S
cat > "$dir/load.py" <<'S'
import sys
import torch
print(torch.jit.load(sys.argv[1])(torch.zeros(2)))
S
"$weft" run "$dir/save.py" "$dir/f.weft" || fail "saving"
[ "$("$weft" run "$dir/load.py" "$dir/f.weft")" = "tensor([24., 24.])" ] || fail "loading a good file"
# of the same length, so that the file is whole
evil="print('EVIL$(printf '!%.0s' $(seq 38))')"
sed "s/def pad_pad_pad_pad_pad_pad(x):[\\\\]*n    return x + 24/$evil/" "$dir/f.weft" > "$dir/evil.weft"
cmp -s "$dir/f.weft" "$dir/evil.weft" && fail "the file was not changed"
out=$("$weft" run "$dir/load.py" "$dir/evil.weft" 2>&1) && fail "a hostile file was loaded"
case $out in
*EVIL*) fail "its statement was run: $out" ;;
*"definitions alone"*) ;;
*) fail "another error: $out" ;;
esac
echo "$((1 - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
