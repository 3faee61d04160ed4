# What print, str, f-strings, format and % write inside a script.
import torch
from torch import Tensor
from typing import *
@torch.jit.script
def p(x: Tensor):
    print(x)
def pp(x):
    print(x.dtype, tuple(x.shape))
    p(x)
for x in (torch.ones(2), torch.tensor(3), torch.tensor(2.5), torch.tensor(1/3), torch.tensor([1.5, 2.25]), torch.arange(3), torch.tensor([True, False]), torch.tensor(True),
    torch.arange(6.).view(2, 3), torch.arange(6.).view(2, 3) / 7, torch.arange(12.).view(2, 2, 3), torch.zeros(0), torch.zeros(2, 0), torch.tensor([1e10, 1.]), torch.tensor([1e-10, 1.]), torch.tensor([1e5, 2e5]) + .5, torch.tensor([1e-5, 2e-5]),
    torch.tensor([float("inf"), 1.]), torch.tensor([float("nan"), 1.5]), torch.tensor([-1., 2.]), torch.tensor([-1.5, 2.]), torch.tensor([[1e5, 1.5], [3., 4.]]), torch.tensor([[1e6, 3e6], [3e6, 4.5e6]]) + .5, torch.arange(40).view(1, 40), torch.arange(40.).view(2, 20) / 3, torch.arange(16).view(2, 2, 2, 2),
    torch.ones(2, dtype=torch.float16), torch.ones(2, dtype=torch.float64), torch.ones(2, dtype=torch.bfloat16), torch.ones(2, dtype=torch.int8), torch.ones(2, dtype=torch.uint8), torch.ones(2, dtype=torch.int16), torch.ones(2, dtype=torch.int32), torch.tensor([1+2j, 3.5-1j]), torch.tensor(1+2j), torch.tensor([[1+2j]], dtype=torch.complex128),
    torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True) * 2, torch.tensor([123456789, 2]), torch.tensor([12345678912, 2]), torch.tensor([0., 0.]), torch.tensor([-0.0]), torch.tensor([float("inf")]), torch.tensor([1e-40]), torch.tensor([0.001, 0.002]), torch.tensor([0.01, 100.]), torch.tensor([[0.001, 1000.]]), torch.tensor([1e20, 1e21]), torch.tensor([1e100, 1.5], dtype=torch.float64), torch.tensor(1e-7), torch.tensor(123456.789), torch.tensor(1234567.), torch.tensor(100000.), torch.tensor(1e6), torch.tensor(-3), torch.tensor([99999.5]), torch.tensor([0.5, 99999.]), torch.ones(3, 1, 2) / 3, torch.tensor([[1e-6, 2e-6], [3e-6, 4e-6]]), torch.tensor([[[1e-6, 2e-6], [3e-6, 4e-6]]]), torch.arange(60.).view(1, 2, 30) + .5):
    pp(x)
@torch.jit.script
def q(x: Tensor, i: int, f: float, b: bool, s: str, l: List[int], lf: List[float], ls: List[str], lt: List[Tensor], t: Tuple[int, str], d: Dict[str, int], o: Optional[int], df: Dict[int, float], c: complex, t1: Tuple[int]):
    print(i, f, b, s, l, lf, ls, t, d, o, df, c, t1)
    print(lt)
    print(str(x), str(i), str(f), str(b), str(s), str(l), str(lf), str(ls), str(t), str(d), str(o), str(df), str(c), str(t1))
    print("{} {} {} {} {}".format(i, f, b, s, l), f"{lf} {ls}|{t} {d} {o}", "{} {".format(f), "}{} {{".format(f))
    print()
    print("")
    print("a", "b")
    print(x, x)
    print(1e10, 1e9, 0.1, 1/3, 1e-5, float("inf"), -float("inf"), float("nan"), -0.0, 0.0, 123456.789, 1e300, 2.5e-310, 5e9, 99999999999.0, 1e22)
    print([], [True, False], [None], (), (1,), ("a",), [[1, 2], [3]], {1: [1, 2]}, [("a", 1)])
    print(x.shape, x.dtype, x.device)
q(torch.ones(2), 1, 2.5, True, "s", [1, 2], [1., 2.5], ["a", "b"], [torch.ones(1), torch.zeros(2)], (1, "a"), {"k": 1}, None, {1: .5}, 1+2j, (3,))
def t(name, f, *args):
    try:
        print(name, torch.jit.script(f)(*args))
    except Exception as e:
        lines = [l for l in str(e).strip().split("\n") if l.strip()]
        print(name, type(e).__name__, lines[-1] if lines[0].startswith("The following") else lines[0])
def f1(x: int): return "%d|%i|%s|%%" % (x, x, x)
t("f1", f1, 3)
def f2(x: float): return "%d %f %e %E %s %F" % (x, x, x, x, x, x)
t("f2", f2, 3.7)
def f3(x: float): return "%g" % x
t("f3", f3, 3.7)
def f4(x: float): return "%5d" % x
t("f4", f4, 3.7)
def f5(x: float): return "%d %d" % x
t("f5", f5, 3.7)
def f6(x: int): return "%d" % (x, x)
t("f6", f6, 3)
def f7(x: int): return "%c %c" % (x, "a")
t("f7", f7, 65)
def f8(x: int): return "%" % x
t("f8", f8, 65)
def f9(x: int): return "%d" % "a"
t("f9", f9, 65)
def f10(x: List[int]): return "%s %s" % (x, x)
t("f10", f10, [65])
def f11(x: int): return "{} {}".format(x)
t("f11", f11, 65)
def f12(x: int): return "{}".format(x, x)
t("f12", f12, 65)
def f13(x: int): return "{0} {1}".format(x, x)
t("f13", f13, 65)
def f15(x: int): return f"{x!r} a"
t("f15", f15, 65)
def f16(x: int): return f"{x:>5} a"
t("f16", f16, 65)
def f17(x: int): return f"{x + 1} {x}a" + f"" + f"lit"
t("f17", f17, 65)
def f18(x: Tensor): return f"{x} a" + str(x) + "%s" % x
t("f18", f18, torch.ones(2, 2))
def f19(x: str): return "%s is %s" % (x, x) + "{}".format(x)
t("f19", f19, "q")
def f20(x: float): return "%f" % x, "%s" % x, "%.3f" % x
t("f20", f20, 1.5)
def f21(x: float): return str(x) + f"{x}" + "{}".format(x)
for v in (1.0, 0.1, -0.0, 1e10, 9.999e9, 2/3, 1e-7, 1e300): t("f21", f21, v)
for v in (torch.tensor(-0.0), torch.tensor(float("inf")), torch.tensor(float("nan")), torch.tensor(1e20), torch.tensor(1e16, dtype=torch.float64), torch.tensor(1e15, dtype=torch.float64), torch.tensor(123456789.5, dtype=torch.float64), torch.tensor(2**40), torch.tensor(2**60+1), torch.tensor(1e-5, dtype=torch.float64), torch.tensor(0.001, dtype=torch.float64), torch.tensor(0.0001, dtype=torch.float64)): print(repr(torch.jit.script(f18)(v)))
def f22(x: int):
    assert x > 3, f"x is {x}"
    return x
t("f22", f22, 1)
def f23(x: float):
    if x > 1: raise ValueError("bad value %s" % x, x)
    raise RuntimeError(f"worse {x}")
t("f23", f23, 1.5); t("f23", f23, 0.5)
def f24(x: int): return str(x).zfill(3) + repr(x)
t("f24", f24, 1)
