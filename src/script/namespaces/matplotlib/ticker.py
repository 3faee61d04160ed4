# matplotlib.ticker -- where ticks are, and how they are written, by hand.
from matplotlib import _ticks


class Locator:
    pass


class MultipleLocator(Locator):
    def __init__(self, base=1.0, offset=0.0):
        self.base, self.offset = base, offset

    def tick_values(self, low, high):
        import math
        k = math.ceil((low - self.offset) / self.base - 1e-9)
        out = []
        while self.offset + k * self.base <= high + 1e-9 * self.base:
            out.append(self.offset + k * self.base)
            k += 1
        return out


class MaxNLocator(Locator):
    def __init__(self, nbins=10, *, integer=False, steps=None, **kwargs):
        if kwargs:
            raise NotImplementedError("MaxNLocator: " + ", ".join(kwargs))
        self.nbins, self.integer, self.steps = 9 if nbins in (None, "auto") else nbins, integer, steps

    def tick_values(self, low, high):
        ticks = _ticks.linear(low, high, self.nbins, tuple(self.steps) if self.steps else (1, 2, 2.5, 5, 10))
        if self.integer and any([t != int(t) for t in ticks]):
            ticks = [float(t) for t in range(int(low), int(high) + 1)]
        return ticks


class AutoLocator(MaxNLocator):
    def __init__(self):
        MaxNLocator.__init__(self, 9)


class FixedLocator(Locator):
    def __init__(self, locs, nbins=None):
        self.locs = list(locs)[::1 if nbins is None else max(1, len(list(locs)) // nbins)]

    def tick_values(self, low, high):
        return [t for t in self.locs if low <= t <= high]


class NullLocator(FixedLocator):
    def __init__(self):
        FixedLocator.__init__(self, [])


class LogLocator(Locator):
    def __init__(self, base=10.0):
        self.base = base

    def tick_values(self, low, high):
        return _ticks.logarithmic(low, high, self.base)


class AutoMinorLocator(Locator):
    def __init__(self, n=None):
        self.n = n


class Formatter:
    def __call__(self, x, pos=None):
        return f"{x:g}"


class FuncFormatter(Formatter):
    def __init__(self, func):
        self.func = func

    def __call__(self, x, pos=None):
        return self.func(x, pos)


class FormatStrFormatter(Formatter):
    def __init__(self, fmt):
        self.fmt = fmt

    def __call__(self, x, pos=None):
        return self.fmt % x


class StrMethodFormatter(Formatter):
    def __init__(self, fmt):
        self.fmt = fmt

    def __call__(self, x, pos=None):
        return self.fmt.format(x=x, pos=pos)


class PercentFormatter(Formatter):
    def __init__(self, xmax=100, decimals=None, symbol="%"):
        self.xmax, self.decimals, self.symbol = xmax, decimals, symbol

    def __call__(self, x, pos=None):
        return f"{100.0 * x / self.xmax:.{0 if self.decimals is None else self.decimals}f}{self.symbol}"


class ScalarFormatter(Formatter):
    pass


class NullFormatter(Formatter):
    def __call__(self, x, pos=None):
        return ""
