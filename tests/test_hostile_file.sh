#!/usr/bin/env bash
# test_hostile_file.sh -- files that try: one of torch.jit.save in which a definition was made a statement, one whose
# attribute leads to a module, one all of whose names are code. Nothing of them is run, in whatever form it is written out.
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

# An attribute that was a dtype is made a module of the library, and the source, of the same length, goes on from there.
cat > "$dir/attr.py" <<'S'
import sys
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.kind = torch.float32

    def forward(self, x):
        return x.to(self.kind) + 1.2345678901234567890123456789012345

torch.jit.save(torch.jit.script(Net()), sys.argv[1])
S
"$weft" run "$dir/attr.py" "$dir/a.weft" 2>/dev/null || fail "saving a module"
"$weft" run "$dir/load.py" "$dir/a.weft" >/dev/null || fail "loading a module"
evil="self.kind._file.os.system('echo EVIL') # ............."
sed -e 's/dtype\(\\*": \\*"\)float32\(\\*"\)/dtype\1jit\2    /' -e "s/x.to(self.kind) + 1.2345678901234567890123456789012345/$evil/" "$dir/a.weft" > "$dir/evil.weft"
[ "$(wc -c <"$dir/evil.weft")" = "$(wc -c <"$dir/a.weft")" ] || fail "the module's file has another length"
cmp -s "$dir/a.weft" "$dir/evil.weft" && fail "the module's file was not changed"
out=$("$weft" run "$dir/load.py" "$dir/evil.weft" 2>&1) && fail "a hostile module ran"
case $out in
*EVIL*) fail "a module ran a command: $out" ;;
*"no dtype: 'jit'"*) ;;
*) fail "another error of the module: $out" ;;
esac

# Names that end comments, strings, tags and lines, and speak to terminals: in no form are they code.
cat > "$dir/names.wir" <<'W'
"</script><script>EVIL()</script>*/\"'\\\n#error EVIL\n\x1b[31m${EVIL}../../EVIL"("x</script>*/EVIL\n\x1b[32m": f32["N*/EVIL</script>\n#error EVIL",8]) {
  "a<img src=x onerror=EVIL()>\"]; EVIL [" = exp "x</script>*/EVIL\n\x1b[32m"
  b = mul "a<img src=x onerror=EVIL()>\"]; EVIL [" "x</script>*/EVIL\n\x1b[32m"
  print b format="{}</script><script>EVIL*/\x1b[33m"
  c = reduce_sum b axes=[1]
  ret c
}
W
cat > "$dir/plain.wir" <<'W'
f(x: f32[N,8]) {
  a = exp x
  b = mul a x
  print b format="{}"
  c = reduce_sum b axes=[1]
  ret c
}
W
for target in cpu c cuda; do
    "$weft" show "$dir/names.wir" --as=c --target=$target > "$dir/out" || fail "C for $target"
    grep -q EVIL "$dir/out" && fail "a name is in the C for $target"
done
tags() { grep -o '<[a-zA-Z/!][a-zA-Z]*' "$1" | sort | uniq -c; }
"$weft" show "$dir/names.wir" --as=html > "$dir/evil.html" && "$weft" show "$dir/plain.wir" --as=html > "$dir/plain.html" || fail "a page"
[ "$(tags "$dir/evil.html")" = "$(tags "$dir/plain.html")" ] || fail "a name has tags in the page"
"$weft" show "$dir/names.wir" --as=dot > "$dir/evil.dot" && "$weft" show "$dir/plain.wir" --as=dot > "$dir/plain.dot" || fail "a drawing"
# without strings both are the same graph
bare() { sed 's/"\(\\.\|[^"\\]\)*"/S/g' "$1"; }
[ "$(bare "$dir/evil.dot")" = "$(bare "$dir/plain.dot")" ] || fail "a name is more than a label in dot"
sed -e 's/"N[^"]*",8/4,8/' -e '/print/d' "$dir/names.wir" > "$dir/mesh.wir"
"$weft" show "$dir/mesh.wir" --as=svg --mesh=A:2 --shard=0:A,- > "$dir/evil.svg" || fail "a mesh"
grep -q 'x&lt;/script>\*/EVIL' "$dir/evil.svg" || fail "the name of an input is not in the drawing of a mesh"
grep -q '</script\|<script' "$dir/evil.svg" && fail "a name has tags in the drawing of a mesh"
for form in text json dot html kernels fused; do
    "$weft" show "$dir/names.wir" --as=$form > "$dir/out"
    LC_ALL=C grep -q "$(printf '\033')" "$dir/out" && [ $form != html ] && fail "$form speaks to the terminal"
done
"$weft" info "$dir/names.wir" > "$dir/out" || fail "info"
LC_ALL=C grep -q "$(printf '\033')" "$dir/out" && fail "info speaks to the terminal"
echo "$((1 - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
