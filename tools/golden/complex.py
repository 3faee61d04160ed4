"""Golden cases of complex numbers: programs take and give their parts, so that the format knows floats only."""

import random

import numpy as np

from core import File, sample

UNARY = "neg conj exp expm1 log log1p sin cos tan tanh asin acos atan sinh cosh asinh acosh atanh sqrt rsqrt logistic".split()
NUMPY = {
    "neg": np.negative,
    "conj": np.conj,
    "rsqrt": lambda z: 1 / np.sqrt(z),
    "logistic": lambda z: 1 / (1 + np.exp(-z)),
    **{f"a{f}{h}": getattr(np, f"arc{f}{h}") for f in ("sin", "cos", "tan") for h in ("", "h")},
}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "pow": np.power}


def case(f, name, ins, body, result):
    parts = {"re": result.real, "im": result.imag}
    f.case(name, ins, body + ["re = real r", "im = imag r"], parts, tol="rel=2e-15")


def cases(f, rng):
    x, y, u, v = (sample(rng, "f64", (6,)) for _ in range(4))
    z, w = x + 1j * y, u + 1j * v
    f.case(
        "parts",
        {"x": x, "y": y},
        ["z = complex x y", "a = real z", "b = imag z", "c = conj z", "d = imag c", "m = abs z"],
        {"a": x, "b": y, "d": -y, "m": np.abs(z)},
        tol={"m": "ulps=2"},
    )
    for op in UNARY:
        case(f, op, {"x": x, "y": y}, ["z = complex x y", f"r = {op} z"], NUMPY.get(op, getattr(np, op, None))(z))
    two = ["z = complex x y", "w = complex u v"]
    for op, g in BINARY.items():
        case(f, op, {"x": x, "y": y, "u": u, "v": v}, two + [f"r = {op} z w"], g(z, w))
    case(f, "sum", {"x": x, "y": y}, ["z = complex x y", "r = reduce_sum z axes=[0]"], np.sum(z))
    case(f, "prod", {"x": x, "y": y}, ["z = complex x y", "r = reduce_prod z axes=[0]"], np.prod(z))
    case(f, "cumsum", {"x": x, "y": y}, ["z = complex x y", "r = cumsum z axis=0"], np.cumsum(z))
    case(f, "sort", {"x": np.round(x), "y": y}, ["z = complex x y", "r = sort z axis=0"], np.sort(np.round(x) + 1j * y))
    two = ["z = complex x y"]
    case(f, "fft", {"x": x, "y": y}, two + ["r = fft z kind=fft lengths=[6]"], np.fft.fft(z))
    case(f, "ifft", {"x": x, "y": y}, two + ["r = fft z kind=ifft lengths=[6]"], np.fft.ifft(z))
    case(f, "rfft", {"x": x}, ["r = fft x kind=rfft lengths=[6]"], np.fft.rfft(x))
    f.case("irfft", {"x": x, "y": y}, two + ["r = fft z kind=irfft lengths=[10]"], {"r": np.fft.irfft(z, 10)}, tol="rel=2e-15")
    a, b, c, d = (sample(rng, "f64", s) for s in ((2, 3), (2, 3), (3, 4), (3, 4)))
    case(f, "dot", {"a": a, "b": b, "c": c, "d": d}, ["z = complex a b", "w = complex c d", "r = dot z w"], (a + 1j * b) @ (c + 1j * d))


def write(directory):
    with File(directory, "complex", "Complex numbers.") as f:
        cases(f, random.Random(14))
