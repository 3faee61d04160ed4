#!/usr/bin/env bash
# test_train.sh -- weft train: every kind of data, losses of the model and by name, validation and early ends, mixed precision,
# killed at any moment and resumed to the same bits, ONNX in and out; and, where there is a Python with torch (PEERS_PYTHON, or
# python3), the numbers of PyTorch.
set -u
cd "$(dirname "$0")/.." || exit 1
weft=$(realpath "${WEFT_BIN:-build/weft}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
root=$PWD
export TMPDIR=$work
cd "$work" || exit 1
passed=0 failed=0

# check NAME COMMAND...: the command succeeds
check() {
    local name=$1
    shift
    if "$@" >out 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$name:"; sed 's/^/    /' out; fi
}
# says NAME TEXT COMMAND...: fails and says TEXT
says() {
    local name=$1 text=$2
    shift 2
    if "$@" >out 2>&1; then echo "$name: it should fail"; failed=$((failed + 1))
    elif grep -qF -- "$text" out; then passed=$((passed + 1))
    else failed=$((failed + 1)); echo "$name: no '$text' in:"; sed 's/^/    /' out; fi
}
# last_loss FILE.csv below X
below() { awk -F, -v most="$2" 'END { exit !($3 != "" && $3 < most) }' "$1"; }

cat >make.py <<'PY'
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.bn = nn.BatchNorm2d(4)
        self.out = nn.Linear(4 * 16, 10)

    def forward(self, x):
        x = torch.max_pool2d(torch.relu(self.bn(self.conv(x))), 2)
        return self.out(torch.flatten(x, 1))


class Line(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, x):
        return self.fc(x)

    @torch.jit.export
    def loss(self, x, y):
        return ((self.fc(x)[:, 0] - y) ** 2).mean()


class Bright(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(16, 2)

    def forward(self, x):
        return self.fc(torch.flatten(x, 1))


torch.manual_seed(0)
net, line, bright = torch.jit.script(Net()), torch.jit.script(Line()), torch.jit.script(Bright())
net(torch.zeros(2, 1, 8, 8))
net.save("net.weft")
drop = torch.jit.script(nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Dropout(0.2), nn.Linear(256, 10)))
drop(torch.zeros(2, 1, 8, 8))
drop.save("drop.weft")
line(torch.zeros(2, 3))
line.loss(torch.zeros(2, 3), torch.zeros(2))
line.save("line.weft")
bright(torch.zeros(2, 1, 4, 4))
bright.save("bright.weft")
x = torch.rand(200, 3)
y = x @ torch.tensor([2.0, -3.0, 0.5]) + 1
import numpy as np
np.save("x.npy", x.numpy())
np.save("y.npy", y.numpy())
np.savez("line.npz", x=x.numpy(), y=y.numpy())
with open("line.csv", "w") as f:
    f.write("a,price,b,c\n")
    for i in range(200):
        f.write("%r,%r,%r,%r\n" % (x[i, 0].item(), y[i].item(), x[i, 1].item(), x[i, 2].item()))
PY
cat >same.py <<'PY'
# The tensors of two files that must be the same, and those that must not.
import sys
import torch

a, b = torch.jit.load(sys.argv[1]).state_dict(), torch.jit.load(sys.argv[2]).state_dict()
for name, same in [("conv.weight", True), ("conv.bias", True), ("out.bias", True), ("out.weight", False), ("bn.weight", False)]:
    assert bool((a[name] == b[name]).all()) == same, name
PY
check models "$weft" run make.py

# ---- data and losses
check npy "$weft" train line.weft x.npy y.npy --optimizer=sgd --lr=0.3 --epochs=30 -o l1.weft --log=l1.csv
check 'npy learns' below l1.csv 0.01
check csv "$weft" train line.weft line.csv --target=price --optimizer=sgd --lr=0.3 --epochs=30 -o l2.weft --log=l2.csv
check 'csv is the same data' cmp l1.weft l2.weft
check npz "$weft" train line.weft line.npz --optimizer=sgd --lr=0.3 --epochs=30 -o l4.weft
check 'npz is the same data' cmp l1.weft l4.weft
check 'a named loss is the same' "$weft" train line.weft x.npy y.npy --loss=mse --optimizer=sgd --lr=0.3 --epochs=30 -o l3.weft --log=l3.csv
check 'a named loss learns' below l3.csv 0.01
mkdir -p pictures/dark pictures/light
for i in 1 2 3 4 5 6 7 8; do
    { echo "P2 4 4 255"; for j in $(seq 16); do echo $((i * 3 + j)); done; } >pictures/dark/$i.pgm
    { echo "P2 4 4 255"; for j in $(seq 16); do echo $((200 + i * 3 + j)); done; } >pictures/light/$i.pgm
done
check pictures "$weft" train bright.weft pictures --loss=cross_entropy --lr=0.1 --epochs=20 --batch=4 -o b.weft --log=b.csv
check 'pictures are told apart' below b.csv 0.1
printf '\0\0\010\3\0\0\0\4\0\0\0\4\0\0\0\4' >x.idx; head -c 32 /dev/zero >>x.idx; head -c 32 /dev/zero | tr '\0' '\377' >>x.idx
printf '\0\0\010\1\0\0\0\4\0\0\1\1' >y.idx
check idx "$weft" train bright.weft x.idx y.idx --loss=cross_entropy --lr=0.1 --epochs=20 -o b.weft --log=b.csv
check 'idx learns' below b.csv 0.1

# ---- training forms, validation, the end
digits=(net.weft digits --loss=cross_entropy)
check digits "$weft" train "${digits[@]}" --validation=0.2 --epochs=4 -o d.weft --log=d.csv --html=d.html
check 'digits are learned' awk -F, 'END { exit !($5 > 0.85) }' d.csv
check 'running means move' bash -c "! cmp -s <($weft eval net.weft forward ones:f32[1,1,8,8]) <($weft eval d.weft forward ones:f32[1,1,8,8])"
check 'the page has the curves' grep -q '"rows":\[\[1,' d.html
check bf16 "$weft" train "${digits[@]}" --precision=bf16 --validation=0.2 --epochs=4 -o h.weft --log=h.csv
check 'bf16 learns as well' awk -F, 'END { exit !($5 > 0.85) }' h.csv
check 'bf16 is not f32' bash -c '! cmp -s d.weft h.weft'
check f16 "$weft" train "${digits[@]}" --precision=f16 --validation=0.2 --epochs=4 -o f.weft --log=f.csv
check 'f16 learns as well' awk -F, 'END { exit !($5 > 0.85) }' f.csv
check 'f16 is neither of the others' bash -c '! cmp -s d.weft f.weft && ! cmp -s h.weft f.weft'
{ timeout -s KILL 0.5 "$weft" train "${digits[@]}" --precision=f16 --validation=0.2 --epochs=4 -o f2.weft --save-steps=3; } >/dev/null 2>&1
check 'f16 goes on' "$weft" train "${digits[@]}" --precision=f16 --validation=0.2 --epochs=4 -o f2.weft --resume
check 'f16 goes on to the same bits' cmp f.weft f2.weft
says 'another precision' 'f32, f16 or bf16' "$weft" train "${digits[@]}" --precision=f8
fake=$(dirname "$weft")/tests/gpu
gpu() { LD_LIBRARY_PATH=$fake "$weft" train "${digits[@]}" --device=cuda "$@"; }
if [ ! -e "$fake/libcuda.so.1" ]; then
    echo "tests/test_train.sh: no driver that stands in for NVIDIA's (make tests): no GPU is asked"
elif ! LD_LIBRARY_PATH=$fake "$weft" devices 2>/dev/null | grep -q cuda:0; then
    check "the driver in $fake shows a GPU (is it of other sources?)" false
else
    check 'a GPU' gpu --validation=0.2 --epochs=4 -o g.weft --log=g.csv
    check 'a GPU learns as well' awk -F, 'END { exit !($5 > 0.85) }' g.csv
    check 'a GPU gives nearly the losses of the host' awk -F, 'NR == FNR { a[FNR] = $3; next } FNR > 1 && ($3 - a[FNR]) ^ 2 > 1e-6 { bad = 1 } END { exit bad }' d.csv g.csv
    { LD_LIBRARY_PATH=$fake timeout -s KILL 2 "$weft" train "${digits[@]}" --device=cuda --validation=0.2 --epochs=4 -o g2.weft --save-steps=3; } >/dev/null 2>&1
    check 'a GPU goes on' gpu --validation=0.2 --epochs=4 -o g2.weft --resume
    check 'a GPU goes on to the same bits' cmp g.weft g2.weft
    check 'a GPU in f16' gpu --precision=f16 --epochs=1 -o g3.weft
fi
says 'no GPU' "there is no device 'cuda:7'" "$weft" train "${digits[@]}" --device=cuda:7
check patience "$weft" train "${digits[@]}" --validation=0.2 --lr=0.3 --optimizer=sgd --momentum=0.99 --epochs=40 --patience=2 -o p.weft --log=p.csv
check 'patience ends it' awk -F, 'END { exit !($1 < 40) }' p.csv
check freeze "$weft" train "${digits[@]}" --epochs=1 --freeze=conv,out.bias -o z.weft
check 'what is frozen stays' "$weft" run same.py z.weft net.weft

# ---- resumed to the same bits, masks of dropout too
all=(drop.weft "${digits[@]:1}" --validation=0.2 --epochs=12 --schedule=cosine,warmup:20 --clip=1 --optimizer=adamw --decay=0.01 --save-steps=7 --quiet)
start=$(date +%s%N)
check whole "$weft" train "${all[@]}" -o whole.weft --log=whole.csv
took=$((($(date +%s%N) - start) / 1000)) # microseconds, on this machine
killed=0
for i in 1 2 3 4 5; do
    { timeout -s KILL "$(printf '%d.%06d' $((took * i / 7 / 1000000)) $((took * i / 7 % 1000000)))" "$weft" train "${all[@]}" -o part.weft --log=part.csv --resume; } >/dev/null 2>&1
    [ $? -eq 137 ] && killed=$((killed + 1))
done
check resume "$weft" train "${all[@]}" -o part.weft --log=part.csv --resume
check 'killed and resumed to the same bits' cmp whole.weft part.weft
check 'dropout learns' awk -F, 'END { exit !($5 > 0.85) }' whole.csv
check 'and the same log' cmp <(cut -d, -f1-6 whole.csv) <(cut -d, -f1-6 part.csv)
check 'it was killed' test "$killed" -gt 0
check 'no checkpoint is left' test ! -e part.weft.checkpoint
"$weft" train "${digits[@]}" --epochs=1000 -o s.weft >/dev/null 2>stopped &
job=$!
sleep 1.5
kill -TERM $job
wait $job
check 'a signal ends it with a checkpoint' grep -q 'resume goes on' stopped
says 'another training' 'is of another training' "$weft" train "${digits[@]}" --epochs=999 -o s.weft --resume

# ---- ONNX in, ONNX out
check 'ONNX in' "$weft" convert net.weft net.onnx
check 'ONNX is trained' "$weft" train net.onnx digits --loss=cross_entropy --epochs=6 --lr=0.01 -o net2.onnx --log=o.csv
check 'ONNX learns' below o.csv 0.9
check 'ONNX out' "$weft" eval net2.onnx forward zeros:f32[1,1,8,8]

# ---- a script as the model
check 'a script is trained' "$weft" train "$root/examples/digits_net.py" digits --loss=cross_entropy --epochs=1 -o new/folder/s1.weft
check 'a script is run' "$weft" run "$root/examples/digits_net.py" saved.weft
check 'what it saves is trained' "$weft" train saved.weft digits --loss=cross_entropy --epochs=1 -o s2.weft
check 'a script is what it saves' cmp new/folder/s1.weft s2.weft
echo 'print("nothing")' >nothing.py
says 'a script that saves nothing' 'nothing.py saved no model where sys.argv[1] says' "$weft" train nothing.py digits --loss=mse
echo 'raise ValueError("not today")' >raises.py
says 'a script that fails' 'ValueError: not today' "$weft" train raises.py digits --loss=mse
check 'no file of a script is left' bash -c '! ls weft-??????.weft 2>/dev/null'

# ---- what is wrong
says 'no loss' "has no method 'loss'" "$weft" train net.weft digits
says 'no parameters' 'no program' "$weft" train "$root/examples/product.wir" digits --loss=mse
says 'another loss' "did you mean 'cross_entropy'" "$weft" train net.weft digits --loss=cross_entropi
says 'sizes that do not fit' 'other sizes than the results' "$weft" train net.weft digits --loss=mse
says 'no such file' 'No such file' "$weft" train net.weft nowhere.npy y.npy --loss=mse
says 'rows that do not fit' 'rows' "$weft" train line.weft x.npy y.idx
says 'rows of another shape' 'a row of column 1 is [64], input 0 of' "$weft" train line.weft digits --loss=mse
says 'no column' "has no column 'cost'" "$weft" train line.weft line.csv --target=cost
says 'a class too many' 'is no class' "$weft" train bright.weft x.idx <(printf '\0\0\010\1\0\0\0\4\0\0\1\7') --loss=cross_entropy
says 'pictures of two sizes' 'the first picture' bash -c "mkdir odd odd/a odd/b; echo 'P2 1 1 1 1' >odd/a/x.pgm; echo 'P2 2 1 1 1 0' >odd/b/x.pgm; '$weft' train bright.weft odd --loss=mse"
says 'a loss that explodes' 'the loss is' "$weft" train line.weft x.npy y.npy --optimizer=sgd --lr=1e30
says 'a schedule' 'warmup:STEPS' "$weft" train net.weft digits --loss=mse --schedule=sine

# ---- exported: steps in C of a loss by name, and of a method that does something else in training, are those of the script
cat >steps.py <<'PY'
import sys
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3, bias=False)
        self.norm = nn.BatchNorm2d(3)
        self.head = nn.Linear(48, 4)

    def forward(self, x):
        return self.head(torch.flatten(torch.relu(self.norm(self.conv(x))), 1))

    @torch.jit.export
    def loss(self, x, t):
        return torch.nn.functional.cross_entropy(self.forward(x), t)


torch.manual_seed(0)
x, t = torch.randn(5, 1, 6, 6), torch.tensor([0, 3, 1, 2, 2])
net = torch.jit.script(Net())
net(x), net.loss(x, t)
net.save("c.weft")
for name, make in (("sgd", lambda p: torch.optim.SGD(p, 0.01)), ("momentum", lambda p: torch.optim.SGD(p, 0.01, momentum=0.9)),
                   ("adam", lambda p: torch.optim.Adam(p, 0.01)), ("adamw", lambda p: torch.optim.AdamW(p, 0.01)),
                   ("rmsprop", lambda p: torch.optim.RMSprop(p, 0.01)), ("adagrad", lambda p: torch.optim.Adagrad(p, 0.01))):
    net = torch.jit.load("c.weft")
    net.train()
    optimizer = make(list(net.parameters()))
    with open(name + ".txt", "w") as f:
        for i in range(4):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), t)
            loss.backward()
            optimizer.step()
            f.write(f"{loss.item():.4f}\n")
        net.eval()
        f.write(f"{net(x)[0, 0].item():.4f}\n")
values = ", ".join([repr(v) for v in x.reshape(-1).tolist()])
with open("steps.c", "w") as f:
    f.write('#include "net.h"\n#include <stdio.h>\nstatic net_state s; static double arena[NET_ARENA / 8 + 8];\n'
            f"static const float x[] = {{{values}}}; static const int64_t t[] = {{0, 3, 1, 2, 2}};\n"
            "int main(void)\n{\n    float loss, y[20];\n    s = net_weights;\n"
            '    for (int i = 0; i < 4; i++) { if (net_train(&s, 5, x, t, &loss, arena)) return 1; printf("%.4f\\n", (double)loss); }\n'
            '    if (net_forward(&s, 5, x, y, arena)) return 1;\n    printf("%.4f\\n", (double)y[0]);\n    return 0;\n}\n')
PY
check 'the script that makes a step' "$weft" run steps.py
exported() { # LOSS OPTIMIZER
    "$weft" export c.weft -o "c_$2" --name=net --train="$1" --optimizer="$2" --lr=0.01 --max=8 && cc -std=c99 -O1 -w -I"c_$2" -o "c_$2/run" steps.c "c_$2/net.c" "c_$2/net_weights.c" -lm &&
        "c_$2/run" >"c_$2/out" && paste "c_$2/out" "$2.txt" | tee /dev/stderr | awk '{ d = $1 - $2; if (d < -2e-3 || d > 2e-3) exit 1 }'
}
for o in sgd momentum adam adamw rmsprop adagrad; do check "exported, cross_entropy by $o" exported cross_entropy "$o"; done
check 'exported, a method in training' exported loss adam
says 'exported, no loss' '--train=cross_entropy' "$weft" export bright.weft -o none --train --max=8

# ---- PyTorch's numbers
python=${PEERS_PYTHON:-python3}
if "$python" -c 'import torch, onnx' 2>/dev/null; then
    check 'the gradients of an ONNX file are those of PyTorch' "$python" "$root/tests/train_peers.py" "$weft"
else
    echo "tests/test_train.sh: no Python with torch and onnx (PEERS_PYTHON): not compared with PyTorch"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
