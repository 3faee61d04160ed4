# decimal -- decimal numbers of any length, with the context's precision and rounding.
#
# A number is a sign, an integer and a power of ten; special ones have a kind ("F", "n", "N") in place of the power. Every
# operation makes the exact result of two of them and rounds it once.
from collections import namedtuple as _namedtuple
from _decimals import _exp_series, _formatted, _ln_of, _ln_scaled, _of_float, _of_tuple, _parsed, _scaled

__all__ = ["Decimal", "Context", "DecimalTuple", "DefaultContext", "BasicContext", "ExtendedContext", "getcontext", "setcontext",
           "localcontext", "DecimalException", "Clamped", "InvalidOperation", "DivisionByZero", "Inexact", "Rounded", "Subnormal",
           "Overflow", "Underflow", "FloatOperation", "DivisionImpossible", "InvalidContext", "ConversionSyntax", "DivisionUndefined",
           "ROUND_DOWN", "ROUND_HALF_UP", "ROUND_HALF_EVEN", "ROUND_CEILING", "ROUND_FLOOR", "ROUND_UP", "ROUND_HALF_DOWN",
           "ROUND_05UP", "MAX_PREC", "MAX_EMAX", "MIN_EMIN", "MIN_ETINY", "HAVE_THREADS"]

ROUND_DOWN = "ROUND_DOWN"
ROUND_HALF_UP = "ROUND_HALF_UP"
ROUND_HALF_EVEN = "ROUND_HALF_EVEN"
ROUND_CEILING = "ROUND_CEILING"
ROUND_FLOOR = "ROUND_FLOOR"
ROUND_UP = "ROUND_UP"
ROUND_HALF_DOWN = "ROUND_HALF_DOWN"
ROUND_05UP = "ROUND_05UP"
MAX_PREC = MAX_EMAX = 999999999999999999
MIN_EMIN = -999999999999999999
MIN_ETINY = -1999999999999999997
HAVE_THREADS = True

DecimalTuple = _namedtuple("DecimalTuple", "sign digits exponent")


class DecimalException(ArithmeticError):
    pass


class Clamped(DecimalException):
    pass


class InvalidOperation(DecimalException):
    pass


class ConversionSyntax(InvalidOperation):
    pass


class DivisionByZero(DecimalException, ZeroDivisionError):
    pass


class DivisionImpossible(InvalidOperation):
    pass


class DivisionUndefined(InvalidOperation, ZeroDivisionError):
    pass


class Inexact(DecimalException):
    pass


class InvalidContext(InvalidOperation):
    pass


class Rounded(DecimalException):
    pass


class Subnormal(DecimalException):
    pass


class Overflow(Inexact, Rounded):
    pass


class Underflow(Inexact, Rounded, Subnormal):
    pass


class FloatOperation(DecimalException, TypeError):
    pass


_SIGNALS = [Clamped, DivisionByZero, Inexact, Overflow, Rounded, Underflow, InvalidOperation, Subnormal, FloatOperation]
_REPORTED = {ConversionSyntax: InvalidOperation, DivisionImpossible: InvalidOperation, DivisionUndefined: InvalidOperation,
             InvalidContext: InvalidOperation}


class Context:
    def __init__(self, prec=None, rounding=None, Emin=None, Emax=None, capitals=None, clamp=None, flags=None, traps=None):
        like = DefaultContext if "DefaultContext" in globals() else None
        self.prec = prec if prec is not None else like.prec if like else 28
        self.rounding = rounding if rounding is not None else like.rounding if like else ROUND_HALF_EVEN
        self.Emin = Emin if Emin is not None else -999999
        self.Emax = Emax if Emax is not None else 999999
        self.capitals = 1 if capitals is None else capitals
        self.clamp = 0 if clamp is None else clamp
        self.flags = _signals(flags)
        if traps is None:
            traps = [s for s in _SIGNALS if like.traps[s]] if like else [DivisionByZero, Overflow, InvalidOperation]
        self.traps = _signals(traps)

    def copy(self):
        return Context(self.prec, self.rounding, self.Emin, self.Emax, self.capitals, self.clamp, dict(self.flags), dict(self.traps))

    __copy__ = copy

    def clear_flags(self):
        for s in self.flags:
            self.flags[s] = False

    def clear_traps(self):
        for s in self.traps:
            self.traps[s] = False

    def Etiny(self):
        return self.Emin - self.prec + 1

    def Etop(self):
        return self.Emax - self.prec + 1

    def __repr__(self):
        def names(d):
            return "[" + ", ".join([s.__name__ for s in d if d[s]]) + "]"
        return (f"Context(prec={self.prec}, rounding={self.rounding}, Emin={self.Emin}, Emax={self.Emax}, capitals={self.capitals}, "
                f"clamp={self.clamp}, flags={names(self.flags)}, traps={names(self.traps)})")

    def _raise(self, condition, result=None):
        # What happened is noted, and raised where it is trapped.
        signal = _REPORTED.get(condition, condition)
        self.flags[signal] = True
        if self.traps[signal]:
            raise signal([condition])
        return _NAN if result is None else result

    def create_decimal(self, num="0"):
        return Decimal(num)._fixed(self)

    def create_decimal_from_float(self, f):
        return Decimal.from_float(f)._fixed(self)

    def add(self, a, b): return _operand(a).__add__(b, self)
    def subtract(self, a, b): return _operand(a).__sub__(b, self)
    def multiply(self, a, b): return _operand(a).__mul__(b, self)
    def divide(self, a, b): return _operand(a).__truediv__(b, self)
    def sqrt(self, a): return _operand(a).sqrt(self)
    def exp(self, a): return _operand(a).exp(self)
    def ln(self, a): return _operand(a).ln(self)
    def log10(self, a): return _operand(a).log10(self)
    def power(self, a, b, modulo=None): return _operand(a).__pow__(b, modulo, self)
    def quantize(self, a, b): return _operand(a).quantize(b, context=self)
    def plus(self, a): return _operand(a).__pos__(self)
    def minus(self, a): return _operand(a).__neg__(self)
    def abs(self, a): return _operand(a).__abs__(context=self)
    def to_sci_string(self, a): return str(_operand(a))


def _signals(given):
    if isinstance(given, dict):
        return {s: bool(given.get(s, False)) for s in _SIGNALS}
    return {s: s in (given or ()) for s in _SIGNALS}


def _operand(x):
    return x if isinstance(x, Decimal) else Decimal(x)


# ---- rounding

def _rounds_up(sign, kept, half, how):
    # Is the last kept digit raised? half: what is cut off, which is not 0, against half a unit: -1 below, 0 exactly, 1 above.
    if how == ROUND_DOWN:
        return False
    if how == ROUND_UP:
        return True
    if how == ROUND_CEILING:
        return not sign
    if how == ROUND_FLOOR:
        return bool(sign)
    if how == ROUND_05UP:
        return kept % 10 in (0, 5)
    if half:
        return half > 0
    return how == ROUND_HALF_UP or (how == ROUND_HALF_EVEN and kept % 2 == 1)


def _shortened(sign, digits, drop, how):
    # digits without its last `drop` places: (what is kept, was anything lost?)
    unit = 10 ** drop
    kept, rest = divmod(digits, unit)
    if rest == 0:
        return kept, False
    twice = 2 * rest
    half = (twice > unit) - (twice < unit)
    return kept + (1 if _rounds_up(sign, kept, half, how) else 0), True


def _root(n):
    # The integer square root.
    if n < 2:
        return n
    x = 1 << ((n.bit_length() + 1) // 2)
    while True:
        y = (x + n // x) // 2
        if y >= x:
            return x
        x = y


class Decimal:
    def __new__(cls, value="0", context=None):
        self = object.__new__(cls)
        if isinstance(value, Decimal):
            self._sign, self._int, self._exp = value._sign, value._int, value._exp
        elif isinstance(value, int):
            self._sign, self._int, self._exp = (1 if value < 0 else 0), abs(int(value)), 0
        elif isinstance(value, float):
            self._sign, self._int, self._exp = _of_float(value)
        elif isinstance(value, str):
            found = _parsed(value)
            if found is None:
                return (context or getcontext())._raise(ConversionSyntax)
            self._sign, self._int, self._exp = found
        elif isinstance(value, (tuple, list)):
            self._sign, self._int, self._exp = _of_tuple(value)
        else:
            raise TypeError(f"conversion from {type(value).__name__} to Decimal is not supported")
        return self

    def __init__(self, value="0", context=None):
        pass

    @classmethod
    def from_float(cls, f):
        if not isinstance(f, (int, float)):
            raise TypeError("argument must be int or float")
        return cls(f)

    # ---- what it is

    def is_nan(self):
        return self._exp in ("n", "N")

    def is_qnan(self):
        return self._exp == "n"

    def is_snan(self):
        return self._exp == "N"

    def is_infinite(self):
        return self._exp == "F"

    def is_finite(self):
        return not isinstance(self._exp, str)

    def is_zero(self):
        return self.is_finite() and self._int == 0

    def is_signed(self):
        return self._sign == 1

    def is_normal(self, context=None):
        return self.is_finite() and self._int != 0 and self.adjusted() >= (context or getcontext()).Emin

    def is_subnormal(self, context=None):
        return self.is_finite() and self._int != 0 and self.adjusted() < (context or getcontext()).Emin

    def adjusted(self):
        return self._exp + len(str(self._int)) - 1 if self.is_finite() else 0

    def as_tuple(self):
        digits = () if self._exp in ("n", "N") and not self._int else tuple([int(d) for d in str(self._int)])
        return DecimalTuple(self._sign, digits, self._exp)

    def as_integer_ratio(self):
        if not self.is_finite():
            raise (ValueError if self.is_nan() else OverflowError)(
                "cannot convert " + ("NaN" if self.is_nan() else "Infinity") + " to integer ratio")
        n, d = self._int, 1
        if self._exp >= 0:
            n *= 10 ** self._exp
        else:
            d = 10 ** -self._exp
            from math import gcd
            g = gcd(n, d)
            n, d = n // g, d // g
        return (-n if self._sign else n), d

    real = property(lambda self: self)
    imag = property(lambda self: Decimal(0))

    def conjugate(self):
        return self

    def canonical(self):
        return self

    def radix(self):
        return Decimal(10)

    # ---- text

    def __str__(self, eng=False):
        sign = "-" if self._sign else ""
        if self._exp == "F":
            return sign + "Infinity"
        if self.is_nan():
            return sign + ("NaN" if self._exp == "n" else "sNaN") + (str(self._int) if self._int else "")
        digits = str(self._int)
        left = self._exp + len(digits)      # digits before the point, as it is written plainly
        if self._exp <= 0 and left > -6:
            at = left
        elif not eng:
            at = 1
        elif digits == "0":
            at = (left + 1) % 3 - 1
        else:
            at = (left - 1) % 3 + 1
        if at <= 0:
            text = "0." + "0" * -at + digits
        elif at >= len(digits):
            text = digits + "0" * (at - len(digits))
        else:
            text = digits[:at] + "." + digits[at:]
        return sign + text + ("" if left == at else f"{'E' if getcontext().capitals else 'e'}{left - at:+d}")

    def to_eng_string(self, context=None):
        return self.__str__(True)

    def __repr__(self):
        return f"Decimal('{self}')"

    def __format__(self, spec):
        if not spec:
            return str(self)
        return _formatted(self, spec)

    def __hash__(self):
        if not self.is_finite():
            if self._exp == "N":
                raise TypeError("Cannot hash a signaling NaN value.")
            return object.__hash__(self) if self._exp == "n" else hash(float("-inf" if self._sign else "inf"))
        n, d = self.as_integer_ratio()
        if d == 1:
            return hash(n)
        from fractions import Fraction
        return hash(Fraction(n, d))

    def __bool__(self):
        return not self.is_finite() or self._int != 0

    def __int__(self):
        if not self.is_finite():
            if self.is_nan():
                raise ValueError("cannot convert NaN to integer")
            raise OverflowError("cannot convert Infinity to integer")
        n = self._int * 10 ** self._exp if self._exp >= 0 else self._int // 10 ** -self._exp
        return -n if self._sign else n

    __trunc__ = __int__

    def __float__(self):
        if self._exp == "N":
            raise ValueError("Cannot convert signaling NaN to float")
        return float(str(self))

    def __complex__(self):
        return complex(float(self))

    def __round__(self, n=None):
        if n is None:
            return int(self.quantize(Decimal(1), ROUND_HALF_EVEN, _wide()))
        return self.quantize(_made(0, 1, -n))

    def __floor__(self):
        return int(self.to_integral_value(ROUND_FLOOR))

    def __ceil__(self):
        return int(self.to_integral_value(ROUND_CEILING))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return (Decimal, (str(self),))

    # ---- rounding

    def _fixed(self, context=None):
        # As the context has it: no more digits than its precision, its exponents.
        c = context or getcontext()
        if not self.is_finite():
            return self
        if self._int == 0:
            top = c.Etop() if c.clamp else c.Emax
            e = min(max(self._exp, c.Etiny()), top)
            if e != self._exp:
                c._raise(Clamped, self)
                return _made(self._sign, 0, e)
            return self
        size = len(str(self._int))
        least = max(self._exp, size + self._exp - c.prec, c.Etiny())
        digits, e = self._int, self._exp
        if least > e:
            small = size + e - 1 < c.Emin
            digits, lost = _shortened(self._sign, digits, least - e, c.rounding)
            e = least
            if len(str(digits)) > c.prec:       # 9.99 became 10.0
                digits, e = digits // 10, e + 1
            c._raise(Rounded, self)
            if lost:
                c._raise(Inexact, self)
                if small:
                    c._raise(Underflow, self)
        if e + len(str(digits)) - 1 > c.Emax:
            return _overflowed(c, self._sign)
        if c.clamp and e > c.Etop():
            digits, e = digits * 10 ** (e - c.Etop()), c.Etop()
        return _made(self._sign, digits, e)

    def quantize(self, exp, rounding=None, context=None):
        c = context or getcontext()
        exp = _operand(exp)
        nan = _nan_of(self, exp)
        if nan is not None:
            return nan
        if not (self.is_finite() and exp.is_finite()):
            return _made(*self._parts()) if self.is_infinite() and exp.is_infinite() else c._raise(InvalidOperation)
        y = self._rescaled(exp._exp, rounding or c.rounding)
        if len(str(y._int)) > c.prec or y.adjusted() > c.Emax:
            return c._raise(InvalidOperation)
        if y._exp > self._exp:
            c._raise(Rounded, self)
            if y != self:
                c._raise(Inexact, self)
        return y

    def _parts(self):
        return self._sign, self._int, self._exp

    def _rescaled(self, e, how):
        if self._int == 0:
            return _made(self._sign, 0, e)
        if self._exp >= e:
            return _made(self._sign, self._int * 10 ** (self._exp - e), e)
        return _made(self._sign, _shortened(self._sign, self._int, e - self._exp, how)[0], e)

    def to_integral_value(self, rounding=None, context=None):
        if not self.is_finite() or self._exp >= 0:
            return _made(*self._parts())
        return self._rescaled(0, rounding or (context or getcontext()).rounding)

    to_integral = to_integral_value

    def to_integral_exact(self, rounding=None, context=None):
        return self.to_integral_value(rounding, context)

    def normalize(self, context=None):
        x = self._fixed(context)
        if not x.is_finite():
            return x
        digits, e = x._int, x._exp
        if digits == 0:
            return _made(x._sign, 0, 0)
        while digits % 10 == 0:
            digits, e = digits // 10, e + 1
        return _made(x._sign, digits, e)

    def scaleb(self, other, context=None):
        return _made(self._sign, self._int, self._exp + int(other))._fixed(context)

    def shift(self, other, context=None):
        n = int(other)
        digits = self._int * 10 ** n if n >= 0 else self._int // 10 ** -n
        return _made(self._sign, digits % 10 ** (context or getcontext()).prec, self._exp)

    def copy_abs(self):
        return _made(0, self._int, self._exp)

    def copy_negate(self):
        return _made(1 - self._sign, self._int, self._exp)

    def copy_sign(self, other, context=None):
        return _made(_operand(other)._sign, self._int, self._exp)

    def same_quantum(self, other, context=None):
        other = _operand(other)
        return self._exp == other._exp if self.is_finite() or other.is_finite() else self.is_nan() == other.is_nan()

    # ---- comparison

    def _order(self, other):
        # -1, 0 or 1; of numbers, not NaNs
        a, b = _rank(self), _rank(other)
        if a != b or not self.is_finite():
            return (a > b) - (a < b)
        e = min(self._exp, other._exp)
        x, y = self._signed(e), other._signed(e)
        return (x > y) - (x < y)

    def _signed(self, e):
        n = self._int * 10 ** (self._exp - e)
        return -n if self._sign else n

    def compare(self, other, context=None):
        other = _operand(other)
        nan = _nan_of(self, other)
        return nan if nan is not None else Decimal(self._order(other))

    def compare_total(self, other, context=None):
        other = _operand(other)
        if self._sign != other._sign:
            return Decimal(-1 if self._sign else 1)
        k = self._order(other) or (self._exp > other._exp) - (self._exp < other._exp)
        return Decimal(-k if self._sign and self == other else k)

    def __eq__(self, other):
        other = _like(other.real if isinstance(other, complex) and other.imag == 0 else other, True)
        if other is NotImplemented:
            return other
        return not self.is_nan() and not other.is_nan() and self._order(other) == 0

    def _compared(self, other, test):
        other = _like(other, True)
        if other is NotImplemented:
            return other
        if self.is_nan() or other.is_nan():
            getcontext()._raise(InvalidOperation)
            return False
        return test(self._order(other))

    def __lt__(self, other):
        return self._compared(other, lambda k: k < 0)

    def __le__(self, other):
        return self._compared(other, lambda k: k <= 0)

    def __gt__(self, other):
        return self._compared(other, lambda k: k > 0)

    def __ge__(self, other):
        return self._compared(other, lambda k: k >= 0)

    def max(self, other, context=None):
        other = _operand(other)
        if self.is_nan() or other.is_nan():
            return (other if self.is_nan() else self)._fixed(context)
        return (self if (self._order(other) or self.compare_total(other)) >= 0 else other)._fixed(context)

    def min(self, other, context=None):
        other = _operand(other)
        if self.is_nan() or other.is_nan():
            return (other if self.is_nan() else self)._fixed(context)
        return (self if (self._order(other) or self.compare_total(other)) <= 0 else other)._fixed(context)

    # ---- arithmetic

    def __pos__(self, context=None):
        c = context or getcontext()
        zero = self.is_zero() and c.rounding != ROUND_FLOOR
        return (self.copy_abs() if zero else self)._fixed(c)

    def __neg__(self, context=None):
        c = context or getcontext()
        if self.is_nan():
            return self
        zero = self.is_zero() and c.rounding != ROUND_FLOOR
        return (self.copy_abs() if zero else self.copy_negate())._fixed(c)

    def __abs__(self, round=True, context=None):
        return self.copy_abs()._fixed(context)

    def __add__(self, other, context=None):
        other = _like(other)
        if other is NotImplemented:
            return other
        c = context or getcontext()
        nan = _nan_of(self, other)
        if nan is not None:
            return nan
        if not self.is_finite() or not other.is_finite():
            if self.is_infinite() and other.is_infinite() and self._sign != other._sign:
                return c._raise(InvalidOperation)
            return self if self.is_infinite() else other
        self, other = _within_reach(self, other, c.prec)
        e = min(self._exp, other._exp)
        n = self._signed(e) + other._signed(e)
        sign = 1 if n < 0 else 0
        if n == 0:
            sign = self._sign if self._sign == other._sign else 1 if c.rounding == ROUND_FLOOR else 0
        return _made(sign, abs(n), e)._fixed(c)

    __radd__ = __add__

    def __sub__(self, other, context=None):
        other = _like(other)
        if other is NotImplemented:
            return other
        return self.__add__(other if other.is_nan() else other.copy_negate(), context)

    def __rsub__(self, other, context=None):
        other = _like(other)
        return other if other is NotImplemented else other.__sub__(self, context)

    def __mul__(self, other, context=None):
        other = _like(other)
        if other is NotImplemented:
            return other
        c = context or getcontext()
        nan = _nan_of(self, other)
        if nan is not None:
            return nan
        sign = self._sign ^ other._sign
        if not self.is_finite() or not other.is_finite():
            if self.is_zero() or other.is_zero():
                return c._raise(InvalidOperation)
            return _made(sign, 0, "F")
        return _made(sign, self._int * other._int, self._exp + other._exp)._fixed(c)

    __rmul__ = __mul__

    def __truediv__(self, other, context=None):
        other = _like(other)
        if other is NotImplemented:
            return other
        c = context or getcontext()
        nan = _nan_of(self, other)
        if nan is not None:
            return nan
        sign = self._sign ^ other._sign
        if self.is_infinite():
            return c._raise(InvalidOperation) if other.is_infinite() else _made(sign, 0, "F")
        if other.is_infinite():
            return _made(sign, 0, c.Etiny())
        if other._int == 0:
            if self._int == 0:
                return c._raise(DivisionUndefined)
            return c._raise(DivisionByZero, _made(sign, 0, "F"))
        if self._int == 0:
            return _made(sign, 0, self._exp - other._exp)._fixed(c)
        shift = len(str(other._int)) - len(str(self._int)) + c.prec + 1
        e = self._exp - other._exp - shift
        if shift >= 0:
            q, r = divmod(self._int * 10 ** shift, other._int)
        else:
            q, r = divmod(self._int, other._int * 10 ** -shift)
        if r:       # a digit that rounds as the rest would
            q += 1 if q % 5 == 0 else 0
        else:
            while e < self._exp - other._exp and q % 10 == 0:
                q, e = q // 10, e + 1
        return _made(sign, q, e)._fixed(c)

    def __rtruediv__(self, other, context=None):
        other = _like(other)
        return other if other is NotImplemented else other.__truediv__(self, context)

    def _divided(self, other, c):
        # (whole quotient, remainder), both towards zero
        nan = _nan_of(self, other)
        if nan is not None:
            return nan, nan
        sign = self._sign ^ other._sign
        if self.is_infinite():
            bad = c._raise(InvalidOperation)
            return (bad if other.is_infinite() else _made(sign, 0, "F")), bad
        if other.is_zero():
            if self.is_zero():
                bad = c._raise(DivisionUndefined)
                return bad, bad
            bad = c._raise(InvalidOperation)
            return c._raise(DivisionByZero, _made(sign, 0, "F")), bad
        if other.is_infinite():
            return _made(sign, 0, 0), self._fixed(c)
        e = min(self._exp, other._exp)
        q, r = divmod(abs(self._signed(e)), abs(other._signed(e)))
        if len(str(q)) > c.prec:
            bad = c._raise(DivisionImpossible)
            return bad, bad
        return _made(sign, q, 0), _made(self._sign, r, e)._fixed(c)

    def __divmod__(self, other, context=None):
        other = _like(other)
        return other if other is NotImplemented else self._divided(other, context or getcontext())

    def __rdivmod__(self, other):
        other = _like(other)
        return other if other is NotImplemented else other.__divmod__(self)

    def __floordiv__(self, other):
        other = _like(other)
        if other is NotImplemented:
            return other
        if self.is_infinite() and other.is_finite():
            return _made(self._sign ^ other._sign, 0, "F")
        if other.is_zero() and self.is_finite() and not self.is_zero():
            return getcontext()._raise(DivisionByZero, _made(self._sign ^ other._sign, 0, "F"))
        return self._divided(other, getcontext())[0]

    def __rfloordiv__(self, other):
        other = _like(other)
        return other if other is NotImplemented else other.__floordiv__(self)

    def __mod__(self, other):
        other = _like(other)
        if other is NotImplemented:
            return other
        if other.is_zero() and self.is_finite() and not self.is_zero():
            return getcontext()._raise(InvalidOperation)
        return self._divided(other, getcontext())[1]

    def __rmod__(self, other):
        other = _like(other)
        return other if other is NotImplemented else other.__mod__(self)

    def remainder_near(self, other, context=None):
        other = _operand(other)
        c = context or getcontext()
        q, r = self._divided(other, c)
        if not r.is_finite() or not other.is_finite():
            return r
        e = min(self._exp, other._exp)
        n, d = abs(self._signed(e)), abs(other._signed(e))
        rest, sign = n % d, self._sign
        if 2 * rest > d or (2 * rest == d and n // d % 2):
            rest, sign = d - rest, 1 - sign
        return _made(sign, rest, e)._fixed(c)

    def fma(self, other, third, context=None):
        return (self.__mul__(other, _wide())).__add__(third, context)

    def sqrt(self, context=None):
        c = context or getcontext()
        if self.is_nan():
            return self
        if self.is_zero():
            return _made(self._sign, 0, self._exp // 2)._fixed(c)
        if self._sign:
            return c._raise(InvalidOperation)
        if self.is_infinite():
            return self
        digits, e = self._int, self._exp
        if e % 2:
            digits, e = digits * 10, e - 1
        want = e // 2                            # the exponent of an exact root
        places = max(c.prec + 1 - (len(str(digits)) + 1) // 2, 0)
        root = _root(digits * 100 ** places)
        exact = root * root == digits * 100 ** places
        e = want - places
        if not exact:
            root += 1 if root % 5 == 0 else 0
        while exact and e < want and root % 10 == 0:
            root, e = root // 10, e + 1
        half = c.copy()
        half.rounding = ROUND_HALF_EVEN
        return _made(0, root, e)._fixed(half)

    def __pow__(self, other, modulo=None, context=None):
        if modulo is not None:
            return Decimal(pow(int(self), int(other), int(modulo)))
        other = _like(other)
        if other is NotImplemented:
            return other
        c = context or getcontext()
        nan = _nan_of(self, other)
        if nan is not None:
            return nan
        if other.is_zero():
            return c._raise(InvalidOperation) if self.is_zero() else Decimal(1)
        whole = other.is_finite() and other == other.to_integral_value()
        sign = 1 if self._sign and whole and int(other) % 2 else 0
        if self.is_zero() or self.is_infinite():
            grows = self.is_infinite() == (other._sign == 0)
            return _made(sign, 0, "F") if grows else _made(sign, 0, 0)
        if other.is_infinite():
            k = self.copy_abs()._order(Decimal(1))
            return Decimal(1) if k == 0 else _made(0, 0, "F") if (k > 0) == (other._sign == 0) else _made(0, 0, 0)
        if self._sign and not whole:
            return c._raise(InvalidOperation)
        if whole:
            n = int(other)
            power = _made(sign, self._int ** abs(n), self._exp * abs(n)) if abs(n) * len(str(self._int)) < 20000 else None
            if power is not None:
                if n > 0:
                    return power._fixed(c)
                y = Decimal(1).__truediv__(power, c)
                return y
        more = c.copy()
        more.prec = c.prec + 10 + max(0, other.adjusted() + 1) + 3
        more.traps = _signals(None)
        y = other.__mul__(self.copy_abs().ln(more), more).exp(more)
        return _made(sign, y._int, y._exp)._fixed(c)

    def __rpow__(self, other, context=None):
        other = _like(other)
        return other if other is NotImplemented else other.__pow__(self, None, context)

    # ---- functions, by series on integers with more digits than are asked for

    def exp(self, context=None):
        c = context or getcontext()
        if self.is_nan():
            return self
        if self.is_infinite():
            return _made(0, 0, 0) if self._sign else self
        if self.is_zero():
            return Decimal(1)
        if self.adjusted() > 7:
            return _made(0, 1, c.Etiny() - 1)._fixed(c) if self._sign else _overflowed(c, 0)
        places = c.prec + 10 + max(0, self.adjusted() + 1)
        unit = 10 ** places
        x = _scaled(self, places)
        ten = _ln_of(10, places)
        k = x // ten                        # e**x = 10**k * e**rest
        rest = x - k * ten
        y = _exp_series(rest, unit)
        half = c.copy()
        half.rounding = ROUND_HALF_EVEN
        return _made(0, y, k - places)._fixed(half)

    def ln(self, context=None):
        c = context or getcontext()
        if self.is_nan():
            return self
        if self.is_zero():
            return _made(1, 0, "F")
        if self._sign:
            return c._raise(InvalidOperation)
        if self.is_infinite():
            return self
        if self == 1:
            return Decimal(0)
        near = self - 1
        places = c.prec + 12 + max(0, -near.adjusted()) + len(str(abs(self.adjusted())))
        half = c.copy()
        half.rounding = ROUND_HALF_EVEN
        n = _ln_scaled(self, places)
        return _made(1 if n < 0 else 0, abs(n), -places)._fixed(half)

    def log10(self, context=None):
        c = context or getcontext()
        if self.is_nan():
            return self
        if self.is_zero():
            return _made(1, 0, "F")
        if self._sign:
            return c._raise(InvalidOperation)
        if self.is_infinite():
            return self
        half = c.copy()
        half.rounding = ROUND_HALF_EVEN
        if str(self._int).rstrip("0") == "1":
            return Decimal(self.adjusted())._fixed(half)
        places = c.prec + 12 + max(0, -(self - 1).adjusted()) + len(str(abs(self.adjusted())))
        n = _ln_scaled(self, places) * 10 ** places // _ln_of(10, places)
        return _made(1 if n < 0 else 0, abs(n), -places)._fixed(half)

    def logb(self, context=None):
        if self.is_zero():
            return (context or getcontext())._raise(DivisionByZero, _made(1, 0, "F"))
        return Decimal(self.adjusted())

    def next_plus(self, context=None):
        return self._neighbour(ROUND_CEILING, 0, context)

    def next_minus(self, context=None):
        return self._neighbour(ROUND_FLOOR, 1, context)

    def _neighbour(self, how, sign, context):
        c = (context or getcontext()).copy()
        c.rounding = how
        c.traps = _signals(None)
        if self.is_infinite() and self._sign != sign:
            return _made(self._sign, 10 ** c.prec - 1, c.Etop())
        y = self._fixed(c)
        return y if y != self else self.__add__(_made(sign, 1, c.Etiny() - 1), c)


def _made(sign, digits, exponent):
    self = object.__new__(Decimal)
    self._sign, self._int, self._exp = sign, digits, exponent
    return self


def _overflowed(c, sign):
    c._raise(Inexact, _NAN)
    c._raise(Rounded, _NAN)
    away = c.rounding in (ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_HALF_DOWN, ROUND_UP) or c.rounding == (
        ROUND_FLOOR if sign else ROUND_CEILING)
    largest = _made(sign, 10 ** c.prec - 1, c.Emax - c.prec + 1)
    return c._raise(Overflow, _made(sign, 0, "F") if away else largest)


def _within_reach(a, b, prec):
    # A number so small beside the other that it only decides how the sum is rounded becomes one that decides the same.
    high, low = (a, b) if a._exp >= b._exp else (b, a)
    if not high._int or not low._int:
        return a, b
    least = high._exp + min(-1, len(str(high._int)) - prec - 2)
    if low.adjusted() >= least:
        return a, b
    small = _made(low._sign, 1, least)
    return (a, small) if high is a else (small, b)


def _nan_of(a, b):
    for x in (a, b):
        if x._exp == "N":
            return getcontext()._raise(InvalidOperation, _made(x._sign, x._int, "n"))
    for x in (a, b):
        if x._exp == "n":
            return x
    return None


def _rank(x):
    return (-1 if x._sign else 1) if x.is_infinite() else 0


def _like(x, floats=False):
    if isinstance(x, Decimal):
        return x
    if isinstance(x, int):
        return Decimal(x)
    if floats and isinstance(x, float):
        return Decimal(x)
    return NotImplemented


DefaultContext = Context(28, ROUND_HALF_EVEN, traps=[DivisionByZero, Overflow, InvalidOperation])
BasicContext = Context(9, ROUND_HALF_UP, traps=[DivisionByZero, Overflow, InvalidOperation, Clamped, Underflow])
ExtendedContext = Context(9, ROUND_HALF_EVEN, traps=[])
_NAN = _made(0, 0, "n")
_current = [DefaultContext.copy()]


def _wide():
    c = getcontext().copy()
    c.prec = 100000
    return c


def getcontext():
    return _current[0]


def setcontext(context):
    _current[0] = context.copy() if context in (DefaultContext, BasicContext, ExtendedContext) else context


class localcontext:
    def __init__(self, ctx=None, **options):
        self._new = (ctx or getcontext()).copy()
        for name, value in options.items():
            setattr(self._new, name, value)

    def __enter__(self):
        self._before = getcontext()
        _current[0] = self._new
        return self._new

    def __exit__(self, kind, value, trace):
        _current[0] = self._before
        return False
