# weft -- what Weft has of its own: the digits that ship with it, a progress bar, pictures in a
# terminal, and programs as they stand before and after optimisation.
import sys
import time

import _torch as _w
import _tree


def digits(test=360):
    # 1797 handwritten digits, 8x8, from the UCI collection: (x, y, test x, test y), the last
    # `test` of them for testing. Images are float32[N, 1, 8, 8] in 0..1, labels int64[N].
    x, y = _w.digits()
    x = _w.reshape(x, (-1, 1, 8, 8))
    n = x.shape[0] - test
    return x[:n], y[:n], x[n:], y[n:]


_shades = " .:-=+*#%@"


def picture(image, width=2):
    # A small image, numbers in 0..1, as lines of characters.
    rows = image.tolist()
    while isinstance(rows[0][0], list):
        rows = rows[0]
    return ["".join([_shades[min(9, max(0, int(v * 9.99)))] * width for v in row]) for row in rows]


def beside(pictures, captions=None, gap="   "):
    # Pictures side by side, with a line of captions.
    lines = [gap.join(parts) for parts in zip(*pictures)]
    if captions is not None:
        lines.append(gap.join([f"{c:^{len(p[0])}}" for c, p in zip(captions, pictures)]))
    return "\n".join(lines)


class progress:
    # for batch in progress(batches, "epoch 1"): ...; a bar with rate and time left on a
    # terminal, nothing elsewhere. Set .note to what should stand behind it.
    def __init__(self, items, name="", total=None):
        self.items = items
        self.name = name
        self.total = total if total is not None else len(items)
        self.note = ""
        self.on = sys.stderr.isatty()

    def __iter__(self):
        start = shown = time.time()
        done = 0
        for x in self.items:
            yield x
            done += 1
            now = time.time()
            if self.on and (now - shown > 0.1 or done == self.total):
                shown = now
                self._draw(done, now - start)
        if self.on:
            sys.stderr.write("\n")
            sys.stderr.flush()

    def _draw(self, done, seconds):
        part = done / max(1, self.total)
        bar = "#" * int(part * 24)
        rate = done / max(seconds, 1e-9)
        left = (self.total - done) / max(rate, 1e-9)
        sys.stderr.write(f"\r{self.name} [{bar:24}] {done}/{self.total} {rate:.0f}/s, {left:.0f} s left {self.note}  ")
        sys.stderr.flush()


def program(f, *args):
    # The program of a function of tensors, for the types of args; print it.
    def flat(*xs):
        _w.name_inputs(xs, _tree.argument_names(f, _tree.flatten(xs)[1]))
        r = f(*xs)
        return list(r) if isinstance(r, (list, tuple)) else [r]
    return _w.trace(flat, list(args), getattr(f, "__name__", "f"), True)


def optimised(p):
    # The same program after all passes.
    return p.optimise()
