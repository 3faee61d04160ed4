#!/usr/bin/env bash
# test_everywhere.sh -- one model gives the same predictions everywhere. It is scripted (examples/digits_net.py), trained by `weft train`, trained
# on by the C program examples/fine_tune.c, and then asked: by the script language, the command line, C that was exported (here, and as
# aarch64 under qemu), a server (by curl, and by the real client), as an ONNX file (by onnxruntime), from real Python, and as
# torch.compile of the same file in real PyTorch. What is not installed is left out with a line.
#
# WEFT_PYTHON builds the Python package (see lib_python.sh); PEERS_PYTHON, a Python that may have torch, onnxruntime and tritonclient.
set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
build=$(cd "$(dirname "${WEFT_BIN:-build/weft}")" && pwd)
weft=$build/weft
work=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
check() { # NAME COMMAND..: it ends well
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$name"
        sed 's/^/    /' "$work/log" | tail -20
    fi
}
skip() { skipped=$((skipped + 1)); echo "tests/test_everywhere.sh: skipped: $1"; }

# ---- made, trained, trained on
mkdir "$work/models"
before=$work/models/before.weft after=$work/models/digits.weft
check 'weft train' "$weft" train examples/digits_net.py digits --loss=cross_entropy --epochs=3 --quiet -o "$before"
check 'fine_tune.c has 30 lines' [ "$(sed '1,/^int main/d' examples/fine_tune.c | wc -l)" -le 30 ]
check 'fine_tune' "$build/examples/fine_tune" "$before" "$after"
changed() { ! cmp -s "$before" "$after"; }
check 'it learned on' changed

# ---- what the others must say: 20 digits, by the script language
cat >"$work/ask.py" <<'PY'
import sys, torch, weft

x, y, tx, ty = weft.digits()
net = torch.jit.load(sys.argv[1])
net.eval()
x = tx[:20]
with torch.no_grad():
    out = net(x)
right = (out.argmax(1) == ty[:20]).float().mean().item()
x.numpy().tofile("x.f32")
out.numpy().tofile("said.f32")
import numpy as np
np.save("x.npy", x.numpy())
assert right > 0.8, right
PY
cat >"$work/same.py" <<'PY'
# Two files of 20 times 10 floats: close, and the same classes.
import sys
import numpy as np

a, b = [np.fromfile(f, np.float32) for f in sys.argv[1:3]]
assert a.size == b.size == 200, (a.size, b.size)
print("largest difference", np.abs(a - b).max())
assert np.abs(a - b).max() < 1e-3 * (1 + np.abs(a).max())
assert (a.reshape(20, 10).argmax(1) == b.reshape(20, 10).argmax(1)).all()
PY
cd "$work" || exit 1
check 'the script language' "$weft" run ask.py "$after"
same() { check "$1 says the same" "$weft" run same.py said.f32 "$2"; }

# ---- the command line
cat >floats.py <<'PY'
# Numbers of a text on standard input, as floats in a file; "[20,10]" at its front is a type.
import re, sys
import numpy as np

text = re.sub(r"^\s*f32\[[0-9,]*\]", "", open("/dev/stdin").read())
np.array([float(v) for v in re.findall(r"-?[0-9][-+.0-9e]*", text)], np.float32).tofile(sys.argv[1])
PY
by_eval() { "$weft" eval "$after" forward x.npy | "$weft" run floats.py eval.f32; }
check 'weft eval' by_eval
same 'weft eval' eval.f32

# ---- exported C
check 'weft export' "$weft" export "$after" --method=forward -o c --max=32
check 'exported C is built' make -C c CC="${CC:-cc}"
check 'exported C runs' c/digits_main forward x.f32 c.f32 s0=20
same 'exported C' c.f32
if command -v qemu-aarch64 >/dev/null && command -v aarch64-linux-gnu-gcc >/dev/null; then
    make -s -C c clean
    check 'exported C is built for aarch64' make -C c CC=aarch64-linux-gnu-gcc LDFLAGS=-static
    check 'exported C runs on aarch64' qemu-aarch64 c/digits_main forward x.f32 arm.f32 s0=20
    same 'exported C on aarch64' arm.f32
else skip 'no qemu-aarch64 or compiler for it'; fi

# Code without weights is small: 64-128-10 on one row, and an Inception network for digits that predicts and learns.
cat >tiny.py <<'PY'
import torch
from torch import nn

m = torch.jit.script(nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)))
m(torch.zeros(1, 64))
m.save("tiny.weft")
PY
cat >inception.py <<'PY'
import torch
import torch.nn.functional as F
from torch import nn


class Inception(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.one = nn.Conv2d(inputs, width, 1)
        self.three = nn.Conv2d(inputs, width, 3, padding=1)
        self.five = nn.Conv2d(inputs, width // 2, 5, padding=2)
        self.norm = nn.BatchNorm2d(2 * width + width // 2)

    def forward(self, x):
        return F.relu(self.norm(torch.cat([self.one(x), self.three(x), self.five(x)], dim=1)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = Inception(1, 16), Inception(40, 24), Inception(60, 24)
        self.head = nn.Linear(60, 10)

    def forward(self, x):
        x = F.max_pool2d(self.second(self.first(x)), 2)
        return self.head(self.third(x).mean(dim=[2, 3]))

    @torch.jit.export
    def loss(self, x, y):
        return F.cross_entropy(self.forward(x), y)


m = torch.jit.script(Net())
m(torch.zeros(64, 1, 8, 8))
m.loss(torch.zeros(64, 1, 8, 8), torch.zeros(64, dtype=torch.int64))
m.save("inception.weft")
PY
small() { # NAME LIMIT OPTION..
    "$weft" run "$1.py" && "$weft" export "$1.weft" -o "$1" "${@:3}" && make -C "$1" CC="${CC:-cc}" "$1.o" &&
        [ "$(size "$1/$1.o" | awk 'END { print $1 }')" -lt "$2" ]
}
check 'exported code of 64-128-10 is below 30 kB' small tiny 30000 --max=1
check 'exported code of an Inception network with its training is below 250 kB' small inception 250000 \
    --train --optimizer=adam --size=s2=8 --size=s3=8 --max=s0=64

# ---- served
client=
for p in ${PEERS_PYTHON:-} ${SERVE_PYTHON:-} python3; do
    if "$p" -c 'import tritonclient.http' 2>/dev/null; then client=$p && break; fi
done
if "$weft" serve /nowhere 2>&1 | grep -q 'cannot serve' || ! command -v curl >/dev/null; then
    skip 'this build cannot serve, or there is no curl'
else
    "$weft" serve models --port=0 2>err &
    server=$!
    for _ in $(seq 100); do
        grep -q 'models on' err && break
        sleep 0.1
    done
    address=$(sed -n 's,.*models on http://\(.*\)$,\1,p' err)
    {
        printf '{"inputs":[{"name":"x","shape":[20,1,8,8],"datatype":"FP32","data":['
        "$weft" run /dev/stdin <<'PY'
import numpy as np
print(",".join([repr(float(v)) for v in np.fromfile("x.f32", np.float32)]), end="")
PY
        printf ']}]}'
    } >ask.json
    by_curl() { curl -s -m 20 "http://$address/v2/models/digits/infer" -d @ask.json | sed 's/.*"data"://' | "$weft" run floats.py curl.f32; }
    check 'curl' by_curl
    same 'the server' curl.f32
    if [ -n "$client" ]; then
        cat >client.py <<'PY'
import sys
import numpy as np
import tritonclient.http as http

x = np.fromfile("x.f32", np.float32).reshape(20, 1, 8, 8)
ask = http.InferInput("x", x.shape, "FP32")
ask.set_data_from_numpy(x)
client = http.InferenceServerClient(sys.argv[1])
name = client.get_model_metadata("digits")["outputs"][0]["name"]
client.infer("digits", [ask]).as_numpy(name).tofile("client.f32")
PY
        check 'the real client' "$client" client.py "$address"
        same 'the real client' client.f32
    else skip 'no Python with tritonclient (PEERS_PYTHON, SERVE_PYTHON)'; fi
    kill "$server" && wait "$server"
    server=
fi

# ---- as an ONNX file
if [ -n "${PEERS_PYTHON:-}" ] && "$PEERS_PYTHON" -c 'import onnxruntime' 2>/dev/null; then
    check 'weft convert' "$weft" convert "$after" digits.onnx
    cat >ort.py <<'PY'
import numpy as np
import onnxruntime as ort

s = ort.InferenceSession("digits.onnx")
x = np.fromfile("x.f32", np.float32).reshape(20, 1, 8, 8)
s.run(None, {s.get_inputs()[0].name: x})[0].tofile("ort.f32")
PY
    check 'onnxruntime' "$PEERS_PYTHON" ort.py
    same 'onnxruntime' ort.f32
else skip 'no Python with onnxruntime (PEERS_PYTHON)'; fi

# ---- real Python, and PyTorch
cd "$root" || exit 1
. tests/lib_python.sh
find_python
if [ -n "${WEFT_SAN:-}" ] || [ -z "$python" ]; then
    skip 'no Python 3.11 with headers, setuptools, numpy and pytest (WEFT_PYTHON)'
else
    check 'the Python package' build_package "$work"
    cd "$work" || exit 1
    export PYTHONPATH=$work/lib PYTHONDONTWRITEBYTECODE=1
    printf 'import sys, numpy as np, weft\nx = np.fromfile("x.f32", np.float32).reshape(20, 1, 8, 8)\nweft.load(sys.argv[1]).forward(x).tofile("python.f32")\n' >py.py
    check 'real Python' "$python" py.py "$after"
    same 'real Python' python.f32
    if [ -n "${PEERS_PYTHON:-}" ] && "$PEERS_PYTHON" -c 'import torch' 2>/dev/null; then
        cat >compile.py <<'PY'
# The same file in real PyTorch, with the numbers of ours.
import runpy
import sys
import numpy as np
import torch
import weft

model, script = sys.argv[1:3]
sys.argv = [script, "net.pt"]
net = runpy.run_path(script)["Net"]()
tensors = weft.load(model).tensors
net.load_state_dict({k: torch.tensor(np.array(tensors[k])) for k in net.state_dict()})
net.eval()
x = torch.from_numpy(np.fromfile("x.f32", np.float32).reshape(20, 1, 8, 8))
with torch.no_grad():
    net(x).numpy().tofile("torch.f32")
    torch.compile(net, backend="weft")(x).numpy().tofile("compiled.f32")
assert not weft.torch.reasons, weft.torch.reasons
PY
        check 'torch.compile' "$PEERS_PYTHON" compile.py "$after" "$root/examples/digits_net.py"
        same 'PyTorch, with the numbers of the file,' torch.f32
        same 'torch.compile' compiled.f32
    else skip 'no Python with torch (PEERS_PYTHON)'; fi
fi
if [ "$skipped" -gt 0 ]; then echo "$passed passed, $failed failed, $skipped skipped"; else echo "$passed passed, $failed failed"; fi
[ "$failed" -eq 0 ]
