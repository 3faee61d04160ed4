# torch.profiler -- how long parts of a program take: those that record_function names, and the whole.
import json as _json
import os as _os
import time as _time
from enum import Enum


class ProfilerActivity(Enum):
    CPU = 0
    XPU = 1
    CUDA = 2


class ProfilerAction(Enum):
    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


_running = []       # profiles that record now, the innermost last


class record_function:
    def __init__(self, name, args=None):
        self.name, self.args = name, args

    def __enter__(self):
        self._start = _time.perf_counter()
        self._inner = 0.0
        for p in _running:
            p._stack.append(self)
        return self

    def __exit__(self, kind, value, trace):
        took = _time.perf_counter() - self._start
        for p in _running:
            p._stack.pop()
            if p._stack:
                p._stack[-1]._inner += took / len(_running)
            p._events.append((self.name, self._start, took, max(took - self._inner, 0.0)))
        return False

    def __call__(self, fn):
        def call(*args, **kwargs):
            with record_function(self.name):
                return fn(*args, **kwargs)
        return call


class FunctionEventAvg:
    def __init__(self, key):
        self.key, self.count, self.cpu_time_total, self.self_cpu_time_total = key, 0, 0.0, 0.0
        self.device_time_total = self.cuda_time_total = self.self_device_time_total = 0.0

    @property
    def cpu_time(self):
        return self.cpu_time_total / max(self.count, 1)


def _us(us):
    return f"{us / 1e6:.3f}s" if us >= 1e6 else f"{us / 1e3:.3f}ms" if us >= 1e3 else f"{us:.3f}us"


class EventList(list):
    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55, header=None,
              top_level_events_only=False):
        rows = list(self)
        if sort_by is not None:
            rows = sorted(rows, key=lambda e: getattr(e, sort_by, 0), reverse=True)
        rows = rows[:row_limit] if row_limit > 0 else rows
        whole = sum([e.self_cpu_time_total for e in self]) or 1.0
        head = ("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls")
        lines = [(e.key[:max_name_column_width], f"{100 * e.self_cpu_time_total / whole:.2f}%", _us(e.self_cpu_time_total),
                  f"{100 * e.cpu_time_total / whole:.2f}%", _us(e.cpu_time_total), _us(e.cpu_time), str(e.count)) for e in rows]
        widths = [max([len(r[i]) for r in [head] + lines]) + 2 for i in range(len(head))]
        rule = "  ".join(["-" * w for w in widths])
        text = [rule, "  ".join([h.rjust(w) for h, w in zip(head, widths)]), rule]
        text += ["  ".join([c.rjust(w) for c, w in zip(r, widths)]) for r in lines]
        return (header + "\n" if header else "") + "\n".join(text + [rule, f"Self CPU time total: {_us(whole)}", ""])

    def total_average(self):
        out = FunctionEventAvg("Total")
        for e in self:
            out.count += e.count
            out.cpu_time_total += e.self_cpu_time_total
            out.self_cpu_time_total += e.self_cpu_time_total
        return out

    def export_chrome_trace(self, path):
        _write_trace(path, [])


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    def at(step):
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        first = wait if not skip_first_wait else 0
        cycle = first + warmup + active
        if repeat > 0 and step // cycle >= repeat:
            return ProfilerAction.NONE
        m = step % cycle
        if m < first:
            return ProfilerAction.NONE
        if m < first + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if m == cycle - 1 else ProfilerAction.RECORD
    return at


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    if use_gzip:
        raise NotImplementedError("tensorboard_trace_handler: plain text")

    def handler(prof):
        _os.makedirs(dir_name, exist_ok=True)
        name = worker_name or f"{_os.uname().nodename if hasattr(_os, 'uname') else 'weft'}_{_os.getpid()}"
        prof.export_chrome_trace(_os.path.join(dir_name, f"{name}.{int(_time.time() * 1e9)}.pt.trace.json"))
    return handler


def _write_trace(path, events):
    trace = [{"ph": "X", "cat": "user_annotation", "name": n, "pid": _os.getpid(), "tid": 1, "ts": s * 1e6, "dur": d * 1e6}
             for n, s, d, _ in events]
    with open(path, "w") as f:
        _json.dump({"schemaVersion": 1, "traceEvents": trace}, f)


class profile:
    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
                 with_stack=False, with_flops=False, with_modules=False, use_cuda=None, **options):
        for a in activities or []:
            if not isinstance(a, ProfilerActivity):
                raise TypeError(f"not an activity: {a!r}")
        self._schedule, self._ready, self._options = schedule, on_trace_ready, options
        self._events, self._stack, self.step_num, self._on = [], [], 0, False

    def _action(self):
        return ProfilerAction.RECORD if self._schedule is None else self._schedule(self.step_num)

    def _follow(self):
        on = self._action() in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if on and not self._on:
            self._events = []
            self._since = _time.perf_counter()
            _running.append(self)
        elif not on and self._on:
            _running.remove(self)
        self._on = on

    def start(self):
        self._follow()

    def stop(self):
        if self._on:
            _running.remove(self)
            self._on = False
            if self._ready is not None:
                self._ready(self)

    def step(self):
        if self._on:
            self._events.append((f"ProfilerStep#{self.step_num}", self._since, _time.perf_counter() - self._since, 0.0))
            self._since = _time.perf_counter()
        if self._action() == ProfilerAction.RECORD_AND_SAVE and self._ready is not None:
            self._ready(self)
        self.step_num += 1
        self._follow()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, value, trace):
        self.stop()
        return False

    def events(self):
        return EventList(self._events)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0):
        if group_by_input_shape or group_by_stack_n:
            raise NotImplementedError("key_averages: by name")
        made = {}
        for name, _, took, own in self._events:
            e = made.setdefault(name, FunctionEventAvg(name))
            e.count += 1
            e.cpu_time_total += took * 1e6
            e.self_cpu_time_total += own * 1e6
        return EventList(made.values())

    def export_chrome_trace(self, path):
        _write_trace(path, self._events)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        with open(path, "w") as f:
            for e in self.key_averages():
                f.write(f"{e.key} {int(getattr(e, metric))}\n")

    def add_metadata(self, key, value):
        self._options[key] = value

    add_metadata_json = add_metadata

    @property
    def profiler(self):
        return self

    @property
    def self_cpu_time_total(self):
        return sum([e.self_cpu_time_total for e in self.key_averages()])
