# Numbers that round to long ints; formats without a type; split with a bound.
print(round(1e22), round(-1e100) == int(-1e100), round(12345678901234567890.0), round(2.5), round(-0.4))
for bad in (float("inf"), float("nan")):
    try:
        round(bad)
    except (OverflowError, ValueError) as e:
        print(type(e).__name__, e)
for x in (521695.6015, 100000.0, 99999.96, 2.5, 0.0, 1234.5678, 1e22, 1e-5, 123456789.0, -0.5, 9.99):
    print([format(x, s) for s in (".6", "_.6", ">14.6", "012_.6", ".1", "#.1", ".0", ".3", ".4", ",.10", "#.6")])
print(" x ".split(maxsplit=0), "a b  c ".split(None, 1), " a  b ".split(None, 5), "a ".split(None, 1), "  ".split(None, 0))
