# numpy._format -- arrays as text where the machine's own form is not asked for: functions for elements, separators, signs, digits as they
# are, what stands before and after. Loaded when one of these is asked for.
import _numpy as _w


class Options:
    # What set_printoptions knows beside what the machine does itself.
    def __init__(self):
        self.__dict__.update(floatmode="maxprec", sign="-", nanstr="nan", infstr="inf", formatter=None)


_KINDS = {"bool": ("bool", "all"), "int": ("int", "int_kind", "all"), "float": ("float", "float_kind", "all"),
          "complexfloat": ("complexfloat", "complex_kind", "all"), "timedelta": ("timedelta", "all"), "datetime": ("datetime", "all"),
          "numpystr": ("numpystr", "str_kind", "all"), "object": ("object", "all"), "void": ("void", "all")}
_OF = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complexfloat", "m": "timedelta", "M": "datetime", "U": "numpystr", "S": "numpystr",
       "O": "object", "V": "void"}


def _plain(x, width):
    # The fewest digits that tell x apart in its dtype, as (whole, decimals) without a power.
    text = repr(x) if width == 8 else str(_w.cast(_w.wrap(x), _w.float32 if width == 4 else _w.float16))
    digits, _, power = text.lstrip("-").lower().partition("e")
    whole, _, rest = digits.partition(".")
    at = len(whole) + int(power or 0)
    digits = (whole + rest).rstrip("0") or "0"
    if at <= 0:
        return "0", "0" * -at + digits
    return digits[:at].ljust(at, "0").lstrip("0") or "0", digits[at:]


def _fixed(x, width, precision, unique):
    # whole and decimals, precision of them at most (or exactly); the sign apart
    if unique:
        whole, rest = _plain(x, width)
        if precision is None or len(rest) <= precision:
            return whole, rest
    whole, _, rest = f"{abs(x):.{precision}f}".partition(".")
    return whole, rest.rstrip("0") if unique else rest


def _powered(x, width, precision, unique):
    # one digit, decimals and the power of ten
    if unique:
        whole, rest = _plain(x, width)
        digits = (whole + rest).lstrip("0")
        power = len(whole) - 1 if whole != "0" else -(len(rest) - len(rest.lstrip("0"))) - 1
        if x == 0:
            return "0", "", 0
        digits = digits.rstrip("0")
        if precision is None or len(digits) - 1 <= precision:
            return digits[0], digits[1:], power
    text = f"{abs(x):.{precision}e}"
    head, _, power = text.partition("e")
    whole, _, rest = head.partition(".")
    return whole, rest.rstrip("0") if unique else rest, int(power)


class _Floats:
    # How the floats of an array are written: all with the same places before and after the point.
    def __init__(self, values, width, o, precision, floatmode, suppress, sign):
        self.width, self.o, self.sign = width, o, sign
        self.unique = floatmode != "fixed"
        self.precision = None if floatmode == "unique" else precision
        here = [v for v in values if v == v and abs(v) != float("inf")]
        sizes = [abs(v) for v in here if v != 0]
        self.power = bool(sizes) and not suppress and (max(sizes) >= 1e8 or min(sizes) < 1e-4 or max(sizes) / min(sizes) > 1000)
        if not sizes:
            self.power = False
        parts = [_powered(v, width, self.precision, self.unique) for v in here] if self.power else \
            [_fixed(v, width, self.precision, self.unique) for v in here]
        after = max([len(p[1]) for p in parts] + [0])
        if floatmode == "fixed":
            after = precision
        self.after, self.floatmode = after, floatmode
        negative = lambda v: v < 0 or v == 0 and str(v)[0] == "-"
        before = [len(p[0]) + (negative(v) or sign == "+") for p, v in zip(parts, here)]
        self.before = max(before + [0])
        if sign == " " and not any([negative(v) for v in here]):
            self.before += 1
        elif sign == " ":
            self.before = max([len(p[0]) for p in parts] + [0]) + 1
        self.tail = max([len(str(abs(p[2]))) for p in parts] + [2]) if self.power else 0
        odd = [v for v in values if v != v or abs(v) == float("inf")]
        if odd:
            whole = self.before + 1 + after + (2 + self.tail if self.power else 0)
            own = max([len(o.nanstr) for v in odd if v != v] + [len(o.infstr) + (v < 0 or sign != "-") for v in odd if v == v])
            self.before += max(0, own - whole)

    def __call__(self, v):
        if v != v or abs(v) == float("inf"):
            sign = "+" if self.sign == "+" else ""
            text = (sign if v != v else "-" if v < 0 else sign) + (self.o.nanstr if v != v else self.o.infstr)
            return text.rjust(self.before + 1 + self.after + (2 + self.tail if self.power else 0))
        parts = (_powered if self.power else _fixed)(v, self.width, self.precision, self.unique)
        sign = "-" if v < 0 or v == 0 and str(v)[0] == "-" else "+" if self.sign == "+" else ""
        whole, rest = parts[0], parts[1]
        rest = rest.ljust(self.after, "0") if self.floatmode in ("fixed", "maxprec_equal") or self.power else rest
        text = (sign + whole).rjust(self.before) + "." + rest
        if self.power:
            power = parts[2]
            text += "e" + ("-" if power < 0 else "+") + str(abs(power)).rjust(self.tail, "0")
            return text.rjust(self.before + 1 + self.after + 2 + self.tail)
        return text.ljust(self.before + 1 + self.after)


def _formatter(x, values, o, precision, suppress, sign, floatmode, given):
    kind = _OF.get(x.dtype.kind, "object")
    for name in _KINDS[kind]:
        if given and name in given:
            return given[name]
    if kind == "bool":
        width = max([len(str(v)) for v in values] + [0])
        return lambda v: str(bool(v)).rjust(width)
    if kind == "int":
        sign = "" if sign == "-" else sign
        texts = [f"{int(v):{sign}d}" for v in values]
        width = max([len(t) for t in texts] + [0])
        return lambda v: f"{int(v):{sign}d}".rjust(width)
    if kind == "float":
        return _Floats([float(v) for v in values], x.dtype.itemsize, o, precision, floatmode, suppress, sign)
    if kind == "complexfloat":
        half = x.dtype.itemsize // 2
        real = _Floats([complex(v).real for v in values], half, o, precision, floatmode, suppress, sign)
        imag = _Floats([complex(v).imag for v in values], half, o, precision, floatmode, suppress, "+")

        def both(v):
            b = imag(complex(v).imag)
            end = b.rstrip()
            return real(complex(v).real) + end + "j" + " " * (len(b) - len(end))
        return both
    if kind == "object":
        return lambda v: f"list({v!r})" if isinstance(v, list) else repr(v)
    word = lambda v: repr(str(v) if isinstance(v, str) else bytes(v)) if kind == "numpystr" else str(v)
    width = max([len(word(v)) for v in values] + [0])
    return word if kind == "numpystr" else lambda v: word(v).rjust(width)


def _extend(text, line, word, width, indent):
    # A word at the end of a line, or of the next one where it does not fit.
    if len(line) + len(word) > width and len(line) > len(indent):
        text += line.rstrip() + "\n"
        line = indent
    return text, line + word


def _rows(x, at, form, indent, width, separator, edge, short, whole):
    # An array's text from its axis len(at) on. whole: form takes NumPy's numbers, not Python's
    axis = len(at)
    if axis == x.ndim:
        return form(x[at] if whole else x[at].item() if isinstance(x, _w.Tensor) else x[at])
    left = x.ndim - axis
    inner = indent + " "
    n = x.shape[axis]
    dots = short and 2 * edge < n
    first, last = (edge, edge) if dots else (0, n)
    places = list(range(first)) + ["..."] * dots + list(range(n - last, n))
    end = separator.rstrip()
    if left == 1:
        room = width - max(len(end), 1)
        text, line = "", inner
        for k, i in enumerate(places):
            word = "..." if i == "..." else _rows(x, at + (i,), form, inner, width, separator, edge, short, whole)
            final = k == len(places) - 1
            text, line = _extend(text, line, word, room if not final else width - 1, inner)
            if not final:
                line += separator
        return "[" + (text + line)[len(inner):] + "]"
    between = end + "\n" * (left - 1)
    text = ""
    for k, i in enumerate(places):
        word = "..." if i == "..." else _rows(x, at + (i,), form, inner, width - 1, separator, edge, short, whole)
        text += inner + word + (between if k < len(places) - 1 else "")
    return "[" + text[len(inner):] + "]"


def _ends(x, edge):
    # The elements that are shown of a long array.
    for axis, n in enumerate(x.shape):
        if n > 2 * edge:
            keep = _w.array(_w.concat([_w.arange(0, edge), _w.arange(n - edge, n)], 0)) if edge else _w.arange(0, 0)
            x = _w.take(x, keep, axis)
    return x


def string(x, o, precision, threshold, edge, width, suppress, sign=None, floatmode=None, formatter=None, separator=" ", prefix="", suffix=""):
    sign, floatmode = sign or o.sign, floatmode or o.floatmode
    given = o.formatter if formatter is None else formatter
    if getattr(x, "size", 1) == 0:
        return "[]"
    short = x.size > threshold
    shown = _ends(x, edge) if short else x
    flat = list(shown.reshape(-1)) if hasattr(shown, "reshape") and given else shown.reshape(-1).tolist()
    form = _formatter(x, flat, o, precision, suppress, sign, floatmode, given)
    width -= len(suffix)
    return _rows(x, (), form, " " * len(prefix), width, separator, edge, short, given is not None)


def of_array(x, style, o, precision, threshold, edge, width, suppress):
    # str(x) or repr(x)
    if style == "numpy" or style == "jax_str":
        return string(x, o, precision, threshold, edge, width, suppress)
    name = "Array" if style == "jax" else "array"
    own = [f"shape={tuple(x.shape)}"] if x.size == 0 and tuple(x.shape) != (0,) or x.size > threshold and style != "jax" else []
    usual = ("bool", "int64", "float64", "complex128")
    if style == "jax" or x.dtype.name not in usual or x.size == 0:
        own.append(f"dtype={x.dtype.name if isinstance(x.dtype, _w.dtype) else repr(str(x.dtype))}")
    text = f"{name}({string(x, o, precision, threshold, edge, width, suppress, separator=', ', prefix=name + '(', suffix=')' if not own else ',')}"
    if not own:
        return text + ")"
    more = ", ".join(own) + ")"
    last = len(text) - (text.rfind("\n") + 1)
    return text + "," + ("\n" + " " * (len(name) + 1) if last + len(more) + 2 > width else " ") + more
