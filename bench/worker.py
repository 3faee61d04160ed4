"""worker.py -- the loop of a peer's process.

Commands come as lines on standard input, answers go as lines to standard output:

    row NAME DIR   read DIR/in*.npy, prepare, run once; results to DIR/SYSTEM.*.npy
                   -> ok SECONDS of the first run with its compilation
    time N         run N times                          -> ok SECONDS a run
    memory         -> ok MB, the most that was resident since the process began
Whatever goes wrong is answered by `fail` and a line of text.
"""

import glob
import os
import sys
import time

import numpy as np


def load(folder):
    return [np.load(p) for p in sorted(glob.glob(os.path.join(folder, "in*.npy")))]


def most_resident():
    """MB; getrusage would count the parent of the process, too"""
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) / 1000 for line in f if line.startswith("VmHWM"))


def clock():
    """seconds; with WEFT_CLOCK=cpu those the process and its children computed, for a machine with other work"""
    if os.environ.get("WEFT_CLOCK") == "cpu":
        t = os.times()
        return time.process_time() + t.children_user + t.children_system
    return time.perf_counter()


def serve(system, rows, to_numpy):
    """rows: name -> function of the inputs that gives a function to be timed, whose results to_numpy knows"""
    system = os.environ.get("BENCH_SYSTEM", system)
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # libraries that print do so elsewhere
    run = None
    for line in sys.stdin:
        word, *rest = line.split()
        try:
            if word == "row":
                name, folder = rest
                if name not in rows:
                    raise ValueError("no such row here")
                inputs = load(folder)
                start = clock()
                run = rows[name](inputs)
                results = [to_numpy(r) for r in run()]
                seconds = clock() - start
                for i, r in enumerate(results):
                    np.save(os.path.join(folder, f"{system}.{i:03d}.npy"), r)
                print(f"ok {seconds}", file=out)
            elif word == "time":
                n = int(rest[0])
                start = clock()
                for _ in range(n):
                    last = run()
                to_numpy(last[0])  # those who work behind our back are waited for
                print(f"ok {(clock() - start) / n}", file=out)
            elif word == "memory":
                print(f"ok {most_resident()}", file=out)
        except Exception as e:  # noqa: BLE001: every fault of a peer is a line of the table
            print("fail", type(e).__name__ + ":", " ".join(str(e).split())[:300], file=out)
