#!/usr/bin/env bash
# test_tensorboard.sh -- event files of torch.utils.tensorboard: records with right lengths and sums and, where a Python has
# TensorBoard (TENSORBOARD_PYTHON, or python3), what its own reader finds in them.
set -u
cd "$(dirname "$0")/.." || exit 1
weft=$(realpath "${WEFT_BIN:-build/weft}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
cat >"$work/write.py" <<'PY'
import sys
import torch
import matplotlib.pyplot as plt
import torch.nn as nn
from torch.utils.tensorboard import SummaryWriter

with SummaryWriter(sys.argv[1]) as w:
    for i in range(5):
        w.add_scalar("loss", torch.tensor(1.0 / (i + 1)), i)
    w.add_scalars("both", {"a": 1, "b": 2.5}, 3)
    w.add_histogram("weights", torch.linspace(-1, 2, 100), 1)
    w.add_image("picture", torch.arange(48).reshape(3, 4, 4) / 48.0, 2)
    w.add_text("note", "hello *there*", 0)
    w.add_graph(nn.Sequential(nn.Linear(3, 4), nn.ReLU()), torch.zeros(1, 3))
    figure = plt.figure(figsize=(2, 1), dpi=50)
    plt.plot([1, 2])
    w.add_figure("figure", figure, 1)
    assert not plt.fignum_exists(figure.number)
    w.add_pr_curve("curve", torch.arange(10) % 2, torch.arange(10) / 10.0, 3, num_thresholds=5)
    w.add_hparams({"lr": 0.1, "opt": "adam", "left out": None}, {"reached": 0.5}, {"opt": ["adam", "sgd"]}, run_name="try", global_step=2)
    w.add_audio("sound", torch.linspace(-1.5, 1, 6)[None], 3, sample_rate=8000)
    w.add_video("film", torch.arange(3 * 2 * 3 * 2 * 4, dtype=torch.float32).reshape(3, 2, 3, 2, 4) / 143, 4, fps=5)
    for wrong in (lambda: w.add_audio("two", torch.zeros(2, 3)), lambda: w.add_video("few", torch.zeros(2, 3, 4, 4)),
                  lambda: w.add_video("many", torch.zeros(1, 2, 5, 4, 4))):
        try:
            wrong()
            print("a sound or film that is none")
        except (AssertionError, ValueError, NotImplementedError):
            pass
    w.add_embedding(torch.eye(3), metadata=["a", "b", "c"], label_img=torch.ones(3, 1, 2, 2), tag="my/tag", global_step=4)
    try:
        w.add_embedding(torch.eye(3), metadata=["a"])
        print("labels that are too few")
    except AssertionError:
        pass
PY
cat >"$work/read.py" <<'PY'
# Every record of every file: its length, and both sums.
import os
import struct
import sys
from _proto import masked_crc as _crc

count = 0
for folder, _, names in os.walk(sys.argv[1]):
    for name in [n for n in names if n.startswith("events")]:
        data = open(os.path.join(folder, name), "rb").read()
        at = 0
        while at < len(data):
            n, sum_n = struct.unpack("<QI", data[at:at + 12])
            body = data[at + 12:at + 12 + n]
            assert len(body) == n and _crc(data[at:at + 8]) == sum_n
            assert _crc(body) == struct.unpack("<I", data[at + 12 + n:at + 16 + n])[0]
            at += 16 + n
            count += 1
assert _crc(b"123456789") == ((0xE3069283 >> 15 | 0xE3069283 << 17) + 0xA282EAD8) & 0xFFFFFFFF
print(count)
PY
if [ "$("$weft" run "$work/write.py" "$work/run")" = 'warning: audio amplitude out of range, auto clipped.' ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
n=$("$weft" run "$work/read.py" "$work/run")
if [ "$n" = 23 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "found '$n' records, needed 23"; fi
if [ "$(cat "$work/run/00004/my%2ftag/metadata.tsv")" = "$(printf 'a\nb\nc')" ] && grep -q '^1.0	0.0	0.0$' "$work/run/00004/my%2ftag/tensors.tsv" &&
    grep -q 'image_path: "00004/my%2ftag/sprite.png"' "$work/run/projector_config.pbtxt"; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo 'the files of add_embedding are not what they should be'
fi
python=${TENSORBOARD_PYTHON:-python3}
if "$python" -c 'import tensorboard' 2>/dev/null; then
    if "$python" - "$work/run" <tests/tensorboard_peers.py >"$work/out" 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); tail -5 "$work/out"; fi
else
    echo "tests/test_tensorboard.sh: no Python with tensorboard (TENSORBOARD_PYTHON): not read by the real one"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
