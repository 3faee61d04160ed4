# decimal: exact decimal numbers, rounded by the context.
import math
from decimal import (Decimal, getcontext, localcontext, Context, ROUND_HALF_UP, ROUND_DOWN, ROUND_CEILING, ROUND_FLOOR, ROUND_UP,
                     InvalidOperation, DivisionByZero, Inexact)

print(Decimal("1.1") + 1, Decimal("0.1") + Decimal("0.2"), repr(Decimal(3)), Decimal("3.14"))
print(Decimal(1) / Decimal(7), Decimal(2).sqrt(), Decimal(10) / 4, Decimal("1.20") * 3, Decimal("7") // 2, Decimal("-7") % 3)
print(Decimal(0.1), Decimal("1E+3"), Decimal("0.000001"), Decimal("0.0000001"), Decimal("123E-10"), Decimal("-0"))
print(Decimal("2.675").quantize(Decimal("0.01")), Decimal("2.675").quantize(Decimal("0.01"), ROUND_HALF_UP))
for how in (ROUND_DOWN, ROUND_UP, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP):
    print(how, [str(Decimal(x).quantize(Decimal("1"), rounding=how)) for x in ("2.5", "-2.5", "1.1", "-1.1", "0.5")])
print(Decimal("1.5") < 2, Decimal("1.5") == 1.5, Decimal("0.1") == 0.1, sorted([Decimal("3"), Decimal("-1"), Decimal("2.2")]))
print(hash(Decimal("2.0")) == hash(2), hash(Decimal("0.5")) == hash(0.5), {Decimal("1.0"): "a"}[1])
print(int(Decimal("-3.99")), float(Decimal("2.50")), round(Decimal("2.567"), 2), round(Decimal("2.5")), math.floor(Decimal("-1.5")))
print(Decimal(2) ** 10, Decimal(2) ** -2, Decimal("2") ** Decimal("0.5"), Decimal(1).exp(), Decimal(10).ln(), Decimal(1000).log10())
print(Decimal("12345.678").as_tuple(), Decimal("12.3400").normalize(), Decimal("1E+2").to_eng_string(), Decimal("12.5").as_integer_ratio())
print(f"{Decimal('1234567.891'):,.2f}", f"{Decimal('0.256'):.1%}", f"{Decimal('3'):>8}", format(Decimal("1.5"), "e"), f"{Decimal('-2.5'):+09.3f}")
print(sum([Decimal("0.1")] * 10), max(Decimal(1), Decimal(2)), abs(Decimal("-4")), -Decimal("1.50"), divmod(Decimal(17), 5))
with localcontext() as ctx:
    ctx.prec = 5
    print(Decimal(1) / 3, Decimal("123456.7") + 0, +Decimal("1.234567"))
print(Decimal(1) / 3)
getcontext().prec = 6
print(Decimal(22) / 7, getcontext().prec)
getcontext().prec = 28
for f in (lambda: Decimal("abc"), lambda: Decimal(1) / 0, lambda: Decimal(0) / 0, lambda: Decimal(-1).sqrt(), lambda: Decimal(1) + 1.5,
          lambda: Decimal([1]), lambda: int(Decimal("NaN")), lambda: Decimal("Infinity") - Decimal("Infinity")):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, isinstance(e, ArithmeticError))
print(Decimal("Infinity") > 10, Decimal("NaN").is_nan(), Decimal("-Infinity"), Decimal("NaN") == Decimal("NaN"))
c = Context(prec=3, traps=[Inexact])
print(c.create_decimal("1.25"))
try:
    c.divide(1, 3)
except Inexact:
    print("inexact")
print(getcontext().flags[Inexact], isinstance(Decimal(1), Decimal), Decimal("1.10").compare(Decimal("1.1")), Decimal("1").max(2))
