#!/usr/bin/env bash
# test_world.sh -- scripts in several processes, by weft launch and, where there is one, by mpirun; what launch does with output,
# signals and processes that end badly.
set -u
cd "$(dirname "$0")/.." || exit 1
bin=$(realpath "${WEFT_BIN:-build/weft}")
build=$(dirname "$bin")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

check() { # check NAME COMMAND..: it must succeed
    local name=$1
    shift
    if "$@"; then passed=$((passed + 1)); else echo "test_world.sh: $name"; failed=$((failed + 1)); fi
}

own=tests/world/own_processes.py
timeout 120 "$bin" run $own >"$work/out" 2>&1
check "$own" diff "$work/out" ${own%.py}.out
together=$(ls tests/world/*.py | grep -v own_processes)

# Lines of two processes come in any order.
for f in $together; do
    timeout 120 "$bin" launch -n 2 --plain "$f" >"$work/out" 2>&1
    check "$f by weft launch" diff <(sort "$work/out") <(sort "${f%.py}.out")
done

timeout 120 "$bin" launch -n 4 --plain tests/world/device_mesh_laws.py >"$work/out" 2>&1
check "DTensors on a mesh of two by two" diff "$work/out" <(printf '%d 0 []\n' 0 1 2 3)

timeout 120 "$bin" launch -n 4 --plain tests/world/tensor_parallel.py >"$work/out" 2>&1
check "parts over two axes, by parallelize_module and fully_shard" diff <(grep ' 2d' "$work/out" | sort) tests/world/tensor_parallel_four.out

timeout 120 "$bin" launch -n 4 --plain tests/world/hybrid.py >"$work/out" 2>&1
check "parts and copies, two by two: the same parameters" test "$(grep -o '\[[^[]*$' "$work/out" | head -12 | sort -u | wc -l)" = 1

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 WEFT_MPI=$build/weft_mpi.so
if [ -e "$build/weft_mpi.so" ] && timeout 60 mpirun -n 2 true >/dev/null 2>&1; then
    for f in $together; do
        rm -f "$work"/out.? # each its own: mpirun brings parts of lines
        timeout 120 mpirun -n 2 sh -c 'exec "$0" run "$1" >"$2.$OMPI_COMM_WORLD_RANK" 2>&1' "$bin" "$f" "$work/out"
        check "$f by mpirun" diff <(cat "$work"/out.? | sort) <(sort "${f%.py}.out")
    done
    timeout 300 mpirun -n 4 "$build/tests/test_world" exchanges >"$work/out" 2>&1 || cat "$work/out"
    check "exchanges in four processes of MPI" test "$(grep -c '^1 passed, 0 failed' "$work/out")" = 4
else
    echo "no mpirun that starts processes, or no plug-in for it: MPI is not tried"
fi

# The same loss whatever is divided.
want=$("$build/examples/parallel_gpt" | tail -1)
for mesh in "2 1" "1 2" "2 2"; do
    n=$((${mesh% *} * ${mesh#* }))
    got=$(timeout 120 "$bin" launch -n $n --plain "$build/examples/parallel_gpt" $mesh 2>&1 | tail -1)
    check "parallel_gpt $mesh: $got, alone $want" test "$got" = "$want"
done

# Checkpoints are written once, and training goes on from them: on as many processes to the same bits, on others to rounding.
cat >"$work/resume.py" <<'EOF'
import os, sys, torch, torch.nn as nn, torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.fsdp import fully_shard
dist.init_process_group("gloo")
r, n = dist.get_rank(), dist.get_world_size()
folder, start, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 12), nn.Tanh(), nn.Linear(12, 1))
fully_shard(net)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
X = torch.randn(12, 5, generator=torch.Generator().manual_seed(7))
state = {"model": dict(net.named_parameters()), "step": 0}
if start:
    dcp.load(state, checkpoint_id=folder)
    assert state["step"] == start
for k in range(start, end):
    opt.zero_grad()
    loss = ((net(X[r::n]) - X[r::n].sum(1, keepdim=True)) ** 2).mean()
    loss.backward()
    opt.step()
    total = loss.detach().clone()
    dist.all_reduce(total)
    if r == 0:
        print(f"{k} {total.item() / n:{sys.argv[4]}}", flush=True)
dcp.save({"model": dict(net.named_parameters()), "step": end}, checkpoint_id=folder)
dist.destroy_process_group()
EOF
through() { timeout 60 "$bin" launch -n "$1" --plain "$work/resume.py" "$work/state$2" "$3" "$4" "$5"; }
want=$(through 2 0 0 6 .17g | tail -3)
through 2 1 0 3 .17g >/dev/null
for n in 1 3 4; do
    cp -r "$work/state1" "$work/state2$n"
    check "resumed on $n processes" test "$(through $n "2$n" 3 6 .4f)" = "$(echo "$want" | awk '{ printf "%d %.4f\n", $1, $2 }')"
done
check "resumed on as many processes" test "$(through 2 1 3 6 .17g)" = "$want"
check "nothing half written" test "$(ls -A "$work/state1" | wc -l)" = 2

# Lines are whole and have their rank; the status is that of who ended badly, who is named; the others end, too.
cat >"$work/ends.py" <<'EOF'
import os, sys, time
import torch, torch.distributed as dist
dist.init_process_group("gloo")
print("here", flush=True)
dist.barrier()
if dist.get_rank() == 1:
    if sys.argv[1] == "kill":
        os.kill(os.getpid(), 9)
    if sys.argv[1] == "raise":
        raise ValueError("no more data")
    sys.exit(7)
dist.all_reduce(torch.ones(3))
EOF
for how in kill raise exit; do
    timeout 60 "$bin" launch -n 3 "$work/ends.py" $how >"$work/out" 2>"$work/err"
    status=$?
    check "$how: status $status" test $status = "$([ $how = exit ] && echo 7 || echo 1)"
    check "$how: lines" test "$(sort "$work/out" | tr '\n' ' ')" = "[0] here [1] here [2] here "
    check "$how: who is named" grep -q "$([ $how = kill ] && echo 'rank 1 was ended by signal 9' || echo 'rank 1 ended with status')" "$work/err"
    check "$how: what the others say" grep -q "$([ $how = raise ] && echo 'rank 1 failed: .*no more data' || echo 'rank 1 has ended')" "$work/err"
done

printf 'import time\nprint("on", flush=True)\ntime.sleep(60)\n' >"$work/sleeps.py"
timeout -s INT 2 "$bin" launch -n 2 "$work/sleeps.py" >"$work/out" 2>"$work/err"
check "an interrupt ends all" test "$(pgrep -fc "$work/sleeps.py")" = 0

for wrong in "" "-n 0 x.py" "-n 2" "x.py" "-n two x.py" "--what x.py"; do
    "$bin" launch $wrong >/dev/null 2>&1
    check "launch $wrong: wrong use" test $? = 2
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
