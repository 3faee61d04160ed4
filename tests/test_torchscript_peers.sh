#!/usr/bin/env bash
# test_torchscript_peers.sh -- what Weft writes as TorchScript archives PyTorch loads, and computes the same with it: programs that
# tests/test_onnx_write writes (all cases of tests/ops, random ones and derivatives), modules of scripts, archives saved again.
#
# Needs a Python with torch and numpy: PEERS_PYTHON, or python3. Skipped with a line where there is none.
set -u
cd "$(dirname "$0")/.." || exit 1
python=${PEERS_PYTHON:-python3}
weft=${WEFT_BIN:-build/weft}
if ! "$python" -c 'import numpy, torch' 2>/dev/null; then
    echo "tests/test_torchscript_peers.sh: skipped: no Python with torch (PEERS_PYTHON)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
passed=0

mkdir "$work/files"
"$weft" run tests/torchscript_files.py make "$work/files" script traced script_named >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$weft" run tests/torchscript_files.py show "$work/files" >"$work/weft.txt" 2>&1
"$python" -W ignore tests/torchscript_files.py show "$work/files" >"$work/torch.txt" 2>&1
if grep -q Error "$work/torch.txt" || ! diff "$work/weft.txt" "$work/torch.txt"; then
    cat "$work/torch.txt"
    failed=$((failed + 1))
else
    passed=$((passed + 1))
fi

written=$(dirname "$weft")/tests/test_onnx_write
mkdir "$work/written"
if [ -x "$written" ]; then
    WRITE_KIND=.ts ONNX_KEEP=$work/written "$written" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    if "$python" tests/torchscript_peers.py "$work/written" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        cat "$work/log"
        failed=$((failed + 1))
    fi
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
