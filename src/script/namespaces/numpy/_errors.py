# numpy._errors -- errors of the engine in NumPy's words. Loaded with the first error.
from numpy.exceptions import AxisError, _UFuncTypeError


def _name(text):
    # f64[5] is float64
    name = text.partition("[")[0].replace("bf16", "bfloat16")
    return name if name == "bfloat16" else {"b": "bool", "f": "float", "i": "int", "u": "uint", "c": "complex"}[name[0]] + ("" if name == "bool" else name[1:])


def _shapes(text):
    # What stands in brackets: sizes, as texts.
    return [part.partition("]")[0].split(",") if part[0] != "]" else [] for part in text.split("[")[1:]]


def _shown(sizes):
    return "(" + ",".join(sizes) + ("," if len(sizes) == 1 else "") + ")"


def _numbers(text):
    return [int(w) for w in text.replace(":", " ").split() if w.lstrip("-").isdigit()]


def _matmul(text):
    a, b = _shapes(text)
    return ValueError("matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) "
                      f"(size {b[-2:][0]} is different from {a[-1]})")


def _reshape(text):
    a, new = _shapes(text)
    count = 1
    for n in a:
        count *= int(n)
    many = len(new)
    while new and new[0] == "-1":  # NumPy leaves these out, but counts them for the comma
        new = new[1:]
    new = ",".join(["newaxis" if n == "-1" else n for n in new])
    return ValueError(f"cannot reshape array of size {count} into shape ({new}{',' if many == 1 else ''})")


def _broadcast(text):
    return ValueError("operands could not be broadcast together with shapes " + "".join([_shown(s) + " " for s in _shapes(text)]))


def _put(text):
    a, b = _shapes(text)
    if text.startswith("broadcast_to"):
        return ValueError(f"operands could not be broadcast together with remapped shapes [original->remapped]: {_shown(a)}  and "
                          f"requested shape {_shown(b)}")
    if text.startswith("matmul"):
        return text
    return ValueError(f"could not broadcast input array from shape {_shown(a)} into shape {_shown(b)}")


def _index(text):
    value, axis, size = _numbers(text)[:3]
    return IndexError(f"index {value} is out of bounds for axis {axis} with size {size}")


def _indices(text):
    n, rank = _numbers(text)[:2]
    return IndexError(f"too many indices for array: array is {rank}-dimensional, but {n} were indexed")


def _axis(text):
    axis, rank = _numbers(text)[:2]
    return AxisError(axis, rank)


def _traced(text):
    from jax.errors import TracerArrayConversionError
    dtype, _, shape = text.rpartition(": ")[2].partition("[")
    return TracerArrayConversionError("The numpy.ndarray conversion method __array__() was called on traced array with shape "
                                      f"{_name(dtype)}[{shape}")


def _cast(text):
    a, b = [_name(s) for s in text.partition("a value of dtype ")[2].split(" cannot be written into ")]
    op = text.partition(":")[0].replace("_in", "").replace("sub", "subtract").replace("mul", "multiply").replace("div", "divide")
    return _UFuncTypeError(f"Cannot cast ufunc '{op}' output from dtype('{a}') to dtype('{b}') with casting rule 'same_kind'")


_WORDS = (  # a part of the engine's text, what to raise
    ("numbers of a traced array", _traced),
    ("cannot be written into", _cast),
    ("must be of integers or bools", lambda text: IndexError("arrays used as indices must be of integer (or boolean) type")),
    (" stands twice", lambda text: ValueError("repeated axis in transpose") if text.startswith("permute") else text),
    ("may only be read", lambda text: ValueError("assignment destination is read-only")),
    ("do not fit: the last axis", _matmul),
    ("elements, but [", _reshape),
    ("cannot be divided into [", _reshape),
    ("only one size can be inferred", lambda text: ValueError("can only specify one unknown dimension")),
    ("cannot be broadcast together", _broadcast),
    ("cannot be broadcast to [", _put),
    ("indices for a tensor", _indices),
    ("is out of range for axis", _index),
    ("is out of range for a tensor of rank", _axis),
    ("needs a number of points >= 0", lambda text: ValueError(f"Number of samples, {_numbers(text)[-1]}, must be non-negative.")),
    ("is negative", lambda text: ValueError("negative dimensions are not allowed") if " of axis " in text else text),
)


def worded(text):
    for part, say in _WORDS:
        if part in text:
            try:
                return say(text)
            except (IndexError, ValueError):
                return text
    return text
