#!/usr/bin/env bash
# test_pages.sh -- pages to look at: they hold what they should and, where Chromium is installed, open in it without an error and
# draw everything. No page asks for a network.
set -u
cd "$(dirname "$0")/.." || exit 1
weft=$(realpath "${WEFT_BIN:-build/weft}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || echo "tests/test_pages.sh: no Chromium: pages are not opened"
passed=0 failed=0
ok() { passed=$((passed + 1)); }
wrong() { failed=$((failed + 1)); echo "$1"; }
has() { if grep -qF -- "$2" "$1"; then ok; else wrong "$1: no '$2'"; fi; }

# opens FILE: all of it drawn, nothing said on the console
opens() {
    if grep -qE '(src|href)="(https?:)?//' "$1"; then wrong "$1: asks for a network"; else ok; fi
    [ -n "$browser" ] || return
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --virtual-time-budget=5000 \
        --enable-logging=stderr --dump-dom "file://$1#all" >"$work/dom" 2>"$work/log"
    if grep -q 'CONSOLE' "$work/log"; then wrong "$1: $(grep -m 3 CONSOLE "$work/log")"; else ok; fi
    if grep -q 'data-all="done"' "$work/dom"; then ok; else wrong "$1: not drawn to its end"; fi
}

# says FILE SCRIPT: the script, run in the page at its end, is true (in words for sed)
says() {
    [ -n "$browser" ] || return
    sed "s#</body>#<script>document.body.dataset.said = eval('$2');</script></body>#" "$1" >"$work/says.html"
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --dump-dom "file://$work/says.html" >"$work/dom" 2>/dev/null
    if grep -q 'data-said="true"' "$work/dom"; then ok; else wrong "$1: not so: $2"; fi
}

cat >"$work/net.py" <<'PY'
import torch


@torch.jit.script
def f(x, w):
    h = torch.tanh(x @ w)
    for i in range(3):
        h = h * 2 - h.mean()
    return (h * h).sum()


f(torch.ones(4, 3), torch.ones(3, 2))
f.save("net.weft")
PY
(cd "$work" && "$weft" run net.py) || wrong 'the script does not run'
"$weft" show "$work/net.weft" --grad=0,1 --as=json >"$work/net.json" || wrong 'no JSON'
if "$weft" run /dev/stdin "$work/net.json" <<'PY'; then ok; else wrong 'the JSON is not what it should be'; fi
import json
import sys

d = json.load(open(sys.argv[1]))
top = d["programs"][0]
defined = {v[0] for v in top["in"]}
for e in top["eqns"]:
    assert all(v in defined for v in e["in"]), e
    defined |= {v[0] for v in e["out"]}
    assert e["flops"] >= 0 and e["bytes"] >= 0
assert all(v in defined for v in top["ret"])
assert any("via" in e for e in top["eqns"]) and d["files"]
PY
(cd "$work" && "$weft" show net.weft --grad=0,1 --as=html --time >show.html) || wrong 'no page of a gradient'
has "$work/show.html" '"pass":"as written"'
has "$work/show.html" 'h = torch.tanh(x @ w)'
has "$work/show.html" '"kernels":{"fused'
has "$work/show.html" '"times":[['
opens "$work/show.html"
# "fit" shows all of it
says "$work/show.html" 'go(0); view.k = 9; fit(true); scene.box.w * view.k <= canvas.clientWidth \&\& scene.box.h * view.k <= canvas.clientHeight'
"$weft" show examples/scan.wir grow --grad=r --as=html >"$work/scan.html" || wrong 'no page of a loop'
opens "$work/scan.html"

# 5000 equations
awk 'BEGIN { print "big(x: f32[64,64], w: f32[64,64]) {\n  a0 = dot x w"
    for (i = 0; i < 5000; i++) printf "  a%d = %s\n", i + 1, i % 40 == 0 ? "dot a" i " w" : i % 3 ? "tanh a" i : "add a" i " x"
    print "  ret a5000\n}" }' >"$work/big.wir"
"$weft" show "$work/big.wir" --as=html >"$work/big.html" || wrong 'no page of 5000 equations'
opens "$work/big.html"
# .. stay smooth: laid out at once, and drawn anew, whole and near, between two frames of a screen (the best of some, on a busy machine)
if [ -n "$browser" ]; then
    sed 's#</body>#<script>{ const best = (n, f) => { let b = 1e9; for (let i = 0; i < n; i++) { const t = performance.now(); f(i); b = Math.min(b, performance.now() - t); } return b; };\
        const at = k => { view.k = k; view.x = 0; view.y = -1000 * k; paint(); };\
        document.body.dataset.smooth = [best(3, () => build()), best(20, () => at(1)), best(20, () => at(0.02))].map(t => t.toFixed(1)).join(" "); }</script></body>#' \
        "$work/big.html" >"$work/smooth.html"
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --dump-dom "file://$work/smooth.html" >"$work/dom" 2>/dev/null
    times=$(sed -n 's/.*data-smooth="\([0-9. ]*\)".*/\1/p' "$work/dom")
    if echo "$times" | awk '{ exit !(NF == 3 && $1 < 500 && $2 < 16 && $3 < 16) }'; then ok; else wrong "5000 equations: laid out, drawn near and drawn whole in '$times' ms"; fi
fi

"$weft" bench "$work/net.weft" --runs=2 --as=html >"$work/bench.html" || wrong 'no page of a profile'
has "$work/bench.html" '"events":[['
opens "$work/bench.html"
"$weft" bench "$work/net.weft" --runs=2 --as=trace >"$work/bench.json" || wrong 'no trace'
cat >"$work/steps.py" <<'PY'
import time, torch
time.sleep(0.3)  # the process is there for a while before its first step
x = torch.ones(64, 64, requires_grad=True)
for i in range(20):
    y = (x @ x).tanh().sum()
    y.backward()
print(float(y.detach()) > 0)
PY
"$weft" run --profile="$work/run.html" "$work/steps.py" >/dev/null || wrong 'no profile of a script'
has "$work/run.html" 'steps.py:5'
# its timeline begins with the first step, not with the process
says "$work/run.html" 'from > 0 \&\& from <= first \&\& first < to'
# Each line has its own share, also of ops of one kind and type, and of operators.
printf 'import torch\nx = torch.ones(64, 64)\n\na = x @ x\nb = torch.matmul(x, x)\nc = x - a\n' >"$work/lines.py"
"$weft" run --profile="$work/lines.json" "$work/lines.py" >/dev/null || wrong 'no trace of lines'
for line in 4 5 6; do has "$work/lines.json" "lines.py:$line\""; done
# What modules of a library do in code that is compiled is the doing of the user's line that calls them.
printf 'import torch\n\nnet = torch.nn.Linear(4, 4)\nf = torch.compile(lambda x: torch.nn.functional.gelu(net(x)))\nf(torch.ones(2, 4))\n' >"$work/modules.py"
"$weft" run --profile="$work/modules.json" "$work/modules.py" >/dev/null || wrong 'no trace of modules'
has "$work/modules.json" 'modules.py:4"'
if grep -q '<torch' "$work/modules.json"; then wrong 'a trace has lines of a library'; else ok; fi
# As many events as are kept.
printf 'import torch\nx = torch.ones(32, 32)\nfor i in range(270000):\n    x = x.abs()\n' >"$work/many.py"
"$weft" run --profile="$work/many.html" "$work/many.py" >/dev/null || wrong 'no profile of many steps'
opens "$work/many.html"
has "$work/run.html" '(x @ x).tanh().sum()'
opens "$work/run.html"
"$weft" run --profile="$work/run.json" "$work/steps.py" >/dev/null || wrong 'no trace of a script'
for t in bench run; do
    if "$weft" run /dev/stdin "$work/$t.json" <<'PY'; then ok; else wrong "$t.json is no trace"; fi
import json
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
steps = [e for e in events if e["ph"] == "X"]
assert len(steps) > 1 and all(e["dur"] >= 0 and e["ts"] >= 0 for e in steps)
PY
done
# The shares of another thread are a row of their own.
cat >"$work/shared.py" <<'PY'
import torch

x = torch.ones(700, 700)
for i in range(50):
    y = x @ x
PY
WEFT_THREADS=2 "$weft" run --profile="$work/shared.html" "$work/shared.py" || wrong 'no profile of two threads'
opens "$work/shared.html"
WEFT_THREADS=2 "$weft" run --profile="$work/shared.json" "$work/shared.py" || wrong 'no trace of two threads'
has "$work/shared.json" '"args":{"name":"thread 1"}'
if "$weft" run --profile=/nowhere/x.html "$work/steps.py" >/dev/null 2>"$work/err"; then wrong 'a profile nowhere'; else has "$work/err" 'cannot write /nowhere/x.html'; fi

cat >"$work/train.py" <<'PY'
import torch
import torch.nn as nn

m = torch.jit.script(nn.Sequential(nn.Linear(64, 10)))
m(torch.zeros(1, 64))
m.save("line.weft")
PY
(cd "$work" && "$weft" run train.py && "$weft" train line.weft digits --loss=cross_entropy --epochs=2 --validation=0.1 --html=train.html --quiet) ||
    wrong 'no training'
opens "$work/train.html"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
