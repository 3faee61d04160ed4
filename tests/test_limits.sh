#!/usr/bin/env bash
# test_limits.sh -- what the machine refuses: full disks and outputs, limits of memory, threads and file sizes, interrupts, caches that are
# links. Each is an error with a message or is done without; what was there before stays. docs/security.md has the promises.
set -u
cd "$(dirname "$0")/.." || exit 1
weft=$PWD/${WEFT_BIN:-build/weft}
case ${WEFT_BIN:-} in /*) weft=$WEFT_BIN ;; esac
work=$(mktemp -d) || exit 1
trap 'umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

check() { # NAME COMMAND..: it ends well
    local name=$1
    shift
    if "$@" >log 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "$name"
        sed 's/^/    /' log | tail -20
    fi
}
skip() { echo "skipped: $1"; }
ends() { # STATUS COMMAND..
    local want=$1 got
    shift
    "$@"
    got=$?
    [ $got -eq "$want" ] || { echo "status $got, not $want"; return 1; }
}

cat >many.py <<'PY'
for i in range(20000):
    print("line", i)
PY
cat >save.py <<'PY'
import sys, torch
net = torch.nn.Linear(200, 200)
torch.jit.save(torch.jit.trace(net, torch.zeros(1, 200)), sys.argv[1])
PY
cat >f.wir <<'WIR'
f(x: f32[2]) {
  y = exp x
  ret y
}
WIR

# ---- standard output: a command that could not say what it found has failed
for command in "run many.py" "eval f.wir [1,2]" "show f.wir" "info f.wir" "ops" "help"; do
    # shellcheck disable=SC2086
    full() { ends 3 "$weft" $command >/dev/full 2>err && grep -q 'cannot write standard output' err; }
    # shellcheck disable=SC2086
    closed() { ends 3 "$weft" $command >&- 2>err && grep -q 'cannot write standard output' err; }
    check "$command, standard output full" full
    check "$command, standard output closed" closed
done
reader_gone() { "$weft" run many.py 2>err | head -1 >first; [ "${PIPESTATUS[0]}" -eq 3 ] && grep -qx 'line 0' first; }
check 'a reader that is gone' reader_gone

# ---- full disks: the old file stays, nothing is left beside it
kept() { [ "$(cat "$1")" = keep ] && [ "$(find "$(dirname "$1")" -name '*~' | wc -l)" -eq 0 ]; }
mkdir limited small
echo keep >limited/net.weft
past_limit() { (ulimit -f 16 && ends 1 "$weft" run save.py limited/net.weft 2>err) && grep -q OSError err && kept limited/net.weft; }
check 'a file past the limit of its size' past_limit
if mount -t tmpfs -o size=64k tmpfs small 2>/dev/null; then
    echo keep >small/net.weft
    disk_full() { ends 1 "$weft" run save.py small/net.weft 2>err && grep -q OSError err && kept small/net.weft; }
    check 'a full disk' disk_full
    converted() { "$weft" run save.py net.weft && ends 3 "$weft" convert net.weft small/net.weft 2>err && kept small/net.weft; }
    check 'convert to a full disk' converted
else skip 'no disk of its own can be mounted'; fi

# ---- memory and threads
cat >memory.py <<'PY'
import torch
for ask in (lambda: torch.ones(1 << 36), lambda: [0] * (1 << 40), lambda: "x" * (1 << 40), lambda: bytes(1 << 40)):
    try:
        ask()
        print("got it")
    except MemoryError:
        print("refused")
held = []
try:
    while True:
        held.append([0] * 1000000)
except MemoryError:
    held = None
print(float(torch.ones(3).sum()))
PY
if [ -z "${WEFT_SAN:-}" ]; then # sanitizers map more than there is
    no_memory() { (ulimit -v 600000 && "$weft" run memory.py >out) && [ "$(grep -c refused out)" -eq 4 ] && grep -qx 3.0 out; }
    check 'memory that is not there is an error a script can catch' no_memory
    few_threads() { (ulimit -v 150000 && WEFT_THREADS=64 "$weft" eval f.wir '[0,0]' >out) && grep -q '\[1, 1\]' out; }
    check 'threads that cannot be started are done without' few_threads
fi

# ---- interrupts
cat >loop.py <<'PY'
try:
    print("begun", flush=True)
    while True:
        pass
except KeyboardInterrupt:
    print("interrupted")
PY
cat >numbers.py <<'PY'
import torch
a = torch.ones(64, 64)
print("begun", flush=True)
while True:
    a = a @ a * 0.01
PY
interrupt() { # FILE STATUS: SIGINT once it has begun
    "$weft" run "$1" >out 2>err &
    local pid=$!
    for _ in $(seq 200); do grep -q begun out && break; sleep 0.1; done
    kill -INT $pid
    wait $pid
    local got=$?
    [ $got -eq "$2" ] || { echo "status $got, not $2"; cat out err; return 1; }
}
caught() { interrupt loop.py 0 && grep -qx interrupted out; }
check 'an interrupt can be caught' caught
check 'an interrupt ends a script that computes' interrupt numbers.py 3
for numbers in '7 ** 900000000' 'pow(3, 2 ** 500000, 2 ** 900001 - 1)'; do # one step of the script, for hours
    echo "print('begun', flush=True); $numbers" >long.py
    check "an interrupt ends $numbers" interrupt long.py 3
done

# ---- kill -9 while saving: the file is the old one or the new one, and what was left beside it goes with the next save
killed() {
    mkdir -p kill && "$weft" run save.py kill/net.weft || return 1
    for wait in 0.05 0.1 0.15 0.2 0.25; do
        "$weft" run save.py kill/net.weft &
        local pid=$!
        sleep $wait
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        "$weft" info kill/net.weft >out || return 1
    done
    "$weft" run save.py kill/net.weft && [ "$(find kill -type f | wc -l)" -eq 1 ]
}
check 'killed while it saves' killed

# ---- the folder of the cache is a link, somebody else's, or cannot be: it is done without, and answers are the same
cat >compiled.py <<'PY'
import jax, jax.numpy as jnp
f = jax.jit(lambda x: (jnp.sin(x) * 2 + jnp.cos(x) * jnp.exp(-x)).sum())
x = jnp.arange(20000.0)
for i in range(30):
    y = f(x)
print(round(float(y), 3))
PY
export WEFT_COMPILE_AFTER=2
answers() { WEFT_CACHE=$1 "$weft" run compiled.py >out 2>err && cmp out want; }
unused() { answers "$work/$1" && [ -z "$(ls "$1"/)" ]; }
if command -v "${CC:-cc}" >/dev/null; then
    WEFT_CACHE=$work/plain "$weft" run compiled.py >want
    check 'the cache is filled' test -n "$(ls plain)"
    mkdir -m 700 target theirs && ln -s target link && mkdir -m 755 open
    check 'the cache is a link' unused link
    check 'the cache is open to others' unused open
    if [ "$(id -u)" -eq 0 ]; then
        chown 12345 theirs
        check 'the cache is somebody else'\''s' unused theirs
    else skip 'needs root: a folder of another user'; fi
    check 'the cache cannot be made' answers /proc/no/such/folder
    entries_are_links() { # an entry that leads to a file of the attacker's is not opened
        mkdir -m 700 -p linked && for f in plain/*; do ln -sf "$work/$f" "linked/${f##*/}"; done
        answers "$work/linked"
    }
    check 'entries that are links' entries_are_links
    at_once() {
        for i in 1 2 3 4; do WEFT_CACHE=$work/shared "$weft" run compiled.py >out$i 2>err$i & done
        wait
        for i in 1 2 3 4; do cmp out$i want || return 1; done
    }
    check 'four processes fill one cache' at_once
    printf '#!/bin/sh\nkill -9 $$\n' >dies && chmod +x dies
    dies() { CC=$work/dies answers "$work/dying"; }
    check 'a compiler that is killed' dies
    missing() { PATH=/no/such/folder WEFT_CACHE=$work/missing "$weft" run compiled.py >out 2>err && cmp out want && grep -q 'no C compiler' err; }
    check 'no compiler: it says so' missing
else skip 'no C compiler'; fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
