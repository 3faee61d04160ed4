# _stage.number -- Python's numbers that are not known while a program is made, and their arithmetic.
import operator


class Refuse(Exception):
    # Something that cannot be in a program.
    pass


_valueless = ("has no concrete value", "has no numbers", "needs concrete tensors", "needs a concrete tensor",
              "is not known while tracing")


def needs_value(e):
    # Did something ask for the numbers of a tensor that has none yet?
    return isinstance(e, RuntimeError) and any([str(e).find(text) >= 0 for text in _valueless])


class Sym:
    # A Python number as a tensor of rank 0: i64, f64 or bool.
    def __init__(self, stage, kind, t):
        self.stage = stage
        self.kind = kind
        self.t = t

    def __tensor__(self):
        return self.stage.w.set_weak(self.t, True)

    def _needed(self):
        raise Refuse("the value of a number is needed while compiling")

    def __index__(self):
        self._needed()

    def __int__(self):
        self._needed()

    def __float__(self):
        self._needed()

    def __bool__(self):
        self._needed()

    def __hash__(self):
        self._needed()

    def __str__(self):
        self._needed()

    def __repr__(self):
        self._needed()

    def __format__(self, spec):
        self._needed()

    def __add__(self, o):
        return self.stage.arith("+", self, o)

    def __radd__(self, o):
        return self.stage.arith("+", o, self)

    def __sub__(self, o):
        return self.stage.arith("-", self, o)

    def __rsub__(self, o):
        return self.stage.arith("-", o, self)

    def __mul__(self, o):
        return self.stage.arith("*", self, o)

    def __rmul__(self, o):
        return self.stage.arith("*", o, self)

    def __truediv__(self, o):
        return self.stage.arith("/", self, o)

    def __rtruediv__(self, o):
        return self.stage.arith("/", o, self)

    def __floordiv__(self, o):
        return self.stage.arith("//", self, o)

    def __rfloordiv__(self, o):
        return self.stage.arith("//", o, self)

    def __mod__(self, o):
        return self.stage.arith("%", self, o)

    def __rmod__(self, o):
        return self.stage.arith("%", o, self)

    def __pow__(self, o):
        return self.stage.arith("**", self, o)

    def __rpow__(self, o):
        return self.stage.arith("**", o, self)

    def __and__(self, o):
        return self.stage.arith("&", self, o)

    def __or__(self, o):
        return self.stage.arith("|", self, o)

    def __xor__(self, o):
        return self.stage.arith("^", self, o)

    def __rand__(self, o):
        return self.stage.arith("&", o, self)

    def __ror__(self, o):
        return self.stage.arith("|", o, self)

    def __rxor__(self, o):
        return self.stage.arith("^", o, self)

    def __lshift__(self, o):
        return self.stage.arith("<<", self, o)

    def __rlshift__(self, o):
        return self.stage.arith("<<", o, self)

    def __rshift__(self, o):
        return self.stage.arith(">>", self, o)

    def __rrshift__(self, o):
        return self.stage.arith(">>", o, self)

    def __invert__(self):
        if self.kind == "float":
            raise Refuse("bits of a float")
        return -self - 1

    def __round__(self, n=None):
        self._needed()

    def __neg__(self):
        return Sym(self.stage, "int" if self.kind == "bool" else self.kind,
                   self.stage.w.neg(self.stage.number(self, "int" if self.kind == "bool" else self.kind)))

    def __pos__(self):
        return self

    def __abs__(self):
        return Sym(self.stage, self.kind, self.stage.w.abs(self.t))

    def __lt__(self, o):
        return self.stage.compare("<", self, o)

    def __le__(self, o):
        return self.stage.compare("<=", self, o)

    def __gt__(self, o):
        return self.stage.compare(">", self, o)

    def __ge__(self, o):
        return self.stage.compare(">=", self, o)

    def __eq__(self, o):
        return self.stage.compare("==", self, o)

    def __ne__(self, o):
        return self.stage.compare("!=", self, o)


binary = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": lambda a, b: a / b, "//": lambda a, b: a // b, "%": lambda a, b: a % b,
    "**": lambda a, b: a ** b, "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
    "@": lambda a, b: a @ b,
}


# What x += y does, which may write into x. TorchScript does so with these few, and makes a new tensor with the others.
inplace = {"+": operator.iadd, "-": operator.isub, "*": operator.imul, "/": operator.itruediv, "%": operator.imod, "<<": operator.ilshift,
           ">>": operator.irshift, "//": operator.ifloordiv, "**": operator.ipow, "&": operator.iand, "|": operator.ior, "^": operator.ixor,
           "@": operator.imatmul}
scripted_inplace = ("+", "-", "*", "/", "%", "<<", ">>")

compare_ = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "is": lambda a, b: a is b, "is not": lambda a, b: a is not b,
    "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}

kinds = {"int": "int64", "float": "float64", "bool": "bool"}


class Numbers:
    def symbolic(self, x):
        return isinstance(x, self.w.Tensor) and self.w.about(x, "symbolic")

    def unknown(self, x):
        return isinstance(x, Sym) or self.symbolic(x)

    def number(self, x, kind):
        # x, a Sym or a host number, as a tensor of the kind.
        w = self.w
        if isinstance(x, Sym):
            return x.t if x.kind == kind else w.cast(x.t, kinds[kind])
        return w.tensor(x, kinds[kind])

    def kind_of(self, x):
        if isinstance(x, Sym):
            return x.kind
        if isinstance(x, bool):
            return "bool"
        if isinstance(x, int):
            return "int"
        if isinstance(x, float):
            return "float"
        return None

    def arith(self, op, a, b):
        ka, kb = self.kind_of(a), self.kind_of(b)
        if ka is None or kb is None:
            return NotImplemented
        w = self.w
        if op in ("&", "|", "^", "<<", ">>") and (ka == "float" or kb == "float"):
            raise Refuse("bits of a float")
        if op in ("&", "|", "^"):
            kind = "bool" if ka == "bool" and kb == "bool" else "int"
            fn = {"&": w.bitwise_and, "|": w.bitwise_or, "^": w.bitwise_xor}[op]
            return Sym(self, kind, fn(self.number(a, kind), self.number(b, kind)))
        kind = "float" if op == "/" or ka == "float" or kb == "float" or op == "**" and self.texts else "int"
        if op == "**" and kind == "int" and (isinstance(b, Sym) or b < 0):
            raise Refuse("an integer power whose sign is not known")
        checked = op in ("//", "%", "/") and not (self.texts and kind == "float")
        if checked and not isinstance(b, Sym) and b == 0:
            raise ZeroDivisionError("division by zero")
        x, y = self.number(a, kind), self.number(b, kind)
        if checked and isinstance(b, Sym):
            w.assert_now(y != 0, "division by zero")
        return Sym(self, kind, binary[op](x, y))

    def compare(self, op, a, b):
        ka, kb = self.kind_of(a), self.kind_of(b)
        if ka is None or kb is None:
            if op == "==":
                return False if b is None or isinstance(b, str) else NotImplemented
            if op == "!=":
                return True if b is None or isinstance(b, str) else NotImplemented
            return NotImplemented
        kind = "float" if ka == "float" or kb == "float" else "int"
        return Sym(self, "bool", compare_[op](self.number(a, kind), self.number(b, kind)))

    def truth(self, x):
        # True, False, or a tensor of one bool.
        w = self.w
        if isinstance(x, Sym):
            return x.t if x.kind == "bool" else w.ne(x.t, 0)
        if self.symbolic(x):
            if x.ndim > 0:
                n = 1
                for d in x.shape:
                    n *= d
                if n != 1:
                    raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
                x = w.reshape(x, ())
            return w.ne(x, 0) if x.dtype.name != "bool" else x
        return bool(x)

    def to_number(self, x, kind):
        # int(x), float(x), bool(x) of something unknown.
        w = self.w
        if isinstance(x, Sym):
            return Sym(self, kind, w.ne(x.t, 0) if kind == "bool" else self.number(x, kind))
        t = w.reshape(x, ())
        if self.numbers == "tensor":
            if kind == "bool":
                return w.ne(t, 0)
            raise Refuse("a number of a tensor that is not known")
        t = w.stop_gradient(t)
        return Sym(self, kind, w.ne(t, 0) if kind == "bool" else w.cast(t, kinds[kind]))

    def promote(self, x):
        # A host number as something that may change from turn to turn.
        kind = self.kind_of(x)
        if self.numbers == "sym":
            return Sym(self, kind, self.number(x, kind))
        return self.w.tensor(x)
