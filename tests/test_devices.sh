#!/usr/bin/env bash
# test_devices.sh -- GPUs as users of commands and scripts meet them: a driver whose GPU is the host (lib_gpu.c) stands in
# for NVIDIA's, also with what can be wrong with one.
set -u
cd "$(dirname "$0")/.." || exit 1
bin=$(realpath "${WEFT_BIN:-build/weft}")
fake=$(realpath "$(dirname "$bin")/tests/gpu")
passed=0 failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset WEFT_CUDA CUDA_VISIBLE_DEVICES JAX_PLATFORMS WEFT_DEVICE GPU_FAKE
export WEFT_CACHE=$dir/cache

# With a GPU, with one that GPU_FAKE says is wrong, and with none.
with() { LD_LIBRARY_PATH=$fake "$bin" "$@" 2>&1; }
wrong() { local how=$1; shift; GPU_FAKE=$how LD_LIBRARY_PATH=$fake "$bin" "$@" 2>&1; }
without() { WEFT_CUDA=off "$bin" "$@" 2>&1; }
# has NAME TEXT PATTERN: the text has a line that matches
has() {
    if grep -qE -- "$3" <<<"$2"; then
        passed=$((passed + 1))
    else
        printf '%s: no line matches %s in\n%s\n' "$1" "$3" "$2"
        failed=$((failed + 1))
    fi
}

cat >"$dir/f.wir" <<'W'
f(x: f32[3]) {
  y = tanh x
  ret y
}
W
cat >"$dir/a.py" <<'P'
import torch
x = torch.zeros(2)
print(x.device, torch.cuda.is_available(), torch.cuda.device_count())
P

# what a large product can do in the same call stands directly behind it, in no kernel with what waits for others
cat >"$dir/tail.wir" <<'W'
f(x: f32[1024,256], g: f32[1024,512], w: f32[256,512], v: f32[256,512], a: f32[4,8], b: f32[4,8]) {
  p = dot_general x g lhs=[0] rhs=[0] acc=f32
  q = dot_general p g lhs=[1] rhs=[1] acc=f32
  r = dot_general x g lhs=[0] rhs=[0] acc=f32 precision=highest
  s = dot_general a a lhs=[0] rhs=[0] acc=f32
  t = dot_general b b lhs=[0] rhs=[0] acc=f32
  c = const f32[256,512] 0.5
  h = mul c p
  y = sub w h
  i = mul c r
  z = sub v i
  d = const f32[8,8] 0.25
  j = mul d s
  k = mul d t
  ret q, y, z, j, k
}
W

# ---- without one
order=$(without show "$dir/tail.wir" --target=cuda --as=fused | sed -n 's/^  .* = \(dot_general\|call\) .*/\1/p' | tr '\n' ' ')
has 'order behind products' "$order" '^dot_general call dot_general dot_general call dot_general dot_general call $'
out=$(without devices)
has 'devices, none' "$out" '^cpu '
has 'devices, none' "$out" "there is no device 'cuda:0': there is cpu \(WEFT_CUDA=off hides GPUs\)"
out=$(without eval "$dir/f.wir" --device=cuda '[1,2,3]'; echo "status $?")
has 'eval, none' "$out" "there is no device 'cuda:0'"
has 'eval, none' "$out" '^status 1'
has 'eval on the host' "$(without eval "$dir/f.wir" --device=cpu '[0,0,0]')" 'f32\[3\] \[0, 0, 0\]'
has 'run, none' "$(without run --device=cuda "$dir/a.py")" "there is no device 'cuda:0'"
has 'reference' "$(without eval "$dir/f.wir" --reference --device=cpu '[0,0,0]')" 'runs on the host alone'
has 'version' "$(without --version)" '^  cpu '
has 'ops' "$(without ops)" '^sort .* native$'
has 'ops' "$(without ops)" '^svd .* host$'
printf 'import jax\n' >"$dir/j.py"
has 'jax, none' "$(JAX_PLATFORMS=cuda without run "$dir/j.py")" "Unable to initialize backend 'cuda': no GPU can be used"
has 'ops' "$(without ops tanh)" 'on a GPU: kernel'

if ! ${CXX:-g++} --version >/dev/null 2>&1 || [ ! -e "$fake/libcuda.so.1" ]; then
    echo "no C++ compiler to run CUDA C++ on the host with"
    echo "$passed passed, $failed failed, 1 skipped"
    [ "$failed" = 0 ]
    exit
fi

# ---- with one
has 'devices' "$(with devices)" '^cuda:0 +host 0, compute capability 9.0'
has 'devices, two' "$(wrong devices=2 devices)" '^cuda:1 '
has 'version' "$(with --version)" '^  cuda:0 '
has 'eval' "$(with eval "$dir/f.wir" --device=cuda '[0,0,0]')" 'f32\[3\] \[0, 0, 0\]'
has 'eval, no such' "$(with eval "$dir/f.wir" --device=cuda:1 '[0,0,0]')" "there is no device 'cuda:1': there are cpu, cuda:0"
has 'bench' "$(with bench "$dir/f.wir" --device=gpu --runs=1)" 'f, compiled on cuda:0'
# attention reads its operands where they lie in one array, and writes their gradients so: two steps
cat >"$dir/qkv.wir" <<'W'
f(h: f32[1,64,3,2,8]) {
  %2 = transpose h perm=[2,0,3,1,4]
  %3 = slice %2 start=[0,0,0,0,0] limit=[1,1,2,64,8]
  q = reshape %3 [1,2,64,8]
  %4 = slice %2 start=[1,0,0,0,0] limit=[2,1,2,64,8]
  k = reshape %4 [1,2,64,8]
  %5 = slice %2 start=[2,0,0,0,0] limit=[3,1,2,64,8]
  v = reshape %5 [1,2,64,8]
  d = dot_general q k lhs=[3] rhs=[3] lhs_batch=[0,1] rhs_batch=[0,1] acc=f32
  i = iota i32[1,2,64,64] axis=2
  j = iota i32[1,2,64,64] axis=3
  c = ge i j
  low = const f32[1,2,64,64] -inf
  s = select c d low
  m = reduce_max s axes=[3]
  n = stop_gradient m
  %6 = broadcast n [1,2,64,64] dims=[0,1,2]
  %7 = sub s %6
  e = exp %7
  l = reduce_sum e axes=[3]
  %8 = broadcast l [1,2,64,64] dims=[0,1,2]
  w = div e %8
  y = dot_general w v lhs=[3] rhs=[2] lhs_batch=[0,1] rhs_batch=[0,1] acc=f32
  ret y
}
W
has 'attention of parts' "$(with bench "$dir/qkv.wir" --vjp --device=cuda --runs=1)" '^one run takes .* ms; 2 steps'
has 'run' "$(with run --device=cuda "$dir/a.py")" '^cuda:0 True 1'
has 'run, hidden' "$(WEFT_CUDA=off with run "$dir/a.py")" '^cpu False 0'

# a kernel that comes often, where a graph of one kernel can be made and where not
cat >"$dir/often.py" <<'P'
import torch
x = torch.ones(3)
for _ in range(40): x = x + 1.0
print(x.tolist())
P
has 'often' "$(with run --device=cuda "$dir/often.py")" '^\[41.0, 41.0, 41.0\]'
has 'often, no graphs' "$(wrong singles=0 run --device=cuda "$dir/often.py")" '^\[41.0, 41.0, 41.0\]'

# ---- what can be wrong
has 'old driver' "$(wrong driver=11080 devices)" 'the CUDA driver is of version 11.8, 12.0 is needed'
has 'no GPUs' "$(CUDA_VISIBLE_DEVICES='' wrong devices=0 devices)" 'the CUDA driver has no GPUs, CUDA_VISIBLE_DEVICES is'
has 'old GPU' "$(wrong capability=52 devices)" 'compute capability 5.2, 7.0 is needed'
mkdir "$dir/driver" && ln -s "$fake/libcuda.so.1" "$dir/driver/"
for name in nvrtc.so{,.12,.13} cublasLt.so{,.12,.13} cudnn.so{,.9}; do : >"$dir/driver/lib$name"; done # whatever the system has
bare() { LD_LIBRARY_PATH=$dir/driver "$bin" "$@" 2>/dev/null; }
has 'no NVRTC' "$(bare devices)" 'no NVRTC: the host does all work'
has 'no NVRTC' "$(bare eval "$dir/f.wir" --device=cuda '[0,0,0]')" 'f32\[3\] \[0, 0, 0\]'
out=$(bare run tests/gpu_planes.py; echo "status $?")
has 'attention of parts, no NVRTC' "$out" '^status 0'
out=$(bare run tests/gpu/functions.py)
[ "$out" = done ] && passed=$((passed + 1)) || { failed=$((failed + 1)); printf 'functions on a GPU:\n%s\n' "$out"; }

for part in lost memory torch jax tf file; do
    how=$(sed -n 's/^# GPU_FAKE: //p' "tests/gpu/$part.py")
    out=$(cd "$dir" && wrong "$how" run "$OLDPWD/tests/gpu/$part.py")
    if [ "$out" = "ok" ]; then
        passed=$((passed + 1))
    else
        printf '%s: %s\n' "$part" "$out"
        failed=$((failed + 1))
    fi
done
has 'a file without its device' "$(cd "$dir" && without eval net.weft forward '[[1,2]]')" "names device 'cuda:0', which is not here: it runs on the host"
has 'a file with its device' "$(cd "$dir" && with eval net.weft forward '[[1,2]]')" '^f32\[1,1\] '

# ---- GPUs of several processes, by a library in NCCL's place
together() { # together N SCRIPT ..: the lines of all ranks, in their order
    local n=$1
    shift
    TMPDIR=$dir LD_LIBRARY_PATH=$fake timeout 120 "$bin" launch -n "$n" "$@" 2>&1 | sort
}
if [ -e "$fake/libnccl.so.2" ]; then
    for n in 2 3; do
        out=$(together $n tests/gpu/world_nccl.py)
        has "collectives by NCCL, $n processes: $out" "$(echo "$out" | grep -c 'done$')" "^$n$"
        out=$(together $n tests/gpu/world_norm.py)
        has "batches normalised together, $n processes: $out" "$(echo "$out" | grep -c 'done$')" "^$n$"
    done
    out=$(GPU_FAKE=devices=4 together 2 tests/gpu/world_two.py)
    has 'a module over two devices' "$out" "1 True \['cuda:2', 'cuda:2', 'cuda:3', 'cuda:3'\] \['cuda:2', 'cuda:2', 'cuda:3', 'cuda:3'\] cuda:2 True"
    out=$(TMPDIR=$dir LD_LIBRARY_PATH=$fake WORLD_DEVICE=cuda timeout 120 "$(dirname "$bin")/tests/test_world" devices 2>&1)
    has "collectives of programs by NCCL: $out" "$out" '^1 passed, 0 failed'
    out=$(TMPDIR=$dir LD_LIBRARY_PATH=$fake WORLD_DEVICE=cuda NCCL_FAKE=error=1 timeout 120 "$(dirname "$bin")/tests/test_world" devices 2>&1)
    has 'which are indeed by NCCL' "$out" 'nccl: another process failed'
    export WEFT_COMM_TIMEOUT=3
    has 'no fault' "$(together 2 tests/gpu/world_fault.py none)" '\[0\] reduced \[4.0, 4.0, 4.0\]'
    out=$(together 2 tests/gpu/world_fault.py kill)
    has 'a member that is killed' "$out" 'error in seconds: all_reduce: rank 0 of 2: rank 1 has ended'
    has 'a member that is killed' "$out" 'again: all_reduce: rank 0 of 2: after an earlier failure: rank 1 has ended'
    has 'one that does not come' "$(together 2 tests/gpu/world_fault.py sleep)" 'error in seconds: all_reduce: rank 0 of 2: waited 3 seconds'
    out=$(NCCL_FAKE=error=2 together 2 tests/gpu/world_fault.py none)
    has 'an error of the network' "$out" 'error in seconds: all_reduce: rank . of 2: nccl: another process failed, or the network'
    out=$(NCCL_FAKE=hang=2 together 2 tests/gpu/world_fault.py none)
    has 'an exchange that is never done' "$out" "error in seconds: device 'cuda:0': .* an exchange: waited 3 seconds"
    out=$(NCCL_FAKE=hang=2 together 2 tests/gpu/world_fault.py kill)
    has 'one whose member is killed' "$out" "error in seconds: device 'cuda:0': .* an exchange: rank 1 has ended"
    unset WEFT_COMM_TIMEOUT
    has 'a link that cannot be made' "$(NCCL_FAKE=init=5 together 2 tests/gpu/world_fault.py none)" 'a link of 2 devices: rank [01]: nccl: wrong use'
    out=$(GPU_FAKE=uuid=1 WEFT_LOG=1 together 2 tests/gpu/world_fault.py none)
    has 'two processes on one GPU' "$out" 'ranks 0 and 1 use one device: exchanges go through the host'
    has 'two processes on one GPU' "$out" 'reduced \[4.0, 4.0, 4.0\]'
    out=$(NCCL_FAKE=version=21000 together 2 tests/gpu/world_fault.py none)
    has 'an old NCCL' "$out" "doesn't have NCCL built in: libnccl.so.2 is of version 2.10, 2.18 is needed"
    : >"$dir/driver/libnccl.so.2"
    : >"$dir/driver/libnccl.so"
    ln -sf "$fake/libnvrtc.so" "$dir/driver/libnvrtc.so"
    out=$(LD_LIBRARY_PATH=$dir/driver timeout 60 "$bin" launch -n 2 tests/gpu/world_fault.py none 2>&1)
    has 'no NCCL' "$out" "doesn't have NCCL built in: libnccl.so.2 cannot be opened"
    has 'no NCCL, said once a process' "$(echo "$out" | grep -c 'warning: libnccl.so.2 cannot be opened')" '^2$'
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
