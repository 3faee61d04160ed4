#!/usr/bin/env bash
# test_onnx_peers.sh -- what Weft writes as ONNX is a model to ONNX's checker, and ONNX Runtime computes the same with it.
#
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
exec "$python" tests/onnx_peers.py "${WEFT_BIN:-build/weft}" "$work" tests/onnx/net.onnx examples/*.wir
