# fractions -- exact quotients of integers.
import math as _math
from numbers import Rational as _Rational


class Fraction(_Rational):
    def __init__(self, numerator=0, denominator=None):
        n, d = numerator, 1
        if denominator is None:
            if isinstance(n, Fraction):
                n, d = n._n, n._d
            elif isinstance(n, float):
                n, d = n.as_integer_ratio()
            elif isinstance(n, str):
                n, d = _parsed(n)
            elif not isinstance(n, int):
                if not hasattr(n, "as_integer_ratio"):
                    raise TypeError("argument should be a string or a Rational instance or have the as_integer_ratio() method")
                n, d = n.as_integer_ratio()
        else:
            a, b = Fraction(numerator) if not isinstance(numerator, int) else numerator, denominator
            if not isinstance(a, int) or not isinstance(b, int):
                q = (a if isinstance(a, Fraction) else Fraction(a)) / (b if isinstance(b, Fraction) else Fraction(b))
                n, d = q._n, q._d
            else:
                n, d = a, b
        if d == 0:
            raise ZeroDivisionError(f"Fraction({n}, 0)")
        g = _math.gcd(n, d) * (-1 if d < 0 else 1)
        self._n, self._d = n // g, d // g

    numerator = property(lambda self: self._n)
    denominator = property(lambda self: self._d)

    @classmethod
    def from_float(cls, f):
        return cls(f)

    from_decimal = from_float

    def as_integer_ratio(self):
        return self._n, self._d

    def is_integer(self):
        return self._d == 1

    def limit_denominator(self, max_denominator=1000000):
        # the best by continued fractions
        if max_denominator < 1:
            raise ValueError("max_denominator should be at least 1")
        if self._d <= max_denominator:
            return Fraction(self)
        p0, q0, p1, q1 = 0, 1, 1, 0
        n, d = self._n, self._d
        while True:
            a = n // d
            q2 = q0 + a * q1
            if q2 > max_denominator:
                break
            p0, q0, p1, q1 = p1, q1, p0 + a * p1, q2
            n, d = d, n - a * d
        k = (max_denominator - q0) // q1
        if 2 * d * (q0 + k * q1) <= self._d:
            return Fraction(p1, q1)
        return Fraction(p0 + k * p1, q0 + k * q1)

    def __repr__(self):
        return f"Fraction({self._n}, {self._d})"

    def __str__(self):
        return str(self._n) if self._d == 1 else f"{self._n}/{self._d}"

    def __hash__(self):
        return hash(self._n) if self._d == 1 else hash(self._n / self._d) if self._n / self._d == self else hash((self._n, self._d))

    def __float__(self):
        return self._n / self._d

    def __int__(self):
        return _math.trunc(self)

    def __bool__(self):
        return self._n != 0

    def __trunc__(self):
        return -(-self._n // self._d) if self._n < 0 else self._n // self._d

    def __floor__(self):
        return self._n // self._d

    def __ceil__(self):
        return -(-self._n // self._d)

    def __round__(self, ndigits=None):
        if ndigits is None:
            f, r = divmod(self._n, self._d)
            return f + 1 if 2 * r > self._d or (2 * r == self._d and f % 2) else f
        s = 10 ** abs(ndigits)
        return Fraction(round(self * s), s) if ndigits > 0 else Fraction(round(self / s) * s)

    def __neg__(self):
        return Fraction(-self._n, self._d)

    def __pos__(self):
        return self

    def __abs__(self):
        return Fraction(abs(self._n), self._d)

    def __pow__(self, k):
        if isinstance(k, Fraction) and k._d == 1:
            k = k._n
        if isinstance(k, int):
            return Fraction(self._n ** k, self._d ** k) if k >= 0 else Fraction(self._d ** -k, self._n ** -k)
        return float(self) ** float(k)

    def __rpow__(self, a):
        return a ** (self._n if self._d == 1 else float(self))

    def __eq__(self, o):
        o = _plain(o.real if isinstance(o, complex) and o.imag == 0 else o)
        if isinstance(o, float):
            return float(self) == o if not _math.isfinite(o) else self == Fraction(o)
        p = _pair(o)
        return NotImplemented if p is None else self._n == p[0] and self._d == p[1]

    def _cmp(self, o, f):
        o = _plain(o)
        if isinstance(o, float):
            return f(float(self) - o, 0) if not _math.isfinite(o) else self._cmp(Fraction(o), f)
        p = _pair(o)
        return NotImplemented if p is None else f(self._n * p[1], p[0] * self._d)

    def __lt__(self, o):
        return self._cmp(o, lambda a, b: a < b)

    def __le__(self, o):
        return self._cmp(o, lambda a, b: a <= b)

    def __gt__(self, o):
        return self._cmp(o, lambda a, b: a > b)

    def __ge__(self, o):
        return self._cmp(o, lambda a, b: a >= b)


def _plain(x):
    # a Decimal as what it is compared as
    if not hasattr(x, "as_tuple") or not hasattr(x, "is_finite"):
        return x
    return Fraction(*x.as_integer_ratio()) if x.is_finite() else float(x)


def _pair(x):
    return (x._n, x._d) if isinstance(x, Fraction) else (x, 1) if isinstance(x, int) else None


def _operator(exact, rough):
    def forward(self, o):
        p = _pair(o)
        if p is not None:
            return exact(self._n, self._d, p[0], p[1])
        return rough(float(self), o) if isinstance(o, (float, complex)) else NotImplemented

    def backward(self, o):
        p = _pair(o)
        if p is not None:
            return exact(p[0], p[1], self._n, self._d)
        return rough(o, float(self)) if isinstance(o, (float, complex)) else NotImplemented
    return forward, backward


for _name, _exact, _rough in (
        ("add", lambda a, b, c, d: Fraction(a * d + c * b, b * d), lambda x, y: x + y),
        ("sub", lambda a, b, c, d: Fraction(a * d - c * b, b * d), lambda x, y: x - y),
        ("mul", lambda a, b, c, d: Fraction(a * c, b * d), lambda x, y: x * y),
        ("truediv", lambda a, b, c, d: Fraction(a * d, b * c), lambda x, y: x / y),
        ("floordiv", lambda a, b, c, d: (a * d) // (b * c), lambda x, y: x // y),
        ("mod", lambda a, b, c, d: Fraction((a * d) % (c * b), b * d), lambda x, y: x % y),
        ("divmod", lambda a, b, c, d: ((a * d) // (b * c), Fraction((a * d) % (c * b), b * d)), lambda x, y: divmod(x, y))):
    _f, _g = _operator(_exact, _rough)
    setattr(Fraction, f"__{_name}__", _f)
    setattr(Fraction, f"__r{_name}__", _g)


def _parsed(text):
    t = text.strip().replace("_", "")
    top, slash, under = t.partition("/")
    try:
        if slash:
            return int(top), int(under)
        t, e, power = t.lower().partition("e")
        whole, _, part = t.partition(".")
        n, d = int((whole or "0") + part if whole not in ("-", "+") else whole + "0" + part), 10 ** len(part)
        k = int(power) if e else 0
        return (n * 10 ** k, d) if k >= 0 else (n, d * 10 ** -k)
    except ValueError:
        raise ValueError(f"Invalid literal for Fraction: {text!r}") from None
