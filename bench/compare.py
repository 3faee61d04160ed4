"""compare.py -- Weft beside its peers, row by row.

    python bench/compare.py BUILD [ROW,ROW..]

Every system is a process of its own that keeps a prepared row (worker.py has the protocol). For each row:
the same inputs to all, results compared with each other first, then five rounds in which each system runs
in turn for about a fifth of a second, after a pause; a system's time is the median of its rounds. On a machine with
other work only the ratios mean something. Writes BUILD/bench.json, and the table as BUILD/bench.md.

    WEFT_THREADS   how many threads each system gets; all cores
    WEFT_CLOCK     cpu: count the time that is computed, not the time that passes. With one thread this gives fair
                   ratios on a machine with other work
    WEFT_SYSTEMS   which systems, such as weft,jax
"""

import json
import math
import os
import re
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import cold
import numpy as np
from rows import ROWS

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(sys.argv[1])
THREADS = int(os.environ.get("WEFT_THREADS", len(os.sched_getaffinity(0))))
CPU_CLOCK = os.environ.get("WEFT_CLOCK") == "cpu"
ROUNDS, ROUND_SECONDS, PATIENCE = 5, 0.2, 1200 if CPU_CLOCK else 180
SETTLE_SECONDS = 0 if CPU_CLOCK else 0.3

PEERS = {
    "eager": ["peer_torch.py", "eager"],
    "compile": ["peer_torch.py", "compile"],
    "script": ["peer_torch.py", "script"],
    "jax": ["peer_jax.py", "jit"],
    "ort": ["peer_ort.py", "run"],
}
COLUMNS = ["eager", "compile", "jax", "ort"]
# The peers' own files, run by `weft run`: the same program from a script. At most 1.1x of the row in C, or a microsecond more.
SCRIPTS = {"jax": "as JAX", "compile": "as torch.compile", "eager": "as PyTorch", "script": "as TorchScript"}
SCRIPT_RATIO, SCRIPT_MORE_MS = 1.1, 1e-3
ONLY = {"while": ["script", "jax"], "dispatch": ["eager"], "tape": ["eager"]}


class Worker:
    """a system's process, and what it answers"""

    def __init__(self, system, scratch):
        self.system, self.error = system, None
        env = dict(os.environ, OMP_NUM_THREADS=str(THREADS), WEFT_CACHE=os.path.join(scratch, "cache"),
                   PYTHONPATH=HERE, TORCHINDUCTOR_CACHE_DIR=os.path.join(scratch, "inductor"))
        script, mode = PEERS.get(system.removesuffix(".weft"), (None, None))
        env["BENCH_SYSTEM"] = system
        if system.endswith(".weft"):
            argv = [os.path.join(BUILD, "weft"), "run", os.path.join(HERE, script), mode, str(THREADS)]
            env["WEFT_THREADS"] = str(THREADS)
        elif system == "weft":
            argv = [os.path.join(BUILD, "bench", "weft_rows"), str(THREADS)]
        else:
            argv = [sys.executable, os.path.join(HERE, script), mode, str(THREADS)]
        self.log = open(os.path.join(scratch, system + ".log"), "w+")
        self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, env=env)

    def ask(self, *words):
        """the number it answers; None after a failure, which is kept"""
        if self.error:
            return None
        try:
            self.p.stdin.write((" ".join(str(w) for w in words) + "\n").encode())
            self.p.stdin.flush()
            if not select.select([self.p.stdout], [], [], PATIENCE)[0]:
                self.error = f"no answer in {PATIENCE} s"
                self.p.kill()
                return None
            line = self.p.stdout.readline().decode(errors="replace").split(None, 1)
        except OSError as e:
            line = ["fail", str(e)]
        if line and line[0] == "ok":
            return float(line[1])
        self.log.seek(0)
        tail = self.log.read()[-300:]
        self.error = line[1].strip() if line else "died: " + " ".join(tail.split())
        return None

    def close(self):
        self.p.stdin.close()
        try:
            self.p.wait(5)
        except subprocess.TimeoutExpired:
            self.p.kill()
            self.p.wait()
        self.log.close()


def results(folder, system):
    names = sorted(n for n in os.listdir(folder) if re.fullmatch(re.escape(system) + r"\.\d+\.npy", n))
    return [np.load(os.path.join(folder, n)) for n in names]


def difference(a, b):
    """the largest, beside the largest number of its tensor"""
    if len(a) != len(b):
        return math.inf
    worst = 0.0
    for x, y in zip(a, b):
        if x.size != y.size:
            return math.inf
        x, y = np.asarray(x, np.float64).ravel(), np.asarray(y, np.float64).ravel()
        if not np.isfinite(x).all():
            return math.inf
        if x.size:
            worst = max(worst, float(np.abs(x - y).max() / (np.abs(y).max() + 1e-6)))
    return worst


def settle():
    """idle threads of the system before spin for a while; let them end"""
    time.sleep(SETTLE_SECONDS)


def measure(row, systems):
    """one row in all systems"""
    scratch = tempfile.mkdtemp(prefix="weft-bench-")
    os.mkdir(os.path.join(scratch, "cache"), 0o700)
    for i, a in enumerate(row.inputs(np.random.default_rng(2026))):
        np.save(os.path.join(scratch, f"in{i:03d}.npy"), a)
    workers = [Worker(s, scratch) for s in systems]
    answer = {"systems": {}}
    for w in workers:
        w.ask("memory")  # answers when all is imported: nothing is timed beside that
    for w in workers:
        settle()
        first = w.ask("row", row.name, scratch)
        answer["systems"][w.system] = {"first_seconds": first}
    # the word of a peer, not Weft's own, is the measure
    given = {w.system: results(scratch, w.system) for w in workers if not w.error}
    reference = next((s for s in ("eager", "jax", "script", "ort") if s in given), None)
    for w in workers:
        if reference and not w.error:
            d = difference(given[w.system], given[reference])
            answer["systems"][w.system]["difference"] = d
            if not d <= row.tol:
                w.error = f"results differ from {reference}: {d:.2g}, allowed {row.tol:.2g}"
    calls = {}
    for w in workers:
        t = w.ask("time", 2)
        t = t and w.ask("time", max(1, min(100, int(0.02 / t))))
        calls[w.system] = max(1, min(20000, int(ROUND_SECONDS / t))) if t else 0
    rounds = {w.system: [] for w in workers}
    for _ in range(ROUNDS):
        for w in workers:
            settle()
            w.ask("time", max(1, calls[w.system] // 10))
            t = w.ask("time", calls[w.system])
            if t:
                rounds[w.system].append(t)
    for w in workers:
        entry = answer["systems"][w.system]
        entry["memory_mb"] = w.ask("memory")
        if w.error:
            entry["error"] = w.error
        else:
            entry["ms"] = 1e3 * statistics.median(rounds[w.system])
            entry["rounds_ms"] = [1e3 * t for t in rounds[w.system]]
        w.close()
    shutil.rmtree(scratch, ignore_errors=True)
    return answer


# ---- the table ---------------------------------------------------------------------------------------------------


def ms(entry):
    return entry.get("ms") if entry else None


def cell(x, places=3):
    return "–" if x is None else f"{x:.{places}g}" if x < 1000 else f"{x:.0f}"


def summarise(row, answer, machine):
    """ratios and the share of the limit"""
    s = answer["systems"]
    weft = ms(s.get("weft"))
    peers = {k: ms(v) for k, v in s.items() if k.split(".")[-1] != "weft" and ms(v)}
    limit = 1e3 * max(row.flops / (machine["gflops"] * 1e9), row.bytes / (machine["gbytes"] * 1e9))
    answer.update(work=row.work, target=row.target, limit_ms=limit)
    if weft:
        answer["ratios"] = {k: v / weft for k, v in peers.items()}
        if peers:
            answer["best"] = min(peers, key=peers.get)
            answer["ratio"] = peers[answer["best"]] / weft
        if limit:
            answer["of_limit"] = limit / weft


def print_head():
    print(f"{'row':18} {'weft ms':>9} " + " ".join(f"{c:>8}" for c in COLUMNS) +
          f" {'to best':>8} {'target':>6} {'% of limit':>10}", flush=True)


def print_row(name, a):
    s = a["systems"]
    mine = s.get("weft", {})
    cells = [cell(ms(s.get(c)) or ms(s.get("script") if c == "eager" else None)) for c in COLUMNS]
    ratio = a.get("ratio")
    text = f"{name:18} {cell(ms(mine)) if ms(mine) else 'failed':>9} " + " ".join(f"{c:>8}" for c in cells)
    text += f" {f'{ratio:.2f}x' if ratio else '–':>8} {a['target']:>5}x"
    text += f" {100 * a['of_limit']:>9.0f}%" if "of_limit" in a else f" {'–':>10}"
    if ratio and ratio < a["target"]:
        text += "  short"
    print(text, flush=True)
    for system, e in s.items():
        if "error" in e and "no such row" not in e["error"]:
            print(f"    {system}: {e['error'][:200]}", flush=True)


def machine_speed():
    """what this machine reaches, by Weft's own measure"""
    scratch = tempfile.mkdtemp(prefix="weft-bench-")
    w = Worker("weft", scratch)
    speed = {"gflops": w.ask("gflops") or 200.0, "gbytes": w.ask("gbytes") or 40.0, "threads": THREADS,
             "clock": "cpu" if CPU_CLOCK else "wall"}
    w.close()
    shutil.rmtree(scratch, ignore_errors=True)
    return speed


def first_calls(answers):
    """until the first result by compiled code, with nothing cached"""
    print("\nfirst call, seconds       weft  compile      jax   to compile   to jax     (targets 10x, 3x)")
    for name, a in answers.items():
        s = a["systems"]
        t = {k: s.get(k, {}).get("first_seconds") for k in ("weft", "compile", "jax")}
        if not ROWS[name].train or not t["weft"]:
            continue
        a["first_ratio"] = {k: t[k] / t["weft"] for k in ("compile", "jax") if t[k]}
        print(f"{name:18} " + " ".join(f"{cell(t[k]):>8}" for k in ("weft", "compile", "jax")) + "   " +
              " ".join(f"{cell(a['first_ratio'].get(k)):>9}x" for k in ("compile", "jax")))
    print("\npeak memory, MB           weft    eager  compile      jax")
    for name, a in answers.items():
        if ROWS[name].train:
            print(f"{name:18} " + " ".join(
                f"{cell(a['systems'].get(k, {}).get('memory_mb')):>8}" for k in ("weft", "eager", "compile", "jax")))


def from_scripts(answers):
    """the rows as scripts, beside the same in C"""
    print(f"\nrows as scripts, ms        in C " + " ".join(f"{t:>16}" for t in SCRIPTS.values()) +
          f"     (limit {SCRIPT_RATIO}x of C, or {1e3 * SCRIPT_MORE_MS:.0f} us more)")
    for name, a in answers.items():
        c = ms(a["systems"].get("weft"))
        t = {k: ms(a["systems"].get(k + ".weft")) for k in SCRIPTS}
        if not c or not any(t.values()):
            continue
        a["script_ratio"] = {k: v / c for k, v in t.items() if v}
        best = min(v for v in t.values() if v)
        short = best > max(SCRIPT_RATIO * c, c + SCRIPT_MORE_MS)
        print(f"{name:18} {cell(c):>10} " + " ".join(f"{f'{cell(v)} {v / c:.2f}x' if v else '–':>16}" for v in t.values()) +
              ("  short" if short else ""))


def scripts():
    """the same script by Weft and by Python with PyTorch: what one operation costs from there"""
    script = os.path.join(HERE, "script", "dispatch.py")
    systems = {"weft": [os.path.join(BUILD, "weft"), script], "eager": [sys.executable, script]}
    taken = {}
    for _ in range(3):
        for system, argv in systems.items():
            r = subprocess.run(argv, capture_output=True, text=True, check=False)
            for line in r.stdout.splitlines():
                name, ms_ = line.split()
                taken.setdefault(name, {}).setdefault(system, []).append(float(ms_))
    print("\nfrom a script, ms         weft    eager   to eager     (target 10x; calls: 10 of tiny_infer)")
    answer = {}
    for name, t in taken.items():
        answer[name] = {s: statistics.median(v) for s, v in t.items()}
        if len(t) == 2:
            answer[name]["ratio"] = answer[name]["eager"] / answer[name]["weft"]
        print(f"{name:18} " + " ".join(f"{cell(answer[name].get(s)):>8}" for s in systems) +
              f"   {cell(answer[name].get('ratio')):>7}x")
    return answer


def markdown(out):
    """the table as docs/performance.md keeps it"""
    m = out["machine"]
    names = ", ".join(f"{k} {v}" for k, v in out["versions"].items())
    lines = [f"{out['when']}, {m['threads']} thread{'s' * (m['threads'] > 1)}, "
             f"{'time computed' if m['clock'] == 'cpu' else 'time passed'}; {names}.", "",
             "| row | Weft, ms | eager | compile | JAX | ORT | to the best | aim | of the limit |",
             "|---|---|---|---|---|---|---|---|---|"]
    for name, a in out["rows"].items():
        s = a["systems"]
        cells = [cell(ms(s.get(c)) or ms(s.get("script") if c == "eager" else None)) for c in COLUMNS]
        ratio, limit = a.get("ratio"), a.get("of_limit")
        lines.append(f"| {name} | {cell(ms(s.get('weft')))} | " + " | ".join(cells) +
                     f" | {f'{ratio:.2f}x' if ratio else '–'} | {a['target']}x | "
                     f"{f'{100 * limit:.0f} %' if limit else '–'} |")
    if "mean" in out:
        lines += ["", f"Geometric mean of the compute rows: {out['mean']:.2f}x of the best peer (aim 1.8x)."]
    return "\n".join(lines) + "\n"


def main():
    wanted = sys.argv[2].split(",") if len(sys.argv) > 2 and sys.argv[2] else list(ROWS) + ["script", "cold", "size"]
    systems = os.environ.get("WEFT_SYSTEMS", "weft," + ",".join(PEERS) + "," + ",".join(k + ".weft" for k in SCRIPTS)).split(",")
    machine = machine_speed()
    print(f"{THREADS} threads, {'time computed, ' if CPU_CLOCK else ''}{machine['gflops']:.0f} GFLOP/s, {machine['gbytes']:.0f} GB/s\n")
    out = {"machine": machine, "versions": cold.versions(), "when": time.strftime("%Y-%m-%d"), "rows": {}}
    print_head()
    for name in wanted:
        if name not in ROWS:
            continue
        mine = [s for s in systems if s == "weft" or s.removesuffix(".weft") in ONLY.get(name, COLUMNS)]
        try:
            a = measure(ROWS[name], mine)
        except Exception as e:  # noqa: BLE001: the other rows still count
            a = {"systems": {"weft": {"error": f"{type(e).__name__}: {e}"}}}
        summarise(ROWS[name], a, machine)
        out["rows"][name] = a
        print_row(name, a)
    ratios = [a["ratio"] for n, a in out["rows"].items() if ROWS[n].compute and "ratio" in a]
    if ratios:
        out["mean"] = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"\ngeometric mean over {len(ratios)} compute rows: {out['mean']:.2f}x of the best peer (target 1.8x)")
    from_scripts(out["rows"])
    if any(ROWS[n].train for n in out["rows"]):
        first_calls(out["rows"])
    if "script" in wanted and {"weft", "eager"} <= set(systems):
        out["script"] = scripts()
    if "cold" in wanted:
        out["cold"] = cold.starts(BUILD, systems)
    if "size" in wanted:
        out["size"] = cold.sizes(BUILD)
    with open(os.path.join(BUILD, "bench.json"), "w") as f:
        json.dump(out, f, indent=1)
    with open(os.path.join(BUILD, "bench.md"), "w") as f:
        f.write(markdown(out))


if __name__ == "__main__":
    main()
