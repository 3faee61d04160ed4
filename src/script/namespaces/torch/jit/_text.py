# torch.jit._text -- values as TorchScript writes them: print, str, f-strings, `format` and `%` inside a script.
import math

import _torch as _w
from torch.jit import _types

_long = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int8": "Char", "int16": "Short", "int32": "Int",
         "int64": "Long", "uint8": "Byte", "bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble"}
_line = 80


def text(x):
    if isinstance(x, str):
        return x
    if isinstance(x, bool) or x is None:
        return str(x)
    if isinstance(x, float):
        return _float(x)
    if isinstance(x, complex):
        return f"{_float(x.real)}{'+' if x.imag >= 0 else '-'}{_float(abs(x.imag))}j"
    if isinstance(x, _w.Tensor):
        return _tensor(x)
    if isinstance(x, _types.Shared):
        return text(x.data)
    if isinstance(x, tuple) and type(x).__name__ != "Size":
        return f"({', '.join([text(v) for v in x])}{',' if len(x) == 1 else ''})"
    if isinstance(x, (list, tuple)):
        return f"[{', '.join([text(v) for v in x])}]"
    if isinstance(x, dict):
        return "{" + ", ".join([f"{text(k)}: {text(v)}" for k, v in x.items()]) + "}"
    return str(_types.coded(x))


def _float(x):
    if x == x and abs(x) < 1e17 and x == int(x):
        return f"{int(x)}."
    return f"{x:.17g}"


def braces(form, args):
    # "..{}..".format(..): nothing but {} means something.
    parts = form.split("{}")
    if len(parts) - 1 > len(args):
        raise RuntimeError(f"Too few arguments for format string: {form}")
    return "".join([p + (text(args[i]) if i < len(parts) - 1 else "") for i, p in enumerate(parts)])


def percent(form, args):
    # form % args
    args = list(args) if isinstance(args, tuple) else [args]
    out, at, used = "", 0, 0
    while True:
        next_ = form.find("%", at)
        if next_ < 0:
            break
        if next_ == len(form) - 1:
            raise RuntimeError("Incomplete format specifier")
        out += form[at:next_]
        at = next_ + 2
        if form[at - 1] == "%":
            out += "%"
            continue
        if used >= len(args):
            raise RuntimeError("Too few arguments for format string")
        out += _by_letter(form[at - 1], args[used])
        used += 1
    if used < len(args):
        raise RuntimeError("Too many arguments for format string")
    return out + form[at:]


def _by_letter(letter, x):
    number = isinstance(x, (int, float)) and not isinstance(x, bool)
    if letter in "dieEfF" and not number:
        raise RuntimeError(f"%{letter} requires a number for formatting, but got {_sort(x)}")
    if letter in "di":
        return str(int(x))
    if letter in "eEfF":
        return f"%{letter}" % float(x)
    if letter == "c":
        if not (isinstance(x, int) or isinstance(x, str) and len(x) == 1):
            raise RuntimeError(f"%{letter} requires an int or char for formatting, but got {_sort(x)}")
        return chr(x) if isinstance(x, int) else x
    if letter == "s":
        return text(x)
    raise RuntimeError(f"The specifier %{letter} is not supported in TorchScript format strings")


def _sort(x):
    return {"str": "String", "bool": "Bool", "NoneType": "None", "list": "GenericList", "dict": "GenericDict", "tuple": "Tuple"}.get(
        type(x).__name__, type(x).__name__)


# ---- tensors: numbers in columns, by one scale, and the type below

def _tensor(x):
    kind = f"CPU{_long.get(x.dtype.name, x.dtype.name)}Type"
    values = (x.detach().real if x.dtype.is_complex else x.detach()).double()
    if x.ndim == 0:
        body = _shortest(values.item()) + "\n"
    elif not values.numel():
        body = ""
    elif x.ndim == 1:
        form, scale, width = _form(values)
        body = _scaled(scale) + "".join([form(v / scale).rjust(width) + "\n" for v in values.tolist()])
    elif x.ndim == 2:
        body = _matrix(values, 0)
    else:
        body = "\n".join([f"({''.join([f'{i + 1},' for i in at])}.,.) = \n{_matrix(values[at], 1)}" for at in _places(x.shape[:-2])])
    return f"{body}[ {kind}{{{','.join([str(n) for n in x.shape])}}} ]"


def _shortest(v):
    n = repr(v)
    return n[:-2] if n.endswith(".0") else n


def _places(sizes):
    # The first index runs fastest.
    out = [()]
    for n in reversed(sizes):
        out = [(i,) + at for at in out for i in range(n)]
    return out


def _form(values):
    # (how a number is written, what it is divided by, how wide it is)
    numbers = [abs(v) for v in values.flatten().tolist() if math.isfinite(v)]
    whole = all([v == math.ceil(v) for v in numbers])
    low, high = (_digits(min(numbers)), _digits(max(numbers))) if numbers else (1, 1)
    if whole:
        return (_plain, 1, high + 1) if high <= 9 else (_plain if high <= 0 else _science, 1, 11)
    if high - low > 4:
        return _science, 1, 12 if abs(high) > 99 or abs(low) > 99 else 11
    if high > 5 or high < 0:
        return _fixed, 10.0 ** (high - 1), 7
    return _fixed, 1, 7 if high == 0 else high + 6


def _digits(v):
    return int(math.floor(math.log10(v))) + 1 if v else 1


def _plain(v):
    return f"{v:.6g}"


def _fixed(v):
    return f"{v:.4f}"


def _science(v):
    return f"{v:.4e}"


def _scaled(scale):
    return "" if scale == 1 else f"{_shortest(scale)} *\n"


def _matrix(values, indent):
    form, scale, width = _form(values)
    rows, columns = values.tolist(), values.shape[1]
    many = (_line - indent) // (width + 1)
    pad, out = " " * indent, ""
    for first in range(0, columns, many):
        if many < columns:
            out += ("\n" if first else "") + f"Columns {first + 1} to {min(first + many, columns)}{pad}"
        if scale != 1:
            out += _scaled(scale) + pad
        lines = [" ".join([form(v / scale).rjust(width) for v in row[first:first + many]]) + "\n" for row in rows]
        out += (pad + ("" if scale == 1 else " ")).join(lines)
    return out
