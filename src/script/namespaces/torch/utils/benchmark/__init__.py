# torch.utils.benchmark -- statements timed, and tables of them.
import time as _time
from enum import Enum as _Enum


class Language(_Enum):
    PYTHON = 0
    CPP = 1


class TaskSpec:
    def __init__(self, stmt, setup, label, sub_label, description, env, num_threads):
        self.stmt, self.setup, self.label, self.sub_label = stmt, setup, label, sub_label
        self.description, self.env, self.num_threads = description, env, num_threads

    @property
    def title(self):
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        if "\n" not in self.stmt:
            return self.stmt + (f": {self.sub_label}" if self.sub_label else "")
        return f"stmt:\n" + "\n".join(["  " + line for line in self.stmt.split("\n")])


def select_unit(t):
    for unit, scale in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1)):
        if t < scale * 1e3 or unit == "s":
            return unit, scale


def _quantile(values, q):
    v = sorted(values)
    at = q * (len(v) - 1)
    low = int(at)
    return v[low] + (v[min(low + 1, len(v) - 1)] - v[low]) * (at - low)


class Measurement:
    def __init__(self, number_per_run, raw_times, task_spec, metadata=None):
        self.number_per_run, self.raw_times, self.task_spec, self.metadata = number_per_run, raw_times, task_spec, metadata

    @property
    def times(self):
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def median(self):
        return _quantile(self.times, 0.5)

    @property
    def mean(self):
        return sum(self.times) / len(self.times)

    @property
    def iqr(self):
        return _quantile(self.times, 0.75) - _quantile(self.times, 0.25)

    @property
    def significant_figures(self):
        return 4 if self.iqr < 0.01 * self.median else 3

    @property
    def has_warnings(self):
        return len(self.times) >= 4 and self.iqr > 0.1 * self.median

    label = property(lambda self: self.task_spec.label)
    sub_label = property(lambda self: self.task_spec.sub_label)
    description = property(lambda self: self.task_spec.description)
    stmt = property(lambda self: self.task_spec.stmt)
    num_threads = property(lambda self: self.task_spec.num_threads)
    env = property(lambda self: self.task_spec.env)
    title = property(lambda self: self.task_spec.title)
    as_row_name = property(lambda self: self.sub_label or self.stmt or "[Unknown]")

    def __repr__(self):
        unit, scale = select_unit(self.median)
        n = len(self.raw_times)
        lines = ["<torch.utils.benchmark.utils.common.Measurement object at 0x%x>" % id(self), self.title]
        if self.task_spec.description:
            lines.append(self.task_spec.description)
        if self.task_spec.setup != "pass":
            lines.append("setup: " + self.task_spec.setup.strip() if "\n" not in self.task_spec.setup.strip() else
                         "setup:\n" + "\n".join(["  " + s for s in self.task_spec.setup.strip().split("\n")]))
        if n > 1:
            lines.append(f"  Median: {self.median / scale:.2f} {unit}")
            if n >= 4:
                a, b = _quantile(self.times, 0.25), _quantile(self.times, 0.75)
                lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit} ({a / scale:.2f} to {b / scale:.2f})")
        else:
            lines.append(f"  {self.median / scale:.2f} {unit}")
        threads = "1 thread" if self.num_threads == 1 else f"{self.num_threads} threads"
        lines.append(f"  {n} measurement{'s' if n > 1 else ''}, {self.number_per_run} run{'s' if self.number_per_run > 1 else ''} "
                     f"per measurement{',' if n > 1 else ','} {threads}")
        return "\n".join(lines)

    @staticmethod
    def merge(measurements):
        groups = {}
        for m in measurements:
            key = (m.title, m.sub_label, m.description, m.env, m.num_threads, m.number_per_run)
            groups.setdefault(key, []).append(m)
        return [Measurement(ms[0].number_per_run, [t for m in ms for t in m.raw_times], ms[0].task_spec) for ms in groups.values()]


class Timer:
    def __init__(self, stmt="pass", setup="pass", global_setup="", timer=_time.perf_counter, globals=None, label=None,
                 sub_label=None, description=None, env=None, num_threads=1, language=Language.PYTHON):
        if language in (Language.CPP, "C++", "cpp", "c++") or global_setup:
            raise NotImplementedError("benchmark.Timer: statements of Python")
        self._timer, self._globals = timer, dict(globals or {})
        import torch
        self._globals.setdefault("torch", torch)
        self._task_spec = TaskSpec(_dedent(stmt), _dedent(setup), label, sub_label, description, env, num_threads)

    def _run(self, number):
        names = dict(self._globals)
        exec(self._task_spec.setup, names)
        code = "def _timed(_n, _clock):\n    _start = _clock()\n    for _i in range(_n):\n" + "".join(
            ["        " + line + "\n" for line in self._task_spec.stmt.split("\n")]) + "    return _clock() - _start\n"
        exec(code, names)
        return names["_timed"](number, self._timer)

    def timeit(self, number=1000000):
        self._run(max(int(number // 100), 2))
        return Measurement(number, [self._run(number)], self._task_spec)

    def repeat(self, repeat=-1, number=-1):
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback=None):
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _block(self, min_run_time):
        number = 1
        self._run(1)
        while True:
            took = self._run(number)
            if took * 1000 >= min_run_time or number > 10 ** 7:
                return number
            number *= 10

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        number = self._block(min_run_time)
        times, total = [], 0.0
        while total < min_run_time:
            t = self._run(number)
            times.append(t)
            total += t
            if callback is not None:
                callback(number, t)
        return Measurement(number, times, self._task_spec)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        number = self._block(0.05)
        times, total = [], 0.0
        while total < max_run_time:
            t = self._run(number)
            times.append(t)
            total += t
            if callback is not None:
                callback(number, t)
            m = Measurement(number, times, self._task_spec)
            if total > min_run_time and len(times) > 3 and m.iqr <= threshold * m.median:
                break
        return Measurement(number, times, self._task_spec)

    def collect_callgrind(self, *args, **kwargs):
        raise NotImplementedError("Timer.collect_callgrind: instructions are not counted")


def _dedent(text):
    import textwrap
    text = textwrap.dedent(text)
    while text.startswith("\n"):
        text = text[1:]
    return text.rstrip()


class Compare:
    def __init__(self, results):
        self._results = list(results)
        self._trim, self._color = False, False

    def extend_results(self, results):
        self._results.extend(results)

    def trim_significant_figures(self):
        self._trim = True

    def colorize(self, rowwise=False):
        self._color = "row" if rowwise else True

    def highlight_warnings(self):
        pass

    def print(self):
        print(str(self))

    def __str__(self):
        out, merged = [], Measurement.merge(self._results)
        labels = []
        for m in merged:
            if m.label not in labels:
                labels.append(m.label)
        for label in labels:
            out.append(self._table(label, [m for m in merged if m.label == label]))
        return "\n".join(out)

    def _table(self, label, ms):
        unit, scale = select_unit(min([m.median for m in ms]))
        rows, columns = [], []
        for m in ms:
            if (m.num_threads, m.as_row_name) not in rows:
                rows.append((m.num_threads, m.as_row_name))
            if (m.description or "") not in columns:
                columns.append(m.description or "")
        cell = {((m.num_threads, m.as_row_name), m.description or ""): f"{m.median / scale:.{0 if self._trim and m.median / scale > 100 else 1}f}"
                for m in ms}
        first = max([len(r[1]) for r in rows] + [len(f"{r[0]} threads: ") for r in rows]) + 6
        widths = [max([len(c)] + [len(cell.get((r, c), "")) for r in rows]) for c in columns]
        bar = "-" * (first + sum(widths) + 5 * len(columns))
        head = f"[{'-' * max(1, (len(bar) - len(label or '') - 4) // 2)} {label or ''} {'-' * max(1, (len(bar) - len(label or '') - 3) // 2)}]"
        lines = [head, " " * first + "".join(["  |  " + c.center(w) for c, w in zip(columns, widths)])]
        threads = []
        for r in rows:
            if r[0] not in threads:
                threads.append(r[0])
        for t in threads:
            lines.append((f"{t} threads: " + "-" * len(bar))[:len(bar)])
            for r in rows:
                if r[0] == t:
                    lines.append(("      " + r[1]).ljust(first) + "".join(["  |  " + cell.get((r, c), "").rjust(w)
                                                                           for c, w in zip(columns, widths)]))
        return "\n".join(lines) + f"\n\nTimes are in {({'ns': 'nano', 'us': 'micro', 'ms': 'milli', 's': ''})[unit]}seconds ({unit}).\n"


def __getattr__(name):
    raise AttributeError(f"module 'torch.utils.benchmark' has no attribute '{name}': Timer, Measurement and Compare are here")
