# Random functions with loops, branches, break, continue and return on tensors and numbers: run by
# the machine, as a scripted program, and against central differences.
import os
import random

import _syntax
import torch

N = int(os.environ.get("STAGE_FUNCTIONS", "500"))
SEED = int(os.environ.get("STAGE_SEED", "7"))


class Maker:
    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.loops = 0
        self.names = 0

    def pick(self, *xs):
        return xs[self.rng.randrange(len(xs))]

    def tensor(self, depth=0):
        r = self.rng.randrange(11 if depth < 2 else 4)
        if r < 4:
            return self.pick("x", "y", "z")
        if r == 4:
            return f"torch.{self.pick('tanh', 'sin', 'sigmoid')}({self.tensor(depth + 1)})"
        if r == 5:
            return f"({self.tensor(depth + 1)} * {self.pick('0.5', '0.9', '-0.7', '1.1')})"
        if r == 6:
            return f"({self.tensor(depth + 1)} + {self.pick('k', 'n', '0.25', 's')} * 0.1)"
        if r == 7:
            return f"({self.tensor(depth + 1)} {self.pick('+', '-')} {self.tensor(depth + 1)})"
        if r == 8:
            return f"({self.tensor(depth + 1)} if {self.cond()} else {self.tensor(depth + 1)})"
        if r == 9:
            return f"({self.tensor(depth + 1)} * {self.tensor(depth + 1)}.tanh())"
        return f"{self.tensor(depth + 1)}.clone()"

    def cond(self):
        r = self.rng.randrange(9)
        if r < 3:
            return f"bool({self.pick('x', 'y', 'z')}.sum() {self.pick('>', '<')} {self.pick('0.11', '-0.31', '0.77')})"
        if r == 3:
            return f"{self.pick('x', 'y', 'z')}[{self.rng.randrange(3)}] > {self.pick('0.13', '-0.42', 's')}"
        if r == 4:
            return f"k % {self.pick('2', '3')} == {self.pick('0', '1')}"
        if r == 5:
            return f"k < {self.pick('2', 'n', '5')}"
        if r == 6:
            return f"(s > 0.2 and {self.cond()})"
        if r == 7:
            return f"(n > {self.pick('1', '3')} or {self.cond()})"
        return f"not (k == {self.pick('0', '3')})"

    def block(self, pad, depth, in_loop):
        for _ in range(self.rng.randrange(1, 4)):
            self.statement(pad, depth, in_loop)

    def statement(self, pad, depth, in_loop):
        out = self.lines
        r = self.rng.randrange(14 if depth < 3 else 7)
        if r < 4:
            out.append(f"{pad}{self.pick('x', 'y', 'z')} = {self.tensor()}")
        elif r == 4:
            out.append(f"{pad}k {self.pick('+=', '-=')} {self.pick('1', '2', 'n')}")
        elif r == 5:
            out.append(f"{pad}s = {self.pick('s * 0.5 + 0.1', 'min(s, 0.5)', 's + k * 0.01', '0.3', 'abs(s)')}")
        elif r == 6:
            v = self.pick('y', 'z')
            out.append(f"{pad}{v} = {v} * 1.0")     # in place, into memory that nothing has saved
            out.append(f"{pad}{v} {self.pick('+= x', '*= 0.9', '-= x.sin()', '+= 0.1 * k')}")
        elif r < 10:
            out.append(f"{pad}if {self.cond()}:")
            self.block(pad + "    ", depth + 1, in_loop)
            self.leave(pad + "    ", in_loop)
            if self.rng.randrange(2):
                out.append(f"{pad}else:")
                self.block(pad + "    ", depth + 1, in_loop)
                if self.rng.randrange(4) == 0:
                    self.leave(pad + "    ", in_loop)
        elif self.loops < 3:
            self.loops += 1
            if r < 12:
                i = f"i{self.loops}"
                over = self.pick(f"range({self.pick('n', '3', '4')})", "range(1, n + 1)")
                out.append(f"{pad}for {i} in {over}:")
                out.append(f"{pad}    y = y + 0.05 * {i}")
            else:
                c = f"c{self.loops}"
                out.append(f"{pad}{c} = 0")
                out.append(f"{pad}while {c} < {self.pick('3', 'n')} and {self.cond()}:")
                out.append(f"{pad}    {c} += 1")
            self.block(pad + "    ", depth + 1, True)
        else:
            out.append(f"{pad}z = {self.tensor()}")

    def leave(self, pad, in_loop):
        r = self.rng.randrange(8)
        if in_loop and r == 0:
            self.lines.append(pad + "break")
        elif in_loop and r == 1:
            self.lines.append(pad + "continue")
        elif r == 2:
            self.lines.append(f"{pad}return {self.tensor()}")

    def function(self):
        self.lines = ["import torch", "", "def f(x: torch.Tensor, n: int, s: float):", "    y = x * 0.5",
                      "    z = x.tanh()", "    k = 0"]
        self.block("    ", 0, False)
        self.block("    ", 0, False)
        self.lines.append(f"    return {self.pick('x + y * z', 'y - z', 'x * 0.3 + z')} + 0.01 * k * x + s * z")
        return "\n".join(self.lines) + "\n"


programs = hosts = bad = slopes = 0
for i in range(N):
    rng = random.Random(SEED * 100000 + i)
    text = Maker(rng).function()
    f = _syntax.load(text, f"<f{i}>")["f"]
    scripted = torch.jit.script(f)
    for trial in range(2):
        x = torch.tensor([rng.uniform(-1.5, 1.5) for _ in range(3)], dtype=torch.float64)
        n, s = rng.randrange(5), rng.uniform(-1, 1)
        a = x.clone().requires_grad_()
        want = f(a, n, s)
        b = x.clone().requires_grad_()
        got = scripted(b, n, s)
        if not torch.allclose(want, got, rtol=1e-12, atol=1e-12, equal_nan=True):
            print("VALUE", i, n, s, x.tolist(), want.tolist(), got.tolist())
            print(text)
            bad += 1
            continue
        want.sum().backward()
        if got.requires_grad:
            got.sum().backward()
        ga = a.grad if a.grad is not None else torch.zeros_like(a)
        gb = b.grad if b.grad is not None else torch.zeros_like(b)
        if not torch.allclose(ga, gb, rtol=1e-9, atol=1e-9, equal_nan=True):
            print("GRADIENT", i, n, s, x.tolist(), ga.tolist(), gb.tolist())
            print(text)
            bad += 1
            continue
        h = 1e-6
        d = torch.tensor([rng.uniform(-1, 1) for _ in range(3)], dtype=torch.float64)
        with torch.no_grad():
            slope = (scripted(x + h * d, n, s).sum() - scripted(x - h * d, n, s).sum()) / (2 * h)
            far = (scripted(x + 2 * h * d, n, s).sum() - scripted(x - 2 * h * d, n, s).sum()) / (4 * h)
        if abs(float(slope - far)) < 1e-6 * (1 + abs(float(slope))):    # no jump near by
            slopes += 1
            if abs(float((gb * d).sum() - slope)) > 1e-5 * (1 + abs(float(slope))):
                print("SLOPE", i, n, s, x.tolist(), float((gb * d).sum()), float(slope))
                print(text)
                bad += 1
    kinds = [v for v in scripted._method.own.by_key.values()]
    if any([k == "host" for k in kinds]):
        hosts += 1
    else:
        programs += 1
print(N, "functions,", bad, "differ")
print("mostly programs:", programs > hosts * 4, "slopes checked:", slopes > N)
if os.environ.get("STAGE_REPORT"):
    print(programs, hosts, slopes)
