#!/usr/bin/env bash
# test_onnx_peers.sh -- what Weft writes as ONNX is a model to ONNX's checker, and ONNX Runtime computes the same with it.
#
# Models are those that tests/test_onnx_write writes (all cases of tests/ops, 300 random programs and derivatives), and the examples.
# Needs a Python with onnx, onnxruntime and numpy: PEERS_PYTHON, or python3. Skipped with a line where there is none.
set -u
cd "$(dirname "$0")/.." || exit 1
python=${PEERS_PYTHON:-python3}
if ! "$python" -c 'import numpy, onnx, onnxruntime' 2>/dev/null; then
    echo "tests/test_onnx_peers.sh: skipped: no Python with onnx and onnxruntime (PEERS_PYTHON)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
written=$(dirname "${WEFT_BIN:-build/weft}")/tests/test_onnx_write
mkdir "$work/written"
if [ -x "$written" ]; then
    ONNX_KEEP=$work/written "$written" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
fi
"$python" tests/onnx_peers.py "${WEFT_BIN:-build/weft}" "$work" tests/onnx/net.onnx examples/*.wir
